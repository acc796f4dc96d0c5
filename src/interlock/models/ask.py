"""Asks a text model again until a check accepts its reply, each time with what was wrong.

Knows nothing of menus, actions or schemas: the caller brings the texts and the check.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

__all__ = ["Asked", "Try", "ask_until"]

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Try(Generic[R]):
    """One reply that the check rejected."""

    number: int
    """1-based."""
    reply: object
    """Text, or None when the model sent none."""
    rejected: R
    elapsed_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Generic[T, R]):
    """What asking came to."""

    accepted: T | None
    """None when every reply was rejected."""
    tries: tuple[Try[R], ...]
    """The rejected replies, in order."""


async def ask_until(
    send: Callable[[Try[R] | None], Awaitable[object]],
    check: Callable[[object], T | R],
    rejection: type[R],
    *,
    max_retries: int,
    now: Callable[[], float],
    pause: Callable[[int], Awaitable[object]] | None = None,
) -> Asked[T, R]:
    """Return the first accepted reply, or every rejected one after `max_retries` further tries.

    `send`: is given the rejected try before it, None at first; a failed call raises and ends the asking.
    `pause`: is awaited with the number of a rejected try before the next one, and never after the last.
    """
    tries: list[Try[R]] = []
    for number in range(1, max_retries + 2):
        started = now()
        reply = await send(tries[-1] if tries else None)
        read = check(reply)
        if not isinstance(read, rejection):
            return Asked(accepted=cast("T", read), tries=tuple(tries))
        tries.append(Try(number=number, reply=reply, rejected=read, elapsed_s=now() - started))
        if pause is not None and number <= max_retries:
            await pause(number)
    return Asked(accepted=None, tries=tuple(tries))
