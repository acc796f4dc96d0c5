"""Opening a SQLite file as a journal: its schema, its place on disk, and what its errors mean.

Knows nothing of records.
"""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path
from urllib.parse import quote

from interlock.errors import JournalError

__all__ = ["FAILURES", "connect_for_reading", "connect_for_writing", "explain"]

FAILURES = (sqlite3.Error, UnicodeDecodeError)
"""What reading or writing a file can raise; the latter, when a damaged file gives its names to an error."""
SCHEMA_VERSION = 1

_CHECKPOINT_PAGES = 4000
"""The log may grow to 16 MB before it is moved into the file: each move waits for the disk."""
_RETRY_S = 0.01
_PRIMARY = 0xFF
"""The bits of a SQLite error code without its extension."""

_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS events (
        run_id TEXT NOT NULL, seq INTEGER NOT NULL, ts TEXT NOT NULL, type TEXT NOT NULL,
        body TEXT NOT NULL, prev_hash TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (run_id, seq))""",
    """CREATE TABLE IF NOT EXISTS heads (
        run_id TEXT NOT NULL PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL) WITHOUT ROWID""",
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)

_MEANINGS = (
    ("SQLITE_BUSY", "is locked by another process; try again when it has finished"),
    ("SQLITE_LOCKED", "is locked by another process; try again when it has finished"),
    ("SQLITE_FULL", "the disk is full; free space or give another place with `--journal`"),
    ("SQLITE_NOTADB", "is not a journal; give another file"),
    ("SQLITE_CORRUPT", "is damaged; keep it and start a new one with `--journal`"),
    ("SQLITE_READONLY", "is read-only; give a place that can be written"),
    ("SQLITE_CANTOPEN", "cannot be opened; give a place that can be written"),
    ("SQLITE_PERM", "may not be written; give a place that can be written"),
    ("SQLITE_IOERR", "the disk failed; check it or give another place with `--journal`"),
    ("SQLITE_ERROR", "has not the tables of a journal; give another file"),
    ("SQLITE_TOOBIG", "a record is too big for the store"),
)


def connect_for_writing(path: Path, *, busy_timeout_s: float) -> sqlite3.Connection:
    """Return a connection that can append; the file and its directory are made when missing, for their owner only.

    Raises:
        JournalError: the place cannot hold a journal.
    """
    _make_file(path)
    try:
        connection = sqlite3.connect(path, timeout=busy_timeout_s, isolation_level=None, check_same_thread=False)
        try:
            if _check_version(connection, path) == 0:
                _prepare(connection, busy_timeout_s=busy_timeout_s)
            connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        except BaseException:
            connection.close()
            raise
    except FAILURES as cause:
        raise explain(cause, str(path)) from cause
    return connection


def connect_for_reading(path: Path, *, busy_timeout_s: float) -> sqlite3.Connection:
    """Return a connection that cannot write, in one read transaction.

    Raises:
        JournalError: there is no journal at this place, or it cannot be read.
    """
    _check_kind(path)
    if not path.exists():
        raise JournalError(f"journal `{path}`: there is none; name the one to read with `--journal`")
    try:
        return _read_transaction(path, "mode=ro", busy_timeout_s)
    except FAILURES as cause:
        if Path(f"{path}-wal").exists() or not isinstance(cause, sqlite3.OperationalError):
            raise explain(cause, str(path)) from cause
    try:
        return _read_transaction(path, "mode=ro&immutable=1", busy_timeout_s)
    except FAILURES as cause:
        raise explain(cause, str(path)) from cause


def explain(error: Exception, place: str) -> JournalError:
    """Return what one of `FAILURES` means to the person who named the place."""
    name = getattr(error, "sqlite_errorname", "SQLITE_CORRUPT" if isinstance(error, UnicodeDecodeError) else "")
    for prefix, meaning in _MEANINGS:
        if name.startswith(prefix):
            return JournalError(f"journal `{place}`: {meaning}")
    return JournalError(f"journal `{place}`: {error}")


def _check_kind(path: Path) -> None:
    """Refuse what is there and cannot hold a journal; a pipe would wait for ever for its other end."""
    if path.is_dir():
        raise JournalError(f"journal `{path}`: is a directory; give a file")
    if path.exists() and not path.is_file():
        raise JournalError(f"journal `{path}`: is a device or a pipe; give a file")
    if path.is_symlink() and not path.exists():
        raise JournalError(f"journal `{path}`: is a link that leads nowhere; give a file")


def _make_file(path: Path) -> None:
    """Make the file when there is none; one that exists is never opened here.

    Closing a second handle on a SQLite file would drop the locks that this process holds on it.
    """
    _check_kind(path)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as cause:
        reason = _refusal(path, cause)
        if reason is not None:
            raise JournalError(f"journal `{path}`: {reason}; give a place that can be written") from cause


def _refusal(path: Path, cause: OSError) -> str | None:
    """Return why no journal can be at `path`; None when there is a file that can be written."""
    if not isinstance(cause, FileExistsError):
        return (cause.strerror or "cannot be made").lower()
    if not path.parent.is_dir():
        return "what should be its directory is a file"
    return None if os.access(path, os.R_OK | os.W_OK) else "permission denied"


def _check_version(connection: sqlite3.Connection, path: Path) -> int:
    """Return the schema version, 0 for a new file."""
    connection.execute("BEGIN")
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    connection.execute("COMMIT")
    if version > SCHEMA_VERSION:
        raise JournalError(
            f"journal `{path}`: has schema version {version}, this release reads {SCHEMA_VERSION}; upgrade interlock"
        )
    if version < SCHEMA_VERSION and tables:
        raise JournalError(f"journal `{path}`: is a database of something else; give another file")
    return version


def _prepare(connection: sqlite3.Connection, *, busy_timeout_s: float) -> None:
    _use_write_ahead_log(connection, deadline=time.monotonic() + busy_timeout_s)
    connection.execute("BEGIN IMMEDIATE")
    for statement in _SCHEMA:
        connection.execute(statement)
    connection.execute("COMMIT")


def _use_write_ahead_log(connection: sqlite3.Connection, *, deadline: float) -> None:
    """Switch the file over; SQLite does not wait for others by itself here, so this does."""
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as cause:
            if cause.sqlite_errorcode & _PRIMARY != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_S)
        else:
            return


def _read_transaction(path: Path, options: str, busy_timeout_s: float) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?{options}",
        uri=True,
        timeout=busy_timeout_s,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        _begin_reading(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _begin_reading(connection: sqlite3.Connection, path: Path) -> None:
    connection.text_factory = _text
    if _check_version(connection, path) == 0:
        raise JournalError(f"journal `{path}`: is empty; give another file")
    connection.execute("BEGIN")
    connection.execute("SELECT run_id FROM heads LIMIT 1").fetchone()


def _text(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogateescape")
