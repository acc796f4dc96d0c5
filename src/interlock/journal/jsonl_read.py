"""Reads exported lines back into rows: the columns as they were, the body byte for byte as it was hashed.

Pure; the inverse of `export`. What a line says is not believed: chains are checked before a run is taken in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO

from interlock.errors import JournalError
from interlock.journal.chain import Head
from interlock.journal.records import EventType, Record, Row, finite, read_row

__all__ = ["MAX_LINE_CHARS", "ExportedRun", "is_row", "numbered", "read_line", "read_runs"]

MAX_LINE_CHARS = 64_000_000
"""A record holds what tools and models wrote, which is cut long before that."""


def _unique(members: list[tuple[str, object]]) -> dict[str, object]:
    read = dict(members)
    if len(read) < len(members):
        raise ValueError("a key stands twice in one object: two readers may see two different ones")
    return read


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_float=finite)
_LONE = re.compile("[\ud800-\udfff]")
_COLUMNS = ("run_id", "seq", "ts", "type", "body", "prev_hash", "hash")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedRun:
    """One run as lines hold it; it is a view of a journal that holds nothing else."""

    run_id: str
    stored: tuple[Row, ...]
    place: str

    def run_ids(self) -> tuple[str, ...]:
        """Return the one run."""
        return (self.run_id,)

    def head(self, run_id: str) -> Head | None:
        """Return the last row: lines hold no head, so a cut tail is found by a head kept elsewhere alone."""
        return Head(seq=self.stored[-1].seq, hash=self.stored[-1].hash) if run_id == self.run_id else None

    def heads(self) -> Mapping[str, Head]:
        """Return the last row of the one run."""
        return {self.run_id: Head(seq=self.stored[-1].seq, hash=self.stored[-1].hash)}

    def rows(self, run_id: str, kinds: Iterable[EventType] = (), *, after: int | None = None) -> Iterator[Row]:
        """Yield the rows, of all types unless some are named, and only those above `after`."""
        wanted = set(kinds)
        later = (row for row in self.stored if after is None or row.seq > after)
        yield from (row for row in later if run_id == self.run_id and (not wanted or row.type in wanted))

    def count(self, run_id: str, kind: EventType) -> int:
        """Return how many rows of one type there are."""
        return sum(1 for _ in self.rows(run_id, [kind]))

    def records(self) -> list[Record]:
        """Return the records that the rows spell.

        Raises:
            JournalError: a row spells none.
        """
        return [read_row(row) for row in self.stored]


def read_runs(lines: Iterable[tuple[int, str]], *, name: str) -> Iterator[ExportedRun]:
    """Yield the runs that numbered lines hold; the lines of one run stand together.

    Raises:
        JournalError: a line is no row, or a run goes on after another one began; the line is named.
    """
    begun: set[str] = set()
    held: list[Row] = []
    for number, line in lines:
        row = _row(line, f"{name}: line {number}")
        if held and held[-1].run_id != row.run_id:
            yield _run(held, name)
            held = []
        if not held and row.run_id in begun:
            raise JournalError(f"{name}: line {number}: run `{row.run_id}` goes on after another; export it anew")
        begun.add(row.run_id)
        held.append(row)
    if held:
        yield _run(held, name)


def numbered(stream: IO[str], name: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of `stream` that hold something, with their numbers.

    Raises:
        JournalError: a line is too long to be one of an export; it is not read to its end.
    """
    number = 0
    while line := stream.readline(MAX_LINE_CHARS + 1):
        number += 1
        if len(line) > MAX_LINE_CHARS:
            raise JournalError(f"{name}: line {number}: is longer than {MAX_LINE_CHARS:,} characters")
        if line.strip():
            yield number, line


def is_row(line: str) -> bool:
    """Tell whether a line looks like a row, and not like a record of another format."""
    return line.lstrip().startswith('{"run_id":')


def read_line(line: str) -> Row:
    """Return the row of one line.

    Raises:
        ValueError: it is no line of an export.
    """
    values: dict[str, object] = {}
    for key, value, text in _members(line.strip()):
        values[key] = text if key == "body" and isinstance(value, dict) else value
    seq = values.get("seq")
    texts = {key: values.get(key) for key in _COLUMNS if key != "seq"}
    if tuple(values) != _COLUMNS or type(seq) is not int or not all(map(_is_column, texts.values())):
        raise ValueError("is no line of an export")
    return Row(seq=seq, **{key: str(value) for key, value in texts.items()})


def _is_column(value: object) -> bool:
    """Tell whether a value is one line of text that UTF-8 can hold; a hash joins columns by line feeds."""
    return isinstance(value, str) and "\n" not in value and _LONE.search(value) is None


def _row(line: str, place: str) -> Row:
    try:
        return read_line(line)
    except (ValueError, RecursionError) as cause:
        raise JournalError(f"{place}: is no line of `interlock runs export`") from cause


def _run(rows: list[Row], name: str) -> ExportedRun:
    return ExportedRun(run_id=rows[0].run_id, stored=tuple(rows), place=name)


def _members(line: str) -> Iterator[tuple[str, object, str]]:
    """Yield key, value and the value's own text, of every member of a JSON object without spaces between them."""
    at = 0
    while line[at : at + 1] in ("{", ",") and line[at : at + 2] != "{}":
        key, colon = _DECODER.raw_decode(line, at + 1)
        if not isinstance(key, str) or line[colon : colon + 1] != ":":
            break
        value, end = _DECODER.raw_decode(line, colon + 1)
        yield key, value, line[colon + 1 : end]
        at = end
    if line[at:] != "}":
        raise ValueError("is no JSON object without spaces")
