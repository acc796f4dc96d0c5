"""One difference in meaning between two contracts.

Source: journal and safety specification, replay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["ASKED", "Change", "Part", "Way", "way"]

Part: TypeAlias = Literal[
    "schema",
    "decision",
    "kind",
    "position",
    "candidates",
    "question",
    "option",
    "frame",
    "bound",
    "exclusion",
    "rule",
    "gate",
    "threshold",
    "generator",
    "order",
]
"""`gate` is a rule that asks a person; `bound` says how much of a field is seen."""
Way: TypeAlias = Literal["added", "lost", "changed"]

ASKED: frozenset[Part] = frozenset(("candidates", "question", "option"))
"""Changes of what is asked: an answer to the old question does not answer the new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference."""

    decision: str | None
    """None for the contract as a whole."""
    part: Part
    way: Way
    what: str
    """What it is about, such as `question `ok`: instructions`."""
    old: str | None = None
    """None where there was nothing, or where `what` says it."""
    new: str | None = None


def way(old: object, new: object) -> Way:
    """Return how one of two values that differ came about; None is a value that was not there."""
    if old is None:
        return "added"
    return "lost" if new is None else "changed"
