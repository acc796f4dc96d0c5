"""The outcomes of an experiment in a file, line by line, so that what was paid for is not paid for again.

Source: decision-engine specification, experiments.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

from interlock._canonical import compact_json
from interlock.errors import ExperimentError
from interlock.experiments.outcomes import Outcome, outcome_json, read_outcome
from interlock.questions import Json

__all__ = ["ResultsFile"]


class ResultsFile:
    """A header that says which experiment it is, then one outcome per line; appended to, never rewritten."""

    outcomes: tuple[Outcome, ...]
    """Those that were in the file when it was opened; failures are left out, so they are tried again."""

    def __init__(self, path: Path, header: Mapping[str, Json]) -> None:
        """Open or begin the file.

        Raises:
            ExperimentError: it holds another experiment, or cannot be read or written.
        """
        self._path = path
        self._header = header
        try:
            lines, whole = _lines(path)
            self.outcomes = self._read(lines)
            path.parent.mkdir(parents=True, exist_ok=True)
            self._stream: TextIO = path.open("a", encoding="utf-8", newline="\n")
            self._stream.truncate(whole)
            if not lines:
                self._write({"experiment": dict(header)})
        except OSError as error:
            raise ExperimentError(f"{path}: cannot be used for results: {error.strerror}") from error

    def add(self, outcome: Outcome) -> None:
        """Write one outcome."""
        self._write(outcome_json(outcome))

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def _write(self, value: Mapping[str, Json]) -> None:
        self._stream.write(compact_json(value) + "\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())

    def _read(self, lines: list[str]) -> tuple[Outcome, ...]:
        if not lines:
            return ()
        header = _value(lines[0], f"{self._path}:1")
        if not isinstance(header, dict) or header.get("experiment") != dict(self._header):
            raise ExperimentError(f"{self._path}: holds the results of another experiment; name another file")
        found: dict[tuple[str, str], Outcome] = {}
        for number, line in enumerate(lines[1:], start=2):
            place = f"{self._path}:{number}"
            outcome = read_outcome(_value(line, place), place)
            found[outcome.arm, outcome.case] = outcome
        return tuple(outcome for outcome in found.values() if outcome.failure is None)


def _lines(path: Path) -> tuple[list[str], int]:
    """Return the whole lines of a file and their size in bytes; a last line without its end was cut off."""
    if not path.exists():
        return [], 0
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    return whole.decode("utf-8", "replace").splitlines(), len(whole)


def _value(line: str, place: str) -> object:
    try:
        value: object = json.loads(line)
    except ValueError as error:
        raise ExperimentError(f"{place}: is not JSON") from error
    return value
