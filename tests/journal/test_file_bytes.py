"""Bytes of the file itself, below SQLite: a change that reaches a row is found, and none ends in a traceback."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from interlock.errors import JournalError
from interlock.journal import SqliteJournal, read_journal
from interlock.journal.verify import verify_run

WriteRun = Callable[..., str]
FLIPS = 200


@pytest.fixture
def content(tmp_path: Path, write_run: WriteRun) -> bytes:
    path = tmp_path / "whole.db"
    journal = SqliteJournal(path)
    write_run(journal, "run-1")
    journal.close()
    return path.read_bytes()


def _columns(place: Path) -> object:
    """Return every column of every row as the table holds it; None when SQLite cannot read it."""
    connection = sqlite3.connect(place)
    connection.text_factory = bytes
    try:
        tables = ("events NOT INDEXED ORDER BY rowid", "heads")
        return [connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables]
    except (sqlite3.Error, UnicodeDecodeError):
        return None
    finally:
        connection.close()


def _mismatches(place: Path) -> int | None:
    """Return how many runs do not verify; None when the journal is refused."""
    try:
        with read_journal(str(place)) as view:
            return sum(verify_run(view, run_id).verdict == "mismatch" for run_id in view.run_ids())
    except JournalError:
        return None


@pytest.mark.parametrize("seed", [1, 2])
def test_a_flipped_bit_anywhere_in_the_file_is_found_when_it_reaches_a_row(
    tmp_path: Path, content: bytes, seed: int
) -> None:
    place, choose = tmp_path / "flipped.db", random.Random(seed)
    place.write_bytes(content)
    original = _columns(place)
    assert _mismatches(place) == 0
    for _ in range(FLIPS):
        changed = bytearray(content)
        at = choose.randrange(len(changed))
        changed[at] ^= 1 << choose.randrange(8)
        place.write_bytes(changed)
        if _mismatches(place) == 0:
            assert _columns(place) == original, at


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        pytest.param(b"ts TEXT NOT NULL", b"tz TEXT NOT NULL", "has not the tables", id="column-gone"),
        pytest.param(b"CREATE TABLE events", b"CREATE TABL\xd7 events", "is damaged", id="schema-not-text"),
        pytest.param(b"SQLite format 3", b"SQLite format 4", "is not a journal", id="magic"),
    ],
)
def test_a_damaged_schema_is_one_sentence(tmp_path: Path, content: bytes, old: bytes, new: bytes, says: str) -> None:
    place = tmp_path / "damaged.db"
    place.write_bytes(content.replace(old, new))
    with pytest.raises(JournalError, match=says), read_journal(str(place)) as view:
        list(view.rows("run-1"))
