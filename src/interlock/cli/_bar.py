"""A progress bar with the time that is left; imported only when a person is at the terminal.

Source: product specification, the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

__all__ = ["bar"]


@contextmanager
def bar(total: int, done: int) -> Iterator[Callable[[], object]]:
    """Yield what moves the bar by one; it goes to standard error and leaves nothing behind."""
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=total, completed=done)
        yield lambda: progress.advance(task)
