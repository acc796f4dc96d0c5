"""Opening a PostgreSQL database, and what its errors mean to the person who named the address.

Knows nothing of what is kept there. An address may hold a password, so neither it nor the server's own words are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import psycopg
from psycopg import Connection, IsolationLevel

from interlock.errors import InterlockError

__all__ = ["CREATION", "LOCK_TIMEOUT_S", "Database", "Fail", "Meanings", "meaning", "open_database"]

Database: TypeAlias = Connection[tuple[Any, ...]]
Fail: TypeAlias = Callable[[str], InterlockError]
"""Makes the error of a room from what is wrong."""
Meanings: TypeAlias = Sequence[tuple[str, str]]
"""Beginning of an SQLSTATE → what it means to the person who named the place."""

CONNECT_TIMEOUT_S = 10
LOCK_TIMEOUT_S = 5.0

CREATION = 0x696E7465726C6F63
"""The advisory lock under which tables are made: `CREATE … IF NOT EXISTS` alone is not safe for two at once."""

_MEANINGS: Meanings = (
    ("28", "refused the login; check user and password"),
    ("3D000", "has no such database; create it first"),
    ("42501", "may not be used by this user; grant the right to create or to write in schema `interlock`"),
    ("25006", "is read-only; give one that can be written"),
    ("53100", "the disk is full; free space or give another place"),
    ("53300", "takes no more connections; try again later"),
    ("55P03", "is locked by another process; try again when it has finished"),
    ("40", "is locked by another process; try again when it has finished"),
    ("57P", "is shutting down or starting; try again later"),
    ("08", "the connection was lost; try again"),
)
_LOGIN = ("authentication", "no password supplied", "pg_hba.conf", "role ")


def open_database(address: str, *, lock_timeout_s: float, fail: Fail, own: Meanings = ()) -> Database:
    """Return a connection on which every statement is its own transaction unless one is begun.

    `own` are meanings of the room that opens it; they go before the general ones.

    Raises:
        InterlockError: as `fail` makes it; the address is not usable, or the server does not let in.
    """
    try:
        connection = psycopg.connect(
            address, autocommit=True, connect_timeout=CONNECT_TIMEOUT_S, client_encoding="UTF8"
        )
    except psycopg.ProgrammingError:
        raise fail("the address is not usable; write `postgresql://HOST/DATABASE`") from None
    except psycopg.Error as cause:
        raise fail(meaning(cause, own)) from None
    try:
        _set_up(connection, lock_timeout_s, fail, own)
    except BaseException:
        connection.close()
        raise
    return connection


def meaning(error: psycopg.Error, own: Meanings = ()) -> str:
    """Return what a failure means to the person who named the place; the server's words are left out."""
    state = error.sqlstate or ""
    found = next((said for prefix, said in (*own, *_MEANINGS) if state.startswith(prefix)), None)
    if found is not None:
        return found
    return f"the server refused with SQLSTATE {state}" if state else _without_state(error)


def _without_state(error: psycopg.Error) -> str:
    """Return what a failure means that the server gave no SQLSTATE for, or that it never saw."""
    said = str(error)
    if not isinstance(error, psycopg.OperationalError):
        return "a value does not fit the store, or the store is closed"
    if any(word in said for word in _LOGIN):
        return "refused the login; check user and password"
    if "does not exist" in said:
        return "has no such database; create it first"
    return "cannot be reached; check that the server runs, and the address"


def _set_up(connection: Database, lock_timeout_s: float, fail: Fail, own: Meanings) -> None:
    try:
        encoding = connection.execute("SHOW server_encoding").fetchone()
        connection.execute("SELECT set_config('lock_timeout', %s, false)", (f"{lock_timeout_s * 1000:.0f}ms",))
        connection.isolation_level = IsolationLevel.READ_COMMITTED
    except psycopg.Error as cause:
        raise fail(meaning(cause, own)) from None
    if encoding != ("UTF8",):
        raise fail("the database is not in UTF-8; create one with `ENCODING 'UTF8'`")
