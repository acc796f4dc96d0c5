"""How long a call may take and how long to wait before the next try.

One budget covers everything inside it: retries, waits and later legs see what is left.
Source: backends specification, sections 6 and 8.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import TypeAlias, TypeVar

__all__ = ["Clock", "Rng", "Sleep", "backoff_s", "remaining_s", "within"]

T = TypeVar("T")
Clock: TypeAlias = Callable[[], float]
"""Seconds that never run backwards."""
Sleep: TypeAlias = Callable[[float], Awaitable[object]]
Rng: TypeAlias = Callable[[], float]
"""A number in [0, 1)."""

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 5.0
JITTER = 0.25

_ENDS: ContextVar[float] = ContextVar("interlock_budget_ends", default=math.inf)


async def within(budget_s: float, now: Clock, work: Awaitable[T]) -> T | None:
    """Return what `work` returns, or None when it took longer than `budget_s` or than a budget around it.

    A result that arrives too late is dropped.
    """
    began = now()
    ends = min(began + budget_s, _ENDS.get())
    token = _ENDS.set(ends)
    scope = asyncio.timeout(ends - began)
    try:
        async with scope:
            result = await work
    except TimeoutError:
        if not scope.expired():
            raise
        return None
    finally:
        _ENDS.reset(token)
    return result if now() < ends else None


def remaining_s(now: Clock) -> float:
    """Return the seconds left of the innermost budget, infinity outside of any."""
    return _ENDS.get() - now()


def backoff_s(retries: int, rng: Rng, asked_s: float | None) -> float:
    """Return the seconds to wait before the next try: what the server asked for, else doubling with jitter.

    `retries`: how many were made already.
    """
    if asked_s is not None:
        return asked_s
    return min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0**retries) * (1 - JITTER * rng())
