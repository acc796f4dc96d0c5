"""Runs plain code in a thread of its own, waited for no longer than a caller has time.

Python cannot stop a thread: one that is given up runs on, and every model call it still makes raises `Cancelled`.
A thread per call, not a pool: calls nest, and a pool of waiting threads would wait for itself.
Source: next-step specification, section 16.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from interlock.agents.binding import current, entered
from interlock.pipeline.sharedloop import waiting

__all__ = ["StillRunning", "arun_apart", "arun_in_thread", "run_apart", "run_in_thread"]

T = TypeVar("T")


class StillRunning(Exception):  # noqa: N818  (an outcome, turned into the caller's own error)
    """The time is over and the thread runs on."""


def run_in_thread(call: Callable[[], T], limit_s: float | None, on_late: Callable[[], None]) -> T:
    """Return what `call` returns, or raise what it raises; `on_late` is told when it ends after it was given up.

    Raises:
        StillRunning: it has not ended within `limit_s`; None is no limit.
    """
    job = _Job(call, on_late)
    ended = threading.Event()
    job.start(ended.set)
    try:
        with waiting():
            ended.wait(limit_s)
    except BaseException:
        job.give_up()
        raise
    if job.give_up():
        raise StillRunning
    return job.outcome()


def run_apart(call: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Return what `call` comes to in an event loop of its own, while another one may run in this thread."""
    return run_in_thread(lambda: asyncio.run(call()), None, _nothing)


async def arun_apart(call: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Return what `call` comes to in an event loop of its own; when the waiting is cancelled, so is it.

    Whatever it does there, a loop that others wait for goes on.
    """
    tasks: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

    async def main() -> T:
        task = asyncio.current_task()
        if task is not None:
            tasks.append((asyncio.get_running_loop(), task))
        return await call()

    try:
        return await arun_in_thread(lambda: asyncio.run(main()))
    except asyncio.CancelledError:
        for loop, task in tasks:
            _tell(loop, task.cancel)
        raise


async def arun_in_thread(call: Callable[[], T]) -> T:
    """Return what `call` returns, or raise what it raises; when the waiting is cancelled, it is given up."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    job = _Job(call, _nothing)
    job.start(lambda: _tell(loop, ended.set))
    try:
        await ended.wait()
    except asyncio.CancelledError:
        job.give_up()
        raise
    return job.outcome()


class _Job(Generic[T]):
    """One call in its thread: it either ends, or is given up first."""

    def __init__(self, call: Callable[[], T], on_late: Callable[[], None]) -> None:
        self._call = call
        self._on_late = on_late
        self._given_up = threading.Event()
        self._lock = threading.Lock()
        self._ended = False
        self._result: list[T] = []
        self._error: BaseException | None = None

    def start(self, on_end: Callable[[], None]) -> None:
        """Start the thread, with the caller's context variables."""
        with entered(given_up=(*current().given_up, self._given_up)):
            context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(self._work, on_end), daemon=True).start()

    def give_up(self) -> bool:
        """Stop waiting; False when it has ended."""
        with self._lock:
            if not self._ended:
                self._given_up.set()
            return not self._ended

    def outcome(self) -> T:
        """Return the result of a call that has ended, or raise its exception."""
        if self._error is not None:
            raise self._error
        return self._result[0]

    def _work(self, on_end: Callable[[], None]) -> None:
        try:
            self._result.append(self._call())
        except BaseException as error:  # noqa: BLE001  (handed to whoever waits)
            self._error = error
        with self._lock:
            self._ended = True
        if self._given_up.is_set():
            self._on_late()
        on_end()


def _tell(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> None:
    try:
        loop.call_soon_threadsafe(call)
    except RuntimeError:  # the loop is closed, so nobody is there to be told
        return


def _nothing() -> None:
    return None
