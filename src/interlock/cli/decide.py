"""`interlock decide`: a file of states through one decision, or through a whole contract.

Source: reference loop specification, the planner.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import click

from interlock.cli._contract import load_contract
from interlock.cli._files import STDIN, directory
from interlock.cli._once import said_once
from interlock.cli._output import ERROR, OK, SCHEMA, USAGE, counted, epilog, fail, on_terminal
from interlock.cli._progress import progress
from interlock.cli._states import count_states, read_states
from interlock.cli._trace import visible
from interlock.diagnostics import did_you_mean
from interlock.errors import SettingsError
from interlock.journal.place import MEMORY, open_journal
from interlock.journal.summary import find_run
from interlock.judge.base import Judge
from interlock.loop.many import MOST_AT_ONCE, ManyOptions, ManyResult, decide_many
from interlock.loop.reference import reference_host
from interlock.loop.verdict import explain
from interlock.models.closing import close
from interlock.pipeline.blocking import run_blocking
from interlock.pipeline.gating import Gating
from interlock.pipeline.host import Cells, Host
from interlock.pipeline.result import DecisionResult
from interlock.policy.degraded import CallFacts
from interlock.postgres import shown_address
from interlock.questions import Json
from interlock.settings import Settings, load_settings
from interlock.wiring import make_judge

__all__ = ["command"]

DEFAULT_CONCURRENCY = 16


@click.command(
    epilog=epilog(
        "interlock decide DECISION.md step_ok --states states.jsonl --json > decided.jsonl", OK, ERROR, USAGE, SCHEMA
    )
)
@click.argument("contract")
@click.argument("decision", required=False, metavar="[DECISION]")
@click.option(
    "--states", required=True, metavar="FILE", help="One JSON object of cells per line; `-` is standard input."
)
@click.option("--judge", metavar="ID", help="Who answers; that of the settings unless given.")
@click.option("--cwd", metavar="DIR", default=".", show_default=True, help="The directory of the reference host.")
@click.option(
    "--concurrency",
    type=click.IntRange(1, MOST_AT_ONCE),
    default=DEFAULT_CONCURRENCY,
    show_default=True,
    metavar="N",
    help="States under way at once.",
)
@click.option("--as-completed", is_flag=True, help="Print results as they come, not in the order of the file.")
@click.option("--journal", metavar="PLACE", help="Where the decisions are recorded; that of the settings unless given.")
@click.option("--resume", metavar="RUN", help="Go on with a run that was cut short; what it holds is not asked again.")
@click.option("--record-state", is_flag=True, help="Record the raw cells, so that frames can be built again.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per decision and line.")
def command(
    *,
    contract: str,
    decision: str | None,
    states: str,
    judge: str | None,
    cwd: str,
    concurrency: int,
    as_completed: bool,
    journal: str | None,
    resume: str | None,
    record_state: bool,
    as_json: bool,
) -> None:
    """Decide many states by DECISION of CONTRACT, or by all of its decisions.

    A state holds the cells of the reference host. The run is recorded, and one that was interrupted goes on with
    --resume and the same states.
    """
    settings = load_settings(
        directory=Path(), environ=os.environ, flags={"contract": contract, "judge": judge, "journal": journal}
    )
    compiled = load_contract(settings.contract, settings.gates)
    if decision is not None and decision not in compiled.decisions:
        fail(f"contract: no decision `{visible(decision)}`; {did_you_mean(decision, list(compiled.decisions))}", USAGE)
    host = reference_host(directory(cwd))
    total = None if states == STDIN else count_states(states)
    with ExitStack() as stack:
        stack.enter_context(said_once("interlock.judge", "interlock.pipeline"))
        store = stack.enter_context(closing(open_journal(settings.journal)))
        options = ManyOptions(
            gating=Gating(modes=settings.modes, gaps=settings.gap_policy),
            call_facts=partial(_call_facts, host),
            concurrency=concurrency,
            ordered=not as_completed,
            journal=store,
            record_state=record_state,
        )
        if resume is not None:
            with store.snapshot() as view:
                options["resume"] = find_run(view, resume)
        judging = _judge(settings, host)
        stack.callback(run_blocking, partial(close, judging), name="decide", instead="adecide_many")
        taken = read_states(states, host.capabilities.cells)
        results = decide_many(compiled, decision, taken, judging, host=host, **options)
        stack.callback(results.close)
        failed = _print_all(results, total, settings.journal, as_json=as_json)
    if failed:
        fail(f"{counted(failed, 'state')}: the judge failed; {_go_on(settings.journal)}", ERROR)


def _print_all(results: Iterator[ManyResult], total: int | None, journal: str, *, as_json: bool) -> int:
    """Print every result, and return of how many states the judge failed."""
    failed = 0
    try:
        for one in progress(results, "states", total=total) if not on_terminal(sys.stdout) else results:
            _print(one, as_json=as_json)
            failed += one.failed
    except KeyboardInterrupt:
        fail(f"cancelled; {_go_on(journal)}", ERROR)
    except SettingsError as problem:
        fail(f"{problem}; then {_go_on(journal)}", ERROR)
    return failed


def _go_on(journal: str) -> str:
    if journal == MEMORY:
        return "start again, with a journal to go on from"
    return f"go on with --resume last and the same journal, {visible(shown_address(journal))}"


def _judge(settings: Settings, host: Host) -> Judge:
    return make_judge(settings.judge, environ=os.environ, tools=host.tools, options=settings.judging)


def _call_facts(host: Host, state: Cells) -> CallFacts | None:
    """Return what the tool table says of the call that a state is about."""
    name = state.get("lastTool")
    tool = host.tools.get(name) if isinstance(name, str) else None
    return None if tool is None else CallFacts(base_risk=tool.base_risk, leaves_root=tool.leaves_root)


def _print(one: ManyResult, *, as_json: bool) -> None:
    for result in one.results.values():
        click.echo(json.dumps(_line(one, result), ensure_ascii=False) if as_json else _text(one, result))


def _line(one: ManyResult, result: DecisionResult) -> dict[str, Json]:
    outcome = result.outcome
    return {
        "state": one.index + 1,
        "decision": result.decision,
        "action": result.action,
        "picked": result.picked,
        "would_be": result.would_be,
        "rule": None if outcome is None else outcome.rule_text,
        "value": None if outcome is None else outcome.value,
        "margin": None if outcome is None else outcome.margin,
        "reason": explain(result),
        "degraded": result.degraded,
        "recorded": one.recorded,
    }


def _text(one: ManyResult, result: DecisionResult) -> str:
    picked = "" if result.picked is None else f" {visible(result.picked)}"
    mark = "~" if result.degraded else " "
    reason = visible(" ".join((explain(result) or "").split()))
    return f"{one.index + 1:>6}  {result.decision:<14}{mark} {result.action + picked:<28} {reason}".rstrip()
