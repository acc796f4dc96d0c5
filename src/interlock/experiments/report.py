"""What an experiment shows: each arm with intervals, one exact test, and how many cases it would have needed.

Pure.
Source: decision-engine specification, experiments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from interlock.errors import ExperimentError
from interlock.experiments.arms import ARMS, ArmName, Experiment
from interlock.experiments.outcomes import Outcome
from interlock.experiments.stats import (
    Interval,
    fisher_exact,
    mean_interval,
    paired_interval,
    required_cases,
    unpaired_interval,
    wilson,
)
from interlock.experiments.stopping import METRICS, Metric, Pairs, StopRule, Verdict, holds, pairs_of
from interlock.prompts import Layer, LayerRef

__all__ = ["ArmReport", "Comparison", "Pairing", "Report", "make_report"]

Pairing: TypeAlias = Literal["paired", "unpaired"]
"""`paired`: the same cases went through both arms. `unpaired`: each key saw one arm only."""

LEAST_P = 0.0001
"""A smaller p is not told apart."""
DETECT = 0.1
"""The difference that a sample size is given for, unless another is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmReport:
    """One arm."""

    arm: ArmName
    ref: LayerRef
    answers: int
    failures: int
    """Decisions for which the model could not be reached; they count for nothing."""
    rates: Mapping[Metric, Interval | None]
    """Metric → rate; None where it does not apply to any answer."""
    actions: Mapping[str, int]
    """Action → how often it was taken, the fallback included."""
    checks: Mapping[int, int]
    """Check → how many attempts failed it."""
    tokens: Interval | None
    """Mean of one decision, retries included."""
    tokens_estimated: bool
    latency_s: Interval | None
    cost_usd: Interval | None
    """None where a cost is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The metric that the experiment is about, in both arms."""

    metric: Metric
    pairing: Pairing
    pairs: Pairs | None
    """None when unpaired."""
    difference: Interval | None
    """B less A; None when there is nothing to compare."""
    p: float
    alpha: float
    verdict: Verdict
    detect: float
    """The difference that `needed` is for."""
    needed: int | None
    """The pairs that would show `detect` four times in five; None when unpaired or without pairs."""

    @property
    def shown_p(self) -> str:
        """The p as it is written in a sentence."""
        return f"p = {self.p:.4f}" if self.p >= LEAST_P else f"p < {LEAST_P:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One experiment."""

    name: str
    layer: Layer
    arms: tuple[ArmReport, ArmReport]
    comparison: Comparison
    planned: int
    looks: int

    @property
    def sentence(self) -> str:
        """Return the result in one sentence that claims no more than was shown."""
        found = self.comparison
        shown = found.difference
        if shown is None:
            return f"nothing to compare: no case has `{found.metric}` in both arms"
        points = f"{abs(shown.value) * 100:.1f} points"
        if found.verdict == "difference":
            direction = "more" if shown.value > 0 else "less"
            return f"B has {points} {direction} `{found.metric}` than A ({found.shown_p} at {found.alpha:g})"
        if found.verdict == "go on":
            return f"not decided: go on until {self.planned} cases are done ({found.shown_p})"
        return f"no difference shown in `{found.metric}` ({found.shown_p} at {found.alpha:g}; observed {points})"


def make_report(
    experiment: Experiment,
    outcomes: Sequence[Outcome],
    *,
    planned: int,
    metric: Metric = "valid_at_first",
    pairing: Pairing = "paired",
    looks: int = 1,
    detect: float = DETECT,
) -> Report:
    """Return the report of what was seen so far.

    `planned`: how many cases the experiment was to have. `detect`: the difference that would matter.

    Raises:
        ExperimentError: `detect` is not a part of one.
    """
    if not 0 < detect < 1:
        raise ExperimentError(f"experiment `{experiment.name}`: a difference to detect is a part of one, such as 0.1")
    arms = tuple(_arm(experiment, arm, [item for item in outcomes if item.arm == arm]) for arm in ARMS)
    rule = StopRule(planned=planned, looks=looks)
    compare = _paired if pairing == "paired" else _unpaired
    return Report(
        name=experiment.name,
        layer=experiment.layer,
        arms=(arms[0], arms[1]),
        comparison=compare(outcomes, metric, rule, detect),
        planned=planned,
        looks=looks,
    )


def _arm(experiment: Experiment, arm: ArmName, outcomes: Sequence[Outcome]) -> ArmReport:
    answers = [item for item in outcomes if item.failure is None]
    costs = [item.cost for item in answers]
    known = [float(cost) for cost in costs if cost is not None]
    return ArmReport(
        arm=arm,
        ref=experiment.ref(arm),
        answers=len(answers),
        failures=len(outcomes) - len(answers),
        rates={metric: _rate(answers, metric) for metric in METRICS},
        actions=dict(Counter(item.action or "" for item in answers).most_common()),
        checks=dict(sorted(Counter(check for item in answers for check in item.checks).items())),
        tokens=mean_interval([float(item.input_tokens + item.output_tokens) for item in answers]),
        tokens_estimated=any(item.tokens_estimated for item in answers),
        latency_s=mean_interval([item.elapsed_s for item in answers]),
        cost_usd=mean_interval(known) if len(known) == len(costs) else None,
    )


def _rate(outcomes: Sequence[Outcome], metric: Metric) -> Interval | None:
    values = [value for value in (holds(item, metric) for item in outcomes) if value is not None]
    return _rate_of(values)


def _rate_of(values: Sequence[bool]) -> Interval | None:
    return wilson(sum(values), len(values))


def _paired(outcomes: Sequence[Outcome], metric: Metric, rule: StopRule, detect: float) -> Comparison:
    pairs = pairs_of(outcomes, metric)
    discordance = (pairs.only_a + pairs.only_b) / pairs.count if pairs.count else 0.0
    return Comparison(
        metric=metric,
        pairing="paired",
        pairs=pairs,
        difference=paired_interval(pairs.only_a, pairs.only_b, pairs.count),
        p=pairs.p,
        alpha=rule.alpha,
        verdict=rule.verdict(pairs),
        detect=detect,
        needed=required_cases(detect, max(discordance, detect)) if pairs.count else None,
    )


def _unpaired(outcomes: Sequence[Outcome], metric: Metric, rule: StopRule, detect: float) -> Comparison:
    values = {arm: [holds(item, metric) for item in outcomes if item.arm == arm] for arm in ARMS}
    first, second = ([value for value in values[arm] if value is not None] for arm in ARMS)
    p = fisher_exact(sum(first), len(first), sum(second), len(second))
    is_done = min(len(first), len(second)) >= rule.planned
    verdict: Verdict = "difference" if p <= rule.alpha else "no difference shown" if is_done else "go on"
    return Comparison(
        metric=metric,
        pairing="unpaired",
        pairs=None,
        difference=unpaired_interval(_rate_of(first), _rate_of(second)),
        p=p,
        alpha=rule.alpha,
        verdict=verdict,
        detect=detect,
        needed=None,
    )
