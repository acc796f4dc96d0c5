"""What the shape of a tool's result says: it worked, it failed, or there was nothing.

Own tools report failure as one line and nothing found as one word; foreign texts are read by their first line,
short ones by their last line too.
Source: offline specification, principle 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from interlock.judge.rules.failures import (
    CLEAR,
    COUNTS,
    EMPTY,
    ENDS_IN_FAILURE,
    JSON_FAILED,
    NOTHING_IN_TABLE,
    OWN_ERROR,
    PLAIN,
    SPEAKS_OF_FAILURE,
    SUCCESS,
)

__all__ = ["Shape", "is_own_error", "shape_of"]

Outcome: TypeAlias = Literal["worked", "failed", "empty"]

_FEW = 3
"""A failure is told in few lines; a longer text that begins like one may be about failures."""
_SHORT = 12
_MARKUP = ("#", "//", "/*", "- ", "* ", "{", "|", "<", ">")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How one result looks."""

    outcome: Outcome
    certain: bool
    """True when the result follows a form that is used for nothing else."""


def is_own_error(result: str) -> bool:
    """Return True for the one line by which the host's own tools report a failure."""
    return OWN_ERROR.fullmatch(result.strip()) is not None


def shape_of(result: str) -> Shape:
    """Return how `result` looks, judged without knowing which tool gave it."""
    text = result.strip()
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines or EMPTY.fullmatch(text):
        return Shape(outcome="empty", certain=True)
    if OWN_ERROR.fullmatch(lines[0].strip()):
        return Shape(outcome="failed" if len(lines) == 1 else "worked", certain=len(lines) == 1)
    if COUNTS.search(lines[0]):
        return Shape(outcome="worked", certain=True)
    return _failure(text, lines) or _success(lines)


def _failure(text: str, lines: list[str]) -> Shape | None:
    first = lines[0].strip()[:300]
    if NOTHING_IN_TABLE.search(text) and len(lines) <= _FEW + 1:
        return Shape(outcome="empty", certain=False)
    if JSON_FAILED.match(text) or CLEAR.match(first):
        return Shape(outcome="failed", certain=len(lines) <= _FEW)
    if SUCCESS.match(first) or first.startswith(_MARKUP):
        return None
    short = len(lines) <= _FEW and (PLAIN.match(first) or ENDS_IN_FAILURE.search(first))
    at_the_end = 1 < len(lines) <= _SHORT and CLEAR.match(lines[-1].strip())
    return Shape(outcome="failed", certain=False) if short or at_the_end else None


def _success(lines: list[str]) -> Shape:
    quiet = SPEAKS_OF_FAILURE.search(lines[0]) is None
    return Shape(outcome="worked", certain=len(lines) > 1 or quiet or SUCCESS.match(lines[0].strip()) is not None)
