"""What every verb prints alike: exit codes, one-line errors, JSON and the page of `--help`."""

from __future__ import annotations

import json
from typing import NoReturn, TextIO

import click

__all__ = [
    "DENIED",
    "ERROR",
    "EXIT_CODES",
    "NOT_DELIVERED",
    "OK",
    "PARKED",
    "SCHEMA",
    "USAGE",
    "counted",
    "epilog",
    "fail",
    "on_terminal",
    "print_json",
]

OK = 0
ERROR = 1
USAGE = 2
SCHEMA = 3
NOT_DELIVERED = 4
DENIED = 5
PARKED = 6

_KEEP_LINES = "\b"
"""Tells click not to join the lines of the paragraph that follows."""

_MEANINGS = {
    OK: "ok (warnings included)",
    ERROR: "error, findings or mismatch",
    USAGE: "wrong usage",
    SCHEMA: "schema unreadable",
    NOT_DELIVERED: "not delivered",
    DENIED: "denied",
    PARKED: "parked",
}


def epilog(example: str, *codes: int) -> str:
    """Return the end of a verb's help page: an example and its exit codes."""
    lines = [f"  {code}  {_MEANINGS[code]}" for code in codes]
    return "\n".join([_KEEP_LINES, "Example:", f"  {example}", "", _KEEP_LINES, "Exit codes:", *lines])


EXIT_CODES = epilog("interlock check DECISION.md", *_MEANINGS)


def counted(number: int, noun: str) -> str:
    """Return how many there are in words: `1 run`, `2 runs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def fail(message: str, code: int = ERROR) -> NoReturn:
    """Print `interlock: message` as one line on stderr and end with `code`."""
    click.echo("interlock: " + " ".join(message.split()), err=True)
    raise SystemExit(code)


def on_terminal(stream: TextIO | None) -> bool:
    """Return whether a person is at `stream`; None is one that was closed before the program started."""
    return stream is not None and stream.isatty()


def print_json(value: object) -> None:
    """Print `value` as indented JSON with its keys in order."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))
