"""Opening a PostgreSQL database as a journal: its address, its tables, and what its errors mean.

Knows nothing of records. An address may hold a password, so neither it nor the server's own words are shown.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import psycopg
from psycopg import Connection, IsolationLevel

from interlock.errors import JournalError

__all__ = ["Database", "connect", "explain", "prepare", "require_tables"]

Database: TypeAlias = Connection[tuple[Any, ...]]

SCHEMA_VERSION = 1
CONNECT_TIMEOUT_S = 10
LOCK_TIMEOUT_S = 5.0

_CREATION = 0x696E7465726C6F63
"""The advisory lock under which tables are made: `CREATE … IF NOT EXISTS` alone is not safe for two at once."""

_SCHEMA = (
    "CREATE SCHEMA IF NOT EXISTS interlock",
    """CREATE TABLE IF NOT EXISTS interlock.events (
        id BIGINT GENERATED ALWAYS AS IDENTITY,
        run_id TEXT COLLATE "C" NOT NULL, seq BIGINT NOT NULL, ts TEXT NOT NULL, type TEXT NOT NULL,
        body TEXT NOT NULL, prev_hash TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (run_id, seq))""",
    """CREATE TABLE IF NOT EXISTS interlock.heads (
        run_id TEXT COLLATE "C" NOT NULL PRIMARY KEY, seq BIGINT NOT NULL, hash TEXT NOT NULL)""",
    "CREATE TABLE IF NOT EXISTS interlock.journal (version INTEGER NOT NULL)",
)  # fmt: skip
"""`id` says in which order runs began; nothing is proved by it."""

_MARK = "INSERT INTO interlock.journal SELECT %s WHERE NOT EXISTS (SELECT FROM interlock.journal)"
_MEANINGS = (
    ("28", "refused the login; check user and password"),
    ("3D000", "has no such database; create it first"),
    ("42501", "may not be used by this user; grant the right to create or to write in schema `interlock`"),
    ("25006", "is read-only; give one that can be written"),
    ("53100", "the disk is full; free space or give another place with `--journal`"),
    ("53300", "takes no more connections; try again later"),
    ("55P03", "is locked by another process; try again when it has finished"),
    ("40", "is locked by another process; try again when it has finished"),
    ("42P01", "holds no journal; name the one to read with `--journal`"),
    ("3F000", "holds no journal; name the one to read with `--journal`"),
    ("42703", "has not the tables of a journal; give another database"),
    ("54", "a record is too big for the store"),
    ("XX", "is damaged; keep it and start a new one with `--journal`"),
    ("57P", "is shutting down or starting; try again later"),
    ("08", "the connection was lost; try again"),
)
"""Beginning of an SQLSTATE → what it means to the person who named the place."""
_LOGIN = ("authentication", "no password supplied", "pg_hba.conf", "role ")


def connect(address: str, place: str, *, lock_timeout_s: float = LOCK_TIMEOUT_S) -> Database:
    """Return a connection on which every statement is its own transaction unless one is begun.

    Raises:
        JournalError: the address is not usable, or the server does not let in.
    """
    try:
        connection = psycopg.connect(
            address, autocommit=True, connect_timeout=CONNECT_TIMEOUT_S, client_encoding="UTF8"
        )
    except psycopg.ProgrammingError:
        raise JournalError(
            f"journal `{place}`: the address is not usable; write `postgresql://HOST/DATABASE`"
        ) from None
    except psycopg.Error as cause:
        raise explain(cause, place) from None
    try:
        _set_up(connection, place, lock_timeout_s)
    except BaseException:
        connection.close()
        raise
    return connection


def prepare(connection: Database, place: str) -> None:
    """Make the tables where there are none.

    Raises:
        JournalError: they cannot be made, or belong to a later release.
    """
    try:
        if not _version(connection):
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_CREATION,))
                for statement in _SCHEMA:
                    connection.execute(statement)
                connection.execute(_MARK, (SCHEMA_VERSION,))
    except psycopg.Error as cause:
        raise explain(cause, place) from None
    require_tables(connection, place)


def require_tables(connection: Database, place: str) -> None:
    """Refuse a database without a journal, or with one of a later release.

    Raises:
        JournalError: it is such a database.
    """
    try:
        version = _version(connection)
    except psycopg.Error as cause:
        raise explain(cause, place) from None
    if not version:
        raise JournalError(f"journal `{place}`: holds no journal; name the one to read with `--journal`")
    if version > SCHEMA_VERSION:
        raise JournalError(
            f"journal `{place}`: has schema version {version}, this release reads {SCHEMA_VERSION}; upgrade interlock"
        )


def explain(error: psycopg.Error, place: str) -> JournalError:
    """Return what a failure means to the person who named the place; the server's words are left out."""
    state = error.sqlstate or ""
    for prefix, meaning in _MEANINGS:
        if state.startswith(prefix):
            return JournalError(f"journal `{place}`: {meaning}")
    if state:
        return JournalError(f"journal `{place}`: the server refused with SQLSTATE {state}")
    said = str(error)
    if isinstance(error, psycopg.OperationalError) and any(word in said for word in _LOGIN):
        return JournalError(f"journal `{place}`: refused the login; check user and password")
    if isinstance(error, psycopg.OperationalError) and "does not exist" in said:
        return JournalError(f"journal `{place}`: has no such database; create it first")
    if isinstance(error, psycopg.OperationalError):
        return JournalError(f"journal `{place}`: cannot be reached; check that the server runs, and the address")
    return JournalError(f"journal `{place}`: a value does not fit the store, or the journal is closed")


def _set_up(connection: Database, place: str, lock_timeout_s: float) -> None:
    try:
        encoding = connection.execute("SHOW server_encoding").fetchone()
        connection.execute("SELECT set_config('lock_timeout', %s, false)", (f"{lock_timeout_s * 1000:.0f}ms",))
        connection.isolation_level = IsolationLevel.READ_COMMITTED
    except psycopg.Error as cause:
        raise explain(cause, place) from None
    if encoding != ("UTF8",):
        raise JournalError(f"journal `{place}`: the database is not in UTF-8; create one with `ENCODING 'UTF8'`")


def _version(connection: Database) -> int:
    """Return the version of the tables, 0 when there are none."""
    if connection.execute("SELECT to_regclass('interlock.journal')").fetchone() == (None,):
        return 0
    found = connection.execute("SELECT max(version) FROM interlock.journal").fetchone()
    return 0 if found is None or found[0] is None else int(found[0])
