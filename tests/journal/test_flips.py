"""One flipped bit anywhere in a journal of a thousand rows is found and the row named, in every store that keeps rows.

Exhaustive over columns, sampled over rows, bytes and bits.
"""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from interlock.journal import MemoryJournal, open_journal, read_journal
from interlock.journal.base import Store
from interlock.journal.verify import RunCheck, verify_run

WriteRun = Callable[..., str]
ROWS = 1000
SAMPLES = 14
COLUMNS = ("run_id", "seq", "ts", "type", "body", "prev_hash", "hash")
HEAD_COLUMNS = ("run_id", "seq", "hash")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A journal of a thousand rows, and a way around it into its tables."""

    place: str
    execute: Callable[[str, tuple[Any, ...]], list[tuple[Any, ...]]]
    """Runs one statement with `?` marks; a value that the store refuses raises what the store raises."""

    def update(self, table: str, column: str, where: tuple[Any, ...], value: object) -> bool:
        """Set one column of one row; False where the store itself refuses the value."""
        keys = " AND ".join(f"{key} = ?" for key in ("run_id", "seq")[: len(where)])
        try:
            self.execute(f"UPDATE {table} SET {column} = ? WHERE {keys}", (value, *where))
        except (sqlite3.IntegrityError, psycopg.errors.UniqueViolation, psycopg.DataError, UnicodeError):
            return False
        return True


def _fill(journal: Store, write_run: WriteRun) -> None:
    """Write whole runs, each of every kind of record, until there are enough rows."""
    source = MemoryJournal()
    write_run(source, "r")
    template = list(source.records("r"))
    named: dict[str, str] = {}
    for number in range(ROWS):
        record = template[number % len(template)]
        run_id = f"run-{number // len(template):02}"
        body = {key: named.get(str(value), value) for key, value in record.body.items()}
        named[record.hash] = journal.append(run_id, record.type, body, ts=record.ts).hash


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.needs_system)])
def table(request: pytest.FixtureRequest, tmp_path: Path, write_run: WriteRun) -> Iterator[Table]:
    if request.param == "sqlite":
        place = str(tmp_path / "journal.db")
        with closing(open_journal(place)) as journal:
            _fill(journal, write_run)
        with closing(sqlite3.connect(place, isolation_level=None)) as connection:
            yield Table(place=place, execute=lambda text, values: connection.execute(text, values).fetchall())
        return
    place = request.getfixturevalue("postgres_url")
    with closing(open_journal(place)) as journal:
        _fill(journal, write_run)
    with psycopg.connect(place, autocommit=True) as server:
        server.execute("SET search_path TO interlock")

        def execute(text: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
            done = server.execute(text.replace("?", "%s").encode(), values)
            return [] if done.description is None else done.fetchall()

        yield Table(place=place, execute=execute)


def _verify(table: Table, run_id: str) -> RunCheck:
    with read_journal(table.place) as view:
        return verify_run(view, run_id)


def _flipped(value: object, choose: random.Random) -> object:
    """Return `value` with one bit changed, and still text where it was text."""
    if isinstance(value, int):
        return value ^ (1 << choose.randrange(12))
    stored = bytearray(str(value), "utf-8")
    stored[choose.randrange(len(stored))] ^= 1 << choose.randrange(7)
    return stored.decode("utf-8", "replace")


def _names(check: RunCheck, seq: int) -> bool:
    return any(
        finding.verdict == "mismatch" and (finding.seq == seq or re.search(rf"\brows? {seq}\b", finding.what))
        for finding in check.findings
    )


def test_a_flipped_bit_in_any_column_of_a_row_or_a_head_is_found_and_named(table: Table) -> None:
    _flip_rows(table)
    _flip_heads(table)


def _flip_rows(table: Table) -> None:
    choose = random.Random(20260102)
    rows = table.execute("SELECT run_id, seq FROM events ORDER BY run_id, seq", ())
    assert len(rows) == ROWS
    tried = dict.fromkeys(COLUMNS, 0)
    for column in COLUMNS:
        for run_id, seq in choose.sample(rows, SAMPLES):
            ((value,),) = table.execute(f"SELECT {column} FROM events WHERE run_id = ? AND seq = ?", (run_id, seq))
            changed = _flipped(value, choose)
            if changed == value or not table.update("events", column, (run_id, seq), changed):
                continue
            where = (changed, seq) if column == "run_id" else (run_id, changed) if column == "seq" else (run_id, seq)
            check = _verify(table, run_id)
            assert check.verdict == "mismatch", (column, seq, changed)
            assert _names(check, seq), (column, seq, changed, check.findings)
            assert table.update("events", column, where, value)
            tried[column] += 1
    assert min(tried.values()) > SAMPLES // 3, tried
    assert {_verify(table, run_id).counts["mismatch"] for run_id in {run_id for run_id, _ in rows}} == {0}


def _flip_heads(table: Table) -> None:
    choose = random.Random(20260103)
    heads = table.execute("SELECT run_id FROM heads ORDER BY run_id", ())
    for column in HEAD_COLUMNS:
        for (run_id,) in choose.sample(heads, 8):
            ((value,),) = table.execute(f"SELECT {column} FROM heads WHERE run_id = ?", (run_id,))
            changed = _flipped(value, choose)
            if changed == value or not table.update("heads", column, (run_id,), changed):
                continue
            assert _verify(table, run_id).verdict == "mismatch", (column, changed)
            assert table.update("heads", column, (changed if column == "run_id" else run_id,), value)


OF_RUN = "WHERE run_id = 'RUN'"
DAMAGES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("run-01", (f"DELETE FROM events {OF_RUN} AND seq = 3",), "row 3 is missing"),
    ("run-02", (f"DELETE FROM events {OF_RUN} AND seq > 9",), "the end was cut off"),
    ("run-03", (f"DELETE FROM heads {OF_RUN}",), "the head is missing"),
    (
        "run-04",
        (
            f"UPDATE events SET seq = -seq {OF_RUN} AND seq IN (4, 5)",
            f"UPDATE events SET seq = CASE seq WHEN -4 THEN 5 ELSE 4 END {OF_RUN} AND seq < 0",
        ),
        "does not follow from the row before",
    ),
    (
        "run-05",
        (
            (
                "INSERT INTO events (run_id, seq, ts, type, body, prev_hash, hash) "
                f"SELECT run_id, 999, ts, type, body, prev_hash, hash FROM events {OF_RUN} AND seq = 5"
            ),
        ),
        "missing before it",
    ),
    ("run-06", (f"UPDATE events SET run_id = 'run-07', seq = 900 {OF_RUN} AND seq = 5",), "row 5 is missing"),
)
"""What is done to which run, and what is said of it: deleted, cut, beheaded, swapped, copied, moved."""


def test_rows_that_were_deleted_swapped_or_copied_are_found(table: Table) -> None:
    for run_id, statements, _ in DAMAGES:
        for statement in statements:
            table.execute(statement.replace("RUN", run_id), ())
    for run_id, _, says in DAMAGES:
        check = _verify(table, run_id)
        assert check.verdict == "mismatch"
        assert says in "; ".join(finding.what for finding in check.findings)
    assert _verify(table, "run-07").verdict == "mismatch"
    assert _verify(table, "run-08").counts["mismatch"] == 0
