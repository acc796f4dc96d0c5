"""The command `interlock`: verbs are found in a table and loaded only when they are called.

Knows no verb's work; a deliberate error of any verb ends here as one line and an exit code.
Source: product specification, the command line.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

import click

from interlock.cli._group import VerbGroup
from interlock.cli._output import ERROR, EXIT_CODES, SCHEMA, USAGE, fail
from interlock.errors import InterlockError, SchemaVersionError, UsageError

__all__ = ["VERBS", "Verb", "main"]


@dataclass(frozen=True, slots=True)
class Verb:
    """Where a verb's command stands, and what `interlock --help` says of it."""

    module: str
    about: str


VERBS: Mapping[str, Verb] = {
    "approvals": Verb("interlock.cli.approvals", "List, show and answer the calls that wait for a person."),
    "ask": Verb("interlock.cli.ask", "Ask a judge one question."),
    "check": Verb("interlock.cli.check", "Check a contract and print what is wrong with it."),
    "functions": Verb("interlock.cli.functions", "Check and show the functions that a model is offered."),
    "fmt": Verb("interlock.cli.fmt", "Write a contract in its canonical spelling."),
    "judge": Verb("interlock.cli.judge", "Measure a judge, and lock thresholds to it."),
    "spec": Verb("interlock.cli.spec", "Print what a contract compiles to."),
    "decide": Verb("interlock.cli.decide", "Decide many states by DECISION of CONTRACT, or by all of its decisions."),
    "plan": Verb("interlock.cli.plan", "Print the waves of a contract, and why decisions do not share a request."),
    "diff": Verb("interlock.cli.diff", "Show what changed in meaning between two contracts."),
    "engine": Verb(
        "interlock.cli.engine", "Pursue GOAL: the model takes one legal action at a time, and every one is checked."
    ),
    "prompts": Verb(
        "interlock.cli.prompts", "List, show and compare versions of prompts, publish new ones, and move labels."
    ),
    "run": Verb("interlock.cli.run", "Do TASK in a directory, every decision judged, gated and recorded."),
    "runs": Verb("interlock.cli.runs", "List, show and export recorded runs."),
    "replay": Verb("interlock.cli.replay", "Decide recorded decisions again, under another contract or thresholds."),
    "serve": Verb("interlock.cli.serve", "Open the page over a journal, or serve a judge to others."),
    "settings": Verb("interlock.cli.settings", "Show the settings in force and where each comes from."),
    "verify": Verb("interlock.cli.verify", "Verify RUN, or every run of a journal."),
}
"""Verb → module; the module's `command` is the verb."""


class _Verbs(VerbGroup):
    """A group whose commands are imported when they are named."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- click's signature
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 -- click's signature
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(VERBS[cmd_name].module).command
        return command

    def _said(self, ctx: click.Context) -> list[tuple[str, str]]:  # noqa: ARG002 -- the group's signature
        return [(name, verb.about) for name, verb in VERBS.items()]

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except SchemaVersionError as problem:
            fail(str(problem), SCHEMA)
        except UsageError as problem:
            fail(str(problem), USAGE)
        except InterlockError as problem:
            fail(str(problem), ERROR)
        except OSError as problem:
            if problem.errno == errno.EPIPE:
                raise
            fail(": ".join(str(part) for part in (problem.filename, problem.strerror) if part), ERROR)


@click.group(
    cls=_Verbs,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXIT_CODES,
)
@click.version_option(package_name="interlock")
def main() -> None:
    """Declare, check, judge, gate, record and replay the decisions of an agent's loop."""
