"""Answers kept in a file, so that the next process need not ask again.

A file that cannot be read or written costs answers, never a decision.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from pathlib import Path
from threading import Lock

from interlock._canonical import compact_json
from interlock.errors import SettingsError
from interlock.judge.combinators.cache import Kept
from interlock.judge.stored import reading_json, stored_reading
from interlock.questions import Question

__all__ = ["SqliteStore"]

_log = logging.getLogger("interlock.judge")
_SCHEMA = "create table if not exists answers (key text primary key, kept text not null) without rowid"


class SqliteStore:
    """One table; several processes may use the file at once."""

    def __init__(self, path: Path) -> None:
        """Open the file, made when missing.

        Raises:
            SettingsError: the file cannot be opened or holds something else.
        """
        self._lock = Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(path, timeout=2.0, check_same_thread=False, isolation_level=None)
            self._file.execute("pragma journal_mode = wal")
            self._file.execute(_SCHEMA)
            self._file.execute("select key, kept from answers limit 1")
        except (OSError, sqlite3.Error) as error:
            raise SettingsError(f"cache: `{path}` cannot hold answers: {error}; name another file") from error

    def get(self, key: str, question: Question) -> Kept | None:
        """Return what was kept for a question, None when nothing is or it does not fit."""
        try:
            with self._lock:
                row = self._file.execute("select kept from answers where key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            _log.warning("cache: %s", type(error).__name__)
            return None
        return None if row is None else _kept(row[0], question)

    def put(self, key: str, kept: Kept) -> None:
        """Keep an answer in place of the one kept before."""
        text = compact_json({"model": kept.served_model, "reading": reading_json(kept.reading)})
        try:
            with self._lock:
                self._file.execute("insert or replace into answers values (?, ?)", (key, text))
        except sqlite3.Error as error:
            _log.warning("cache: %s", type(error).__name__)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _kept(text: str, question: Question) -> Kept | None:
    try:
        stored = json.loads(text)
    except ValueError:
        return None
    if not isinstance(stored, dict):
        return None
    reading, model = stored_reading(stored.get("reading"), question), stored.get("model")
    if reading is None or not (model is None or isinstance(model, str)):
        return None
    return Kept(reading=reading, served_model=model)
