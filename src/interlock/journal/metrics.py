"""The counts of a journal as Prometheus text: what was decided, asked, called and spent.

Pure over a view. A label is a name out of a contract, a tool table or a closed set; whatever does not look like one
is `other`, so no free text of a task, a tool or a model becomes a label.
Source: journal and safety specification, journal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeAlias

from interlock.errors import JournalError
from interlock.journal.base import JournalView
from interlock.journal.chain import LEDGER
from interlock.journal.records import Body, Record, Row, read_row
from interlock.questions import Json

__all__ = ["ROWS_PER_LOOK", "JournalCounts", "prometheus"]

ROWS_PER_LOOK = 20_000
"""About half a second of work on one core."""

_Labels: TypeAlias = tuple[tuple[str, str], ...]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.+-]{0,63}")
_READ = frozenset(
    ("run_started", "run_ended", "decision", "tool_result", "approval_answered", "generation", "budget", "error")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Metric:
    help: str
    type: str = "counter"


_METRICS: Mapping[str, _Metric] = {
    "interlock_runs_started_total": _Metric(help="Runs that began."),
    "interlock_runs_ended_total": _Metric(help="Runs that ended, by why and whether an answer was delivered."),
    "interlock_decisions_total": _Metric(help="Decisions, by action, mode and whether a degraded answer took part."),
    "interlock_decision_seconds": _Metric(help="Time that decisions took, the judge's included.", type="summary"),
    "interlock_readings_total": _Metric(help="What became of questions, by kind and reason."),
    "interlock_judge_requests_total": _Metric(help="Decisions for which a judge was asked, by why that failed."),
    "interlock_tokens_total": _Metric(help="Tokens as far as judges and writers told, by who took them."),
    "interlock_tool_calls_total": _Metric(help="Calls of tools that came back."),
    "interlock_approvals_total": _Metric(help="Answers to requests for approval."),
    "interlock_generations_total": _Metric(help="Calls of the writer."),
    "interlock_budgets_reached_total": _Metric(help="Runs that a budget ended."),
    "interlock_errors_total": _Metric(help="Failures that were recorded, by kind."),
    "interlock_unread_rows": _Metric(help="Rows that could not be read and are not counted.", type="gauge"),
    "interlock_uncounted_rows": _Metric(help="Rows that are to be counted at the next look.", type="gauge"),
}


@dataclass(slots=True)
class _Counts:
    values: dict[str, dict[_Labels, float]] = field(default_factory=dict)

    def add(self, name: str, amount: float = 1, **labels: Json) -> None:
        """Add to one series; a label that does not look like a name is `other`."""
        key = tuple((label, _label(value)) for label, value in labels.items())
        series = self.values.setdefault(name, {})
        series[key] = series.get(key, 0) + amount


class JournalCounts:
    """Counts that grow with a journal: a row is read once, and what is gone from the journal stays counted."""

    def __init__(self) -> None:
        self._counts = _Counts()
        self._read: dict[str, int] = {}

    def look(self, view: JournalView, *, rows: int | None = None) -> None:
        """Count what was added since the last look; at most so many `rows`, the rest at the next one."""
        left, behind = rows, 0
        for run_id, head in view.heads().items():
            read = self._read.get(run_id, 0)
            if run_id == LEDGER or head.seq <= read:
                continue
            if left != 0:
                taken = self._take(run_id, islice(view.rows(run_id, after=read), left))
                left = None if left is None else left - taken
                if left != 0:
                    self._read[run_id] = head.seq
            behind += max(0, head.seq - self._read.get(run_id, 0))
        self._counts.values["interlock_uncounted_rows"] = {(): behind}

    def lines(self) -> Iterator[str]:
        """Yield the lines of the text exposition format, without line feeds; series stand in a fixed order."""
        for name, metric in _METRICS.items():
            yield f"# HELP {name} {metric.help}"
            yield f"# TYPE {name} {metric.type}"
            yield from _series(name, self._counts)

    def _take(self, run_id: str, rows: Iterable[Row]) -> int:
        """Return how many rows were read."""
        taken = 0
        for row in rows:
            taken += 1
            self._read[run_id] = max(row.seq, self._read.get(run_id, 0))
            if row.type not in _READ:
                continue
            try:
                _count(read_row(row), self._counts)
            except (JournalError, LookupError, TypeError):  # `verify` names it
                self._counts.add("interlock_unread_rows")
        return taken


def prometheus(view: JournalView) -> Iterator[str]:
    """Yield the counts of a whole journal as lines of the text exposition format, without line feeds."""
    counts = JournalCounts()
    counts.look(view)
    yield from counts.lines()


def _series(name: str, counts: _Counts) -> Iterator[str]:
    for suffix in ("", "_sum", "_count"):
        for labels, value in sorted(counts.values.get(f"{name}{suffix}", {}).items()):
            told = ",".join(f'{label}="{text}"' for label, text in labels)
            yield f"{name}{suffix}{{{told}}} {value:.10g}" if told else f"{name}{suffix} {value:.10g}"


def _count(record: Record, counts: _Counts) -> None:
    body = record.body
    match record.type:
        case "run_started":
            counts.add("interlock_runs_started_total")
        case "run_ended":
            counts.add("interlock_runs_ended_total", halt=body["halt"], delivered=body["delivered"])
        case "decision":
            _count_decision(body, counts)
        case "tool_result":
            counts.add("interlock_tool_calls_total", tool=body["tool"], failed=body["failed"])
        case "approval_answered":
            counts.add("interlock_approvals_total", approved=body["approved"])
        case "generation":
            counts.add("interlock_generations_total", purpose=body["purpose"], failed=body["failure"] is not None)
            _count_tokens(body["usage"], "writer", counts)
        case "budget":
            counts.add("interlock_budgets_reached_total", budget=body["budget"])
        case _:
            counts.add("interlock_errors_total", kind=body["kind"])


def _count_decision(body: Body, counts: _Counts) -> None:
    decision = body["decision"]
    counts.add(
        "interlock_decisions_total",
        decision=decision,
        action=body["action"],
        mode=body["mode"],
        degraded=body["degraded"],
    )
    counts.add("interlock_decision_seconds_sum", _number(body["elapsed_s"]), decision=decision)
    counts.add("interlock_decision_seconds_count", decision=decision)
    for reading in _objects(body["readings"]):
        counts.add("interlock_readings_total", decision=decision, kind=reading["kind"], reason=reading["reason"])
    reply = body["reply"]
    if isinstance(reply, Mapping):
        failure = reply["failure"]
        reason = failure["reason"] if isinstance(failure, Mapping) else "none"
        counts.add("interlock_judge_requests_total", decision=decision, failure=reason)
        _count_tokens(reply["usage"], "judge", counts)


def _count_tokens(usage: Json, by: str, counts: _Counts) -> None:
    if not isinstance(usage, Mapping):
        return
    for direction in ("input", "output"):
        tokens = usage[f"{direction}_tokens"]
        if tokens is not None:
            counts.add("interlock_tokens_total", _number(tokens), by=by, direction=direction)


def _objects(value: Json) -> Iterable[Mapping[str, Json]]:
    if not isinstance(value, Mapping):
        raise TypeError
    return [item for item in value.values() if isinstance(item, Mapping)]


def _number(value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    return value


def _label(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) and _NAME.fullmatch(value) else "other"
