"""What is added to a run while people watch it: one reader per run, whoever writes it, for all who watch.

The journal is asked again and again, so that runs of other processes are seen like those of this one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial

import anyio
import anyio.to_thread

from interlock.errors import JournalError
from interlock.journal.records import Record, read_rows
from interlock.server.site.desk import Desk, reading

__all__ = ["Batch", "Watches", "records_after"]

PACE_S = 0.25
"""Between two looks."""
_SILENCE_S = 15.0
"""After so long without news a watcher is told that nothing is new, so that a dead connection is noticed."""
_LAST = frozenset(("run_ended", "engine_ended"))


class Batch:
    """Records that came together; what they are drawn as is drawn once for all."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = records
        self.drawn: dict[str, str] = {}
        """Language → what was drawn."""

    @property
    def last(self) -> int:
        """The number of the last record."""
        return self.records[-1].seq if self.records else 0

    @property
    def ends(self) -> bool:
        """Tell whether the run is over with these."""
        return any(record.type in _LAST for record in self.records)


class Watches:
    """The runs that are watched."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._watched: dict[str, _Watched] = {}

    async def follow(self, run_id: str, after: int) -> AsyncIterator[Batch]:
        """Yield what is added to a run after record `after`, until it ends; a batch without records is a sign of life.

        Raises:
            JournalError: the journal cannot be read.
        """
        watched = self._watched.setdefault(run_id, _Watched(partial(records_after, self._desk, run_id), after))
        watched.watchers += 1
        if watched.task is None:
            watched.task = asyncio.create_task(watched.look())
        try:
            async for batch in watched.news(after):
                yield batch
                if batch.ends:
                    return
        finally:
            watched.watchers -= 1
            if watched.watchers == 0:
                watched.task.cancel()
                self._watched.pop(run_id, None)


class _Watched:
    def __init__(self, read: Callable[[int], Sequence[Record]], after: int) -> None:
        self._read = read
        self._first = self._seen = after
        self._batches: list[Batch] = []
        self._changed = asyncio.Event()
        self._failure: JournalError | None = None
        self.watchers = 0
        self.task: asyncio.Task[None] | None = None

    async def look(self) -> None:
        """Read what is new, for as long as somebody watches."""
        while True:
            try:
                found = await anyio.to_thread.run_sync(self._read, self._seen)
            except JournalError as error:
                self._failure = error
                self._tell()
                return
            if found:
                self._batches.append(Batch(found))
                self._seen = found[-1].seq
                self._tell()
            await asyncio.sleep(PACE_S)

    async def news(self, after: int) -> AsyncIterator[Batch]:
        """Yield every batch that is not known to one who has seen all up to `after`."""
        if after < self._first:
            missed = await anyio.to_thread.run_sync(self._read, after)
            yield Batch([record for record in missed if record.seq <= self._first])
        at = next((at for at, batch in enumerate(self._batches) if batch.last > after), len(self._batches))
        while True:
            while at < len(self._batches):
                batch = self._batches[at]
                at += 1
                known = batch.records[0].seq <= after
                yield Batch([record for record in batch.records if record.seq > after]) if known else batch
            if self._failure is not None:
                raise self._failure
            changed = self._changed
            with anyio.move_on_after(_SILENCE_S):
                await changed.wait()
            if not changed.is_set():
                yield Batch(())

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def records_after(desk: Desk, run_id: str, after: int) -> Sequence[Record]:
    """Return the records of a run after one of them.

    Raises:
        JournalError: the journal cannot be read.
    """
    with reading(desk) as view:
        head = view.head(run_id)
        if head is None or head.seq <= after:
            return ()
        return tuple(read_rows(view.rows(run_id, after=after)))
