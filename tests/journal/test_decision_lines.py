"""Decisions in the interchange form: any reader of the format can take their digests again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from interlock.journal import MemoryJournal
from interlock.journal.decision_record import check_record, decision_lines
from interlock.journal.redact import redact
from interlock.journal.restore import restore_records
from interlock.journal.verify import verify_run

WriteRun = Callable[..., str]
TS = "2026-02-03T04:05:06.000007Z"


@pytest.fixture
def journal(write_run: WriteRun) -> MemoryJournal:
    opened = MemoryJournal()
    write_run(opened, "run-1")
    return opened


def _lines(journal: MemoryJournal, run_id: str = "run-1") -> list[dict[str, Any]]:
    return [json.loads(line) for line in decision_lines(journal.records(run_id))]


def _digest(value: object) -> str:
    """Return the digest as a reader written in JavaScript takes it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def test_every_decision_with_a_frame_is_one_line(journal: MemoryJournal) -> None:
    lines = _lines(journal)
    assert len(lines) == 10, "all but the one in mode `off`"
    assert {line["schema"] for line in lines} == {"decision-record/v1"}
    assert [line["node"] for line in lines[:4]] == ["ready", "pick", "pick", "risk"]


def test_digests_can_be_taken_again_from_the_line_alone(journal: MemoryJournal) -> None:
    for line in _lines(journal):
        frame = _digest([line["node"], list(line["state"].items())])
        assert line["frameDigest"] == line["sentFrameDigest"] == line["frame"]["digest"] == frame
        assert line["requestDigest"] == _digest([frame, line["sentQuestions"]])
        assert line["questions"] == line["sentQuestions"]
        assert line["batchIds"] == [line["node"]]


def test_the_frame_is_flat_and_answers_are_those_of_the_wire(journal: MemoryJournal) -> None:
    first = _lines(journal)[0]
    assert list(first["state"]) == ["task", "log", "draft"]
    assert first["answers"] == {"ready": {"type": "noul", "noul": 0.9}}
    assert (first["action"], first["reason"], first["provider"]) == (
        "use_tool", "prob:ready >= 0.6 → use_tool", "scripted",
    )  # fmt: skip
    ours = first["interlock"]
    assert (ours["run_id"], ours["seq"], ours["position"]) == ("run-1", 2, "step-start")
    assert ours["outcome"]["threshold"] == 0.6


def test_what_was_exported_is_imported_verified_and_exported_again_unchanged(journal: MemoryJournal) -> None:
    lines = list(decision_lines(journal.records("run-1")))
    other = MemoryJournal()
    run_id = restore_records(other, enumerate(lines, 1), name="f", ts=TS).run_id
    assert list(decision_lines(other.records(run_id))) == lines
    with other.snapshot() as view:
        check = verify_run(view, run_id)
    assert (check.verdict, check.decisions, check.counts["mismatch"]) == ("partial", 10, 0)
    assert {finding.what for finding in check.findings} == {"outcome: a decision record holds no policy"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        pytest.param({"state": {"task": "other"}}, "frame digest: is not that of the state as sent", id="state"),
        pytest.param({"node": "other"}, "frame digest: is not that of the state as sent", id="node"),
        pytest.param({"frameDigest": "0"}, "frame digest: is not that of the state as sent", id="frame-digest"),
        pytest.param({"sentFrameDigest": "0"}, "sent frame digest: is not that of the state as sent", id="sent"),
        pytest.param({"questions": {}}, "questions: are not those that were sent", id="questions"),
        pytest.param(
            {"questions": {}, "sentQuestions": {}}, "request digest: is not that of the frame and the questions",
            id="both-questions",
        ),
        pytest.param({"requestDigest": "0"}, "request digest: is not that of the frame", id="request"),
    ],
)  # fmt: skip
def test_a_record_that_contradicts_itself_is_a_mismatch(
    journal: MemoryJournal, change: dict[str, Any], says: str
) -> None:
    wrong = check_record({**_lines(journal)[0], **change}).wrong
    assert any(item.startswith(says) for item in wrong)


def test_a_record_of_several_decisions_is_checked_as_far_as_it_goes() -> None:
    """The state of a record that was asked with others is theirs too; its own frame cannot be told from it."""
    state = {"task": "t", "log": ["a"]}
    asked: dict[str, Any] = {"ready": {}, "pick": {}}
    sent = _digest(["ready+pick", list(state.items())])
    record: dict[str, Any] = {
        "schema": "decision-record/v1", "step": 1, "node": "pick", "state": state, "frameDigest": "1" * 16,
        "sentFrameDigest": sent, "batchIds": ["ready", "pick"], "questions": {"pick": {}}, "sentQuestions": asked,
        "requestDigest": _digest([sent, asked]),
    }  # fmt: skip
    checked = check_record(record)
    assert checked.wrong == []
    assert checked.unchecked[0] == "frame digest: the state is that of several decisions"
    assert check_record({**record, "state": {"task": "x"}}).wrong == [
        "sent frame digest: is not that of the state as sent"
    ]


def test_a_record_without_digests_says_what_could_not_be_checked() -> None:
    record: dict[str, Any] = {
        "schema": "decision-record/v1", "step": 1, "node": "a", "state": {}, "questions": {}, "frameDigest": None,
    }  # fmt: skip
    assert check_record(record).unchecked == [
        "frame digest: the record holds none",
        "sent frame digest: the record holds none",
        "request digest: the record holds none",
        "outcome: a decision record holds no policy",
    ]


def test_a_redacted_decision_is_exported_without_digests(journal: MemoryJournal) -> None:
    head = journal.head("run-1")
    assert head is not None
    found = redact(list(journal.records("run-1")), cell="task", by="Ann")
    journal.redact("run-1", found.texts, found.body, ts=TS, expected=head)
    first = _lines(journal)[0]
    assert (first["frameDigest"], first["sentFrameDigest"], first["requestDigest"]) == (None, None, None)
    assert check_record(first).wrong == []
