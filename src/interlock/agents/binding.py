"""What an enclosing call has bound: the Runtime, the open function, the deadline, the tools on offer."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

from interlock.errors import Cancelled, FunctionTimeout
from interlock.functions.metadata import RenderRange

__all__ = ["Abandoned", "Scope", "current", "entered", "remaining_s"]


@dataclass(slots=True)
class Abandoned:
    """Set when a call was given up while its thread runs on."""

    flag: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What holds inside one call; inherited by tasks and by threads that this package starts."""

    runtime: Any = None
    """The bound Runtime; None outside of every Agent call."""
    frame: int | None = None
    """The `seq` of the open function's node."""
    render_range: RenderRange = field(default_factory=RenderRange)
    system: str | None = None
    """The open method's own system prompt."""
    skills: str = ""
    """The `Skills:` block of the open method's module."""
    agent_tools: tuple[Any, ...] = ()
    """The tool methods of the open method's agent."""
    offer: Any = None
    """The tools of the enclosing turn; None when no turn encloses this call."""
    ends_s: float = math.inf
    """When the enclosing deadline ends, on the Runtime's clock."""
    abandoned: tuple[Abandoned, ...] = ()


_SCOPE: ContextVar[Scope] = ContextVar("interlock_scope", default=Scope())  # noqa: B039  (frozen)


def current() -> Scope:
    """Return what is bound here."""
    return _SCOPE.get()


@contextmanager
def entered(**changes: Any) -> Iterator[Scope]:  # noqa: ANN401  (the fields of Scope)
    """Bind `changes` until the block ends."""
    scope = replace(_SCOPE.get(), **changes)
    token = _SCOPE.set(scope)
    try:
        yield scope
    finally:
        _SCOPE.reset(token)


def remaining_s(now: Callable[[], float]) -> float:
    """Return the seconds left of the enclosing deadline, infinity without one.

    Raises:
        Cancelled: the call that encloses this one was given up.
        FunctionTimeout: the deadline is over.
    """
    scope = _SCOPE.get()
    if any(item.flag.is_set() for item in scope.abandoned):
        raise Cancelled("this call was given up when its time was over")
    left = scope.ends_s - now()
    if left <= 0:
        raise FunctionTimeout("the time of the enclosing call is over", still_running=False)
    return left
