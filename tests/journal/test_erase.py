"""What is taken out of a journal is gone, what stays still verifies, and both can be told apart from tampering."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from interlock.errors import JournalError, SettingsError
from interlock.journal import Body, Head, JournalView, MemoryJournal
from interlock.journal.base import Store
from interlock.journal.decision_read import read_decision
from interlock.journal.preimages import preimages
from interlock.journal.prune import old_runs, parse_age, pruned_body, pruned_with_head
from interlock.journal.records import Record, Row
from interlock.journal.redact import redact
from interlock.journal.redactions import redactions
from interlock.journal.trace import markdown
from interlock.journal.verify import RunCheck, verify_run
from interlock.journal.verify_chain import chain_problem
from interlock.pipeline.result import DecisionResult
from interlock.questions import Json

WriteRun = Callable[..., str]
TS = "2026-02-03T04:05:06.000007Z"
TASK = "Read the file `naïve.txt` and say what"


@pytest.fixture
def journal(write_run: WriteRun) -> MemoryJournal:
    opened = MemoryJournal()
    write_run(opened, "run-1", record_state=True)
    write_run(opened, "run-2", record_state=True)
    return opened


def _head(journal: MemoryJournal, run_id: str = "run-1") -> Head:
    head = journal.head(run_id)
    assert head is not None
    return head


def _take(journal: MemoryJournal, cell: str) -> tuple[int, ...]:
    found = redact(list(journal.records("run-1")), cell=cell, by="Ann")
    journal.redact("run-1", found.texts, found.body, ts=TS, expected=_head(journal))
    return found.remaining


def _verify(journal: MemoryJournal, run_id: str = "run-1") -> RunCheck:
    with journal.snapshot() as view:
        return verify_run(view, run_id)


def _forge(journal: MemoryJournal, seq: int, change: Callable[[Record], Record]) -> None:
    journal._runs["run-1"][seq - 1] = change(journal._runs["run-1"][seq - 1])


def test_a_cell_is_gone_from_every_frame_and_state_and_from_what_it_was_made_of(journal: MemoryJournal) -> None:
    _take(journal, "task")
    text = "".join(record.text for record in journal.records("run-1"))
    assert TASK not in text
    assert '"task":"[redacted]"' in text
    started = next(journal.records("run-1"))
    assert started.body["task"] == "[redacted]"
    assert started.body["cwd"] == "/somewhere"


def test_a_cell_of_a_tool_is_gone_from_its_own_place(journal: MemoryJournal) -> None:
    _take(journal, "log")
    decided = [record for record in journal.records("run-1") if record.type == "decision"]
    shown = read_decision(decided[0].body).result
    assert shown.frame is not None
    assert shown.frame.sent["untrusted_tool_output"] == {"log": "[redacted]"}
    assert read_decision(decided[0].body).cells is not None


def test_a_redacted_run_is_partial_and_every_row_says_why(journal: MemoryJournal) -> None:
    before = _verify(journal)
    told_by = _head(journal).seq + 1
    _take(journal, "task")
    after = _verify(journal)
    assert (before.counts["mismatch"], after.counts["mismatch"]) == (0, 0)
    assert after.verdict == "partial"
    told = [finding for finding in after.findings if finding.what.startswith("redacted: ")]
    assert (told[0].seq, told[0].what) == (1, f"redacted: `task` by Ann, see row {told_by}")
    assert (told[1].seq, told[1].what) == (2, f"redacted: `frame.task`, `cells.task` by Ann, see row {told_by}")
    assert len(told) == after.counts["partial"]
    assert _verify(journal, "run-2").counts == before.counts


def test_outcomes_of_a_redacted_run_are_still_computed_again(journal: MemoryJournal) -> None:
    _take(journal, "task")
    found = redact(list(journal.records("run-1")), cell="draft", by="Ann")
    texts = {seq: text.replace('"action":"use_tool"', '"action":"answer"') for seq, text in found.texts.items()}
    rows: list[Json] = [
        {"seq": row.seq, "hash": row.hash, "content": row.content, "what": list(row.what)} for row in found.rows
    ]
    journal.redact("run-1", texts, {"cell": "draft", "by": "x", "rows": rows}, ts=TS, expected=_head(journal))
    assert _verify(journal).verdict == "mismatch"


@pytest.mark.parametrize(
    ("seq", "change"),
    [
        pytest.param(2, lambda record: replace(record, text=record.text.replace("[redacted]", "x")), id="content"),
        pytest.param(2, lambda record: replace(record, ts="2026"), id="time"),
        pytest.param(2, lambda record: replace(record, hash="0" * 64), id="hash"),
        pytest.param(-1, lambda record: replace(record, text=record.text.replace("Ann", "Bob")), id="tombstone"),
        pytest.param(3, lambda record: replace(record, prev_hash="0" * 64), id="next-row"),
    ],
)
def test_a_change_after_the_redaction_is_found(
    journal: MemoryJournal, seq: int, change: Callable[[Record], Record]
) -> None:
    _take(journal, "task")
    seq = seq if seq > 0 else _head(journal).seq
    _forge(journal, seq, change)
    check = _verify(journal)
    assert check.verdict == "mismatch"
    assert any(finding.verdict == "mismatch" and finding.seq == seq for finding in check.findings)
    with journal.snapshot() as view:
        assert f"row {seq} " in (chain_problem(view, "run-1") or "")


def test_a_row_may_be_redacted_twice(journal: MemoryJournal) -> None:
    last = _head(journal).seq
    _take(journal, "task")
    _take(journal, "draft")
    check = _verify(journal)
    assert check.counts["mismatch"] == 0
    with journal.snapshot() as view:
        told = redactions(view, "run-1")
        assert (told[2].what, told[2].told_by) == (("frame.draft", "cells.draft"), last + 2)
        assert (told[1].what, told[1].told_by) == (("task",), last + 1)


def test_where_a_value_still_stands_is_named(journal: MemoryJournal) -> None:
    assert _take(journal, "log") == tuple(
        record.seq for record in journal.records("run-1") if "a.txt" in record.text and record.type != "redacted"
    )


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        pytest.param("nothing", "no record holds cell `nothing`, or it was taken out before", id="unknown"),
        pytest.param("task", "no record holds cell `task`, or it was taken out before", id="taken-out-before"),
    ],
)
def test_a_cell_that_is_not_there_is_refused(journal: MemoryJournal, cell: str, says: str) -> None:
    if cell == "task":
        _take(journal, "task")
    with pytest.raises(JournalError, match=says):
        _take(journal, cell)


def test_a_run_that_goes_on_is_not_redacted(journal: MemoryJournal) -> None:
    records = list(journal.records("run-1"))[:-1]
    with pytest.raises(JournalError, match="run `run-1`: has not ended; redact it when it has"):
        redact(records, cell="task", by="Ann")


def test_a_row_that_cannot_be_read_is_named(journal: MemoryJournal) -> None:
    records = list(journal.records("run-1"))
    broken = replace(records[1], text=records[1].text.replace('"fields":', '"felds":'))
    with pytest.raises(JournalError, match="run `run-1` row 2: cannot be read; run `interlock verify`"):
        redact([records[0], broken, *records[2:]], cell="task", by="Ann")


def test_a_redacted_decision_has_no_texts_behind_its_digests(
    journal: MemoryJournal, decisions: dict[str, DecisionResult]
) -> None:
    _take(journal, "task")
    records = list(journal.records("run-1"))
    assert preimages(read_decision(records[1].body).result) == ()
    assert "Digest of the" not in "\n".join(markdown(records))
    assert preimages(decisions["answered"]) != ()


def test_a_tombstone_that_cannot_be_read_tells_nothing(journal: MemoryJournal) -> None:
    _take(journal, "task")
    journal.append("run-1", "redacted", {"rows": "all"}, ts=TS)
    assert _verify(journal).counts["mismatch"] == 0


NOW = datetime(2026, 1, 5, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(("age", "found"), [("1h", 2), ("2d", 2), ("3d", 0), ("1w", 0)])
def test_a_run_is_as_old_as_its_last_record(journal: MemoryJournal, age: str, found: int) -> None:
    with journal.snapshot() as view:
        assert len(list(old_runs(view, now=NOW, older_than=parse_age(age)))) == found


class _Watched:
    """A view that counts the rows that are read of it."""

    def __init__(self, view: JournalView) -> None:
        self._view = view
        self.read = 0

    def rows(self, run_id: str, *, after: int | None = None) -> Iterator[Row]:
        for row in self._view.rows(run_id, after=after):
            self.read += 1
            yield row

    def __getattr__(self, name: str) -> Any:
        return getattr(self._view, name)


def test_how_old_a_run_is_takes_two_rows_of_it_however_long_it_is(any_store: Store, write_run: WriteRun) -> None:
    for number in range(5):
        write_run(any_store, f"run-{number}")
    with any_store.snapshot() as view:
        watched: Any = _Watched(view)
        found = list(old_runs(watched, now=NOW, older_than=timedelta()))
    assert [(run.run_id, run.head.seq) for run in found] == [(f"run-{number}", 20) for number in range(5)]
    assert all(run.first_ts < run.last_ts for run in found)
    assert watched.read == 10


def test_a_run_whose_end_was_cut_off_is_as_old_as_what_is_left(journal: MemoryJournal) -> None:
    journal._runs["run-1"].pop(10)
    del journal._runs["run-2"][5:]
    with journal.snapshot() as view:
        watched: Any = _Watched(view)
        watched.heads = lambda: {run_id: Head(seq=20, hash="x") for run_id in view.run_ids()}
        found = [(run.run_id, run.first_ts, run.last_ts) for run in old_runs(watched, now=NOW, older_than=timedelta())]
        rows = [[row.ts for row in view.rows(run_id)] for run_id in view.run_ids()]
    assert found == [(f"run-{number}", times[0], times[-1]) for number, times in enumerate(rows, 1)]


@pytest.mark.parametrize("age", ["", "30", "d", "-1d", "1.5d", "30 d", "1y", "999999d"])
def test_an_age_that_is_none_is_refused(age: str) -> None:
    with pytest.raises(SettingsError, match="write a number of hours, days or weeks"):
        parse_age(age)


def test_a_deleted_run_leaves_the_others_whole_and_itself_on_record(journal: MemoryJournal) -> None:
    with journal.snapshot() as view:
        first, second = old_runs(view, now=NOW, older_than=timedelta(days=1))
    journal.prune("run-1", pruned_body(first, by="Ann"), ts=TS, expected=first.head)
    journal.prune("run-2", pruned_body(second, by="Ann"), ts=TS, expected=second.head)
    check = _verify(journal, "pruned-runs")
    assert (check.verdict, check.records) == ("verified", 2)
    told: Body = next(journal.records("pruned-runs")).body
    assert (told["run_id"], told["records"], told["head"], told["by"]) == (
        "run-1",
        first.head.seq,
        first.head.hash,
        "Ann",
    )
    with journal.snapshot() as view:
        assert list(old_runs(view, now=NOW + timedelta(days=900), older_than=timedelta(days=1))) == []
        assert pruned_with_head(view, first.head.hash) == (
            f"the head that was kept is that of run `run-1`, pruned at {TS}"
        )
        assert pruned_with_head(view, "0" * 64) is None
