"""A report as a table for a terminal and as JSON.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from interlock.experiments.report import ArmReport, Report
from interlock.experiments.stats import Interval
from interlock.experiments.stopping import Metric
from interlock.questions import Json

__all__ = [
    "NAMES",
    "action_names",
    "conclusion",
    "percent",
    "plain",
    "points",
    "report_json",
    "report_rows",
    "report_table",
]

NAMES: Mapping[Metric, str] = {
    "valid_at_first": "valid at first attempt",
    "valid": "valid after retries",
    "expected": "the step that is right",
    "tool": "the tool that is right",
    "asked": "asks the user",
}
"""Metric → how it is shown."""


def report_table(report: Report) -> str:
    """Return the report as lines of text, the columns aligned."""
    head = f"experiment {report.name}: the {report.layer} layer differs, the rest is identical"
    return "\n".join([head, "", *_aligned(report_rows(report)), "", *conclusion(report)])


def report_rows(report: Report) -> list[tuple[str, str, str]]:
    """Return the rows of the table: what it is, and its value in each arm; the first names the arms."""
    a, b = report.arms
    rows = [("", f"A  {a.ref}", f"B  {b.ref}"), ("answers", _answers(a), _answers(b))]
    rows += [(NAMES[metric], percent(a.rates[metric]), percent(b.rates[metric])) for metric in NAMES]
    rows += [(f"action {name}", _part(a, name), _part(b, name)) for name in action_names(report)]
    rows += [(f"attempts failing check {number}", *_checks(report, number)) for number in _numbers(report)]
    return [
        *rows,
        (f"tokens{' (estimated)' if a.tokens_estimated or b.tokens_estimated else ''}", *_means(a.tokens, b.tokens, 0)),
        ("latency in s", *_means(a.latency_s, b.latency_s, 3)),
        ("cost in USD", *_means(a.cost_usd, b.cost_usd, 6)),
    ]


def report_json(report: Report) -> dict[str, Json]:
    """Return the report for machines."""
    found = report.comparison
    return {
        "experiment": report.name,
        "layer": report.layer,
        "planned": report.planned,
        "looks": report.looks,
        "arms": [_arm_json(arm) for arm in report.arms],
        "comparison": {
            "metric": found.metric,
            "pairing": found.pairing,
            "pairs": None
            if found.pairs is None
            else {
                "both": found.pairs.both,
                "only_a": found.pairs.only_a,
                "only_b": found.pairs.only_b,
                "neither": found.pairs.neither,
            },
            "difference": _interval_json(found.difference),
            "p": found.p,
            "alpha": found.alpha,
            "verdict": found.verdict,
            "detect": found.detect,
            "needed": found.needed,
        },
        "sentence": report.sentence,
    }


def percent(interval: Interval | None) -> str:
    """Return a rate as `85.0 % (79.4 to 89.3)`."""
    if interval is None:
        return "-"
    return f"{interval.value * 100:.1f} % ({interval.low * 100:.1f} to {interval.high * 100:.1f})"


def points(interval: Interval | None) -> str:
    """Return a difference of rates as `+2.5 points (-17.4 to +22.2)`."""
    if interval is None:
        return "-"
    return f"{interval.value * 100:+.1f} points ({interval.low * 100:+.1f} to {interval.high * 100:+.1f})"


def plain(interval: Interval | None, digits: int) -> str:
    """Return a mean as `120 (110 to 130)`."""
    if interval is None:
        return "-"
    return f"{interval.value:.{digits}f} ({interval.low:.{digits}f} to {interval.high:.{digits}f})"


def conclusion(report: Report) -> Iterator[str]:
    """Yield what follows from the numbers, a sentence each."""
    found = report.comparison
    yield f"{report.sentence}."
    if found.difference is not None:
        test = "exact McNemar test" if found.pairing == "paired" else "exact Fisher test"
        yield f"B less A: {points(found.difference)}, {test}."
    if found.pairs is not None:
        pairs = found.pairs
        yield f"Pairs: {pairs.both} both, {pairs.only_a} only A, {pairs.only_b} only B, {pairs.neither} neither."
    if found.needed is not None:
        count = 0 if found.pairs is None else found.pairs.count
        yield (
            f"To show {found.detect * 100:g} points four times in five, {found.needed} cases are needed; "
            f"there are {count}."
        )
    looks = "1 look, after all cases" if report.looks == 1 else f"{report.looks} looks, the last after all cases"
    yield f"Stop rule: {looks}; p is compared with {found.alpha:g}."
    yield "Valid form is not quality: only `expect` in the cases says whether a step was right."


def _answers(arm: ArmReport) -> str:
    return f"{arm.answers}" if arm.failures == 0 else f"{arm.answers} ({arm.failures} failures)"


def _part(arm: ArmReport, action: str) -> str:
    count = arm.actions.get(action, 0)
    return f"{count} ({count / arm.answers * 100:.0f} %)" if arm.answers else "-"


def action_names(report: Report) -> list[str]:
    """Return every action that was taken in an arm."""
    return sorted({name for arm in report.arms for name in arm.actions})


def _numbers(report: Report) -> list[int]:
    return sorted({number for arm in report.arms for number in arm.checks})


def _checks(report: Report, number: int) -> tuple[str, str]:
    a, b = (str(arm.checks.get(number, 0)) for arm in report.arms)
    return a, b


def _means(a: Interval | None, b: Interval | None, digits: int) -> tuple[str, str]:
    return plain(a, digits), plain(b, digits)


def _aligned(rows: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    widths = [max(len(row[at]) for row in rows) for at in range(3)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _arm_json(arm: ArmReport) -> dict[str, Json]:
    return {
        "arm": arm.arm,
        "layer": arm.ref.fields,
        "answers": arm.answers,
        "failures": arm.failures,
        "rates": {metric: _interval_json(interval) for metric, interval in arm.rates.items()},
        "actions": dict(arm.actions),
        "checks": {str(number): count for number, count in arm.checks.items()},
        "tokens": _interval_json(arm.tokens),
        "tokens_estimated": arm.tokens_estimated,
        "latency_s": _interval_json(arm.latency_s),
        "cost_usd": _interval_json(arm.cost_usd),
    }


def _interval_json(interval: Interval | None) -> Json:
    return None if interval is None else {"value": interval.value, "low": interval.low, "high": interval.high}
