"""`interlock runs resume`: an interrupted or parked run goes on, as it was started.

Source: journal and safety specification, resume.
"""

from __future__ import annotations

import os
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import get_args

import click

from interlock.cli._asking import ask_at_terminal, login_name
from interlock.cli._output import DENIED, ERROR, NOT_DELIVERED, OK, PARKED, USAGE, epilog, fail
from interlock.cli._result import exit_code, show_result, to_stderr
from interlock.cli._trace import Trace
from interlock.journal.place import open_journal, read_journal
from interlock.loop.reference import reference_host
from interlock.loop.result import RunResult
from interlock.loop.resume import aresume
from interlock.loop.resume_flight import InFlight, InFlightChoice
from interlock.loop.resume_read import Started, started
from interlock.models.closing import close
from interlock.pipeline.blocking import run_blocking
from interlock.postgres import shown_address
from interlock.settings import Settings, load_settings
from interlock.wiring import make_judge, make_writer

__all__ = ["resume_run"]


@click.command("resume", epilog=epilog("interlock runs resume last", OK, ERROR, USAGE, NOT_DELIVERED, DENIED, PARKED))
@click.argument("run")
@click.option("--journal", "place", metavar="PLACE", help="The journal; the settings name one.")
@click.option(
    "--in-flight",
    "choice",
    type=click.Choice(get_args(InFlightChoice)),
    help="What to do with a call of which nothing tells whether it happened.",
)
@click.option("--by", metavar="NAME", help="Who chose that; the login name unless given.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object in place of trace and answer.")
def resume_run(run: str, place: str | None, choice: InFlightChoice | None, by: str | None, as_json: bool) -> None:
    """Go on with RUN where its process ended or where it waits.

    Contract, judge, writer, budgets and flags are those that it was started with. What was decided is not decided
    again, and what was approved is not asked again. A call that had begun is made again only where the disk proves
    that it did not happen, or where the tool says that a second call changes nothing; else the run waits for
    --in-flight: `retry` makes the call again, `skip` goes on without it, `stop` ends the steps.
    """
    settings = load_settings(directory=Path(), environ=os.environ, flags={"journal": place})
    with read_journal(settings.journal) as view:
        begun = started(view, run)
    wanted = None if choice is None else InFlight(choice=choice, by=by or login_name())
    try:
        result = run_blocking(
            partial(_resume, begun, settings, wanted, as_json=as_json), name="resume", instead="aresume"
        )
    except KeyboardInterrupt:
        fail(f"cancelled; what was done is on record in {shown_address(settings.journal)}", ERROR)
    show_result(result, as_json=as_json, journal=place)
    raise SystemExit(exit_code(result))


async def _resume(begun: Started, settings: Settings, wanted: InFlight | None, *, as_json: bool) -> RunResult:
    host = reference_host(begun.cwd)
    told = load_settings(directory=Path(), environ=os.environ, flags=begun.wired)
    judge = make_judge(told.judge, environ=os.environ, tools=host.tools, options=told.judging)
    writer = make_writer(told.writer, environ=os.environ)
    try:
        with closing(open_journal(settings.journal)) as journal:
            return await aresume(
                begun.run_id,
                journal=journal,
                judge=judge,
                writer=writer,
                host=host,
                ask=ask_at_terminal,
                in_flight=wanted,
                on_event=None if as_json else Trace(to_stderr),
            )
    finally:
        await close(judge, writer)
