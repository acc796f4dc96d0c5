"""Which store a place names: a file, or memory.

Knows nothing of settings or the environment.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from interlock.errors import JournalError
from interlock.journal.base import Journal, JournalView
from interlock.journal.store_memory import MemoryJournal
from interlock.journal.store_sqlite import SqliteJournal, read_sqlite

__all__ = ["MEMORY", "open_journal", "read_journal"]

MEMORY = ":memory:"


def open_journal(place: str) -> Journal:
    """Return the journal at `place` for appending, made when missing; `:memory:` keeps it in this process.

    Raises:
        JournalError: the place cannot hold a journal.
    """
    if place == MEMORY:
        return MemoryJournal()
    return SqliteJournal(_file(place))


def read_journal(place: str) -> AbstractContextManager[JournalView]:
    """Return a view of the journal at `place`, which is neither made nor changed.

    Raises:
        JournalError: there is no journal at this place, or it cannot be read.
    """
    return read_sqlite(_file(place))


def _file(place: str) -> Path:
    scheme, separator, _ = place.partition("://")
    if separator:
        raise JournalError(f"journal: a `{scheme}` store is not known; give a file")
    if not place or "\0" in place:
        raise JournalError("journal: the place is empty or holds a NUL; give a file")
    return Path(place).expanduser()
