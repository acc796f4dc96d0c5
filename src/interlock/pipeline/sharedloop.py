"""Runs coroutines for plain code, whether or not an event loop runs in the calling thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

__all__ = ["on_shared_loop", "run_anywhere", "waiting"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Home:
    """An event loop and the thread it runs in."""

    loop: asyncio.AbstractEventLoop
    thread: threading.Thread


_lock = threading.Lock()
_homes: list[_Home] = []
"""The loops that take calls, the first one before the others; a loop whose thread waits is not among them."""
_HERE = threading.local()
"""Has `loop` in the thread of a shared loop."""


def run_anywhere(call: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Return what `call` comes to; the caller's context variables are seen by it.

    All such calls share one event loop in a thread of its own, so that connections are reused. A call made from
    inside that loop would wait for itself; it runs on another one.
    """
    with waiting():
        future = asyncio.run_coroutine_threadsafe(call(), _open_home().loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise


def on_shared_loop() -> bool:
    """True in a coroutine that runs in a loop which other calls share."""
    loop = _running()
    return loop is not None and getattr(_HERE, "loop", None) is loop


@contextmanager
def waiting() -> Iterator[None]:
    """Give no call to the loop that runs in this thread while the block waits for something."""
    loop = _running()
    with _lock:
        own = next((home for home in _homes if home.loop is loop), None)
        if own is not None:
            _homes.remove(own)
    try:
        yield
    finally:
        if own is not None:
            with _lock:
                _homes.append(own)


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _open_home() -> _Home:
    """Return a loop that takes calls; in a forked process the loops of its parent do not run."""
    with _lock:
        _homes[:] = [home for home in _homes if home.thread.is_alive()]
        if not _homes:
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=_run, args=(loop,), name="interlock", daemon=True)
            thread.start()
            _homes.append(_Home(loop=loop, thread=thread))
        return _homes[0]


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Run `loop` for the life of the process; `SystemExit` in one task goes to its caller and ends nothing else."""
    _HERE.loop = loop
    while True:
        try:
            loop.run_forever()
        except (SystemExit, KeyboardInterrupt):
            continue
