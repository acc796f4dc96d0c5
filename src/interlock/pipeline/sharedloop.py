"""Runs coroutines for plain code, whether or not an event loop runs in the calling thread."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

__all__ = ["run_anywhere"]

T = TypeVar("T")

_lock = threading.Lock()
_loops: list[asyncio.AbstractEventLoop] = []


def run_anywhere(call: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Return what `call` comes to; the caller's context variables are seen by it.

    All such calls share one event loop in a thread of its own, so that connections are reused. From inside that
    very loop, where waiting for it would never end, a fresh loop in a fresh thread is used.
    """
    shared = _shared()
    if _running() is shared:
        return _in_a_fresh_loop(call)
    future = asyncio.run_coroutine_threadsafe(call(), shared)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _shared() -> asyncio.AbstractEventLoop:
    with _lock:
        if not _loops:
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="interlock", daemon=True).start()
            _loops.append(loop)
        return _loops[0]


def _in_a_fresh_loop(call: Callable[[], Coroutine[Any, Any, T]]) -> T:
    outcome: list[T] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(asyncio.run(call()))
        except BaseException as error:  # noqa: BLE001  (handed to the waiting thread, which raises it)
            failure.append(error)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]
