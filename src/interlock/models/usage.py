"""The usage of several calls together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TypeVar

from interlock.models.base import Usage

__all__ = ["total_usage"]

N = TypeVar("N", int, Decimal)


def total_usage(usages: Sequence[Usage | None]) -> Usage | None:
    """Return the sums; what one call does not report is unknown in the whole."""
    known = [usage for usage in usages if usage is not None]
    if not known or len(known) < len(usages):
        return None
    return Usage(
        input_tokens=_sum(known, lambda usage: usage.input_tokens),
        output_tokens=_sum(known, lambda usage: usage.output_tokens),
        cached_input_tokens=_sum(known, lambda usage: usage.cached_input_tokens),
        cost_usd=_sum(known, lambda usage: usage.cost_usd),
    )


def _sum(usages: Sequence[Usage], read: Callable[[Usage], N | None]) -> N | None:
    total: N | None = None
    for usage in usages:
        value = read(usage)
        if value is None:
            return None
        total = value if total is None else total + value
    return total
