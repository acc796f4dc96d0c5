"""How a run goes on, beside how each of its decisions is asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from interlock.engine.limits import Limits, Prices
from interlock.engine.tools import TOOL_TIMEOUT_S
from interlock.engine.waiting import REAL, Waiting
from interlock.questions import Json

__all__ = ["STANDARD_RUN", "Handler", "RunOptions"]

Handler: TypeAlias = Callable[[str], Awaitable[object]]
"""Carries out an action for the host: takes its `final` and returns what is observed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What a run may use, who carries out its actions, and what it is told."""

    limits: Limits = field(default_factory=Limits)
    prices: Prices | None = None
    """What the model costs; None where it says so itself or nobody asks."""
    max_retries: int = 2
    """Further attempts at each decision."""
    handlers: Mapping[str, Handler] = field(default_factory=dict)
    """Action → who carries it out; a run ends at an action without one."""
    context: Mapping[str, object] = field(default_factory=dict)
    """Values of hidden parameters of the tools."""
    tool_timeout_s: float = TOOL_TIMEOUT_S
    """For one call of a function; a declared `Tool` has its own."""
    memory_summary: str = ""
    origin: Mapping[str, Json] = field(default_factory=dict)
    """Where model, judge and tools came from, for the record."""
    waiting: Waiting = REAL


STANDARD_RUN = RunOptions()
