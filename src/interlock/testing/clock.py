"""A clock that only moves when told."""

from __future__ import annotations

import asyncio

__all__ = ["FakeClock"]


class FakeClock:
    """A clock that stands still until `sleep` or `advance` moves it."""

    def __init__(self, start_s: float = 0.0) -> None:
        self._now_s = start_s
        self.slept: list[float] = []
        """Every wait that was asked for, in seconds and in order."""

    def now(self) -> float:
        """Return the seconds on the clock."""
        return self._now_s

    def advance(self, seconds: float) -> None:
        """Move the clock; a negative number sets it back."""
        self._now_s += seconds

    async def sleep(self, seconds: float) -> None:
        """Move the clock by `seconds` and let other tasks run, without waiting."""
        self.slept.append(seconds)
        self.advance(seconds)
        await asyncio.sleep(0)
