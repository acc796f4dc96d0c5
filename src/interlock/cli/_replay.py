"""What deciding again came to, for people; and the records that a command line names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import click

from interlock.cli._output import counted
from interlock.cli._progress import progress
from interlock.cli._trace import visible
from interlock.journal.base import JournalView
from interlock.journal.records import Record, read_rows
from interlock.journal.replay import REPLAYED, Redecided, Status
from interlock.journal.replay_report import Cost, ReplayReport
from interlock.journal.summary import find_run

__all__ = ["named_records", "show_report"]


def named_records(view: JournalView, runs: Sequence[str]) -> Iterator[Record]:
    """Yield the records that a replay reads, of the runs that are named, or of every run when none is.

    Raises:
        JournalError: a run is not known, or a row cannot be read.
    """
    named = [find_run(view, run) for run in runs] if runs else view.run_ids()
    meant = tuple(dict.fromkeys(named))
    for run_id in progress(meant, "runs", total=len(meant)):
        yield from read_rows(view.rows(run_id, REPLAYED))


def show_report(told: ReplayReport) -> None:
    """Print the report: what it came to, a table per decision, every change, and what is missing."""
    counts = {status: told.count(status) for status in _STATUSES}
    decisions = sum(counts.values())
    said = ", ".join(f"{count} {_STATUSES[status]}" for status, count in counts.items() if count)
    click.echo(f"{counted(told.runs, 'run')}, {counted(decisions, 'decision')}: {said or 'nothing to decide'}")
    for name, statuses in told.decisions.items():
        line = ", ".join(f"{count} {_STATUSES[status]}" for status, count in statuses.items())
        click.echo(f"{visible(name):<14} {sum(statuses.values()):>6}  {line}")
        for (was, now), count in told.moves.get(name, {}).items():
            click.echo(f"{'':<14} {count:>6}  {_move(was, now)}")
    if told.changed:
        click.echo("changed:")
    for item in told.changed:
        click.echo(f"  {_change(item)}")
    if told.fresh:
        _show_fresh(told.fresh, told.cost)


_STATUSES: Mapping[Status, str] = {
    "same": "same",
    "changed": "changed",
    "gone": "gone from the contract",
    "fresh": "need a fresh judgement",
    "unjudged": "not judged",
    "discarded": "discarded when they were asked",
    "unknown": "of runs without a contract (name one with --contract)",
}


def _show_fresh(fresh: Sequence[Redecided], cost: Cost) -> None:
    asked = f"{counted(len(fresh), 'record')}, {counted(cost.requests, 'request')}"
    tokens = f"{cost.tokens} tokens when they were made" if cost.known else "tokens unknown"
    partly = f" (known for {cost.known} of {cost.requests})" if 0 < cost.known < cost.requests else ""
    click.echo(f"needs a fresh judgement: {asked}, {tokens}{partly}")
    reasons: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for item in fresh:
        reasons[item.decision, item.reason or ""][item.run_id].append(item.seq)
    for (decision, reason), runs in reasons.items():
        click.echo(f"  {visible(decision)}: {visible(reason)}")
        for run_id, rows in runs.items():
            click.echo(f"    run {visible(run_id)} {_rows(rows)}")


def _rows(rows: Sequence[int]) -> str:
    return ("row " if len(rows) == 1 else "rows ") + ", ".join(map(str, rows))


def _change(item: Redecided) -> str:
    outcome = item.outcome
    where = f"run {visible(item.run_id)} row {item.seq}, step {item.step}"
    moved = f"{visible(item.decision)}: {_move(item.was, None if outcome is None else outcome.action)}"
    why = ""
    if outcome is not None and outcome.reason is not None:
        why = f"  {visible(outcome.reason)}"
    elif outcome is not None and outcome.value is not None:
        why = f"  {outcome.value:.3g} against {visible(outcome.rule_text or '')}"
    elif outcome is not None and outcome.margin is not None:
        why = f"  {visible(outcome.rule_text or '')}, margin {outcome.margin:.3g}"
    mode = "" if item.mode == "enforce" else f"  (mode {item.mode})"
    after = "  (after an earlier change of its run)" if item.follows_a_change else ""
    return f"{where}  {moved}{why}{mode}{after}"


def _move(was: str | None, now: str | None) -> str:
    return f"{visible(was or 'not judged')} → {visible(now or 'gone')}"
