"""Adds recorded requests to a file, one line each."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from interlock.errors import SettingsError
from interlock.judge.jevl import written_line
from interlock.judge.recording import Recorded
from interlock.models.patience import Clock

__all__ = ["LineFile"]

_log = logging.getLogger("interlock.judge")


class LineFile:
    """A file that only grows; each line is written whole."""

    def __init__(self, path: Path, *, wall: Clock) -> None:
        """Open the file for adding, made when missing.

        Raises:
            SettingsError: the file cannot be written.
        """
        self._path = path
        self._wall = wall
        self._lock = Lock()
        self._append("")

    def __call__(self, recorded: Recorded) -> None:
        """Add the line of one request and its reply; a request without a JSON form never left and has no line.

        Raises:
            SettingsError: the file cannot be written; a recording with a hole would replay another run.
        """
        at = datetime.fromtimestamp(self._wall(), UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        try:
            line = written_line(recorded, at=at)
            line.encode()
        except (TypeError, ValueError):
            _log.warning("record: a request that is not JSON is not recorded")
            return
        self._append(line)

    def _append(self, text: str) -> None:
        try:
            with self._lock, self._path.open("a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise SettingsError(f"record: `{self._path}` cannot be written: {error.strerror}") from error
