"""Whatever is changed in a stored run is found, and the row is named."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from interlock.contract.compiled import Contract
from interlock.journal import Journal, MemoryJournal, SqliteJournal, read_journal
from interlock.journal.decision_body import Planned, decision_body
from interlock.journal.decision_read import read_decision
from interlock.journal.verify import RunCheck, verify_run
from interlock.journal.verify_decision import check_decision
from interlock.pipeline.result import DecisionResult

WriteRun = Callable[..., str]


@pytest.fixture
def place(tmp_path: Path, write_run: WriteRun) -> Path:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path)
    write_run(journal, "run-1")
    write_run(journal, "run-2")
    journal.close()
    return path


def _verify(place: Path, run_id: str = "run-1") -> RunCheck:
    with read_journal(str(place)) as view:
        return verify_run(view, run_id)


def test_an_untouched_run_verifies_and_what_cannot_be_checked_is_named(place: Path) -> None:
    check = _verify(place)
    assert check.verdict == "partial"
    assert check.counts["mismatch"] == 0
    assert check.decisions == 11
    assert [(finding.decision, finding.what) for finding in check.findings] == [
        ("ready", "action `use_tool`: the host's safe default is not in the record"),
        ("ready", "action `use_tool`: nothing was judged (mode `off`)"),
    ]


def test_a_run_in_memory_verifies_the_same(place: Path, write_run: WriteRun) -> None:
    journal = MemoryJournal()
    write_run(journal, "run-1")
    with journal.snapshot() as view:
        assert verify_run(view, "run-1") == _verify(place)


def _changes(value: object, samples: int) -> Iterator[object]:
    """Yield `value` with one bit of one byte changed, at bytes spread over its length."""
    if isinstance(value, int):
        yield from (value ^ 1, value + 100)
        return
    stored = str(value).encode()
    for at in range(0, len(stored), max(1, len(stored) // samples)):
        changed = bytearray(stored)
        changed[at] ^= 1 << (at % 7)
        yield bytes(changed)


def _names(check: RunCheck, seq: int) -> bool:
    return any(
        finding.verdict == "mismatch" and (finding.seq == seq or re.search(rf"\brows? {seq}\b", finding.what))
        for finding in check.findings
    )


@pytest.mark.parametrize("column", ["run_id", "seq", "ts", "type", "body", "prev_hash", "hash"])
def test_a_flipped_byte_in_any_column_of_any_row_is_found_and_the_row_named(place: Path, column: str) -> None:
    connection = sqlite3.connect(place, isolation_level=None)
    stored = connection.execute(f"SELECT rowid, seq, {column} FROM events WHERE run_id = 'run-1'").fetchall()
    for rowid, seq, value in stored:
        for changed in _changes(value, samples=4):
            if (column, changed) == ("seq", 0) or not _update(connection, column, rowid, changed):
                continue
            check = _verify(place)
            assert check.verdict == "mismatch"
            assert _names(check, seq), (seq, changed, check.findings)
            assert _update(connection, column, rowid, value)
    connection.close()
    assert _verify(place).counts["mismatch"] == 0


def _update(connection: sqlite3.Connection, column: str, rowid: int, value: object) -> bool:
    """Set one column of one row; False where the store itself refuses the value."""
    mark = "CAST(? AS TEXT)" if isinstance(value, bytes) else "?"
    try:
        connection.execute(f"UPDATE events SET {column} = {mark} WHERE rowid = ?", (value, rowid))
    except sqlite3.IntegrityError:
        return False
    return True


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        pytest.param("UPDATE heads SET seq = seq - 1", "the head names row", id="head-number-lowered"),
        pytest.param("UPDATE heads SET seq = seq + 1", "the end was cut off: row 21 is", id="head-number-raised"),
        pytest.param("UPDATE heads SET hash = substr(hash, 2) || 'x'", "the head does not name row 20", id="head-hash"),
        pytest.param(
            "UPDATE heads SET run_id = 'run-x' WHERE run_id = 'run-1'", "the head is missing", id="head-of-another-run"
        ),
        pytest.param("DELETE FROM heads", "the head is missing", id="head-deleted"),
        pytest.param("DELETE FROM events WHERE seq = 20", "the end was cut off: row 20 is missing", id="tail-cut"),
        pytest.param("DELETE FROM events WHERE seq > 10", "rows 11 to 20 are missing", id="long-tail-cut"),
        pytest.param("DELETE FROM events WHERE seq = 1", "row 1 is missing before it", id="first-row-deleted"),
        pytest.param("DELETE FROM events WHERE seq IN (4, 5)", "rows 4 to 5 are missing", id="middle-deleted"),
        pytest.param("DELETE FROM events", "the end was cut off: rows 1 to 20 are missing", id="all-rows-deleted"),
        pytest.param(
            "INSERT INTO events SELECT run_id, 21, ts, type, body, prev_hash, hash FROM events WHERE seq = 20",
            "the head names row 20, but the last is row 21",
            id="row-duplicated",
        ),
        pytest.param(
            "UPDATE events SET seq = CASE seq WHEN 6 THEN -7 WHEN 7 THEN -6 ELSE seq END; "
            "UPDATE events SET seq = -seq WHERE seq < 0",
            "does not follow from the row before",
            id="rows-swapped",
        ),
        pytest.param("UPDATE events SET body = x'FF00' WHERE seq = 3", "cannot be read", id="body-not-text"),
        pytest.param("UPDATE events SET seq = 'x' WHERE seq = 3", "row 3 is missing before it", id="number-not-whole"),
        pytest.param("UPDATE events SET type = 'party' WHERE seq = 3", "unknown event type `party`", id="type"),
        pytest.param("UPDATE events SET body = '[]' WHERE seq = 3", "is not a JSON object", id="body-not-an-object"),
        pytest.param("UPDATE events SET body = '{}' WHERE seq = 3", "`policy` is missing", id="body-empty"),
    ],
)
def test_a_change_of_rows_or_heads_is_found_and_said(place: Path, statement: str, says: str) -> None:
    connection = sqlite3.connect(place)
    connection.executescript(statement)
    connection.close()
    check = _verify(place)
    assert check.verdict == "mismatch"
    assert says in "; ".join(finding.what for finding in check.findings)


def test_a_duplicate_that_the_index_does_not_see_is_found(place: Path) -> None:
    connection = sqlite3.connect(place)
    connection.executescript(
        "CREATE TABLE copy (run_id TEXT, seq INTEGER, ts TEXT, type TEXT, body TEXT, prev_hash TEXT, hash TEXT);"
        "INSERT INTO copy SELECT * FROM events; INSERT INTO copy SELECT * FROM events WHERE seq = 5;"
        "DROP TABLE events; ALTER TABLE copy RENAME TO events"
    )
    connection.close()
    assert "it is a copy" in "; ".join(finding.what for finding in _verify(place).findings)


def test_runs_are_listed_even_when_only_rows_or_only_a_head_are_left(place: Path) -> None:
    connection = sqlite3.connect(place)
    connection.executescript("DELETE FROM heads WHERE run_id = 'run-2'; DELETE FROM events WHERE run_id = 'run-1'")
    connection.close()
    with read_journal(str(place)) as view:
        assert set(view.run_ids()) == {"run-1", "run-2"}
    assert _verify(place, "run-1").verdict == _verify(place, "run-2").verdict == "mismatch"


def _edited(result: DecisionResult, name: str) -> DecisionResult:
    frame, outcome, reply = result.frame, result.outcome, result.reply
    assert frame is not None
    assert outcome is not None
    assert reply is not None
    entries = (replace(frame.entries[0], value="other"), *frame.entries[1:])
    sent = {**frame.sent, "task": "other"}
    return {
        "frame value": replace(result, frame=replace(frame, entries=entries, sent=sent)),
        "state sent": replace(result, frame=replace(frame, sent={**frame.sent, "secret": "s"})),
        "frame digest": replace(result, frame=replace(frame, digest="0" * 16)),
        "interchange digest": replace(result, interchange_digest="0" * 16),
        "request digest": replace(result, reply=replace(reply, request_digest="0" * 64)),
        "served by another": replace(result, reply=replace(reply, requested_model="another")),
        "outcome action": replace(result, outcome=replace(outcome, action="answer"), action="answer"),
        "outcome margin": replace(result, outcome=replace(outcome, margin=0.01)),
        "action": replace(result, action="answer"),
        "picked": replace(result, picked="x"),
        "degraded": replace(result, degraded=True),
        "gaps": replace(result, gaps=("task: unfilled",)),
    }[name]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("frame value", "frame digest: is not that of the state as sent"),
        ("state sent", "frame: the state as sent is not what its fields say"),
        ("frame digest", "frame digest: is not that of the state as sent"),
        ("interchange digest", "interchange digest: is not that of the frame and the questions"),
        ("request digest", "request digest: is not that of the state, the questions and the model"),
        ("served by another", "request digest: is not that of the state, the questions and the model"),
        ("outcome action", "outcome: the policy does not come to `answer` from these answers"),
        ("outcome margin", "outcome: the policy does not come to `use_tool` from these answers"),
        ("action", "action: `answer` is not that of the outcome, `use_tool`"),
        ("picked", "picked: `x` is not the answer's option"),
        ("degraded", "degraded: the mark is not that of the answers"),
        ("gaps", "gaps: are not those of the frame's fields"),
    ],
)
def test_a_record_that_contradicts_itself_is_a_mismatch_even_under_a_valid_chain(
    decisions: dict[str, DecisionResult], contract: Contract, name: str, says: str
) -> None:
    """Whoever writes a whole chain anew can hash anything; the content must still agree with itself."""
    body = decision_body(_edited(decisions["answered"], name), policy=contract.decisions["ready"].policy)
    assert says in check_decision(read_decision(body)).wrong


def test_another_threshold_under_the_same_outcome_is_a_mismatch(
    decisions: dict[str, DecisionResult], contract: Contract
) -> None:
    policy = contract.decisions["ready"].policy
    first = policy.rules[0]
    raised = replace(
        policy, rules=(replace(first, predicate=replace(first.predicate, threshold=0.95)), policy.rules[1])
    )
    checked = check_decision(read_decision(decision_body(decisions["answered"], policy=raised)))
    assert checked.wrong == ["outcome: the policy does not come to `use_tool` from these answers"]


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        pytest.param(Planned(), "outcome: the policy was not recorded", id="no-policy"),
        pytest.param(Planned(fused_with=("pick",)), "request digest: the request also held `pick`", id="fused"),
    ],
)
def test_what_a_record_does_not_hold_is_named_as_unchecked(
    decisions: dict[str, DecisionResult], plan: Planned, says: str
) -> None:
    checked = check_decision(read_decision(decision_body(decisions["answered"], policy=None, plan=plan)))
    assert checked.wrong == []
    assert says in checked.unchecked


def test_a_decision_under_another_contract_than_its_run_is_a_mismatch(
    write_run: WriteRun, decisions: dict[str, DecisionResult]
) -> None:
    journal: Journal = MemoryJournal()
    write_run(journal)
    other = replace(decisions["answered"], contract_digest="d" * 64)
    journal.append("run-1", "decision", decision_body(other, policy=None), ts="2026")
    with journal.snapshot() as view:
        assert "contract digest: is not that of the run" in [item.what for item in verify_run(view, "run-1").findings]


def test_an_approval_whose_binding_is_not_that_of_its_call_is_a_mismatch(write_run: WriteRun) -> None:
    journal: Journal = MemoryJournal()
    write_run(journal)
    asked = next(record for record in journal.records("run-1") if record.type == "approval_requested")
    journal.append("run-1", "approval_requested", {**asked.body, "arguments": {"path": "b.txt"}}, ts="2026")
    with journal.snapshot() as view:
        found = [item for item in verify_run(view, "run-1").findings if item.verdict == "mismatch"]
    assert [(item.seq, item.what) for item in found] == [(21, "`binding` is not that of the call")]
