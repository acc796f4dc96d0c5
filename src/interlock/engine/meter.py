"""Counts what model calls use, and stops the next one when a limit is reached.

Source: decision-engine specification, depth.
"""

from __future__ import annotations

from interlock.engine.limits import Limit, Limits, Prices, Used, spent, used_by
from interlock.models.base import TextReply, TextRequest

__all__ = ["LimitReached", "Meter"]


class LimitReached(Exception):  # noqa: N818  (an outcome, turned into the end of a run)
    """The next model call would pass a limit."""

    def __init__(self, limit: Limit) -> None:
        super().__init__(limit)
        self.limit = limit


class Meter:
    """What the model calls of one run have used; without limits it only counts."""

    def __init__(self, limits: Limits | None = None, prices: Prices | None = None) -> None:
        self.used = Used()
        self._limits = limits
        self._prices = prices

    def require(self) -> None:
        """Return when another model call is allowed.

        Raises:
            LimitReached: tokens or cost are used up.
        """
        limit = None if self._limits is None else spent(self._limits, self.used)
        if limit is not None:
            raise LimitReached(limit)

    def add(self, request: TextRequest, reply: TextReply) -> Used:
        """Count one call and return what it used."""
        used = used_by(request, reply, self._prices)
        self.used = self.used.plus(used)
        return used

    def count(self, *, steps: int = 0, tool_calls: int = 0) -> None:
        """Count what is no model call."""
        self.used = self.used.plus(Used(steps=steps, tool_calls=tool_calls))
