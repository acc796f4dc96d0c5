"""The one definition of every predicate: what it may read, the number it compares, when it holds, how it is spelt.

Test, complement and margin come from the same number and the same comparison: `<` is the negation of `>=`.
Source: decision-contract/v1, policy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from interlock.policy.rules import Predicate, PredicateKind
from interlock.questions import (
    Answer,
    ChoiceAnswer,
    NoulAnswer,
    Question,
    Score,
    ScoreAnswer,
    fault,
    top,
)

__all__ = ["NUMBERS", "Measure", "measure", "predicate_text", "rule_text", "threshold_range"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What one predicate makes of one answer."""

    holds: bool
    value: float | None
    """The number compared; None for `picked`."""
    distance: float | None
    """|value - threshold|; None for `picked`."""


def _true(answer: Answer) -> float | None:
    return answer.noul if isinstance(answer, NoulAnswer) else None


def _expected(answer: Answer) -> float | None:
    return answer.score if isinstance(answer, ScoreAnswer) else None


NUMBERS: Mapping[PredicateKind, Callable[[Answer], float | None]] = MappingProxyType(
    {"top": top, "prob": _true, "score": _expected}
)
"""The number that each predicate with a threshold compares, None when an answer has none; `picked` reads the label of
a choice and `else` reads nothing."""


def measure(predicate: Predicate, answer: Answer, floor: float | None = None) -> Measure | None:
    """Return what `predicate` makes of `answer`, or None when the answer cannot decide it.

    A label without probabilities decides `picked` alone, and no number out of range decides anything.
    `floor` bounds a score from below.
    """
    if fault(answer) is not None:
        return None
    if predicate.kind == "picked":
        if not isinstance(answer, ChoiceAnswer):
            return None
        return Measure(holds=answer.choice == predicate.option, value=None, distance=None)
    value = None if answer.basis == "label_only" else NUMBERS[predicate.kind](answer)
    if predicate.kind == "score" and value is not None and floor is not None:
        value = max(value, floor) if math.isfinite(floor) else None
    if value is None or predicate.threshold is None:
        return None
    reached = value >= predicate.threshold
    return Measure(
        holds=reached if predicate.comparison == ">=" else not reached,
        value=value,
        distance=abs(value - predicate.threshold),
    )


def threshold_range(kind: PredicateKind, question: Question) -> tuple[float, float]:
    """Return the lowest and highest value that a predicate with a threshold can compare on `question`.

    At the lowest one `>=` always holds and `<` never does.
    """
    if kind == "score" and isinstance(question, Score):
        return 0.0, float(len(question.criteria) - 1)
    return 0.0, 1.0


def predicate_text(predicate: Predicate) -> str:
    """Return the predicate in canonical spelling, such as `prob:ok >= 0.6`."""
    match predicate.kind:
        case "else":
            return "else"
        case "picked":
            return f"picked:{predicate.question} = {predicate.option}"
        case "top":
            subject = "top"
        case _:
            subject = f"{predicate.kind}:{predicate.question}"
    return f"{subject} {predicate.comparison} {predicate.threshold:.15g}"


def rule_text(predicate: Predicate, action: str) -> str:
    """Return a whole rule in canonical spelling, such as `prob:ok >= 0.6 → continue`."""
    return f"{predicate_text(predicate)} → {action}"
