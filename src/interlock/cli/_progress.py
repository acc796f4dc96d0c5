"""How far a long command has come, shown on a terminal once it has taken a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

import click

__all__ = ["progress"]

T = TypeVar("T")

_PATIENCE_S = 1.0
_CLEAR = "\r\x1b[K"


def progress(items: Sequence[T], what: str) -> Iterator[T]:
    """Yield `items`; after a second, and when standard error is a terminal, say how many are done."""
    began, shown = time.monotonic(), False
    for done, item in enumerate(items):
        if sys.stderr.isatty() and time.monotonic() - began > _PATIENCE_S:
            click.echo(f"{_CLEAR}{done} of {len(items)} {what}", err=True, nl=False)
            shown = True
        yield item
    if shown:
        click.echo(_CLEAR, err=True, nl=False)
