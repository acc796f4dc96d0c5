"""The plain doors onto coroutines: what is refused before, and how an awaitable result is run.

Source: next-step specification, section 12.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Sequence
from typing import Any

from interlock.agents.threads import run_apart
from interlock.functions.reflect import is_async
from interlock.menu.options import Option

__all__ = ["awaited", "finished", "refuse_async_in_loop"]


def refuse_async_in_loop(options: Sequence[Option], fallback: object, *, instead: str) -> None:
    """Refuse what could not be awaited by plain code.

    Raises:
        RuntimeError: an event loop runs in this thread, and an option or the fallback is async.
    """
    if not _loop_runs():
        return
    named = [
        f"option `{option.name}`" for option in options if option.function is not None and option.function.is_async
    ]
    if callable(fallback) and is_async(fallback):
        named.append("the fallback")
    if named:
        raise RuntimeError(f"{named[0]} is async and an event loop is running here; write `await {instead}(…)`")


def finished(result: Any) -> Any:  # noqa: ANN401  (whatever the next step returns)
    """Return `result`; what is awaitable runs in an event loop of its own, beside one that runs in this thread."""
    if not inspect.isawaitable(result):
        return result
    run = functools.partial(awaited, result)
    return run_apart(run) if _loop_runs() else asyncio.run(run())


async def awaited(result: Any) -> Any:  # noqa: ANN401  (whatever the next step returns)
    """Return `result`, awaited when it is awaitable."""
    return await result if inspect.isawaitable(result) else result


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
