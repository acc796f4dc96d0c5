"""What a run came to, printed for people and for machines, and the exit code that says it.

Source: product specification, the command line.
"""

from __future__ import annotations

import shlex
import sys

import click

from interlock.cli._output import DENIED, ERROR, NOT_DELIVERED, OK, PARKED, on_terminal, print_json
from interlock.cli._trace import account, visible
from interlock.loop.result import RunResult, result_json

__all__ = ["exit_code", "in_journal", "show_result", "to_stderr"]


def show_result(result: RunResult, *, as_json: bool, journal: str | None) -> None:
    """Print the answer or the whole result on standard output, and everything else on standard error.

    `journal` is the place that the command line named; None when it named none.
    """
    if as_json:
        print_json(result_json(result))
    elif result.answer is not None:
        click.echo(_shown(result.answer, terminal=on_terminal(sys.stdout)))
    if result.halt == "parked":
        to_stderr(_parked(result, in_journal(journal)))
    elif not result.delivered:
        to_stderr(_undelivered(result))
    elif result.reason is not None and not as_json:
        to_stderr(f"{result.halt}: {visible(result.reason)}")
    if not as_json:
        mark = " (degraded)" if result.degraded else ""
        to_stderr(f"{result.halt}{mark}: {account(result.accounting)}")
        to_stderr(f"run {result.run_id}  head {result.head}")


def exit_code(result: RunResult) -> int:
    """Return the exit code; of several the worst one."""
    if result.failed:
        return ERROR
    match result.halt.partition("+")[0]:
        case "parked":
            return PARKED
        case "denied":
            return DENIED
        case _:
            return OK if result.delivered else NOT_DELIVERED


def to_stderr(line: str) -> None:
    """Print a line beside the answer."""
    click.echo(line, err=True)


def in_journal(place: str | None) -> str:
    """Return what a suggested command has to add to mean the same journal."""
    return "" if place is None else f" --journal {shlex.quote(place)}"


def _parked(result: RunResult, where: str) -> str:
    said = "interlock: " + visible(" ".join(f"parked: {result.reason or 'a person is needed'}".split()))
    if result.waits_for is None:
        return f"{said}\n  interlock runs resume {result.run_id}{where} --in-flight retry|skip|stop"
    short = result.waits_for[:16]
    return (
        f"{said}\n  interlock approvals show {short}{where}\n"
        f"  interlock approvals approve {short}{where} --by NAME\n"
        f"  interlock runs resume {result.run_id}{where}"
    )


def _undelivered(result: RunResult) -> str:
    said = "interlock: " + visible(
        " ".join(f"not delivered ({result.halt}): {result.reason or 'no reason given'}".split())
    )
    if result.draft is None or result.failed:
        return said
    return f"{said}\ndraft:\n{_shown(result.draft, terminal=on_terminal(sys.stderr))}"


def _shown(text: str, *, terminal: bool) -> str:
    """Return text that came from tools or models; on a terminal it may not steer the terminal."""
    return visible(text) if terminal else text
