"""A database for prompts in PostgreSQL, beside the journal in its schema.

Knows nothing of prompts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from threading import Lock

import psycopg

from interlock.errors import PromptError
from interlock.postgres import shown_address
from interlock.postgres.server import CREATION, LOCK_TIMEOUT_S, Meanings, meaning, open_database
from interlock.postgres.server import Database as Connection
from interlock.registry.database import SCHEMA, Execute, Value

__all__ = ["PostgresDatabase"]

_ONE_STATE = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_ONE_WRITER = "SELECT pg_advisory_xact_lock(hashtextextended('prompts', 3))"
"""Taken before anything is read: of two that publish, the second sees what the first did."""
_HERE = "SELECT set_config('search_path', 'interlock', true)"
_TABLES = "SELECT to_regclass('interlock.prompt_history')"
_MEANINGS: Meanings = (
    ("42P01", "has not the tables of a registry; give another database"),
    ("42703", "has not the tables of a registry; give another database"),
    ("54", "a text is too big for the database"),
    ("XX", "is damaged; restore it"),
)


class PostgresDatabase:
    """One database; any number of processes may publish into it, one after the other."""

    def __init__(self, address: str, *, lock_timeout_s: float = LOCK_TIMEOUT_S) -> None:
        self._place = shown_address(address)
        self._lock = Lock()
        self._connect = partial(
            open_database, address, lock_timeout_s=lock_timeout_s, fail=self._problem, own=_MEANINGS
        )
        self._closed = False
        self._connection = self._connect()

    @property
    def place(self) -> str:
        """The address, without user, password and options."""
        return self._place

    @contextmanager
    def reading(self) -> Iterator[Execute | None]:
        """Yield what runs statements; see `Database.reading`."""
        with self._transaction() as connection:
            connection.execute(_ONE_STATE)
            yield self._execute if _has_tables(connection) else None

    @contextmanager
    def writing(self) -> Iterator[Execute]:
        """Yield what runs statements; see `Database.writing`."""
        with self._transaction() as connection:
            connection.execute(_ONE_WRITER)
            if not _has_tables(connection):
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (CREATION,))
                connection.execute("CREATE SCHEMA IF NOT EXISTS interlock")
                for statement in SCHEMA:
                    connection.execute(statement)
            yield self._execute

    def close(self) -> None:
        """Close the connection; closing twice is allowed."""
        self._closed = True
        self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with self._lock:
            try:
                with self._open().transaction():
                    yield self._connection
            except psycopg.Error as cause:
                raise self._problem(meaning(cause, _MEANINGS)) from None

    def _open(self) -> Connection:
        """Return the connection, made anew where the server has ended it between two transactions."""
        if self._closed:
            raise self._problem("is closed; open it anew")
        if self._connection.closed:
            self._connection = self._connect()
        return self._connection

    def _execute(self, sql: str, values: Sequence[Value] = ()) -> list[tuple[Value, ...]]:
        cursor = self._connection.execute(sql.replace("?", "%s").encode(), tuple(values))
        return [] if cursor.description is None else cursor.fetchall()

    def _problem(self, said: str) -> PromptError:
        return PromptError(f"registry `{self._place}`: {said}")


def _has_tables(connection: Connection) -> bool:
    """Tell whether anything was ever published; from here on, names without a schema mean ours."""
    found = connection.execute(_TABLES).fetchone()
    connection.execute(_HERE)
    return found != (None,)
