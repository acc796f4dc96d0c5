"""The outcomes of an experiment in a file, line by line, so that what was paid for is not paid for again.

Source: decision-engine specification, experiments.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

from interlock._canonical import compact_json
from interlock.errors import ExperimentError
from interlock.experiments.outcomes import Outcome, outcome_json, read_outcome
from interlock.judge.wire import parse_json
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
            lines, whole = self._lines()
            self.outcomes = self._read(lines)
            path.parent.mkdir(parents=True, exist_ok=True)
            self._stream: TextIO = path.open("a", encoding="utf-8", newline="\n")
            self._stream.truncate(whole)
            if not lines:
                self._write(self._first)
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

    @property
    def _first(self) -> dict[str, Json]:
        return {"experiment": dict(self._header)}

    def _lines(self) -> tuple[list[bytes], int]:
        """Return the whole lines of the file and their size in bytes; a last line without its end was cut off."""
        data = self._path.read_bytes() if self._path.exists() else b""
        *lines, cut_off = data.split(b"\n")
        if not lines and not compact_json(self._first).encode().startswith(cut_off):
            raise self._another()
        return lines, len(data) - len(cut_off)

    def _another(self) -> ExperimentError:
        return ExperimentError(f"{self._path}: holds something else than results of this experiment; name another file")

    def _read(self, lines: list[bytes]) -> tuple[Outcome, ...]:
        if not lines:
            return ()
        try:
            first: object = parse_json(lines[0])
        except ValueError:
            first = None
        if first != self._first:
            raise self._another()
        found: dict[tuple[str, str], Outcome] = {}
        for number, line in enumerate(lines[1:], start=2):
            place = f"{self._path}:{number}"
            outcome = read_outcome(_value(line, place), place)
            found[outcome.arm, outcome.case] = outcome
        return tuple(outcome for outcome in found.values() if outcome.failure is None)


def _value(line: bytes, place: str) -> object:
    try:
        return parse_json(line)
    except ValueError as error:
        raise ExperimentError(f"{place}: is not JSON; take the line out, and its decision is made again") from error
