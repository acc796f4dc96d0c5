"""Running blocking work in a thread that the caller may stop waiting for.

Knows nothing of tools. The thread is a daemon: work that never ends keeps no program from exiting.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

import anyio
import anyio.from_thread
import anyio.lowlevel

__all__ = ["in_thread"]

T = TypeVar("T")


@dataclass(slots=True)
class _Outcome(Generic[T]):
    values: list[T]
    error: BaseException | None = None


async def in_thread(work: Callable[[], T]) -> T:
    """Return what `work` returns; when cancelled, the thread is left to itself and its outcome is dropped.

    Raises:
        RuntimeError: the work ended its thread instead of failing; whatever else it raised is raised as it is.
    """
    loop, done, outcome = anyio.lowlevel.current_token(), anyio.Event(), _Outcome[T](values=[])
    context = contextvars.copy_context()

    def run() -> None:
        try:
            outcome.values.append(context.run(work))
        except BaseException as error:  # noqa: BLE001 - it is raised again where the work is waited for
            outcome.error = error
        with suppress(anyio.RunFinishedError):
            anyio.from_thread.run_sync(done.set, token=loop)

    threading.Thread(target=run, daemon=True, name="interlock tool").start()
    await done.wait()
    if isinstance(outcome.error, Exception):
        raise outcome.error
    if outcome.error is not None:
        raise RuntimeError(f"the tool ended with {type(outcome.error).__name__}") from outcome.error
    return outcome.values[0]
