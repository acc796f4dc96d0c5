"""The journal in a PostgreSQL database: one append to a run at a time, a head row in the transaction of every append.

Knows nothing of what the records say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from threading import Lock

import psycopg
from psycopg import IsolationLevel

from interlock.errors import JournalError
from interlock.journal.base import JournalView
from interlock.journal.chain import LEDGER, Head, link, require_head, require_new, require_run_id
from interlock.journal.holding import held_elsewhere
from interlock.journal.postgres_server import connect, explain, prepare, require_tables
from interlock.journal.records import Body, EventType, Record, Row, encode_body, read_rows
from interlock.postgres import shown_address
from interlock.postgres.server import LOCK_TIMEOUT_S, Database

__all__ = ["PostgresJournal", "read_postgres"]

_LOCK = "SELECT set_config('synchronous_commit', %s, true), pg_advisory_xact_lock(hashtextextended(%s, 1))"
"""Taken before the head is read: two that append to one run do so one after the other."""
_HEAD = "SELECT seq, hash FROM interlock.heads WHERE run_id = %s"
_HEADS = "SELECT run_id, seq, hash FROM interlock.heads"
_APPEND = """
    WITH appended AS (
        INSERT INTO interlock.events (run_id, seq, ts, type, body, prev_hash, hash)
        VALUES (%(run_id)s, %(seq)s, %(ts)s, %(type)s, %(text)s, %(prev_hash)s, %(hash)s))
    INSERT INTO interlock.heads (run_id, seq, hash) VALUES (%(run_id)s, %(seq)s, %(hash)s)
    ON CONFLICT (run_id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash"""
_REDACT = "UPDATE interlock.events SET body = %s WHERE run_id = %s AND seq = %s"
_PRUNE = ("DELETE FROM interlock.events WHERE run_id = %s", "DELETE FROM interlock.heads WHERE run_id = %s")
_HOLD = "SELECT pg_try_advisory_lock(hashtextextended(%s, 2))"
_RELEASE = "SELECT pg_advisory_unlock(hashtextextended(%s, 2))"
_ROWS = "SELECT run_id, seq, ts, type, body, prev_hash, hash FROM interlock.events WHERE run_id = %(run_id)s"
_COUNT = "SELECT count(*) FROM interlock.events WHERE run_id = %s AND type = %s"
_RUN_IDS = """
    SELECT run_id FROM (
        SELECT run_id, min(id) AS first FROM interlock.events GROUP BY run_id
        UNION ALL SELECT run_id, 0 FROM interlock.heads WHERE run_id NOT IN (SELECT run_id FROM interlock.events)
    ) AS known ORDER BY first"""
_BATCH = 500


class PostgresJournal:
    """Records in one database; any number of processes may append to it."""

    def __init__(self, address: str, *, lock_timeout_s: float = LOCK_TIMEOUT_S) -> None:
        self._address = address
        self._lock_timeout_s = lock_timeout_s
        self._place = shown_address(address)
        self._lock = Lock()
        self._closed = False
        self._connection = connect(address, self._place, lock_timeout_s=lock_timeout_s)
        try:
            prepare(self._connection, self._place)
        except BaseException:
            self._connection.close()
            raise

    @property
    def place(self) -> str:
        """The address, without user, password and options."""
        return self._place

    def append(
        self, run_id: str, kind: EventType, body: Body, *, ts: str, durable: bool = False, expected: Head | None = None
    ) -> Record:
        """Add one record to the chain of `run_id` and return it; see `Journal.append`."""
        text = encode_body(body)
        with self._transaction(run_id, durable=durable):
            return self._follow(run_id, kind, body, text, ts=ts, expected=expected)

    def restore(self, records: Sequence[Record]) -> None:
        """Add one whole run as it is; see `Store.restore`."""
        for first in records[:1]:
            with self._transaction(first.run_id, durable=True):
                require_new(first, self._head(first.run_id))
                with self._connection.cursor() as cursor:
                    cursor.executemany(_APPEND, [_values(record) for record in records])

    def redact(self, run_id: str, texts: Mapping[int, str], body: Body, *, ts: str, expected: Head) -> Record:
        """Put other bodies in place of those of some rows; see `Store.redact`."""
        text = encode_body(body)
        with self._transaction(run_id, durable=True):
            for seq, other in texts.items():
                self._connection.execute(_REDACT, (other, run_id, seq))
            return self._follow(run_id, "redacted", body, text, ts=ts, expected=expected)

    def prune(self, run_id: str, body: Body, *, ts: str, expected: Head) -> Record:
        """Delete one whole run; see `Store.prune`."""
        text = encode_body(body)
        with self._transaction(run_id, durable=True):
            require_head(expected, self._head(run_id), run_id=run_id)
            for statement in _PRUNE:
                self._connection.execute(statement, (run_id,))
            self._connection.execute(_LOCK, ("on", LEDGER))
            return self._follow(LEDGER, "pruned", body, text, ts=ts, expected=None)

    @contextmanager
    def hold(self, run_id: str) -> Iterator[None]:
        """Keep every other process from working on a run; see `Journal.hold`."""
        require_run_id(run_id)
        with closing(connect(self._address, self._place)) as connection:
            with self._explained():
                held = connection.execute(_HOLD, (run_id,)).fetchone()
            if held != (True,):
                raise JournalError(held_elsewhere(run_id))
            try:
                yield
            finally:
                with suppress(psycopg.Error):  # the server lets go of it too, but after the connection was closed here
                    connection.execute(_RELEASE, (run_id,))

    def head(self, run_id: str) -> Head | None:
        """Return the run's last record by number and hash; None when there is no such run."""
        with self._lock, self._explained():
            self._open()
            return self._head(run_id)

    def records(self, run_id: str) -> Iterator[Record]:
        """Yield the records of one run in order; see `Journal.records`."""
        with self.snapshot() as view:
            yield from read_rows(view.rows(run_id))

    def snapshot(self) -> AbstractContextManager[JournalView]:
        """Return a view of its own connection, which later appends do not change."""
        return read_postgres(self._address)

    def close(self) -> None:
        """Close the connection; closing twice is allowed."""
        self._closed = True
        self._connection.close()

    def _open(self) -> Database:
        """Return the connection, made anew where the server has ended it between two records."""
        if self._closed:
            raise JournalError(f"journal `{self._place}`: is closed; open it anew")
        if self._connection.closed:
            self._connection = connect(self._address, self._place, lock_timeout_s=self._lock_timeout_s)
        return self._connection

    def _head(self, run_id: str) -> Head | None:
        found = self._connection.execute(_HEAD, (run_id,)).fetchone()
        return None if found is None else Head(seq=found[0], hash=found[1])

    def _follow(self, run_id: str, kind: EventType, body: Body, text: str, *, ts: str, expected: Head | None) -> Record:
        """Append one record within a transaction that has the lock of its run."""
        head = self._head(run_id)
        require_head(expected, head, run_id=run_id)
        record = link(head, run_id=run_id, ts=ts, kind=kind, body=body, text=text)
        self._write(record)
        return record

    def _write(self, record: Record) -> None:
        self._connection.execute(_APPEND, _values(record))

    @contextmanager
    def _transaction(self, run_id: str, *, durable: bool) -> Iterator[None]:
        with self._lock, self._explained(), self._open().transaction():
            self._connection.execute(_LOCK, ("on" if durable else "off", run_id))
            yield

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as cause:
            raise explain(cause, self._place) from None


@contextmanager
def read_postgres(address: str) -> Iterator[JournalView]:
    """Yield what the database held at this moment; nothing is written.

    Raises:
        JournalError: there is no journal at this place, or it cannot be read.
    """
    place = shown_address(address)
    with closing(connect(address, place)) as connection:
        try:
            require_tables(connection, place)
            connection.isolation_level = IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            with connection.transaction():
                connection.execute("SELECT run_id FROM interlock.heads LIMIT 1")
                yield _PostgresView(place, connection)
        except psycopg.Error as cause:
            raise explain(cause, place) from None


class _PostgresView:
    def __init__(self, place: str, connection: Database) -> None:
        self.place = place
        self._connection = connection
        self._cursors = 0

    def run_ids(self) -> tuple[str, ...]:
        return tuple(run_id for (run_id,) in self._connection.execute(_RUN_IDS))

    def head(self, run_id: str) -> Head | None:
        found = self._connection.execute(_HEAD, (run_id,)).fetchone()
        return None if found is None else Head(seq=found[0], hash=found[1])

    def heads(self) -> Mapping[str, Head]:
        found = self._connection.execute(_HEADS)
        return {run_id: Head(seq=seq, hash=last) for run_id, seq, last in found}

    def rows(self, run_id: str, kinds: Sequence[EventType] = (), *, after: int | None = None) -> Iterator[Row]:
        later = "" if after is None else " AND seq > %(after)s"
        some = " AND type = ANY(%(kinds)s)" if kinds else ""
        wanted = f"{_ROWS}{later}{some} ORDER BY seq"
        self._cursors += 1
        with self._connection.cursor(f"rows_{self._cursors}") as cursor:
            cursor.itersize = _BATCH
            cursor.execute(wanted, {"run_id": run_id, "after": after, "kinds": list(kinds)})
            for stored in cursor:
                yield _row(stored)

    def count(self, run_id: str, kind: EventType) -> int:
        found = self._connection.execute(_COUNT, (run_id, kind)).fetchone()
        return 0 if found is None else int(found[0])


def _values(record: Record) -> Mapping[str, str | int]:
    return {
        "run_id": record.run_id,
        "seq": record.seq,
        "ts": record.ts,
        "type": record.type,
        "text": record.text,
        "prev_hash": record.prev_hash,
        "hash": record.hash,
    }


def _row(stored: Sequence[object]) -> Row:
    run_id, seq, ts, kind, body, prev_hash, row_hash = stored
    return Row(
        run_id=str(run_id),
        seq=seq if isinstance(seq, int) else -1,
        ts=str(ts),
        type=str(kind),
        body=str(body),
        prev_hash=str(prev_hash),
        hash=str(row_hash),
    )
