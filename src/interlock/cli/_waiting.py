"""That a judge is still being waited for, shown on a terminal once it has taken a second."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable
from typing import TypeVar

import click

from interlock.cli._output import on_terminal

__all__ = ["waited_for"]

T = TypeVar("T")

_PATIENCE_S = 1.0
"""Before the first showing, and between two."""
_CLEAR = "\r\x1b[K"


async def waited_for(work: Awaitable[T], what: str) -> T:
    """Return what `work` comes to; meanwhile, when standard error is a terminal, show `what` and for how long."""
    if not on_terminal(sys.stderr):
        return await work
    telling = asyncio.ensure_future(_tell(what))
    try:
        return await work
    finally:
        telling.cancel()
        await asyncio.wait([telling])
        click.echo(_CLEAR, file=sys.stderr, nl=False)


async def _tell(what: str) -> None:
    began = time.monotonic()
    while True:
        await asyncio.sleep(_PATIENCE_S)
        click.echo(f"{_CLEAR}{what}, {time.monotonic() - began:.0f} s", file=sys.stderr, nl=False)
