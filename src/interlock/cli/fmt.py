"""`interlock fmt`: a contract in its canonical spelling.

Source: decision-contract/v1, lexical rules.
"""

from __future__ import annotations

import click

from interlock.cli._files import STDIN, read_text, write_text
from interlock.cli._output import ERROR, OK, SCHEMA, USAGE, epilog
from interlock.contract.compile import check_contract
from interlock.contract.format import format_contract
from interlock.diagnostics import render

__all__ = ["command"]


@click.command(epilog=epilog("interlock fmt DECISION.md --check", OK, ERROR, USAGE, SCHEMA))
@click.argument("file", default="DECISION.md", metavar="[FILE]")
@click.option("--check", is_flag=True, help="Write nothing; end with 1 if the file would change.")
def command(*, file: str, check: bool) -> None:
    """Write a contract in its canonical spelling.

    FILE is ./DECISION.md unless given; it is replaced in one step. `-` reads standard input and prints the
    result. Signs and columns change; meaning and prose stay byte for byte. A file whose lines cannot be told
    apart is not touched.
    """
    name = "standard input" if file == STDIN else click.format_filename(file)
    text = read_text(file)
    _refuse_unreadable(name, text)
    formatted = format_contract(text)
    if check:
        if formatted != text:
            click.echo(f"{name}: would change")
            raise SystemExit(ERROR)
    elif file == STDIN:
        click.echo(formatted, nl=False)
    elif formatted != text:
        write_text(file, formatted)
        click.echo(f"{name}: changed")


def _refuse_unreadable(name: str, text: str) -> None:
    """End the program when the schema is not ours, or lines cannot be told from prose."""
    result = check_contract(text, None)
    errors = [item for item in result.diagnostics if item.severity == "error" and item.layer in ("syntax", "schema")]
    if errors:
        click.echo(render(errors, name), err=True)
        raise SystemExit(SCHEMA if result.verdict == "schema" else ERROR)
