"""Habits that open gates, or keep them shut for good, where approvals are kept otherwise; none of them does here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from interlock.contract import check_contract
from interlock.errors import JournalError, ToolError
from interlock.journal import MemoryJournal, Record, approvals_of, approve, open_approvals
from interlock.journal.base import Store
from interlock.journal.export import jsonl
from interlock.journal.jsonl_read import read_runs
from interlock.journal.restore import restore_run
from interlock.loop.approval import ApprovalAnswer, ApprovalRequest
from interlock.loop.capabilities import REFERENCE
from interlock.loop.reference import reference_host, shipped_text
from interlock.loop.result import RunResult
from interlock.loop.resume import resume
from interlock.loop.run import run
from interlock.loop.scripted import ScriptedWriter
from interlock.pipeline.plan import PLANS, PlanName
from interlock.questions import Content, Question
from interlock.testing import Scripted, ScriptedJudge
from interlock.tools.callables import tool_from_function

DELETE = {"path": "a.ts"}


def _script(state: Content, id_: str, question: Question) -> Scripted:
    answers: dict[str, Scripted] = {
        "needs_tool": 0.9,
        "pick_tool": "delete_file",
        "risk": 3.0,
        "needs_auth": 0.9,
        "step_ok": 0.9,
        "is_done": 0.9,
        "deliverable": 0.9,
        "unsupported": 0.1,
    }
    return answers[id_.rpartition(".")[2]]


def _reads(state: Content, id_: str, question: Question) -> Scripted:
    known: dict[str, Scripted] = {"pick_tool": "list_dir", "risk": 0.0, "needs_auth": 0.1}
    last = id_.rpartition(".")[2]
    return known[last] if last in known else _script(state, id_, question)


def _options(**changes: Any) -> dict[str, Any]:
    return {"judge": ScriptedJudge(_script), "writer": ScriptedWriter(["gone"] * 3, [DELETE] * 3), **changes}


def _run(project: Path, **changes: Any) -> RunResult:
    return run("delete a.ts", cwd=project, can_delete=True, **_options(**changes))


def _lines(records: Sequence[Record]) -> list[str]:
    return list(jsonl(records))


def _taken_in(lines: Sequence[str]) -> Store:
    journal = MemoryJournal()
    for exported in read_runs(enumerate(lines, 1), name="lines"):
        restore_run(journal, exported, unfinished=True)
    return journal


def test_a_run_that_waits_can_be_moved_answered_and_resumed_elsewhere(project: Path, any_store: Store) -> None:
    """Ids, bindings and the judgement survive the way out and in."""
    parked = _run(project, park=True, journal=any_store)
    moved = _taken_in(_lines(list(any_store.records(parked.run_id))))
    with any_store.snapshot() as here, moved.snapshot() as there:
        assert approvals_of(here, parked.run_id) == approvals_of(there, parked.run_id)
    assert parked.waits_for is not None
    approve(moved, parked.waits_for, by="ada")
    ended = resume(parked.run_id, journal=moved, **_options())
    assert (ended.delivered, (project / "a.ts").exists()) == (True, False)


def test_an_approval_that_was_written_into_exported_lines_is_refused(project: Path) -> None:
    journal = MemoryJournal()
    parked = _run(project, park=True, journal=journal)
    lines = _lines(list(journal.records(parked.run_id)))
    asked = json.loads(lines[-1])
    answer = {
        "request": asked["hash"],
        "binding": asked["body"]["binding"],
        "approved": True,
        "by": "mallory",
        "note": None,
        "saw": None,
    }
    forged = {**asked, "seq": asked["seq"] + 1, "type": "approval_answered", "body": answer, "prev_hash": asked["hash"]}
    with pytest.raises(JournalError, match=r"was changed: its hash is not that of its content; it was not imported"):
        _taken_in([*lines, json.dumps(forged, ensure_ascii=False, separators=(",", ":"))])


def test_a_yes_that_was_given_elsewhere_is_not_brought_in_until_the_run_has_ended(project: Path) -> None:
    """Its chain holds: whoever writes lines can write a yes, and a call that was begun, into a chain of their own."""
    journal = MemoryJournal()
    parked = _run(project, park=True, journal=journal)
    assert parked.waits_for is not None
    approve(journal, parked.waits_for, by="mallory")
    answered = _lines(list(journal.records(parked.run_id)))
    with pytest.raises(JournalError, match="brings a yes that was given elsewhere, to a call that is still to be made"):
        _taken_in(answered)
    assert resume(parked.run_id, journal=journal, **_options()).delivered
    ended = _lines(list(journal.records(parked.run_id)))
    begun = next(at for at, line in enumerate(ended) if '"type":"tool_about_to_run"' in line)
    with pytest.raises(JournalError, match="brings a yes that was given elsewhere"):
        _taken_in(ended[: begun + 1])

    assert _taken_in(ended).head(parked.run_id) is not None
    assert _taken_in(ended[: begun + 2]).head(parked.run_id) is not None


def test_a_run_that_could_go_on_is_not_taken_in_unasked(project: Path) -> None:
    """Its contract, its thresholds and what was decided are those of whoever wrote the lines."""
    journal = MemoryJournal()
    parked = _run(project, park=True, journal=journal)
    (exported,) = read_runs(enumerate(_lines(list(journal.records(parked.run_id))), 1), name="lines")
    with pytest.raises(JournalError, match="has not ended, and could go on here as whoever wrote it wants"):
        restore_run(MemoryJournal(), exported)


def test_a_call_that_was_begun_elsewhere_is_not_made_again_here(project: Path) -> None:
    journal = MemoryJournal()
    done = run("read a.ts", cwd=project, journal=journal, judge=ScriptedJudge(_reads), writer=ScriptedWriter(["read"]))
    lines = _lines(list(journal.records(done.run_id)))
    begun = next(at for at, line in enumerate(lines) if '"type":"tool_about_to_run"' in line)
    with pytest.raises(JournalError, match="was cut off in the middle of a call, which would be made again here"):
        _taken_in(lines[: begun + 1])


@pytest.mark.parametrize("plan", PLANS)
def test_a_gated_call_is_neither_skipped_nor_made_whatever_is_asked_beside_it(project: Path, plan: PlanName) -> None:
    journal = MemoryJournal()
    parked = _run(project, park=True, journal=journal, plan=plan)
    assert (parked.halt, (project / "a.ts").exists()) == ("parked", True)
    with journal.snapshot() as view:
        (waiting,) = open_approvals(view)
    approve(journal, waiting.id, by="ada")
    ended = resume(parked.run_id, journal=journal, **_options())
    assert [step.tool for step in ended.steps] == ["delete_file"]
    assert not (project / "a.ts").exists()


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(None, id="nothing"),
        pytest.param(True, id="a-bare-yes"),
        pytest.param({"approved": True, "by": "ada"}, id="a-table"),
        pytest.param(ApprovalAnswer(approved=cast("bool", "no"), by="ada"), id="text"),
        pytest.param(ApprovalAnswer(approved=cast("bool", 1), by="ada"), id="a-number"),
        pytest.param(ApprovalAnswer(approved=True, by=" "), id="by-nobody"),
        pytest.param(ApprovalAnswer(approved=True, by=cast("str", 7)), id="by-a-number"),
        pytest.param(ApprovalAnswer(approved=True, by=None), id="by-none"),
    ],
)
def test_whatever_is_no_plain_yes_of_somebody_approves_nothing(project: Path, given: object) -> None:
    async def ask(request: ApprovalRequest) -> Any:
        return given

    ended = _run(project, ask=ask)
    assert ended.halt.startswith("denied")
    assert (project / "a.ts").exists()
    answered = [record.body for record in ended.records if record.type == "approval_answered"]
    assert [body["approved"] for body in answered] == [False]
    assert str(answered[0]["by"]).startswith("default, nobody could be asked: ")


def test_a_misspelt_gate_is_refused_and_never_left_out() -> None:
    lines = shipped_text().split("\n")
    gates = [number for number, line in enumerate(lines) if "→ ask_human" in line]
    assert gates
    for number in gates:
        spoilt = [*lines[:number], lines[number].replace("ask_human", "ask_humn"), *lines[number + 1 :]]
        found = check_contract("\n".join(spoilt), REFERENCE)
        assert (found.verdict, found.contract) == ("error", None)
        assert any(item.code == "unknown-action" and item.span.line == number + 1 for item in found.diagnostics)


def test_a_call_that_is_made_again_is_asked_about_again(project: Path) -> None:
    asked: list[str] = []
    paid: list[int] = []

    def pay(amount: int) -> str:
        """Money is to be paid."""
        paid.append(amount)
        if len(paid) == 1:
            raise ToolError("busy", "try again")
        return f"paid {amount}"

    async def ask(request: ApprovalRequest) -> ApprovalAnswer:
        asked.append(request.id)
        return ApprovalAnswer(approved=True, by="ada")

    def twice(state: Content, id_: str, question: Question) -> Scripted:
        changed: dict[str, Scripted] = {"pick_tool": "pay", "is_done": 0.9 if len(paid) > 1 else 0.1}
        return changed.get(id_.rpartition(".")[2], _script(state, id_, question))

    host = reference_host(project, tools=[tool_from_function(pay, base_risk=3)])
    writer = ScriptedWriter(["paid"] * 3, [{"amount": 7}] * 3)
    ended = _run(project, ask=ask, judge=ScriptedJudge(twice), writer=writer, host=host)
    assert (paid, len(set(asked))) == ([7, 7], 2)
    used = [record.body["request"] for record in ended.records if record.type == "approval_consumed"]
    assert used == asked


def test_a_run_that_was_answered_elsewhere_says_that_it_is_to_be_resumed(project: Path) -> None:
    journal = MemoryJournal()
    parked = _run(project, park=True, journal=journal)
    assert parked.waits_for is not None
    approve(journal, parked.waits_for, by="ada")
    with journal.snapshot() as view:
        (answered,) = open_approvals(view)
    assert answered.answer is not None
    assert (answered.used, (project / "a.ts").exists()) == (None, True)
    heard: list[str] = []
    resume(parked.run_id, journal=journal, on_event=lambda record: heard.append(record.type), **_options())
    assert heard[:3] == ["approval_consumed", "tool_about_to_run", "tool_result"]
