"""Counts of a journal for Prometheus: they add up, and no text that somebody wrote becomes a label."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from interlock.journal import Head, JournalView, MemoryJournal
from interlock.journal.base import Store
from interlock.journal.metrics import JournalCounts, prometheus
from interlock.journal.records import Row

WriteRun = Callable[..., str]
SERIES = re.compile(r'([a-z_]+)(?:\{((?:[a-z_]+="[A-Za-z0-9_.+-]*",?)+)\})? (-?[0-9.e+-]+)')
TS = "2026-02-03T04:05:06.000007Z"


@pytest.fixture
def journal(write_run: WriteRun) -> MemoryJournal:
    opened = MemoryJournal()
    write_run(opened, "run-1")
    write_run(opened, "run-2")
    return opened


def _lines(journal: MemoryJournal) -> list[str]:
    with journal.snapshot() as view:
        return list(prometheus(view))


def test_every_line_is_of_the_format_and_every_metric_is_described(journal: MemoryJournal) -> None:
    lines = _lines(journal)
    described = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert described == [line.split()[2] for line in lines if line.startswith("# HELP")]
    assert len(described) == len(set(described))
    for line in lines:
        if not line.startswith("#"):
            found = SERIES.fullmatch(line)
            assert found is not None, line
            assert re.sub(r"_(sum|count)$", "", found[1]) in described


def test_what_happened_is_counted(journal: MemoryJournal) -> None:
    lines = _lines(journal)
    assert "interlock_runs_started_total 2" in lines
    assert 'interlock_runs_ended_total{halt="task_done",delivered="true"} 2' in lines
    assert 'interlock_decisions_total{decision="pick",action="call",mode="enforce",degraded="false"} 4' in lines, (
        "one of them had a single option"
    )
    assert 'interlock_decision_seconds_count{decision="risk"} 8' in lines
    assert 'interlock_readings_total{decision="pick",kind="not_asked",reason="single-option"} 2' in lines
    assert 'interlock_judge_requests_total{decision="risk",failure="timeout"} 2' in lines
    assert 'interlock_tool_calls_total{tool="write_file",failed="false"} 2' in lines
    assert 'interlock_approvals_total{approved="true"} 2' in lines


def test_the_same_journal_gives_the_same_text(journal: MemoryJournal) -> None:
    assert _lines(journal) == _lines(journal)


@pytest.mark.parametrize("text", ['a "quoted" task', "two\nlines", "é", "x" * 65, "", 7, None])
def test_free_text_never_becomes_a_label(text: object) -> None:
    journal = MemoryJournal()
    body: dict[str, Any] = {"where": "x", "kind": text, "message": "secret"}
    journal.append("r", "error", body, ts=TS)
    assert 'interlock_errors_total{kind="other"} 1' in _lines(journal)
    assert "secret" not in "".join(_lines(journal))


def test_a_row_that_cannot_be_read_is_counted_as_such() -> None:
    journal = MemoryJournal()
    journal.append("r", "decision", {"decision": "d"}, ts=TS)
    journal.append("r", "decision", {"decision": "d", "readings": 1}, ts=TS)
    assert "interlock_unread_rows 2" in _lines(journal)


def test_deleted_runs_are_not_counted(journal: MemoryJournal) -> None:
    head = journal.head("run-1")
    assert head is not None
    journal.prune("run-1", {}, ts=TS, expected=Head(seq=head.seq, hash=head.hash))
    assert "interlock_runs_started_total 1" in _lines(journal)


class _Watched:
    """A view that counts the rows that are read of it."""

    def __init__(self, view: JournalView) -> None:
        self._view = view
        self.read = 0

    def rows(self, run_id: str, *, after: int) -> Iterator[Row]:
        for row in self._view.rows(run_id, after=after):
            self.read += 1
            yield row

    def __getattr__(self, name: str) -> Any:
        return getattr(self._view, name)


def _look(counts: JournalCounts, journal: Store, rows: int | None = None) -> int:
    """Return how many rows one look reads."""
    with journal.snapshot() as view:
        watched: Any = _Watched(view)
        counts.look(watched, rows=rows)
    return int(watched.read)


def test_a_row_is_read_once_however_often_is_looked(any_store: Store, write_run: WriteRun) -> None:
    write_run(any_store, "run-1")
    counts = JournalCounts()
    assert _look(counts, any_store) == 20
    assert _look(counts, any_store) == 0
    write_run(any_store, "run-2")
    any_store.append("run-1", "error", {"kind": "late", "where": "x", "message": "y"}, ts=TS)
    assert _look(counts, any_store) == 21
    with any_store.snapshot() as view:
        assert list(counts.lines()) == list(prometheus(view))


def test_a_look_is_bounded_and_the_next_ones_catch_up(any_store: Store, write_run: WriteRun) -> None:
    for run_id in ("run-1", "run-2", "run-3"):
        write_run(any_store, run_id)
    counts, read = JournalCounts(), list[int]()
    while not read or read[-1]:
        read.append(_look(counts, any_store, rows=25))
        (line,) = [line for line in counts.lines() if line.startswith("interlock_uncounted_rows ")]
        assert int(line.split()[1]) == 60 - sum(read)
    assert read == [25, 25, 10, 0]
    with any_store.snapshot() as view:
        assert list(counts.lines()) == list(prometheus(view))


def test_what_is_deleted_stays_counted(any_store: Store, write_run: WriteRun) -> None:
    write_run(any_store, "run-1")
    counts = JournalCounts()
    _look(counts, any_store)
    before, head = list(counts.lines()), any_store.head("run-1")
    assert head is not None
    any_store.prune("run-1", {"run_id": "run-1"}, ts=TS, expected=head)
    assert _look(counts, any_store) == 0
    assert list(counts.lines()) == before
