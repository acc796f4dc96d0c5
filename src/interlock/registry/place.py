"""Which registry a place names: a directory, a file, or the address of a database.

Knows nothing of settings or the environment.
Source: decision-engine specification, versions and registry.
"""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files
from pathlib import Path
from types import ModuleType

from interlock.errors import PromptError
from interlock.postgres import is_address
from interlock.registry.base import Clock, utc_now
from interlock.registry.database import DatabaseRegistry
from interlock.registry.files import FileRegistry
from interlock.registry.sqlite import SqliteDatabase

__all__ = ["open_registry", "shipped_registry"]

_FILES = (".db", ".sqlite", ".sqlite3")
_POSTGRES = "interlock.registry.postgres"
"""Loaded when a place names such a database: nothing else pays for its library, or needs it."""


def shipped_registry() -> FileRegistry:
    """Return the prompts that come with this package; nothing can be published there."""
    return FileRegistry(Path(str(files("interlock").joinpath("prompts", "library"))), read_only=True)


def open_registry(place: str, *, now: Clock = utc_now) -> FileRegistry | DatabaseRegistry:
    """Return the registry at a place: a directory, a SQLite file by its ending, or a PostgreSQL database.

    Raises:
        PromptError: the place cannot hold a registry.
    """
    if is_address(place):
        return DatabaseRegistry(_postgres().PostgresDatabase(place), now=now)
    scheme, separator, _ = place.partition("://")
    if separator:
        raise PromptError(
            f"registry: a `{scheme}` registry is not known; "
            "give a directory, a file ending in .db, or `postgresql://HOST/DATABASE`"
        )
    if not place or "\0" in place:
        raise PromptError("registry: the place is empty or holds a NUL; give a directory")
    path = Path(place).expanduser()
    if path.suffix in _FILES:
        return DatabaseRegistry(SqliteDatabase(path), now=now)
    if path.is_file():
        raise PromptError(f"registry `{path}`: is a file; give a directory, or a file ending in .db")
    return FileRegistry(path, now=now)


def _postgres() -> ModuleType:
    try:
        return import_module(_POSTGRES)
    except ImportError as cause:
        raise PromptError('registry: `psycopg` is not installed: pip install "interlock[postgres]"') from cause
