"""Which store a place names: a file, a database, or memory.

Knows nothing of settings or the environment.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from importlib import import_module
from pathlib import Path
from types import ModuleType

from interlock.errors import JournalError
from interlock.journal.base import JournalView, Store
from interlock.journal.store_memory import MemoryJournal
from interlock.journal.store_sqlite import SqliteJournal, read_sqlite
from interlock.postgres import is_address

__all__ = ["MEMORY", "open_journal", "read_journal"]

MEMORY = ":memory:"
"""Names a journal that is kept in this process and gone with it."""

_POSTGRES = "interlock.journal.store_postgres"
"""Loaded when a place names such a database: nothing else pays for its library, or needs it."""


def open_journal(place: str) -> Store:
    """Return the journal at `place` for appending, made when missing; `:memory:` keeps it in this process.

    Raises:
        JournalError: the place cannot hold a journal.
    """
    if place == MEMORY:
        return MemoryJournal()
    if is_address(place):
        opened: Store = _postgres().PostgresJournal(place)
        return opened
    return SqliteJournal(_file(place))


def read_journal(place: str) -> AbstractContextManager[JournalView]:
    """Return a view of the journal at `place`, which is neither made nor changed.

    Raises:
        JournalError: there is no journal at this place, or it cannot be read.
    """
    if is_address(place):
        view: AbstractContextManager[JournalView] = _postgres().read_postgres(place)
        return view
    return read_sqlite(_file(place))


def _postgres() -> ModuleType:
    try:
        return import_module(_POSTGRES)
    except ImportError as cause:
        raise JournalError('journal: `psycopg` is not installed: pip install "interlock[postgres]"') from cause


def _file(place: str) -> Path:
    scheme, separator, _ = place.partition("://")
    if separator:
        raise JournalError(f"journal: a `{scheme}` store is not known; give a file or `postgresql://HOST/DATABASE`")
    if not place or "\0" in place:
        raise JournalError("journal: the place is empty or holds a NUL; give a file")
    return Path(place).expanduser()
