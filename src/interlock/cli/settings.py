"""`interlock settings show`: every setting in force with the source it came from."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import click

from interlock.cli._group import VerbGroup
from interlock.cli._output import ERROR, OK, USAGE, epilog, print_json
from interlock.postgres import shown_address
from interlock.settings import Settings, load_settings

__all__ = ["command"]


@click.group(cls=VerbGroup)
def command() -> None:
    """Show the settings in force and where each comes from.

    They are read from flags, then INTERLOCK_* variables, then interlock.toml or [tool.interlock] of
    pyproject.toml in the working directory, then defaults; the first that names a setting wins.
    """


@command.command(epilog=epilog("interlock settings show --json", OK, ERROR, USAGE))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: name → value and origin.")
def show(as_json: bool) -> None:
    """Print every setting, its value and its origin."""
    settings = load_settings(directory=Path(), environ=os.environ)
    values = _by_name(settings)
    if as_json:
        print_json({name: {"value": value, "origin": settings.origins[name]} for name, value in values.items()})
        return
    width = max(len(name) for name in values)
    for name, value in values.items():
        shown = _NO_VALUE.get(name, "none") if value is None else value
        click.echo(f"{name:<{width}}  {shown}  ({settings.origins[name]})")


_NO_VALUE = {
    "contract": "the shipped one",
    "budgets.max_tokens": "no limit",
    "judging.max_in_flight": "no limit",
    "judging.requests_per_minute": "no limit",
    "judging.tokens_per_minute": "no limit",
}


def _by_name(settings: Settings) -> dict[str, str | float | None]:
    values: dict[str, str | float | None] = {
        "judge": settings.judge,
        "writer": settings.writer,
        "journal": shown_address(settings.journal),
        "prompts": shown_address(settings.prompts),
        "contract": settings.contract,
        "plan": settings.plan,
    }
    values |= {f"judging.{name}": value for name, value in dataclasses.asdict(settings.judging).items()}
    for table in ("gates", "modes", "gap_policy"):
        values |= {f"{table}.{name}": value for name, value in getattr(settings, table).items()}
    return values | {f"budgets.{name}": value for name, value in dataclasses.asdict(settings.budgets).items()}
