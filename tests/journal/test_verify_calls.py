"""A call that needed a person is a mismatch unless an approval of exactly that call was used before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from interlock.journal import MemoryJournal, Record
from interlock.journal.binding import call_binding
from interlock.journal.redact import redact
from interlock.journal.verify import verify_run
from interlock.journal.verify_calls import call_of_body

WriteRun = Callable[..., str]
Change = Callable[[list[tuple[str, dict[str, Any]]]], None]
TS = "2026-02-03T04:05:06.000007Z"


@pytest.fixture
def records(write_run: WriteRun) -> Sequence[Record]:
    """Return a run that wrote a file behind a gate."""
    journal = MemoryJournal()
    write_run(journal, "run-1")
    return tuple(journal.records("run-1"))


def _rewritten(records: Sequence[Record], change: Change) -> list[tuple[str, str]]:
    """Return what is wrong with a run whose rows say something else, under a chain that holds: (type, what)."""
    rows = [(record.type, dict(record.body)) for record in records]
    hashes = [record.hash for record in records]
    kept = {id(body): old for (_, body), old in zip(rows, hashes, strict=True)}
    change(rows)  # type: ignore[arg-type] # types are text here
    journal, now = MemoryJournal(), dict[str, str]()
    for kind, body in rows:
        told = {key: now.get(str(value), value) for key, value in body.items()}
        stored = journal.append("run-1", kind, told, ts=TS)
        now[kept.get(id(body), "")] = stored.hash
    with journal.snapshot() as view:
        found = verify_run(view, "run-1").findings
    return [(str(item.type), item.what) for item in found if item.verdict == "mismatch"]


def _at(rows: list[tuple[str, dict[str, Any]]], kind: str) -> int:
    return next(index for index, (type_, _) in enumerate(rows) if type_ == kind)


def _drop(*kinds: str) -> Change:
    def change(rows: list[tuple[str, dict[str, Any]]]) -> None:
        rows[:] = [row for row in rows if row[0] not in kinds]

    return change


def _set(kind: str, **values: Any) -> Change:
    def change(rows: list[tuple[str, dict[str, Any]]]) -> None:
        rows[_at(rows, kind)][1].update(values)

    return change


def _rebound(**values: Any) -> Change:
    """Let the request, and all that follows from it, be for something else, its binding taken anew."""

    def change(rows: list[tuple[str, dict[str, Any]]]) -> None:
        asked = rows[_at(rows, "approval_requested")][1]
        asked.update(values)
        digests = {name: asked[name] for name in ("cwd", "contract_digest", "frame_digest")}
        binding = call_binding(call_of_body(asked), **digests)
        for kind, body in rows:
            if kind.startswith("approval_"):
                body["binding"] = binding

    return change


def _after_the_call(rows: list[tuple[str, dict[str, Any]]]) -> None:
    used = rows.pop(_at(rows, "approval_consumed"))
    rows.insert(_at(rows, "tool_about_to_run") + 1, used)


def _again(rows: list[tuple[str, dict[str, Any]]]) -> None:
    graded = [row for row in rows if row[0] == "decision" and row[1]["position"] == "before-call"][-1]
    about, result = rows[_at(rows, "tool_about_to_run")], rows[_at(rows, "tool_result")]
    rows[_at(rows, "run_ended") : _at(rows, "run_ended")] = [graded, about, result]


def _twice(rows: list[tuple[str, dict[str, Any]]]) -> None:
    used = rows[_at(rows, "approval_consumed")]
    rows.insert(_at(rows, "tool_result") + 1, used)


NEEDED = "`write_file` needed an approval"


@pytest.mark.parametrize(
    ("change", "found"),
    [
        pytest.param(lambda rows: None, [], id="as-it-was"),
        pytest.param(
            _drop("approval_consumed"),
            [("tool_about_to_run", f"{NEEDED}, and none was used before it")],
            id="nothing-was-used",
        ),
        pytest.param(
            _drop("approval_requested", "approval_answered", "approval_consumed"),
            [("tool_about_to_run", f"{NEEDED}, and none was used before it")],
            id="nobody-was-asked",
        ),
        pytest.param(
            _after_the_call,
            [("tool_about_to_run", f"{NEEDED}, and none was used before it")],
            id="used-after-the-call",
        ),
        pytest.param(
            _rebound(arguments={"path": "b.txt", "content": "hello"}),
            [("tool_about_to_run", f"{NEEDED}, and the one that was used before it is for other arguments")],
            id="for-other-arguments",
        ),
        pytest.param(
            _rebound(tool="move_file"),
            [("tool_about_to_run", f"{NEEDED}, and the one that was used before it is for `move_file`")],
            id="for-another-tool",
        ),
        pytest.param(
            _rebound(step=7),
            [("tool_about_to_run", f"{NEEDED}, and the one that was used before it is for step 7")],
            id="for-another-step",
        ),
        pytest.param(
            _rebound(contract_digest="d" * 64),
            [("tool_about_to_run", f"{NEEDED}, and the one that was used before it is for another contract")],
            id="under-another-contract",
        ),
        pytest.param(
            _rebound(frame_digest="e" * 16),
            [
                (
                    "tool_about_to_run",
                    f"{NEEDED}, and the one that was used before it is for a call that was graded on another frame",
                )
            ],
            id="graded-on-another-frame",
        ),
        pytest.param(
            _set("tool_about_to_run", approved_by="Eve"),
            [("tool_about_to_run", "`approved_by`: is `Eve`, and the approval was given by `Ann`")],
            id="let-through-by-another",
        ),
        pytest.param(
            _set("approval_answered", approved=False),
            [
                ("approval_consumed", "an approval was used that was not given, or was used before"),
                ("tool_about_to_run", f"{NEEDED}, and none was used before it"),
            ],
            id="it-was-denied",
        ),
        pytest.param(
            _again,
            [("tool_about_to_run", f"{NEEDED}, and none was used before it")],
            id="the-same-call-again",
        ),
        pytest.param(
            _twice,
            [("approval_consumed", "an approval was used that was not given, or was used before")],
            id="used-twice",
        ),
    ],
)
def test_a_call_that_needed_a_person_had_an_approval_of_exactly_that_call(
    records: Sequence[Record], change: Change, found: list[tuple[str, str]]
) -> None:
    assert _rewritten(records, change) == found


def test_a_call_that_was_made_again_after_a_crash_needs_no_second_approval(records: Sequence[Record]) -> None:
    def change(rows: list[tuple[str, dict[str, Any]]]) -> None:
        rows.insert(_at(rows, "tool_result"), rows[_at(rows, "tool_about_to_run")])

    assert _rewritten(records, change) == []


def test_a_call_that_nobody_gated_needs_none(records: Sequence[Record]) -> None:
    def change(rows: list[tuple[str, dict[str, Any]]]) -> None:
        _drop("approval_requested", "approval_answered", "approval_consumed", "decision")(rows)
        _set("tool_about_to_run", approved_by=None)(rows)

    assert _rewritten(records, change) == []


def test_a_call_that_says_that_a_person_let_it_through_needs_one_all_the_same(records: Sequence[Record]) -> None:
    change = _drop("approval_requested", "approval_answered", "approval_consumed", "decision")
    assert _rewritten(records, change) == [("tool_about_to_run", f"{NEEDED}, and none was used before it")]


def test_what_was_taken_out_of_a_request_is_no_mismatch(write_run: WriteRun) -> None:
    journal = MemoryJournal()
    write_run(journal, "run-1")
    head = journal.head("run-1")
    assert head is not None
    taken = redact(list(journal.records("run-1")), cell="cwd", by="Ann")
    journal.redact("run-1", taken.texts, taken.body, ts=TS, expected=head)
    with journal.snapshot() as view:
        assert verify_run(view, "run-1").counts["mismatch"] == 0


def test_a_second_decision_before_the_call_takes_nothing_back(records: Sequence[Record]) -> None:
    def change(rows: list[tuple[str, dict[str, Any]]]) -> None:
        gates = [row for row in rows if row[0] == "decision" and row[1]["position"] == "before-call"]
        auto = next(body for _, body in gates if body["action"] == "auto_audit")
        rows.insert(_at(rows, "approval_requested"), ("decision", {**auto, "decision": "another_gate"}))
        _drop("approval_requested", "approval_answered", "approval_consumed")(rows)
        _set("tool_about_to_run", approved_by=None)(rows)

    wrong = [item for item in _rewritten(records, change) if item[0] == "tool_about_to_run"]
    assert wrong == [("tool_about_to_run", f"{NEEDED}, and none was used before it")]
