"""What is added to a run while people watch it: one reader per run, whoever writes it, for all who watch.

The journal is asked again and again, so that runs of other processes are seen like those of this one.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from itertools import islice

import anyio
import anyio.to_thread

from interlock.journal.records import Record, read_rows
from interlock.server.site.desk import Desk, reading

__all__ = ["Batch", "Watches"]

PACE_S = 0.25
"""Between two looks, while few runs are watched."""
_MANY = 8
"""Of more runs each is looked at less often, so that all of them together cost no more than these."""
_LOOKING = 4
"""How many runs are read at once; the threads of the other pages are left to them."""
PIECE = 100
"""Records that are read and drawn at once, so that a long run lets others through."""
_KEPT = 8
"""Batches that are kept for those who come late; whoever is further behind is read to from the journal."""
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
        self._looking = anyio.CapacityLimiter(_LOOKING)

    async def follow(self, run_id: str, after: int) -> AsyncIterator[Batch]:
        """Yield what is added to a run after record `after`, until it ends; a batch without records is a sign of life.

        Raises:
            JournalError: the journal cannot be read.
        """
        last = await anyio.to_thread.run_sync(_last_of, self._desk, run_id, limiter=self._looking)
        watched = self._watched.setdefault(run_id, _Watched(partial(self._read, run_id), min(after, last)))
        watched.watchers += 1
        if watched.task is None:
            watched.task = asyncio.create_task(watched.look(self._pace_s))
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

    def end(self) -> None:
        """Let go of all who watch, as the server does before it stops."""
        for watched in self._watched.values():
            watched.end()

    async def _read(self, run_id: str, after: int) -> Sequence[Record]:
        return await anyio.to_thread.run_sync(_records_after, self._desk, run_id, after, limiter=self._looking)

    def _pace_s(self) -> float:
        return PACE_S * max(1.0, len(self._watched) / _MANY)


class _Watched:
    """One run; `first` is a record that it has, and what comes after it is looked for."""

    def __init__(self, read: Callable[[int], Awaitable[Sequence[Record]]], first: int) -> None:
        self._read = read
        self._floor = self._seen = first
        """What is kept are the records above the one and up to the other."""
        self._batches: deque[Batch] = deque()
        self._changed = asyncio.Event()
        self._failure: Exception | None = None
        self._is_over = False
        self.watchers = 0
        self.task: asyncio.Task[None] | None = None

    def end(self) -> None:
        """Let go of all who watch."""
        self._is_over = True
        self._tell()

    async def look(self, pace_s: Callable[[], float]) -> None:
        """Read what is new, for as long as somebody watches."""
        while True:
            try:
                found = await self._read(self._seen)
            except Exception as error:  # noqa: BLE001  (whatever it is, those who watch are told and do not wait on)
                self._failure = error
                self._tell()
                return
            if found:
                self._keep(Batch(found))
                self._tell()
            if len(found) < PIECE:
                await asyncio.sleep(pace_s())

    async def news(self, after: int) -> AsyncIterator[Batch]:
        """Yield every batch that is not known to one who has seen all up to `after`."""
        while not self._is_over:
            changed = self._changed
            batch = await self._next(after)
            if batch is not None:
                after = max(after, batch.last)
                yield batch
                continue
            if self._failure is not None:
                raise self._failure
            with anyio.move_on_after(_SILENCE_S):
                await changed.wait()
            if not changed.is_set():
                yield Batch(())

    async def _next(self, after: int) -> Batch | None:
        """Return what comes after a record; None when nothing does yet."""
        if after < self._floor:
            missed = await self._read(after)
            if missed:
                return Batch(missed)
            after = self._floor
        batch = next((batch for batch in self._batches if batch.last > after), None)
        if batch is None or batch.records[0].seq > after:
            return batch
        return Batch([record for record in batch.records if record.seq > after])

    def _keep(self, batch: Batch) -> None:
        self._batches.append(batch)
        self._seen = batch.last
        if len(self._batches) > _KEPT:
            self._floor = self._batches.popleft().last

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def _last_of(desk: Desk, run_id: str) -> int:
    """Return the number of the last record of a run; 0 when it has none.

    Raises:
        JournalError: the journal cannot be read.
    """
    with reading(desk) as view:
        head = view.head(run_id)
        return 0 if head is None else head.seq


def _records_after(desk: Desk, run_id: str, after: int) -> Sequence[Record]:
    """Return the records of a run after one of them, as many as are read at once.

    Raises:
        JournalError: the journal cannot be read.
    """
    with reading(desk) as view:
        head = view.head(run_id)
        if head is None or head.seq <= after:
            return ()
        return tuple(islice(read_rows(view.rows(run_id, after=after)), PIECE))
