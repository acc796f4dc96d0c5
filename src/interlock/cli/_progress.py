"""How far a long command has come, shown on a terminal once it has taken a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

import click

from interlock.cli._output import on_terminal

__all__ = ["progress"]

T = TypeVar("T")

_PATIENCE_S = 1.0
_PACE_S = 0.1
"""Between two showings."""
_CLEAR = "\r\x1b[K"
_WIDTH = 24


def progress(items: Iterable[T], what: str, *, total: int | None) -> Iterator[T]:
    """Yield `items`; after a second, and when standard error is a terminal, show how many are done.

    `total` is how many there are; None when nobody knows.
    """
    due = time.monotonic() + _PATIENCE_S
    shown = False
    for done, item in enumerate(items):
        if on_terminal(sys.stderr) and time.monotonic() >= due:
            click.echo(f"{_CLEAR}{_bar(done, total)} {what}", err=True, nl=False)
            due, shown = time.monotonic() + _PACE_S, True
        yield item
    if shown:
        click.echo(_CLEAR, err=True, nl=False)


def _bar(done: int, total: int | None) -> str:
    if not total:
        return str(done)
    filled = min(_WIDTH, _WIDTH * done // total)
    return f"[{'#' * filled}{' ' * (_WIDTH - filled)}] {done} of {total}"
