"""A journal that is kept in memory: for doors that write no file, and for tests.

Knows nothing of what the records say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from threading import Lock

from interlock.errors import JournalError
from interlock.journal.base import JournalView
from interlock.journal.chain import LEDGER, Head, link, require_head, require_new
from interlock.journal.holding import held_elsewhere
from interlock.journal.records import Body, EventType, Record, Row, decode_body, encode_body

__all__ = ["MemoryJournal"]


class MemoryJournal:
    """The records of this process; gone with it."""

    place = ":memory:"

    def __init__(self) -> None:
        self._runs: dict[str, list[Record]] = {}
        self._held: set[str] = set()
        self._lock = Lock()

    def append(
        self,
        run_id: str,
        kind: EventType,
        body: Body,
        *,
        ts: str,
        durable: bool = False,  # noqa: ARG002 -- memory outlasts nothing
        expected: Head | None = None,
    ) -> Record:
        """Add one record to the chain of `run_id` and return it; see `Journal.append`."""
        text = encode_body(body)
        with self._lock:
            return self._follow(run_id, kind, body, text, ts=ts, expected=expected)

    def restore(self, records: Sequence[Record]) -> None:
        """Add one whole run as it is; see `Store.restore`."""
        with self._lock:
            for record in records[:1]:
                require_new(record, self.head(record.run_id))
                self._runs[record.run_id] = list(records)

    def redact(self, run_id: str, texts: Mapping[int, str], body: Body, *, ts: str, expected: Head) -> Record:
        """Put other bodies in place of those of some rows; see `Store.redact`."""
        text = encode_body(body)
        with self._lock:
            record = self._follow(run_id, "redacted", body, text, ts=ts, expected=expected)
            for index, old in enumerate(self._runs[run_id]):
                if old.seq in texts:
                    new = texts[old.seq]
                    self._runs[run_id][index] = replace(old, body=decode_body(new), text=new)
        return record

    def prune(self, run_id: str, body: Body, *, ts: str, expected: Head) -> Record:
        """Delete one whole run; see `Store.prune`."""
        text = encode_body(body)
        with self._lock:
            require_head(expected, self.head(run_id), run_id=run_id)
            del self._runs[run_id]
            return self._follow(LEDGER, "pruned", body, text, ts=ts, expected=None)

    def _follow(self, run_id: str, kind: EventType, body: Body, text: str, *, ts: str, expected: Head | None) -> Record:
        head = self.head(run_id)
        require_head(expected, head, run_id=run_id)
        record = link(head, run_id=run_id, ts=ts, kind=kind, body=body, text=text)
        self._runs.setdefault(run_id, []).append(record)
        return record

    @contextmanager
    def hold(self, run_id: str) -> Iterator[None]:
        """Keep every other part of this process from working on a run; see `Journal.hold`."""
        with self._lock:
            if run_id in self._held:
                raise JournalError(held_elsewhere(run_id))
            self._held.add(run_id)
        try:
            yield
        finally:
            self._held.discard(run_id)

    def head(self, run_id: str) -> Head | None:
        """Return the run's last record by number and hash; None when there is no such run."""
        found = self._runs.get(run_id)
        return Head(seq=found[-1].seq, hash=found[-1].hash) if found else None

    def records(self, run_id: str) -> Iterator[Record]:
        """Yield the records of one run in order."""
        yield from tuple(self._runs.get(run_id, ()))

    def snapshot(self) -> AbstractContextManager[JournalView]:
        """Return a view that later appends do not change."""
        with self._lock:
            return nullcontext(_MemoryView({run_id: tuple(records) for run_id, records in self._runs.items()}))

    def close(self) -> None:
        """Do nothing: memory is released with the object."""


class _MemoryView:
    place = ":memory:"

    def __init__(self, runs: Mapping[str, tuple[Record, ...]]) -> None:
        self._runs = runs

    def run_ids(self) -> tuple[str, ...]:
        return tuple(self._runs)

    def head(self, run_id: str) -> Head | None:
        found = self._runs.get(run_id)
        return Head(seq=found[-1].seq, hash=found[-1].hash) if found else None

    def heads(self) -> Mapping[str, Head]:
        return {run_id: Head(seq=found[-1].seq, hash=found[-1].hash) for run_id, found in self._runs.items() if found}

    def rows(self, run_id: str, kinds: Sequence[EventType] = (), *, after: int | None = None) -> Iterator[Row]:
        for record in self._runs.get(run_id, ()):
            if (after is None or record.seq > after) and (not kinds or record.type in kinds):
                yield _row(record)

    def count(self, run_id: str, kind: EventType) -> int:
        return sum(1 for record in self._runs.get(run_id, ()) if record.type == kind)


def _row(record: Record) -> Row:
    return Row(
        run_id=record.run_id,
        seq=record.seq,
        ts=record.ts,
        type=record.type,
        body=record.text,
        prev_hash=record.prev_hash,
        hash=record.hash,
    )
