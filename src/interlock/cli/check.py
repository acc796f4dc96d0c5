"""`interlock check`: what is wrong with a contract, as a compiler says it.

Source: decision-contract/v1, compile.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from interlock.cli._capabilities import read_capabilities
from interlock.cli._files import STDIN, read_text, write_text
from interlock.cli._output import ERROR, OK, SCHEMA, USAGE, epilog, fail
from interlock.cli._report import FORMATS, Report
from interlock.contract.capabilities import Capabilities
from interlock.contract.compile import Lint, Verdict, check_contract
from interlock.contract.fix import apply_edits
from interlock.contract.lint import linter

__all__ = ["command"]

_CODES: dict[Verdict, int] = {"ok": OK, "error": ERROR, "schema": SCHEMA}


@click.command(epilog=epilog("interlock check DECISION.md --format github", OK, ERROR, USAGE, SCHEMA))
@click.argument("file", default="DECISION.md", metavar="[FILE]")
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="Form of the findings.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--capabilities",
    metavar="FILE|none",
    help="JSON of the host that the contract is for, as `interlock spec --capabilities` prints it; `none` compares "
    "with no host. Without this option the reference host is meant.",
)
@click.option(
    "--judge", metavar="ID", help="Check for this judge too: what it cannot take is an error. No key is needed."
)
@click.option("--journal", metavar="PLACE", help="Compare bounds with the sizes of fields in the runs of a journal.")
@click.option("--fix", is_flag=True, help="Apply the fixes that are safe, then report what remains.")
def command(
    *,
    file: str,
    form: str,
    as_json: bool,
    capabilities: str | None,
    judge: str | None,
    journal: str | None,
    fix: bool,
) -> None:
    """Check a contract and print what is wrong with it.

    FILE is ./DECISION.md unless given; `-` reads standard input. Every finding has a place, a code and, where
    there is one, a fix. A file without errors also gets advice: what is known to make judges answer worse.
    Warnings and notes do not change the exit code.
    """
    if fix and file == STDIN:
        fail("--fix changes a file; name one instead of `-`", USAGE)
    host = read_capabilities(capabilities)
    text = read_text(file)
    if fix:
        text = _fixed(file, text, host)
    result = check_contract(text, host, lint=_lint(judge, journal))
    name = "standard input" if file == STDIN else click.format_filename(file)
    click.echo(FORMATS["json" if as_json else form](Report(file=name, result=result)))
    raise SystemExit(_CODES[result.verdict])


def _lint(judge: str | None, journal: str | None) -> Lint:
    """Return the advice to give; what only a judge or a journal needs is loaded only then."""
    if judge is None and journal is None:
        return linter()
    advice: Any = import_module("interlock.cli._advice")
    return linter(
        targets=() if judge is None else advice.targets_of(judge),
        sizes=None if journal is None else advice.sizes_in(journal),
    )


def _fixed(file: str, text: str, host: Capabilities | None) -> str:
    """Apply safe fixes until none is left, write the file if any was applied, and return its text."""
    fixed = text
    for _ in range(_ROUNDS):
        after = apply_edits(fixed, check_contract(fixed, host).diagnostics)
        if after == fixed:
            break
        fixed = after
    if fixed != text:
        write_text(file, fixed)
        click.echo(f"interlock: {click.format_filename(file)}: fixed", err=True)
    return fixed


_ROUNDS = 10
"""A fix may uncover another one; no chain of them is longer."""
