"""The one door from plain code into asynchronous code."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from interlock.errors import HostError

__all__ = ["run_blocking"]

T = TypeVar("T")


def run_blocking(call: Callable[[], Awaitable[T]], *, name: str, instead: str) -> T:
    """Return what `call` comes to, in an event loop of its own.

    Raises:
        HostError: an event loop is already running in this thread.
    """
    if _inside_loop():
        raise HostError(f"{name}: an event loop is already running here; write `await {instead}(…)`")
    return anyio.run(call)


def _inside_loop() -> bool:
    try:
        anyio.get_current_task()
    except RuntimeError:
        return False
    return True
