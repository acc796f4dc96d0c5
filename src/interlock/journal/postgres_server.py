"""Opening a PostgreSQL database as a journal: its address, its tables, and what its errors mean.

Knows nothing of records. An address may hold a password, so neither it nor the server's own words are shown.
"""

from __future__ import annotations

from functools import partial

import psycopg

from interlock.errors import JournalError
from interlock.postgres.server import CREATION, LOCK_TIMEOUT_S, Database, Meanings, meaning, open_database

__all__ = ["connect", "explain", "prepare", "require_tables"]

SCHEMA_VERSION = 1

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
_NOTHING = "holds no journal; name the one to read with `--journal`"
_MEANINGS: Meanings = (
    ("53100", "the disk is full; free space or give another place with `--journal`"),
    ("42P01", _NOTHING),
    ("3F000", _NOTHING),
    ("42703", "has not the tables of a journal; give another database"),
    ("54", "a record is too big for the store"),
    ("XX", "is damaged; keep it and start a new one with `--journal`"),
)


def connect(address: str, place: str, *, lock_timeout_s: float = LOCK_TIMEOUT_S) -> Database:
    """Return a connection on which every statement is its own transaction unless one is begun.

    Raises:
        JournalError: the address is not usable, or the server does not let in.
    """
    return open_database(address, lock_timeout_s=lock_timeout_s, fail=partial(_problem, place), own=_MEANINGS)


def prepare(connection: Database, place: str) -> None:
    """Make the tables where there are none.

    Raises:
        JournalError: they cannot be made, or belong to a later release.
    """
    try:
        if not _version(connection):
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (CREATION,))
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
        raise _problem(place, _NOTHING)
    if version > SCHEMA_VERSION:
        raise JournalError(
            f"journal `{place}`: has schema version {version}, this release reads {SCHEMA_VERSION}; upgrade interlock"
        )


def explain(error: psycopg.Error, place: str) -> JournalError:
    """Return what a failure means to the person who named the place; the server's words are left out."""
    return _problem(place, meaning(error, _MEANINGS))


def _problem(place: str, said: str) -> JournalError:
    return JournalError(f"journal `{place}`: {said}")


def _version(connection: Database) -> int:
    """Return the version of the tables, 0 when there are none."""
    if connection.execute("SELECT to_regclass('interlock.journal')").fetchone() == (None,):
        return 0
    found = connection.execute("SELECT max(version) FROM interlock.journal").fetchone()
    return 0 if found is None or found[0] is None else int(found[0])
