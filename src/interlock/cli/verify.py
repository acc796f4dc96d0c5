"""`interlock verify`: whether a journal is what was written, and whether its records agree with themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import click

from interlock.cli._journal import reading
from interlock.cli._output import ERROR, OK, USAGE, counted, epilog, fail, print_json
from interlock.cli._progress import progress
from interlock.cli._trace import visible
from interlock.journal.base import JournalView
from interlock.journal.prune import pruned_with_head
from interlock.journal.rederive import HostRederiver
from interlock.journal.summary import find_run
from interlock.journal.verify import Finding, RunCheck, head_problem, verify_run, worst
from interlock.loop.reference import reference_host

__all__ = ["command"]


@click.command(epilog=epilog("interlock verify last", OK, ERROR, USAGE))
@click.argument("run", required=False)
@click.option("--head", metavar="HASH", help="The head of the run as it was kept elsewhere.")
@click.option("--journal", "place", metavar="PLACE", help="The journal to verify; the settings name one.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: verdict, runs and findings.")
def command(run: str | None, head: str | None, place: str | None, as_json: bool) -> None:
    """Verify RUN, or every run of a journal.

    Checks the chain of hashes and its head, takes digests again, and computes the outcome of every decision
    again from its recorded answers. A call that needed a person must have used an approval of exactly that call
    before it. Each record is verified, partial (what could not be checked is named) or a
    mismatch. Whoever rewrites a whole chain is found only by --head, with a head that was kept elsewhere.
    """
    kept = None if head is None else _kept(head)
    with reading(place) as view:
        run_ids = view.run_ids() if run is None else (find_run(view, run),)
        rederiver = HostRederiver(reference_host(Path()))
        checks = [
            verify_run(view, run_id, rederiver=rederiver) for run_id in progress(run_ids, "runs", total=len(run_ids))
        ]
        problem = None if kept is None else _head_problem(view, run_ids, kept, named=run is not None)
        name = view.place
    verdict = "mismatch" if problem is not None else worst(check.verdict for check in checks)
    if as_json:
        runs = [_check_json(check) for check in checks]
        print_json({"journal": name, "verdict": verdict, "head": problem, "runs": runs})
    else:
        _show(checks, problem)
    raise SystemExit(ERROR if verdict == "mismatch" else OK)


def _kept(head: str) -> str:
    kept = head.strip().lower()
    if re.fullmatch("[0-9a-f]{64}", kept) is None:
        fail("--head: is not a head; write the 64 hex characters that `interlock run` printed", USAGE)
    return kept


def _head_problem(view: JournalView, run_ids: Sequence[str], kept: str, *, named: bool) -> str | None:
    problems = [head_problem(view, run_id, kept) for run_id in run_ids]
    if None in problems:
        return None
    pruned = pruned_with_head(view, kept)
    if pruned is not None:
        return pruned
    return problems[0] if named else "the head that was kept is the head of no run"


def _show(checks: Sequence[RunCheck], problem: str | None) -> None:
    for check in checks:
        head = "no head" if check.head is None else f"head {visible(check.head.hash)}"
        size = f"{counted(check.records, 'record')}, {counted(check.decisions, 'decision')}"
        click.echo(f"run {visible(check.run_id)}: {check.verdict}  {size}, {head}")
        for finding in check.findings:
            click.echo(f"  {_finding(finding)}")
    if problem is not None:
        click.echo(f"--head: {problem}")
    counts = {word: sum(check.counts[word] for check in checks) for word in ("verified", "partial", "mismatch")}
    click.echo(
        f"{counted(len(checks), 'run')}; records: " + ", ".join(f"{count} {word}" for word, count in counts.items())
    )


def _finding(finding: Finding) -> str:
    if finding.seq is None:
        return f"{finding.verdict}: {finding.what}"
    what = finding.type if finding.decision is None else f"{finding.type} {finding.decision}"
    return visible(f"row {finding.seq} ({what}): {finding.verdict}: {finding.what}")


def _check_json(check: RunCheck) -> dict[str, object]:
    return {
        "run_id": visible(check.run_id),
        "verdict": check.verdict,
        "head": None if check.head is None else visible(check.head.hash),
        "records": check.records,
        "decisions": check.decisions,
        "counts": dict(check.counts),
        "findings": [
            {
                "verdict": finding.verdict,
                "seq": finding.seq,
                "type": None if finding.type is None else visible(finding.type),
                "decision": finding.decision,
                "what": visible(finding.what),
            }
            for finding in check.findings
        ],
    }
