"""`interlock plan`: which decisions of a contract are asked together or ahead, and why the others are not.

Source: reference loop specification, the planner.
"""

from __future__ import annotations

import os
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path

import click

from interlock.cli._capabilities import host_capabilities
from interlock.cli._contract import load_contract
from interlock.cli._files import read_text
from interlock.cli._output import ERROR, OK, SCHEMA, USAGE, epilog, print_json
from interlock.errors import SettingsError
from interlock.judge.base import Caps
from interlock.judge.caps_read import caps_from_json
from interlock.judge.wire import parse_json
from interlock.pipeline.plan import PLANS, Group, Plan, PlannedWave, plan_contract
from interlock.pipeline.plan_json import plan_to_json
from interlock.pipeline.plan_words import condition_text, refusal_text, role_text
from interlock.settings import load_settings

__all__ = ["command", "plan_lines"]

_LEAST_WIDTH, _MOST_WIDTH = 60, 120
_ROLE_COLUMN = 26
_LEAST_ROOM, _INDENT = 24, 6


@click.command(epilog=epilog("interlock plan --plan next", OK, ERROR, USAGE, SCHEMA))
@click.argument("contract", required=False, metavar="[CONTRACT]")
@click.option("--plan", type=click.Choice(PLANS), help="The plan; that of the settings unless given.")
@click.option(
    "--judge-caps",
    metavar="FILE",
    help='What one request to the judge may hold, as JSON, such as {"max_questions": 1}; no limits unless given.',
)
@click.option("--capabilities", metavar="FILE", help="What the host declares; the reference host unless given.")
@click.option("--json", "as_json", is_flag=True, help="Print the plan as one JSON object.")
def command(
    *, contract: str | None, plan: str | None, judge_caps: str | None, capabilities: str | None, as_json: bool
) -> None:
    """Print the waves of a contract, and why decisions do not share a request.

    CONTRACT is the one that `interlock run` would take unless given; `-` reads standard input.
    """
    settings = load_settings(directory=Path(), environ=os.environ, flags={"contract": contract, "plan": plan})
    compiled = load_contract(settings.contract, settings.gates, capabilities=host_capabilities(capabilities))
    made = plan_contract(compiled, _caps(judge_caps), name=settings.plan)
    if as_json:
        print_json(plan_to_json(made))
    else:
        click.echo("\n".join(plan_lines(made, width=_width())))


def plan_lines(plan: Plan, *, width: int) -> Iterator[str]:
    """Yield the picture of a plan, line by line, in so many columns; a word that is longer is not broken."""
    requests = sum(len(wave.requests) for wave in plan.waves)
    yield f"contract {plan.contract_digest[:12]}  plan {plan.name}: {len(plan.waves)} waves, {requests} requests"
    for wave in plan.waves:
        yield ""
        yield from _wave(wave, width)
    together = [pair for pair in plan.pairs if not pair.refusals]
    apart = [pair for pair in plan.pairs if pair.refusals]
    names = max((len(_names(pair.decisions)) for pair in plan.pairs), default=0)
    if together:
        yield from ("", "may share a request")
        for pair in together:
            yield from _wrapped(f"  {_names(pair.decisions):<{names}}  ", condition_text(pair), width)
    if apart:
        yield from ("", "may not share a request")
        for pair in apart:
            yield from _wrapped(f"  {_names(pair.decisions):<{names}}  ", refusal_text(pair), width)


def _width() -> int:
    """Return the columns of the terminal, or those of a page where there is none."""
    return max(_LEAST_WIDTH, min(_MOST_WIDTH, shutil.get_terminal_size((_MOST_WIDTH, 0)).columns))


def _wrapped(start: str, text: str, width: int, *, further: str | None = None) -> Iterator[str]:
    """Yield `text` behind `start`, its further lines below it, behind `further` where that is given.

    Where `start` leaves little room, all of the text stands below it.
    """
    below = " " * len(start) if further is None else further
    if width - len(start) < _LEAST_ROOM:
        yield start.rstrip()
        start = below = below[:_INDENT]
    lines = textwrap.wrap(text, width - len(start), break_long_words=False, break_on_hyphens=False)
    for line in lines or [""]:
        yield f"{start}{line}".rstrip()
        start = below


def _wave(wave: PlannedWave, width: int) -> Iterator[str]:
    yield f"{wave.when}:"
    names = max(_ROLE_COLUMN, *(len(_together(group)) for group in wave.requests))
    for at, group in enumerate(wave.requests, start=1):
        branch, trunk = ("└─", "  ") if at == len(wave.requests) else ("├─", "│ ")
        start = f"  {branch} {_together(group):<{names}} "
        yield from _wrapped(start, role_text(wave, group), width, further=f"  {trunk}".ljust(len(start)))


def _together(group: Group) -> str:
    return " + ".join(group.decisions)


def _names(decisions: tuple[str, ...]) -> str:
    return ", ".join(decisions)


def _caps(file: str | None) -> Caps:
    if file is None:
        return Caps()
    try:
        return caps_from_json(parse_json(read_text(file)))
    except SettingsError as problem:
        raise SettingsError(f"{file}: {problem}") from problem
    except ValueError as problem:
        raise SettingsError(f"{file}: is not JSON: {problem}") from problem
