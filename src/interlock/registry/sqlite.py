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
        try:
            with self.transaction() as execute:
                for statement in SCHEMA:
                    execute(statement)
        except BaseException:
            self._connection.close()
            raise

    @property
    def place(self) -> str:
        """The file."""
        return str(self._path)

    @contextmanager
    def transaction(self) -> Iterator[Execute]:
        """Yield what runs statements; see `Database.transaction`."""
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._execute
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                raise PromptError(f"{self.place}: cannot be used as a registry: {error}") from error
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close the file; closing twice is allowed."""
        self._connection.close()

    def _execute(self, sql: str, values: Sequence[Value] = ()) -> list[tuple[Value, ...]]:
        return self._connection.execute(sql, tuple(values)).fetchall()
