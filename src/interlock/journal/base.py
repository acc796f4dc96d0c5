"""The seam that every store of records stands behind.

Knows nothing of what the records say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from interlock.journal.chain import Head
from interlock.journal.records import Body, EventType, Record, Row

__all__ = ["Journal", "JournalView", "Store"]


class JournalView(Protocol):
    """What a journal held at one moment, as stored, whether or not it makes sense."""

    @property
    def place(self) -> str:
        """Where it is, as shown to a person."""
        ...

    def run_ids(self) -> tuple[str, ...]:
        """Return every run that has rows or a head, oldest first."""
        ...

    def head(self, run_id: str) -> Head | None:
        """Return the head stored with the run's last append; None when there is none."""
        ...

    def heads(self) -> Mapping[str, Head]:
        """Return the head of every run that has one; no row is read for it."""
        ...

    def rows(self, run_id: str, kinds: Sequence[EventType] = (), *, after: int | None = None) -> Iterator[Row]:
        """Yield the rows of one run by `seq`, of all types unless some are named, and only those above `after`."""
        ...

    def count(self, run_id: str, kind: EventType) -> int:
        """Return how many rows of one type a run has."""
        ...


class Journal(Protocol):
    """An append-only store of records, one chain per run."""

    @property
    def place(self) -> str:
        """Where it is, as shown to a person."""
        ...

    def append(
        self, run_id: str, kind: EventType, body: Body, *, ts: str, durable: bool = False, expected: Head | None = None
    ) -> Record:
        """Add one record to the chain of `run_id` and return it.

        `durable` makes it, and all before it, outlast a loss of power: for records that precede an effect.
        `expected`: the record that it must follow; None lets it follow any.

        Raises:
            HeadMovedError: the run's last record is not `expected`; nothing was written.
            JournalError: nothing was written.
        """
        ...

    def hold(self, run_id: str) -> AbstractContextManager[None]:
        """Keep every other process from working on a run; the end of this process, however it comes, lets go.

        Only those who work on the run hold it: others may append, such as the answer to an approval.

        Raises:
            JournalError: another process, or another part of this one, holds it.
        """
        ...

    def head(self, run_id: str) -> Head | None:
        """Return the run's last record by number and hash; None when there is no such run."""
        ...

    def records(self, run_id: str) -> Iterator[Record]:
        """Yield the records of one run in order; nothing when there is no such run.

        Raises:
            JournalError: a row cannot be read; it is named.
        """
        ...

    def snapshot(self) -> AbstractContextManager[JournalView]:
        """Return a view that later appends do not change."""
        ...

    def close(self) -> None:
        """Release the store; closing twice is allowed."""
        ...


class Store(Journal, Protocol):
    """A journal out of which its keeper may take things, and into which whole runs may be put back.

    What is taken leaves a record in its place: nothing else may change rows.
    """

    def restore(self, records: Sequence[Record]) -> None:
        """Add one whole run as it is: numbers, times and hashes are not made anew, and not checked here.

        Raises:
            JournalError: there is such a run already, or nothing could be written.
        """
        ...

    def redact(self, run_id: str, texts: Mapping[int, str], body: Body, *, ts: str, expected: Head) -> Record:
        """Put other bodies in place of those of some rows, and append the `redacted` record that says so.

        `texts`: row → its new body as JSON. The hashes of the rows stay.

        Raises:
            HeadMovedError: the run's last record is not `expected`; nothing was written.
            JournalError: nothing was written.
        """
        ...

    def prune(self, run_id: str, body: Body, *, ts: str, expected: Head) -> Record:
        """Delete one whole run, and append the `pruned` record that says so to the run `LEDGER`.

        Raises:
            HeadMovedError: the run's last record is not `expected`; nothing was deleted.
            JournalError: nothing was deleted.
        """
        ...
