"""Works through a stream of any length with a bounded number of items under way; results in order or as they come.

Knows nothing of decisions.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["Done", "each"]

T = TypeVar("T")
R = TypeVar("R")

_AHEAD = 4
"""In order, so many times the items under way may be finished before the one that is to come next."""


class _Nothing:
    """What is left of a stream that has ended."""


_NOTHING = _Nothing()


@dataclass(frozen=True, slots=True, kw_only=True)
class Done(Generic[R]):
    """One item that was worked on."""

    index: int
    """From 0, in the order of the stream."""
    result: R


async def each(
    items: Iterable[T] | AsyncIterable[T],
    work: Callable[[int, T], Awaitable[R]],
    *,
    concurrency: int,
    ordered: bool,
) -> AsyncGenerator[Done[R], None]:
    """Yield what `work` makes of every item; an error of `work` or of the stream ends it.

    Items are taken as there is room for them, so the memory it takes does not grow with the stream. When the iterator
    is closed, what is under way is cancelled.
    """
    line = _Line(items, work, most=concurrency * (_AHEAD if ordered else 2))
    workers = [asyncio.create_task(line.work_off()) for _ in range(concurrency)]
    try:
        async for done in line.in_order(concurrency) if ordered else line.as_done(concurrency):
            yield done
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


class _Line(Generic[T, R]):
    def __init__(
        self, items: Iterable[T] | AsyncIterable[T], work: Callable[[int, T], Awaitable[R]], *, most: int
    ) -> None:
        self._items = aiter(items) if isinstance(items, AsyncIterable) else iter(items)
        self._work = work
        self._taken = 0
        self._ended = False
        self._taking = asyncio.Lock()
        self._room = asyncio.Semaphore(most)
        self._out: asyncio.Queue[Done[R] | BaseException | None] = asyncio.Queue()

    async def work_off(self) -> None:
        """Take items and work on them until there are none left, then say so."""
        try:
            while True:
                await self._room.acquire()
                taken = await self._take()
                if taken is None:
                    break
                index, item = taken
                self._out.put_nowait(Done(index=index, result=await self._work(index, item)))
        except Exception as problem:  # noqa: BLE001 - raised again where the results are taken
            self._out.put_nowait(problem)
        else:
            self._out.put_nowait(None)

    async def as_done(self, workers: int) -> AsyncIterator[Done[R]]:
        """Yield results as they come, until every worker has ended."""
        while workers:
            got = await self._out.get()
            if got is None:
                workers -= 1
                self._room.release()
            elif isinstance(got, BaseException):
                raise got
            else:
                self._room.release()
                yield got

    async def in_order(self, workers: int) -> AsyncIterator[Done[R]]:
        """Yield results in the order of the stream."""
        waiting: dict[int, Done[R]] = {}
        due = 0
        while workers:
            got = await self._out.get()
            if got is None:
                workers -= 1
                self._room.release()
            elif isinstance(got, BaseException):
                raise got
            else:
                waiting[got.index] = got
            while due in waiting:
                self._room.release()
                yield waiting.pop(due)
                due += 1

    async def _take(self) -> tuple[int, T] | None:
        """Return the next item with its number, None when there is none; one worker at a time."""
        if not isinstance(self._items, AsyncIterator):
            return None if self._ended else self._numbered(next(self._items, _NOTHING))
        async with self._taking:
            return None if self._ended else self._numbered(await anext(self._items, _NOTHING))

    def _numbered(self, item: T | _Nothing) -> tuple[int, T] | None:
        if isinstance(item, _Nothing):
            self._ended = True
            return None
        self._taken += 1
        return self._taken - 1, item
