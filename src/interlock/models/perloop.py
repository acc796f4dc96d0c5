"""A client whose connections belong to one event loop, made anew when the loop is another one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

__all__ = ["PerLoop"]

C = TypeVar("C")


class PerLoop(Generic[C]):
    """Holds at most one client; connections of a loop that has ended went with it."""

    def __init__(self, make: Callable[[], C], close: Callable[[C], Awaitable[None]]) -> None:
        self._make = make
        self._close = close
        self._held: C | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def get(self) -> C:
        """Return the client of the running loop."""
        loop = asyncio.get_running_loop()
        if self._held is None or self._loop is not loop:
            self._held, self._loop = self._make(), loop
        return self._held

    async def aclose(self) -> None:
        """Close the client of the running loop, if there is one."""
        held, self._held = self._held, None
        if held is not None and self._loop is asyncio.get_running_loop():
            await self._close(held)
