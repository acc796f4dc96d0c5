"""What a decision from a menu is made of: the attempts at it, and the pick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from interlock.errors import DecisionError
from interlock.menu.options import Option
from interlock.models.ask import Try
from interlock.schema import Problem, ProblemKind

__all__ = ["HEAD_CHARS", "Attempt", "Chosen", "Rejected", "Way", "attempt_of", "decision_error"]

HEAD_CHARS = 200
"""Characters of the last reply that a `DecisionError` shows."""

Way: TypeAlias = Literal["text", "judge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """Why one reply is no pick."""

    kind: ProblemKind
    message: str
    problems: tuple[Problem, ...]
    picked: str | None
    """The option the reply named, when it named a known one."""
    repaired: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A valid pick."""

    option: Option
    args: Mapping[str, object]
    """Validated visible arguments by name; those left out are not keys."""
    repaired: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One failed attempt."""

    number: int
    """1-based."""
    reply: str | None
    """None when it was not text, or when a judge was asked."""
    kind: ProblemKind
    message: str
    problems: tuple[Problem, ...]
    picked: str | None
    repaired: bool
    elapsed_s: float


def attempt_of(tried: Try[Rejected], before: int = 0) -> Attempt:
    """Return a rejected reply as the attempt after `before` others."""
    return Attempt(
        number=before + tried.number,
        reply=tried.reply if isinstance(tried.reply, str) else None,
        kind=tried.rejected.kind,
        message=tried.rejected.message,
        problems=tried.rejected.problems,
        picked=tried.rejected.picked,
        repaired=tried.rejected.repaired,
        elapsed_s=tried.elapsed_s,
    )


def decision_error(attempts: Sequence[Attempt], options: Sequence[Option]) -> DecisionError[Attempt]:
    """Return the error that ends a decision after its last attempt; its message is one line."""
    last = attempts[-1]
    names = [option.name for option in options]
    head = (last.reply or "")[:HEAD_CHARS]
    shown = "" if last.reply is None else f"; last reply: {head!r}"
    count = f"{len(attempts)} attempt{'s' if len(attempts) != 1 else ''}"
    message = f"decision failed after {count} ({last.kind}): {last.message}; options: {', '.join(names)}{shown}"
    return DecisionError(
        " ".join(message.splitlines()), last.kind, attempts, [attempt.reply for attempt in attempts], names
    )
