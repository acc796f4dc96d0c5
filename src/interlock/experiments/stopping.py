"""Pairs of outcomes, and when enough of them were seen.

Looking at every case and stopping at the first small p would find differences where there are none; so the number of
looks is fixed before, and each look has its part of the error that is allowed.
Source: decision-engine specification, experiments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias, TypeVar, assert_never

from interlock.experiments.outcomes import Outcome
from interlock.experiments.stats import ALPHA, mcnemar_exact

__all__ = ["METRICS", "Metric", "Pairs", "StopRule", "Verdict", "holds", "pairs_of"]

T = TypeVar("T")
Metric: TypeAlias = Literal["valid_at_first", "valid", "expected", "tool", "asked"]
METRICS: tuple[Metric, ...] = ("valid_at_first", "valid", "expected", "tool", "asked")
Verdict: TypeAlias = Literal["go on", "difference", "no difference shown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """How often a metric held in both arms of a case, in one, or in none."""

    both: int
    only_a: int
    only_b: int
    neither: int

    @property
    def count(self) -> int:
        """How many cases have an outcome in both arms."""
        return self.both + self.only_a + self.only_b + self.neither

    @property
    def p(self) -> float:
        """The two-sided p of the exact paired test."""
        return mcnemar_exact(self.only_a, self.only_b)


def holds(outcome: Outcome, metric: Metric) -> bool | None:
    """Return whether a metric holds for an outcome; None when it does not apply."""
    if outcome.failure is not None:
        return None
    match metric:
        case "valid_at_first":
            return outcome.valid_at_first
        case "valid":
            return outcome.valid
        case "expected":
            return outcome.expected
        case "tool":
            return outcome.expected_tool
        case "asked":
            return outcome.asked
        case _:
            assert_never(metric)


def pairs_of(outcomes: Sequence[Outcome], metric: Metric) -> Pairs:
    """Return the pairs of a metric; a case without an answer in each arm is left out."""
    arms: dict[str, dict[str, bool]] = {"A": {}, "B": {}}
    for outcome in outcomes:
        value = holds(outcome, metric)
        if value is not None:
            arms[outcome.arm][outcome.case] = value
    shared = [(value, arms["B"][case]) for case, value in arms["A"].items() if case in arms["B"]]
    return Pairs(
        both=shared.count((True, True)),
        only_a=shared.count((True, False)),
        only_b=shared.count((False, True)),
        neither=shared.count((False, False)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRule:
    """How many cases are planned, and how often one looks at them."""

    planned: int
    looks: int = 1

    @property
    def alpha(self) -> float:
        """The p at or below which a look shows a difference; all looks together are wrong in at most `ALPHA`."""
        return ALPHA / max(1, self.looks)

    def blocks(self, cases: Sequence[T]) -> Iterator[Sequence[T]]:
        """Yield the cases between one look and the next."""
        looks = max(1, min(self.looks, len(cases)))
        edges = [round(len(cases) * at / looks) for at in range(looks + 1)]
        yield from (cases[start:end] for start, end in pairwise(edges))

    def verdict(self, pairs: Pairs) -> Verdict:
        """Return what a look at these pairs says."""
        if pairs.p <= self.alpha:
            return "difference"
        return "go on" if pairs.count < self.planned else "no difference shown"
