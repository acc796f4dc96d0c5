"""What one page server was given: the journal, what may be started, and who may come in.

Values only; whoever starts the server fills them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias

from interlock.journal import JournalView, read_journal
from interlock.journal.base import Store
from interlock.journal.place import open_journal
from interlock.models.secret import Secret
from interlock.settings import Settings

__all__ = ["Desk", "Function", "reading", "writing"]

Function: TypeAlias = Callable[..., Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What the page shows and what can be done from it; every list is closed."""

    journal: str
    """The place of the journal, which exists."""
    settings: Settings
    roots: tuple[Path, ...]
    """Directories within which a run may be started; empty: none may be started."""
    judges: tuple[str, ...]
    """Ids of the judges that a run may be started with; the first is offered first."""
    writers: tuple[str, ...]
    contracts: Mapping[str, Path | None]
    """Name → file; None is the contract that ships with the package."""
    functions: Mapping[str, Function]
    """Name → function: those that have a form here, and no others."""
    prompts: str | None
    """The place of the prompt registry; None: the prompts that ship with the package alone."""
    reports: tuple[Path, ...]
    """Files of experiment reports that are shown."""
    key: Secret | None
    """What a visitor must know; None on loopback alone."""
    hosts: frozenset[str]
    """Names by which the server may be called besides those of loopback."""
    clock: Callable[[], datetime]
    environ: Mapping[str, str]
    """Where judges and writers find their keys."""


@contextmanager
def reading(desk: Desk) -> Iterator[JournalView]:
    """Yield the journal as it is at this moment.

    Raises:
        JournalError: it cannot be read.
    """
    with read_journal(desk.journal) as view:
        yield view


@contextmanager
def writing(desk: Desk) -> Iterator[Store]:
    """Yield the journal for appending.

    Raises:
        JournalError: it cannot be written.
    """
    with closing(open_journal(desk.journal)) as store:
        yield store
