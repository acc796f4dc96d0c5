"""What was exported comes back byte for byte, and nothing that was changed on the way comes in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.errors import JournalError
from interlock.journal import Head, MemoryJournal
from interlock.journal.export import jsonl
from interlock.journal.jsonl_read import ExportedRun, is_row, read_line, read_runs
from interlock.journal.redact import redact
from interlock.journal.restore import restore_records, restore_run
from interlock.journal.verify import verify_run

WriteRun = Callable[..., str]
TS = "2026-02-03T04:05:06.000007Z"


@pytest.fixture
def journal(write_run: WriteRun) -> MemoryJournal:
    opened = MemoryJournal()
    write_run(opened, "run-1")
    opened.append("run-2", "audit", {"text": 'a\0b\ud83d\ude00 é {"body":1}', "n": 1e-07}, ts=TS)
    return opened


def _lines(journal: MemoryJournal, *run_ids: str) -> list[str]:
    return [line for run_id in run_ids for line in jsonl(journal.records(run_id))]


def _runs(lines: list[str]) -> Iterator[ExportedRun]:
    return read_runs(enumerate(lines, 1), name="runs.jsonl")


def test_every_run_comes_back_row_for_row(journal: MemoryJournal) -> None:
    other = MemoryJournal()
    restored = [restore_run(other, run) for run in _runs(_lines(journal, "run-1", "run-2"))]
    assert [(one.run_id, one.state) for one in restored] == [("run-1", "imported"), ("run-2", "imported")]
    for run_id in ("run-1", "run-2"):
        assert [r.text for r in other.records(run_id)] == [r.text for r in journal.records(run_id)]
        assert other.head(run_id) == journal.head(run_id)
        with other.snapshot() as one, journal.snapshot() as two:
            assert verify_run(one, run_id) == verify_run(two, run_id)


def test_a_run_that_is_there_is_left_alone(journal: MemoryJournal) -> None:
    before = _lines(journal, "run-1")
    assert [restore_run(journal, run).state for run in _runs(before)] == ["there"]
    assert _lines(journal, "run-1") == before
    journal.append("run-1", "error", {}, ts=TS)
    with pytest.raises(JournalError, match="the journal holds it with another head"):
        [restore_run(journal, run) for run in _runs(before)]


def test_a_redacted_run_comes_back_with_what_was_said_of_it(journal: MemoryJournal) -> None:
    head = journal.head("run-1")
    assert head is not None
    found = redact(list(journal.records("run-1")), cell="task", by="Ann")
    journal.redact("run-1", found.texts, found.body, ts=TS, expected=head)
    other = MemoryJournal()
    assert [restore_run(other, run).state for run in _runs(_lines(journal, "run-1"))] == ["imported"]


def test_each_journal_keeps_its_own_record_of_what_was_deleted(journal: MemoryJournal) -> None:
    for run_id in ("run-1", "run-2"):
        head = journal.head(run_id)
        assert head is not None
        lines = _lines(journal, "pruned-runs")
        journal.prune(run_id, {"run_id": run_id}, ts=TS, expected=head)
    own = journal.head("pruned-runs")
    assert [(one.state, one.head) for one in (restore_run(journal, run) for run in _runs(lines))] == [("own", own)]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        pytest.param(lambda lines: [lines[0].replace("Read", "Reap"), *lines[1:]], "row 1 was changed", id="byte"),
        pytest.param(lambda lines: [*lines[:3], *lines[4:]], "row 4 is missing", id="row-lost"),
        pytest.param(lambda lines: [lines[1], lines[0], *lines[2:]], "row 1 is missing", id="rows-swapped"),
        pytest.param(lambda lines: [json.dumps(json.loads(lines[0])), *lines[1:]], "line 1: is no line", id="spaces"),
        pytest.param(lambda lines: [lines[0][:-9], *lines[1:]], "line 1: is no line", id="cut-line"),
        pytest.param(lambda lines: ["[]", *lines], "line 1: is no line", id="no-object"),
        pytest.param(lambda lines: [*lines, "{}"], r"line \d+: is no line", id="no-columns"),
        pytest.param(
            lambda lines: [line.replace('"audit"', '"party"') for line in lines], "was changed", id="unknown-type"
        ),
    ],
)
def test_lines_that_were_changed_are_refused(
    journal: MemoryJournal, change: Callable[[list[str]], list[str]], says: str
) -> None:
    other = MemoryJournal()
    with pytest.raises(JournalError, match=says):
        [restore_run(other, run) for run in _runs(change(_lines(journal, "run-1")))]
    assert other.head("run-1") is None


def test_a_run_that_goes_on_after_another_is_refused(journal: MemoryJournal) -> None:
    lines = _lines(journal, "run-1")
    mixed = [*lines[:2], *_lines(journal, "run-2"), *lines[2:]]
    with pytest.raises(JournalError, match=r"line 4: run `run-1` goes on after another; export it anew"):
        list(_runs(mixed))


def test_a_cut_end_shows_in_the_head_alone(journal: MemoryJournal) -> None:
    """Lines hold no head: whoever imports compares the one that is printed."""
    (run,) = _runs(_lines(journal, "run-1")[:-1])
    restored = restore_run(MemoryJournal(), run, unfinished=True)
    assert restored.head != journal.head("run-1")
    assert restored.head.seq == run.stored[-1].seq


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=4), st.text() | st.floats(allow_nan=False, allow_infinity=False), max_size=4))
def test_any_body_comes_back_byte_for_byte(body: dict[str, str | float]) -> None:
    journal = MemoryJournal()
    record = journal.append("r", "audit", body, ts=TS)
    (line,) = jsonl([record])
    row = read_line(line)
    assert (row.body, row.hash, row.seq) == (record.text, record.hash, 1)


@settings(deadline=None)
@given(st.text() | st.from_regex(r'\{("[a-z]*":(1|"x"|\{\}),?)*\}?'))
def test_any_other_line_is_refused(line: str) -> None:
    with pytest.raises((ValueError, RecursionError)):
        read_line(line)


RECORD = {
    "schema": "decision-record/v1",
    "step": 1,
    "node": "ready",
    "state": {"task": "t"},
    "questions": {},
}


def test_single_records_become_one_run_named_by_what_it_holds() -> None:
    journal = MemoryJournal()
    lines = [json.dumps({**RECORD, "step": step}) for step in (1, 2)]
    assert not is_row(lines[0])
    restored = restore_records(journal, enumerate(lines, 1), name="file", ts=TS)
    assert restored.state == "imported"
    assert restored.run_id.startswith("records-")
    assert [record.text for record in journal.records(restored.run_id)] == lines
    assert restored.head == Head(seq=2, hash=list(journal.records(restored.run_id))[-1].hash)
    assert restore_records(journal, enumerate(lines, 1), name="file", ts="2027").state == "there"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        pytest.param("{", "line 1: is neither a row nor a decision record", id="not-json"),
        pytest.param("{}", "line 1: is neither a row nor a decision record", id="no-schema"),
        pytest.param('{"schema":"decision-record/v2"}', "this release reads `decision-record/v1`", id="later"),
        pytest.param(json.dumps({**RECORD, "state": []}), "`state` is not an object", id="state"),
        pytest.param(json.dumps({**RECORD, "step": "1"}), "`step` is not a whole number", id="step"),
    ],
)
def test_a_line_of_another_format_is_refused(line: str, says: str) -> None:
    journal = MemoryJournal()
    with pytest.raises(JournalError, match=says):
        restore_records(journal, [(1, line)], name="file", ts=TS)
