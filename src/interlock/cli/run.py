"""`interlock run`: one task under a contract, with a live trace, the answer and the account.

Puts settings, judge, writer, journal and loop together; decides nothing itself.
Source: product specification, the command line.
"""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

import click

from interlock.cli._asking import ask_at_terminal
from interlock.cli._contract import load_contract
from interlock.cli._duration import DURATION
from interlock.cli._files import STDIN, directory, read_text
from interlock.cli._output import DENIED, ERROR, NOT_DELIVERED, OK, PARKED, SCHEMA, USAGE, epilog, fail
from interlock.cli._result import exit_code, show_result, to_stderr
from interlock.cli._trace import Trace
from interlock.journal.base import Store
from interlock.journal.place import MEMORY, open_journal
from interlock.journal.summary import find_run
from interlock.loop.reference import reference_host
from interlock.loop.result import RunResult
from interlock.loop.run import arun
from interlock.models.closing import close
from interlock.pipeline.blocking import run_blocking
from interlock.pipeline.gating import Gating
from interlock.pipeline.plan import PLANS
from interlock.policy.overrides import parse_override
from interlock.postgres import shown_address
from interlock.settings import Settings, load_settings
from interlock.wiring import make_judge, make_writer

__all__ = ["command"]

MAX_TASK_CHARS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Flags:
    """What the command line says besides settings."""

    task: str
    cwd: Path
    can_write: bool
    can_delete: bool
    after: str | None
    park: bool
    approval_ttl: timedelta
    record_state: bool
    as_json: bool


@click.command(
    epilog=epilog(
        'interlock run "Which function does src/alpha.ts export?" --cwd examples/shop',
        OK,
        ERROR,
        USAGE,
        SCHEMA,
        NOT_DELIVERED,
        DENIED,
        PARKED,
    )
)
@click.argument("task")
@click.option("--cwd", metavar="DIR", default=".", show_default=True, help="The directory that the tools work in.")
@click.option("--contract", metavar="FILE", help="The contract; the shipped one unless given.")
@click.option("--judge", metavar="ID", help="Who answers the contract's questions, such as `rules`.")
@click.option("--writer", metavar="ID", help="Who writes the answer, such as `extractive` or `openai:MODEL`.")
@click.option("--allow-write", is_flag=True, help="Offer tools that create files.")
@click.option("--allow-delete", is_flag=True, help="Offer tools that remove files.")
@click.option("--gate", "gates", multiple=True, metavar="KEY=N", help="Set a threshold, such as `step_ok=0.7`.")
@click.option("--after", metavar="RUN", help="Take the turn after this run, such as `last`; its task is context.")
@click.option("--journal", metavar="PLACE", help="Where the run is recorded; `:memory:` keeps no record.")
@click.option("--park", is_flag=True, help="Let a gated call wait when there is no terminal to ask at; exit code 6.")
@click.option(
    "--approval-ttl",
    type=DURATION,
    default="24h",
    show_default=True,
    metavar="SPAN",
    help="How long a person may take to approve a call, and the call to run.",
)
@click.option("--record-state", is_flag=True, help="Record the raw state, so that frames can be built again.")
@click.option("--plan", type=click.Choice(PLANS), help="How far to ask ahead of what is due.")
@click.option("--max-steps", metavar="N", help="Most calls of tools.")
@click.option("--max-seconds", metavar="N", help="Most wall time, without the time that you take to answer.")
@click.option("--max-judge-calls", metavar="N", help="Most decisions put to the judge.")
@click.option("--max-writer-calls", metavar="N", help="Most calls of the writer.")
@click.option("--max-tokens", metavar="N", help="Most tokens of judge and writer together.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object in place of trace and answer.")
def command(
    *,
    task: str,
    cwd: str,
    contract: str | None,
    judge: str | None,
    writer: str | None,
    allow_write: bool,
    allow_delete: bool,
    gates: tuple[str, ...],
    after: str | None,
    journal: str | None,
    park: bool,
    approval_ttl: timedelta,
    plan: str | None,
    record_state: bool,
    as_json: bool,
    **budgets: str | None,
) -> None:
    """Do TASK in a directory, every decision judged, gated and recorded.

    TASK is text in any language; `-` reads it from standard input. A call that the contract gates is asked
    about at the terminal; without a terminal it is refused, or with --park it waits for `interlock approvals`, and
    `interlock runs resume` goes on. The answer goes to standard output; the trace, and
    a draft that was not delivered with its reason, go to standard error.
    """
    thresholds = dict(map(parse_override, gates))
    chosen = {"contract": contract, "judge": judge, "writer": writer, "journal": journal, "plan": plan}
    settings = load_settings(
        directory=Path(), environ=os.environ, flags={**chosen, "gates": thresholds, "budgets": budgets}
    )
    if park and settings.journal == MEMORY:
        fail("--park: the journal `:memory:` ends with this process, and a waiting call with it; name a file", USAGE)
    flags = _Flags(
        task=_task(task),
        cwd=directory(cwd),
        can_write=allow_write,
        can_delete=allow_delete,
        after=after,
        park=park,
        approval_ttl=approval_ttl,
        record_state=record_state,
        as_json=as_json,
    )
    try:
        result = run_blocking(partial(_run, flags, settings), name="run", instead="arun")
    except KeyboardInterrupt:
        fail(f"cancelled; what was done is on record in {shown_address(settings.journal)}", ERROR)
    show_result(result, as_json=as_json, journal=journal)
    raise SystemExit(exit_code(result))


async def _run(flags: _Flags, settings: Settings) -> RunResult:
    contract = load_contract(settings.contract, settings.gates)
    host = reference_host(flags.cwd)
    judge = make_judge(settings.judge, environ=os.environ, tools=host.tools, options=settings.judging)
    writer = make_writer(settings.writer, environ=os.environ)
    try:
        with closing(open_journal(settings.journal)) as journal:
            return await arun(
                flags.task,
                host=host,
                judge=judge,
                writer=writer,
                cwd=flags.cwd,
                can_write=flags.can_write,
                can_delete=flags.can_delete,
                contract=contract,
                gating=Gating(modes=settings.modes, gaps=settings.gap_policy),
                budgets=settings.budgets,
                plan=settings.plan,
                ask=ask_at_terminal,
                journal=journal,
                park=flags.park,
                approval_ttl=flags.approval_ttl,
                record_state=flags.record_state,
                after=_meant(journal, flags.after),
                wired={"judge": settings.judge, "writer": settings.writer, "judging": asdict(settings.judging)},
                on_event=None if flags.as_json else Trace(to_stderr),
            )
    finally:
        await close(judge, writer)


def _meant(journal: Store, named: str | None) -> str | None:
    """Return the id of the run that `named` means, as the other verbs read it."""
    if named is None:
        return None
    with journal.snapshot() as view:
        return find_run(view, named)


def _task(given: str) -> str:
    text = read_text(STDIN) if given == STDIN else given
    if any("\ud800" <= character <= "\udfff" for character in text):
        fail("task: is not valid text; write it in UTF-8", USAGE)
    if not text.strip():
        fail("task: is empty; say what is to be done", USAGE)
    if len(text) > MAX_TASK_CHARS:
        fail(f"task: is longer than {MAX_TASK_CHARS:,} characters; put it into a file and name the file", USAGE)
    return text.strip()
