"""A database for prompts in one SQLite file.

Knows nothing of prompts.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from interlock.errors import PromptError
from interlock.registry.database import SCHEMA, Execute, Value

__all__ = ["SqliteDatabase"]

BUSY_TIMEOUT_S = 5.0
_TABLES = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'prompt_history'"


class SqliteDatabase:
    """One file; several processes may use it, each waiting for the other."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
        except (sqlite3.Error, OSError) as error:
            raise PromptError(f"{path}: cannot be opened: {error}") from error

    @property
    def place(self) -> str:
        """The file."""
        return str(self._path)

    @contextmanager
    def reading(self) -> Iterator[Execute | None]:
        """Yield what runs statements; see `Database.reading`."""
        with self._transaction("BEGIN"):
            yield self._execute if self._execute(_TABLES) else None

    @contextmanager
    def writing(self) -> Iterator[Execute]:
        """Yield what runs statements; see `Database.writing`."""
        with self._transaction("BEGIN IMMEDIATE"):
            for statement in SCHEMA:
                self._execute(statement)
            yield self._execute

    def close(self) -> None:
        """Close the file; closing twice is allowed."""
        self._connection.close()

    def _execute(self, sql: str, values: Sequence[Value] = ()) -> list[tuple[Value, ...]]:
        return self._connection.execute(sql, tuple(values)).fetchall()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        with self._lock:
            try:
                self._connection.execute(begin)
                yield
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                raise PromptError(f"{self.place}: cannot be used as a registry: {error}") from error
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
