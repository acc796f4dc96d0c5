"""Reports of experiments as a person reads them: which there are, and the plots of one.

Plots are drawn when a template asks, which gives the words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from markupsafe import Markup

from interlock.errors import ExperimentError
from interlock.experiments import ArmReport, Interval, Metric, Report, read_report, wilson
from interlock.experiments.plots import Row, axis_over, whiskers
from interlock.experiments.shown import action_names

__all__ = ["MAX_BYTES", "Listed", "Plots", "listed", "mean_text", "points_text", "rate_text"]

MAX_BYTES = 4 * 1024 * 1024
NO_VALUE = "–"

Mean: TypeAlias = Literal["tokens", "latency_s", "cost_usd"]
_DIGITS: Mapping[Mean, int] = {"tokens": 0, "latency_s": 3, "cost_usd": 6}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One file."""

    number: int
    """Its place among the files, from 1 on."""
    file: str
    report: Report | None
    problem: str
    """Why there is no report."""


def listed(files: Sequence[Path]) -> tuple[Listed, ...]:
    """Return every report, or what is wrong with its file."""
    return tuple(_listed(number, path) for number, path in enumerate(files, 1))


def _listed(number: int, path: Path) -> Listed:
    report, problem = None, ""
    try:
        report = read_report(_read(path), path.name)
    except ExperimentError as error:
        problem = str(error)
    return Listed(number=number, file=path.name, report=report, problem=problem)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise ExperimentError(f"{path.name}: cannot be read: {error.strerror}") from error
    if len(data) > MAX_BYTES:
        raise ExperimentError(f"{path.name}: is larger than {MAX_BYTES:,} bytes, which no report is")
    return data


def rate_text(interval: Interval | None) -> str:
    """Return a rate with its interval, in any language."""
    if interval is None:
        return NO_VALUE
    return f"{interval.value * 100:.1f} % ({interval.low * 100:.1f} … {interval.high * 100:.1f})"


def points_text(interval: Interval | None) -> str:
    """Return a difference of rates in points with its interval, in any language."""
    if interval is None:
        return NO_VALUE
    return f"{interval.value * 100:+.1f} ({interval.low * 100:+.1f} … {interval.high * 100:+.1f})"


def mean_text(interval: Interval | None, which: Mean) -> str:
    """Return a mean with its interval, in any language."""
    if interval is None:
        return NO_VALUE
    digits = _DIGITS[which]
    return f"{interval.value:.{digits}f} ({interval.low:.{digits}f} … {interval.high:.{digits}f})"


class Plots:
    """The plots of one report; each is empty where there is nothing to draw."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def difference(self, title: str, label: str) -> Markup:
        """Draw how much more often the metric held in B; `label`: what the metric is called."""
        found = self._report.comparison.difference
        if found is None:
            return Markup("")
        axis = axis_over(found.low, found.high, lambda part: f"{part * 100:+g}" if part else "0")
        row = Row(label=label, values={"B − A": found})
        return Markup(whiskers("difference", title, [row], axis, points_text))  # noqa: S704  (the plot escapes every text)

    def rates(self, title: str, names: Mapping[Metric, str]) -> Markup:
        """Draw the rate of every metric; `names`: what each is called."""
        a, b = self._report.arms
        rows = [Row(label=name, values={"A": a.rates[each], "B": b.rates[each]}) for each, name in names.items()]
        return _parts("rates", title, rows)

    def actions(self, title: str) -> Markup:
        """Draw how often each action was taken."""
        a, b = self._report.arms
        names = action_names(self._report)
        rows = [Row(label=name, values={"A": _part(a, name), "B": _part(b, name)}) for name in names]
        return _parts("actions", title, rows) if rows else Markup("")

    def mean(self, which: Mean, title: str, label: str) -> Markup:
        """Draw a mean of one decision."""
        means: dict[str, Interval | None] = {arm.arm: getattr(arm, which) for arm in self._report.arms}
        known = [item.high for item in means.values() if item is not None]
        if not known:
            return Markup("")
        axis = axis_over(0.0, max(known), "{:g}".format)
        row = Row(label=label, values=means)
        return Markup(whiskers(which, title, [row], axis, partial(mean_text, which=which)))  # noqa: S704  (the plot escapes every text)


def _parts(name: str, title: str, rows: Sequence[Row]) -> Markup:
    axis = axis_over(0.0, 1.0, lambda part: f"{part * 100:g} %")
    return Markup(whiskers(name, title, rows, axis, rate_text))  # noqa: S704  (the plot escapes every text)


def _part(arm: ArmReport, action: str) -> Interval | None:
    return wilson(arm.actions.get(action, 0), arm.answers)
