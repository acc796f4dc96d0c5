"""The journal in a SQLite file: write-ahead log, one writer at a time, a head row in the transaction of every append.

Knows nothing of what the records say.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Lock

from interlock.journal.base import JournalView
from interlock.journal.chain import LEDGER, Head, link, require_head, require_new
from interlock.journal.holding import hold_beside
from interlock.journal.records import Body, EventType, Record, Row, encode_body, read_rows
from interlock.journal.sqlite_file import FAILURES, connect_for_reading, connect_for_writing, explain

__all__ = ["SqliteJournal", "read_sqlite"]

BUSY_TIMEOUT_S = 5.0

_HEAD = "SELECT seq, hash FROM heads WHERE run_id = CAST(? AS TEXT)"
_HEADS = "SELECT run_id, seq, hash FROM heads"
_APPEND = "INSERT INTO events (run_id, seq, ts, type, body, prev_hash, hash) VALUES (?, ?, ?, ?, ?, ?, ?)"
_MOVE_HEAD = (
    "INSERT INTO heads (run_id, seq, hash) VALUES (?, ?, ?) "
    "ON CONFLICT (run_id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash"
)
_REDACT = "UPDATE events SET body = ? WHERE run_id = CAST(? AS TEXT) AND seq = ?"
_PRUNE = ("DELETE FROM events WHERE run_id = CAST(? AS TEXT)", "DELETE FROM heads WHERE run_id = CAST(? AS TEXT)")
_ROWS = (
    "SELECT e.run_id, e.seq, e.ts, e.type, e.body, e.prev_hash, e.hash "
    "FROM events AS i CROSS JOIN events AS e NOT INDEXED ON e.rowid = i.rowid WHERE i.run_id = CAST(? AS TEXT)"
)
"""The index finds the rows and the table gives every column: what stands in the table is what is verified."""
_COUNT = "SELECT count(*) FROM events WHERE run_id = CAST(? AS TEXT) AND type = ?"
_RUN_IDS = """
    SELECT run_id FROM (
        SELECT run_id, min(rowid) AS first FROM events GROUP BY run_id
        UNION ALL SELECT run_id, NULL FROM heads WHERE run_id NOT IN (SELECT run_id FROM events)
    ) ORDER BY first"""


class SqliteJournal:
    """Records in one file; several processes may append to it, each waiting for the other."""

    def __init__(self, path: Path, *, busy_timeout_s: float = BUSY_TIMEOUT_S) -> None:
        self._path = path
        self._busy_timeout_s = busy_timeout_s
        self._lock = Lock()
        self._durable: bool | None = None
        self._connection = connect_for_writing(path, busy_timeout_s=busy_timeout_s)

    @property
    def place(self) -> str:
        """The file."""
        return str(self._path)

    def append(
        self, run_id: str, kind: EventType, body: Body, *, ts: str, durable: bool = False, expected: Head | None = None
    ) -> Record:
        """Add one record to the chain of `run_id` and return it; see `Journal.append`."""
        text = encode_body(body)
        with self._transaction(durable=durable):
            return self._follow(run_id, kind, body, text, ts=ts, expected=expected)

    def restore(self, records: Sequence[Record]) -> None:
        """Add one whole run as it is; see `Store.restore`."""
        with self._transaction(durable=True):
            for record in records[:1]:
                require_new(record, self._head(record.run_id))
            for record in records:
                self._write(record)

    def redact(self, run_id: str, texts: Mapping[int, str], body: Body, *, ts: str, expected: Head) -> Record:
        """Put other bodies in place of those of some rows; see `Store.redact`."""
        text = encode_body(body)
        with self._erasing(), self._transaction(durable=True):
            self._connection.executemany(_REDACT, [(other, run_id, seq) for seq, other in texts.items()])
            return self._follow(run_id, "redacted", body, text, ts=ts, expected=expected)

    def prune(self, run_id: str, body: Body, *, ts: str, expected: Head) -> Record:
        """Delete one whole run; see `Store.prune`."""
        text = encode_body(body)
        with self._erasing(), self._transaction(durable=True):
            require_head(expected, self._head(run_id), run_id=run_id)
            for statement in _PRUNE:
                self._connection.execute(statement, (run_id,))
            return self._follow(LEDGER, "pruned", body, text, ts=ts, expected=None)

    def head(self, run_id: str) -> Head | None:
        """Return the run's last record by number and hash; None when there is no such run."""
        with self._lock:
            try:
                return self._head(run_id)
            except FAILURES as cause:
                raise explain(cause, self.place) from cause

    def records(self, run_id: str) -> Iterator[Record]:
        """Yield the records of one run in order; see `Journal.records`."""
        with self.snapshot() as view:
            yield from read_rows(view.rows(run_id))

    def snapshot(self) -> AbstractContextManager[JournalView]:
        """Return a view of its own connection, which later appends do not change."""
        return read_sqlite(self._path, busy_timeout_s=self._busy_timeout_s)

    def hold(self, run_id: str) -> AbstractContextManager[None]:
        """Keep every other process from working on a run; see `Journal.hold`."""
        return hold_beside(self._path, run_id)

    def close(self) -> None:
        """Close the file; closing twice is allowed."""
        self._connection.close()

    def _set_durable(self, durable: bool) -> None:
        if durable is not self._durable:
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._durable = durable

    def _head(self, run_id: str) -> Head | None:
        found = self._connection.execute(_HEAD, (run_id,)).fetchone()
        return None if found is None else Head(seq=found[0], hash=found[1])

    def _write(self, record: Record) -> None:
        self._connection.execute(
            _APPEND,
            (record.run_id, record.seq, record.ts, record.type, record.text, record.prev_hash, record.hash),
        )
        self._connection.execute(_MOVE_HEAD, (record.run_id, record.seq, record.hash))

    def _follow(self, run_id: str, kind: EventType, body: Body, text: str, *, ts: str, expected: Head | None) -> Record:
        """Append one record within a transaction."""
        head = self._head(run_id)
        require_head(expected, head, run_id=run_id)
        record = link(head, run_id=run_id, ts=ts, kind=kind, body=body, text=text)
        self._write(record)
        return record

    @contextmanager
    def _transaction(self, *, durable: bool) -> Iterator[None]:
        with self._lock:
            try:
                self._set_durable(durable)
                self._connection.execute("BEGIN IMMEDIATE")
                yield
                self._connection.execute("COMMIT")
            except FAILURES as cause:
                raise explain(cause, self.place) from cause
            finally:
                self._leave_transaction()

    @contextmanager
    def _erasing(self) -> Iterator[None]:
        """Overwrite what the block deletes, in the file and in the log beside it."""
        try:
            self._connection.execute("PRAGMA secure_delete = ON")
            yield
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except FAILURES as cause:
            raise explain(cause, self.place) from cause

    def _leave_transaction(self) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except FAILURES as cause:
            raise explain(cause, self.place) from cause


@contextmanager
def read_sqlite(path: Path, *, busy_timeout_s: float = BUSY_TIMEOUT_S) -> Iterator[JournalView]:
    """Yield what the file held at this moment; the file is not written and need not be writable.

    Raises:
        JournalError: there is no journal at this place, or it cannot be read.
    """
    connection = connect_for_reading(path, busy_timeout_s=busy_timeout_s)
    try:
        yield _SqliteView(str(path), connection)
    except FAILURES as cause:
        raise explain(cause, str(path)) from cause
    finally:
        connection.close()


class _SqliteView:
    def __init__(self, place: str, connection: sqlite3.Connection) -> None:
        self.place = place
        self._connection = connection

    def run_ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_text(run_id) for (run_id,) in self._connection.execute(_RUN_IDS)))

    def head(self, run_id: str) -> Head | None:
        found = self._connection.execute(_HEAD, (_bytes(run_id),)).fetchone()
        return None if found is None else Head(seq=_whole(found[0]), hash=_text(found[1]))

    def heads(self) -> Mapping[str, Head]:
        found = self._connection.execute(_HEADS)
        return {_text(run_id): Head(seq=_whole(seq), hash=_text(last)) for run_id, seq, last in found}

    def rows(self, run_id: str, kinds: Sequence[EventType] = (), *, after: int | None = None) -> Iterator[Row]:
        marks = ", ".join("?" for _ in kinds)
        some = f" AND e.type IN ({marks})" if kinds else ""
        later = "" if after is None else " AND i.seq > ?"
        wanted = f"{_ROWS}{some}{later} ORDER BY i.seq"
        for stored in self._connection.execute(wanted, (_bytes(run_id), *kinds, *(() if after is None else (after,)))):
            yield _row(stored)

    def count(self, run_id: str, kind: EventType) -> int:
        found = self._connection.execute(_COUNT, (_bytes(run_id), kind))
        return _whole(found.fetchone()[0])


def _row(stored: Sequence[object]) -> Row:
    run_id, seq, ts, kind, body, prev_hash, row_hash = stored
    return Row(
        run_id=_text(run_id),
        seq=_whole(seq),
        ts=_text(ts),
        type=_text(kind),
        body=_text(body),
        prev_hash=_text(prev_hash),
        hash=_text(row_hash),
    )


def _text(value: object) -> str:
    """Return a column as text whatever was put there; a changed column fails its hash."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return value if isinstance(value, str) else str(value)


def _bytes(text: str) -> bytes:
    """Return the stored bytes of a text that `_text` read."""
    return text.encode("utf-8", "surrogateescape")


def _whole(value: object) -> int:
    return value if isinstance(value, int) else -1
