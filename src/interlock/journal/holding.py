"""Who works on a run: a lock file beside the journal, which the system lets go of when its process ends.

Knows nothing of records.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from interlock.errors import JournalError
from interlock.journal.chain import require_run_id

__all__ = ["held_elsewhere", "hold_beside"]


@contextmanager
def hold_beside(journal: Path, run_id: str) -> Iterator[None]:
    """Hold a run of the journal at `journal`.

    Raises:
        JournalError: it is held already, or no file can be made beside the journal.
    """
    require_run_id(run_id)
    lock = Path(f"{journal}-{run_id}.lock")
    try:
        connection = _taken(lock)
    except sqlite3.Error as cause:
        busy = getattr(cause, "sqlite_errorname", "").startswith("SQLITE_BUSY")
        raise JournalError(held_elsewhere(run_id) if busy else f"`{lock}`: cannot be locked: {cause}") from cause
    except OSError as cause:
        raise JournalError(f"`{lock}`: cannot be made: {cause.strerror}") from cause
    try:
        yield
    finally:
        with suppress(OSError):
            lock.unlink()
        connection.close()


def held_elsewhere(run_id: str) -> str:
    """Return what is said of a run that somebody else works on."""
    return f"run `{run_id}`: another process works on it; wait until it has ended"


def _taken(lock: Path) -> sqlite3.Connection:
    """Return a connection that locks the file at `lock`.

    The lock is SQLite's, which every system has. A file that its last holder removed in between is not held.
    """
    while True:
        with suppress(FileExistsError):
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        before = _inode(lock)
        connection = sqlite3.connect(lock, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error:
            connection.close()
            raise
        if before is not None and before == _inode(lock):
            return connection
        connection.close()


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None
