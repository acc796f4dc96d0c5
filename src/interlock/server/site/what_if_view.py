"""What a person sees of thresholds that can be moved: sliders with the spread of what they compare, and the export.

Pure; knows nothing of templates or journals.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from interlock.errors import SettingsError
from interlock.journal.replay import Redecided
from interlock.journal.replay_held import Held, Threshold
from interlock.journal.replay_report import ReplayReport
from interlock.policy.predicates import threshold_range

__all__ = [
    "DecisionSliders",
    "Flip",
    "Fresh",
    "Outcome",
    "Slider",
    "exported",
    "fresh_of",
    "known_gates",
    "sliders_of",
    "spelt",
]

BINS = 40
_FINE, _COARSE = 0.01, 0.05
_BARE = re.compile("[A-Za-z0-9_-]+")
_SHOWN_RUNS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Slider:
    """One threshold."""

    key: str
    """As `--gate` takes it."""
    test: str
    """What is compared, such as `prob:ok >=`."""
    action: str
    """What follows where it holds."""
    holds_above: bool
    low: float
    high: float
    least: float
    """The lowest threshold that can be set: one that always holds is none."""
    step: float
    recorded: float
    others: tuple[float, ...]
    """What it is in contracts of other runs, where that is something else."""
    now: float
    runs: int
    bins: tuple[int, ...]
    """How many recorded values lie in each part of the range."""
    values: int

    @property
    def is_moved(self) -> bool:
        """Tell whether it is not as it was recorded."""
        return self.now != self.recorded

    @property
    def place(self) -> float:
        """Where it stands in its range, from 0 to 1."""
        return min(max((self.now - self.low) / (self.high - self.low), 0.0), 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionSliders:
    """The thresholds of one decision."""

    decision: str
    position: str
    sliders: tuple[Slider, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A decision that becomes another one."""

    item: Redecided
    value: float | None
    """The number that was compared; of several the one closest to its threshold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fresh:
    """Records of one decision that need a judgement for one reason."""

    decision: str
    reason: str
    records: int
    first: Redecided


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What moving thresholds came to, and how to have it again elsewhere."""

    told: ReplayReport
    decisions: int
    flips: tuple[Flip, ...]
    """One page of them."""
    page: int
    pages: int
    fresh: tuple[Fresh, ...]
    flags: str
    toml: str
    command: str
    """Empty where no command says the same."""


def known_gates(held: Held, given: Mapping[str, float]) -> dict[str, float]:
    """Return the thresholds that are moved, each under the key of its slider.

    Raises:
        SettingsError: no contract has the threshold.
    """
    recorded = {threshold.key: threshold.recorded[0] for threshold in held.thresholds}
    found: dict[str, float] = {}
    for name, value in given.items():
        key = held.keys.get(name)
        if key is None:
            known = ", ".join(f"`{key}`" for key in recorded) or "none"
            raise SettingsError(f"gate `{name}`: no such threshold; known: {known}")
        if value != recorded[key]:
            found[key] = value
    return found


def sliders_of(held: Held, gates: Mapping[str, float]) -> tuple[DecisionSliders, ...]:
    """Return the sliders by decision, in the order of the newest contract."""
    found: dict[str, list[Threshold]] = {}
    for threshold in held.thresholds:
        found.setdefault(threshold.decision.id, []).append(threshold)
    return tuple(
        DecisionSliders(
            decision=name,
            position=thresholds[0].decision.position,
            sliders=tuple(_slider(threshold, gates) for threshold in thresholds),
        )
        for name, thresholds in found.items()
    )


def fresh_of(told: ReplayReport) -> tuple[Fresh, ...]:
    """Return what needs a judgement, by decision and reason."""
    found: dict[tuple[str, str], list[Redecided]] = {}
    for item in told.fresh:
        found.setdefault((item.decision, item.reason or ""), []).append(item)
    return tuple(
        Fresh(decision=decision, reason=reason, records=len(items), first=items[0])
        for (decision, reason), items in found.items()
    )


def exported(gates: Mapping[str, float]) -> tuple[str, str]:
    """Return the thresholds as flags of the command line, and as a table of `interlock.toml`."""
    flags = " ".join(f"--gate {shlex.quote(f'{key}={spelt(value)}')}" for key, value in gates.items())
    lines = [f"{key if _BARE.fullmatch(key) else json.dumps(key)} = {spelt(value)}" for key, value in gates.items()]
    return flags, "\n".join(["[gates]", *lines]) if lines else ""


def replay_command(held: Held, gates: Mapping[str, float], *, is_all: bool, contract: str | None) -> str:
    """Return the command that decides the same runs again; empty where they are too many to name.

    `contract`: a file; None for the contracts of the runs.
    """
    lacking = set(held.lacking(gates))
    runs = [run.run_id for run in held.runs if run.run_id not in lacking]
    if is_all and not lacking:
        runs = []
    elif not 0 < len(runs) <= _SHOWN_RUNS:
        return ""
    named = [] if contract is None else ["--contract", contract]
    return " ".join([shlex.join(["interlock", "replay", *runs, *named]), exported(gates)[0]]).strip()


def spelt(value: float) -> str:
    """Return a threshold as a person writes it."""
    return f"{value:.15g}"


def _slider(threshold: Threshold, gates: Mapping[str, float]) -> Slider:
    rule = threshold.rule
    predicate = rule.predicate
    low, high = threshold_range(predicate.kind, threshold.decision.questions[predicate.question or ""])
    step = _FINE if high <= 1 else _COARSE
    recorded = threshold.recorded[0]
    return Slider(
        key=threshold.key,
        test=f"{'top' if predicate.kind == 'top' else f'{predicate.kind}:{predicate.question}'} {predicate.comparison}",
        action=rule.action,
        holds_above=predicate.comparison == ">=",
        low=low,
        high=high,
        least=min(low + step, recorded),
        step=step,
        recorded=recorded,
        others=threshold.recorded[1:],
        now=gates.get(threshold.key, recorded),
        runs=threshold.runs,
        bins=_bins(threshold.values, low, high),
        values=len(threshold.values),
    )


def _bins(values: Sequence[float], low: float, high: float) -> tuple[int, ...]:
    found = [0] * BINS
    for value in values:
        found[min(max(int((value - low) / (high - low) * BINS), 0), BINS - 1)] += 1
    return tuple(found)
