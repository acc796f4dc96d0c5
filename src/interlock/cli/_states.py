"""A file of states, one JSON object of cells per line, as a command line names it."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import click

from interlock._text import clip, nearest, visible
from interlock.cli._files import STDIN
from interlock.cli._output import USAGE, fail
from interlock.errors import SettingsError
from interlock.judge.wire import parse_json
from interlock.pipeline.host import Cells
from interlock.questions import Json

__all__ = ["count_states", "read_states"]

_MOST_NAME_CHARS = 60
_MOST_WARNINGS = 10


def read_states(file: str, cells: Collection[str]) -> Iterator[Cells]:
    """Yield the states of a file, line by line; a name that is none of `cells` is told once and left out.

    Raises:
        SettingsError: a line is not a JSON object; it is named.
    """
    told: set[str] = set()
    with sys.stdin.buffer if file == STDIN else Path(file).open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                place = f"{visible(file)}:{number}"
                state = _state(line, place)
                _warn([name for name in state if name not in cells], place, cells, told)
                yield state


def count_states(file: str) -> int:
    """Return how many states a file holds; ends the program when it cannot be read."""
    try:
        with Path(file).open("rb") as lines:
            return sum(1 for line in lines if line.strip())
    except ValueError:
        fail(f"{visible(file)}: is no path", USAGE)
    except OSError as problem:
        fail(f"{visible(file)}: cannot be read: {problem.strerror}", USAGE)


def _state(line: bytes, place: str) -> Mapping[str, Json]:
    try:
        state = parse_json(line)
    except ValueError as problem:
        raise SettingsError(f"{place}: {_why(problem)}; write one object of cells per line") from problem
    if not isinstance(state, Mapping):
        raise SettingsError(f"{place}: is not an object; write one object of cells per line")
    return state


def _why(problem: ValueError) -> str:
    if isinstance(problem, UnicodeDecodeError):
        return "is not UTF-8 text"
    if isinstance(problem, json.JSONDecodeError):
        return f"is not JSON: {problem.msg} at column {problem.colno}"
    return f"cannot be taken: {str(problem).removeprefix('json: ')}"


def _warn(unknown: Collection[str], place: str, cells: Collection[str], told: set[str]) -> None:
    for name in unknown:
        if name in told or len(told) >= _MOST_WARNINGS:
            continue
        told.add(name)
        near = nearest(name, cells)
        hint = "" if near is None else f"; did you mean `{near}`?"
        click.echo(
            f"interlock: {place}: no cell `{visible(clip(name, _MOST_NAME_CHARS))}`, it is left out{hint}", err=True
        )
