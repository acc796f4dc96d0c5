"""What an enclosing call has bound: the Runtime, the open functions, the deadline, the tools on offer.

Source: next-step specification, sections 2, 8 and 16.
"""

from __future__ import annotations

import asyncio
import inspect
import math
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from interlock.errors import Cancelled, FunctionTimeout
from interlock.functions.metadata import RenderRange

__all__ = ["OUT_OF_TIME", "Frame", "Scope", "before_deadline", "call_bound", "current", "entered", "remaining_s"]

OUT_OF_TIME = "the time of the enclosing call is over"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One open function in the session of its Runtime."""

    runtime: Any
    seq: int
    """Of its node."""
    render_range: RenderRange


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What holds inside one call; inherited by tasks and by threads that this package starts."""

    runtime: Any = None
    """The bound Runtime; None outside of every call that has one."""
    frames: tuple[Frame, ...] = ()
    """The open functions, outermost first, whichever Runtime they run on."""
    method: tuple[object, str] | None = None
    """The Agent and the name of its method that runs."""
    system: str | None = None
    """The open method's own system prompt."""
    skills: str = ""
    """The `Skills:` block of the open method's module."""
    agent_tools: tuple[Any, ...] = ()
    """The tool methods of the open method's agent."""
    offer: Any = None
    """The tools of the enclosing turn; None when no turn encloses this call."""
    ends_s: float = math.inf
    """When the enclosing deadline ends, on the monotonic clock."""
    given_up: tuple[threading.Event, ...] = ()
    """Each is set when a call around this one was given up while its thread runs on."""

    def frame(self, runtime: object) -> Frame | None:
        """Return the innermost open function that runs on `runtime`."""
        return next((frame for frame in reversed(self.frames) if frame.runtime is runtime), None)


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


def call_bound(runtime: object, function: Callable[..., Any], /, *args: object, **kwargs: object) -> Any:  # noqa: ANN401  (whatever the function returns)
    """Return what `function` returns with `runtime` bound; an awaitable result stays bound while it is awaited."""
    with entered(runtime=runtime):
        result = function(*args, **kwargs)
    return _await_bound(runtime, result) if inspect.isawaitable(result) else result


async def _await_bound(runtime: object, result: Awaitable[Any]) -> Any:  # noqa: ANN401  (whatever it comes to)
    with entered(runtime=runtime):
        return await result


def remaining_s(now: Callable[[], float]) -> float:
    """Return the seconds left of the enclosing deadline, infinity without one.

    Raises:
        Cancelled: a call that encloses this one was given up.
        FunctionTimeout: the deadline is over.
    """
    scope = _SCOPE.get()
    if any(event.is_set() for event in scope.given_up):
        raise Cancelled("this call was given up when its time was over")
    left = scope.ends_s - now()
    if left <= 0:
        raise FunctionTimeout(OUT_OF_TIME, still_running=False)
    return left


@asynccontextmanager
async def before_deadline(now: Callable[[], float]) -> AsyncIterator[None]:
    """Cancel the block when the enclosing deadline is over.

    Raises:
        Cancelled: a call that encloses this one was given up.
        FunctionTimeout: the deadline is over, before the block or in it.
    """
    left_s = remaining_s(now)
    scope = asyncio.timeout(None if math.isinf(left_s) else left_s)
    try:
        async with scope:
            yield
    except TimeoutError as error:
        if not scope.expired():
            raise
        raise FunctionTimeout(OUT_OF_TIME, still_running=False) from error
