"""One client for each event loop that uses it: connections belong to the loop they were opened in."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

__all__ = ["PerLoop"]

C = TypeVar("C")


class PerLoop(Generic[C]):
    """Holds the clients of the loops that still run; those of a loop that has ended went with it."""

    def __init__(self, make: Callable[[], C], close: Callable[[C], Awaitable[None]]) -> None:
        self._make = make
        self._close = close
        self._held: dict[asyncio.AbstractEventLoop, C] = {}
        self._lock = threading.Lock()

    def get(self) -> C:
        """Return the client of the running loop."""
        loop = asyncio.get_running_loop()
        with self._lock:
            for ended in [each for each in self._held if each.is_closed()]:
                del self._held[ended]
            if loop not in self._held:
                self._held[loop] = self._make()
            return self._held[loop]

    async def aclose(self) -> None:
        """Close the client of the running loop, if there is one."""
        with self._lock:
            held = self._held.pop(asyncio.get_running_loop(), None)
        if held is not None:
            await self._close(held)
