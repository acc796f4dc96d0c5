"""`interlock diff`: what changed in meaning between two contracts, and which recorded decisions that would flip.

Source: journal and safety specification, replay.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import click

from interlock.cli._capabilities import host_capabilities
from interlock.cli._contract import load_contract
from interlock.cli._journal import reading
from interlock.cli._output import ERROR, OK, SCHEMA, USAGE, epilog, print_json
from interlock.cli._replay import named_records, show_report
from interlock.contract.change import Change
from interlock.contract.diff import diff_contracts
from interlock.journal.basis import Bases
from interlock.journal.replay import redecide
from interlock.journal.replay_report import ReplayReport, report, report_json

__all__ = ["command"]

_ALL = "all"
_MARKS = {"added": "+", "lost": "-", "changed": "~"}


@click.command(epilog=epilog("interlock diff DECISION.md DECISION.new.md --runs all", OK, ERROR, USAGE, SCHEMA))
@click.argument("old")
@click.argument("new")
@click.option(
    "--runs", "runs", multiple=True, metavar="RUN|all", help="Also list recorded decisions that would change."
)
@click.option("--capabilities", metavar="FILE", help="JSON of the host they are for; the reference host unless given.")
@click.option("--journal", "place", metavar="PLACE", help="The journal that holds the runs; the settings name one.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: changes, and what became of the runs.")
def command(
    *, old: str, new: str, runs: tuple[str, ...], capabilities: str | None, place: str | None, as_json: bool
) -> None:
    """Show what changed in meaning between two contracts.

    Questions, options, frames, thresholds, gates and the section for the writer count; spelling, prose and
    reasons do not. Exit code 1 says that something changed. With --runs, once per run or `all`, recorded
    decisions are decided again under NEW.
    """
    host = host_capabilities(capabilities)
    before, after = (load_contract(file, {}, capabilities=host) for file in (old, new))
    changes = diff_contracts(before, after)
    told: ReplayReport | None = None
    if runs:
        bases = Bases(host, contract=after, gates={}, earlier=[before])
        with reading(place) as view:
            told = report(redecide(named_records(view, () if _ALL in runs else runs), bases))
    if as_json:
        print_json(
            {
                "old": {"file": old, "digest": before.digest},
                "new": {"file": new, "digest": after.digest},
                "changes": [_change_json(change) for change in changes],
                "runs": None if told is None else report_json(told),
            }
        )
    else:
        _show(changes)
        if told is not None:
            show_report(told)
    raise SystemExit(ERROR if changes else OK)


def _show(changes: Sequence[Change]) -> None:
    for decision, found in groupby(changes, key=lambda change: change.decision):
        click.echo(decision or "contract")
        for change in found:
            click.echo(f"  {_line(change)}")
    gates = {way: sum(change.part == "gate" and change.way == way for change in changes) for way in ("added", "lost")}
    said = "".join(f"; gates {way}: {count}" for way, count in gates.items() if count)
    count = "1 change" if len(changes) == 1 else f"{len(changes)} changes"
    click.echo(f"{count} of meaning{said}" if changes else "no change of meaning")


def _line(change: Change) -> str:
    gate = "gate " if change.part == "gate" else ""
    match change.old, change.new:
        case None, None:
            values = ""
        case None, added:
            values = f": {added}"
        case lost, None:
            values = f": {lost}"
        case before, after:
            values = f": {before} → {after}"
    return f"{_MARKS[change.way]} {gate}{change.what}{values}"


def _change_json(change: Change) -> dict[str, str | None]:
    return {
        "decision": change.decision,
        "part": change.part,
        "change": change.way,
        "what": change.what,
        "old": change.old,
        "new": change.new,
    }
