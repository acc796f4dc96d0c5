"""A run from task to answer: what is asked, in which order, on which frame, and what is on record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from interlock.contract.compile import compile_contract
from interlock.contract.compiled import Contract
from interlock.errors import HostError, JournalError
from interlock.journal.records import Record
from interlock.journal.store_memory import MemoryJournal
from interlock.loop.capabilities import REFERENCE
from interlock.loop.reference import NODES, reference_host, shipped_contract, shipped_text
from interlock.loop.result import RunResult, result_json
from interlock.loop.run import arun, run
from interlock.loop.scripted import ScriptedWriter
from interlock.pipeline.gating import Gating
from interlock.pipeline.plan import PlanName
from interlock.testing import ScriptedJudge
from interlock.tools.callables import tool_from_function

Judges = Callable[..., ScriptedJudge]


def shipped_contract_with(overrides: Mapping[str, float]) -> Contract:
    return compile_contract(shipped_text(), REFERENCE, overrides=overrides)


WRITE = {"path": "c.ts", "content": "export const c = 1\n"}


def _decisions(result: RunResult) -> list[tuple[str, str]]:
    """Return the decisions that acted, in order."""
    return [
        (str(body["decision"]), str(body["action"]))
        for body in _bodies(result, "decision")
        if not body["plan"]["discarded"]
    ]


def _bodies(result: RunResult, kind: str) -> list[Mapping[str, Any]]:
    return [record.body for record in result.records if record.type == kind]


def _frames(judge: ScriptedJudge, decision: str) -> list[dict[str, Any]]:
    """Return the frames of one decision, untrusted fields beside the others."""
    found = []
    for seen in judge.seen:
        if any(name.partition(".")[0] == decision for name in seen.questions):
            assert isinstance(seen.frame_state, Mapping)
            flat: dict[str, Any] = dict(seen.frame_state)
            flat.update(flat.pop("untrusted_tool_output", {}))
            found.append(flat)
    return found


def test_a_run_asks_the_seven_decisions_in_order_and_delivers(project: Path, judge: Judges) -> None:
    result = run("what does a.ts export?", judge=judge(), writer=ScriptedWriter(["totalOf"]), cwd=project)
    assert _decisions(result) == [
        ("needs_tool", "use_tool"),
        ("pick_tool", "call"),
        ("grade_risk", "auto"),
        ("step_ok", "continue"),
        ("is_done", "keep_going"),
        ("needs_tool", "use_tool"),
        ("pick_tool", "call"),
        ("pick_input", "use"),
        ("grade_risk", "auto"),
        ("step_ok", "continue"),
        ("is_done", "finish"),
        ("can_deliver", "deliver"),
    ]
    assert (result.halt, result.delivered, result.answer) == ("task_done", True, "totalOf")
    assert [(step.tool, step.input) for step in result.steps] == [("list_dir", "."), ("read_file", "a.ts")]


def test_risk_is_graded_on_the_tool_and_the_exact_input_of_the_call_about_to_run(project: Path, judge: Judges) -> None:
    judged = judge(
        pick_tool=["list_dir", "read_file", "write_file"], grade_risk__risk=[0.0, 0.0, 1.0], is_done=[0.1, 0.1, 0.9]
    )
    result = run("copy it", judge=judged, writer=ScriptedWriter(["done"], [WRITE]), cwd=project, can_write=True)
    frames = _frames(judged, "grade_risk")
    assert [(frame["tool"], frame["target"]) for frame in frames] == [
        ("list_dir", "."),
        ("read_file", "a.ts"),
        ("write_file", "c.ts\nexport const c = 1\n"),
    ]
    assert [(step.tool, step.input) for step in result.steps] == [(frame["tool"], frame["target"]) for frame in frames]
    assert (project / "c.ts").read_text(encoding="utf-8") == WRITE["content"]


def test_an_audited_write_leaves_one_audit_row_before_the_call(project: Path, judge: Judges) -> None:
    judged = judge(pick_tool=["write_file"], grade_risk__risk=1.0, is_done=0.9)
    result = run("write it", judge=judged, writer=ScriptedWriter(["done"], [WRITE]), cwd=project, can_write=True)
    assert _bodies(result, "audit") == [
        {"step": 1, "tool": "write_file", "target": "c.ts", "rule": "score:risk >= 1 → auto_audit", "value": 1.0}
    ]
    order = [record.type for record in result.records]
    assert order.index("audit") < order.index("tool_about_to_run") < order.index("tool_result")


def test_the_same_write_without_audit_leaves_none(project: Path, judge: Judges) -> None:
    contract = shipped_contract_with({"grade_risk.risk[0]": 3, "grade_risk.risk[1]": 2.5})
    judged = judge(pick_tool=["write_file"], grade_risk__risk=1.0, is_done=0.9)
    writer = ScriptedWriter(["done"], [WRITE])
    result = run("write it", judge=judged, writer=writer, cwd=project, can_write=True, contract=contract)
    assert ("grade_risk", "auto") in _decisions(result)
    assert (project / "c.ts").exists()
    assert _bodies(result, "audit") == []


def test_a_raised_risk_gate_still_asks_when_authorisation_is_needed(project: Path, judge: Judges) -> None:
    contract = shipped_contract_with({"grade_risk.risk[0]": 3})
    judged = judge(pick_tool=["move_file"], grade_risk__risk=2.0, grade_risk__needs_auth=0.5)
    writer = ScriptedWriter(["not done"], [{"source": "a.ts", "target": "z.ts"}])
    result = run(
        "move a.ts", judge=judged, writer=writer, cwd=project, can_write=True, can_delete=True, contract=contract
    )
    asked = next(record.body for record in result.records if record.body.get("decision") == "grade_risk")
    assert asked["action"] == "ask_human"
    assert asked["outcome"]["rule_text"] == "prob:needs_auth >= 0.5 → ask_human"  # type: ignore[index,call-overload]
    assert result.halt == "denied"
    assert (project / "a.ts").exists()


def test_every_event_is_heard_and_a_listener_that_raises_changes_nothing(project: Path, judge: Judges) -> None:
    heard: list[str] = []

    def listen(record: Record) -> None:
        heard.append(record.type)
        raise ValueError("listener")

    result = run("what?", judge=judge(), writer=ScriptedWriter(["totalOf"]), cwd=project, on_event=listen)
    assert heard == [record.type for record in result.records]
    assert (heard[0], heard[-1]) == ("run_started", "run_ended")
    assert result.delivered


def test_what_was_run_can_be_told_from_its_first_and_last_record(project: Path, judge: Judges) -> None:
    journal = MemoryJournal()
    writer = ScriptedWriter(["totalOf"])
    result = run("what?", judge=judge(), writer=writer, cwd=project, journal=journal, record_state=True)
    stored = list(journal.records(result.run_id))
    assert tuple(stored) == result.records
    head = journal.head(result.run_id)
    assert head is not None
    assert head.hash == result.head
    assert stored[0].body["task"] == "what?"
    assert stored[0].body["version"] == version("interlock")
    assert "## needs_tool" in str(stored[0].body["contract_text"])
    assert stored[-1].body["answer"] == "totalOf"
    assert all("cells" in record.body for record in stored if record.type == "decision")


@pytest.mark.parametrize(
    ("plan", "counted"),
    [
        pytest.param("sequential", (15, 12, 12, 0), id="sequential"),
        pytest.param("fused", (15, 10, 10, 0), id="fused"),
        pytest.param("next", (17, 11, 6, 2), id="next"),
        pytest.param("full", (21, 13, 4, 4), id="full"),
    ],
)
def test_the_account_counts_decisions_questions_and_requests(
    project: Path, judge: Judges, plan: PlanName, counted: tuple[int, int, int, int]
) -> None:
    result = run("what?", judge=judge(), writer=ScriptedWriter(["totalOf"]), cwd=project, plan=plan)
    account = result_json(result)["accounting"]
    assert isinstance(account, Mapping)
    questions, requests, waves, discarded = counted
    assert {**account, "wall_s": 0} == {
        "decisions": 12,
        "questions": questions,
        "requests": requests,
        "waves": waves,
        "discarded": discarded,
        "cancelled": 0,
        "writer_calls": 1,
        "tokens": "unknown",
        "cached_tokens": None,
        "wall_s": 0,
    }


def test_an_earlier_turn_is_shown_newest_first(project: Path, judge: Judges) -> None:
    journal = MemoryJournal()
    writer = ScriptedWriter(["totalOf"])
    first = run("read a.ts", judge=judge(), writer=writer, cwd=project, journal=journal)
    second = run("and b.ts", judge=judge(), writer=writer, cwd=project, journal=journal, after=first.run_id)
    third = judge()
    run("read it again", judge=third, writer=writer, cwd=project, journal=journal, after=second.run_id)
    assert _frames(third, "needs_tool")[0]["earlier"] == "and b.ts\nread a.ts"
    assert writer.requests[-1].earlier == "and b.ts\nread a.ts"


def test_an_earlier_turn_that_does_not_exist_is_refused(project: Path, judge: Judges) -> None:
    with pytest.raises(JournalError, match="no run `nowhere`"):
        run("again", judge=judge(), writer=ScriptedWriter(["x"]), cwd=project, after="nowhere")


def test_a_revision_is_written_once_with_the_reason(project: Path, judge: Judges) -> None:
    writer = ScriptedWriter(["invented", "totalOf"])
    judged = judge(can_deliver__unsupported=[0.9, 0.1])
    result = run("what?", judge=judged, writer=writer, cwd=project)
    assert (result.delivered, result.answer, result.halt) == (True, "totalOf", "task_done")
    assert writer.requests[1].revision_of == "invented"
    assert "prob:unsupported >= 0.5" in (writer.requests[1].reason or "")


def test_a_draft_refused_twice_is_not_delivered(project: Path, judge: Judges) -> None:
    result = run("what?", judge=judge(can_deliver__unsupported=0.9), writer=ScriptedWriter(["invented"]), cwd=project)
    assert (result.delivered, result.answer, result.draft) == (False, None, "invented")
    assert result.halt == "task_done+revise"
    assert result.accounting.writer_calls == 2


def test_the_writer_is_given_the_generator_the_evidence_and_the_halt(project: Path, judge: Judges) -> None:
    writer = ScriptedWriter(["totalOf"])
    run("what?", judge=judge(), writer=writer, cwd=project)
    request = writer.requests[0]
    assert request.system == shipped_contract().generator
    assert [piece.tool for piece in request.evidence] == ["list_dir", "read_file"]
    assert request.halt == "task_done"


def test_a_decision_in_shadow_acts_as_its_safe_default_and_records_what_it_would_have_done(
    project: Path, judge: Judges
) -> None:
    gating = Gating(modes={"grade_risk": "shadow"})
    result = run("what?", judge=judge(), writer=ScriptedWriter(["x"]), cwd=project, gating=gating)
    graded = next(record.body for record in result.records if record.body.get("decision") == "grade_risk")
    assert (graded["action"], graded["would_be"]) == ("ask_human", "auto")
    assert result.halt == "denied"


def test_the_callers_own_function_joins_as_a_tool_with_its_risk(project: Path, judge: Judges) -> None:
    opened: list[str] = []

    def open_ticket(title: str) -> str:
        """A ticket is wanted and none has been opened."""
        opened.append(title)
        return f"ticket 7: {title}"

    tool = tool_from_function(open_ticket, base_risk=1, leaves_root=True, network=True)
    judged = judge(pick_tool=["open_ticket"], grade_risk__risk=1.0, is_done=0.9)
    writer = ScriptedWriter(["opened"], [{"title": "broken"}])
    host = reference_host(project, tools=[tool])
    result = run("open a ticket", judge=judged, writer=writer, host=host, cwd=project)
    assert opened == ["broken"]
    assert result.steps[0].input == '{"title":"broken"}'
    assert _frames(judged, "grade_risk")[0]["base_risk"] == 1


def test_a_tool_of_unknown_risk_asks(project: Path, judge: Judges) -> None:
    def launch() -> str:
        """It is time."""
        raise AssertionError

    host = reference_host(project, tools=[tool_from_function(launch, base_risk=None)])
    judged = judge(pick_tool=["launch"])
    result = run("launch", judge=judged, writer=ScriptedWriter(["no"]), host=host, cwd=project)
    assert _decisions(result)[2] == ("grade_risk", "ask_human")
    assert "base_risk" not in _frames(judged, "grade_risk")[0]
    assert result.halt == "denied"


def test_two_tools_of_one_name_are_refused(project: Path) -> None:
    def read_file() -> str:
        """Never."""
        return ""

    with pytest.raises(HostError, match="more than one `read_file`"):
        reference_host(project, tools=[tool_from_function(read_file, base_risk=0)])


@pytest.mark.anyio
async def test_the_plain_door_names_the_asynchronous_one_inside_a_loop(project: Path, judge: Judges) -> None:
    with pytest.raises(HostError, match="await arun"):
        run("what?", judge=judge(), writer=ScriptedWriter(["x"]), cwd=project)
    result = await arun("what?", judge=judge(), writer=ScriptedWriter(["totalOf"]), cwd=project)
    assert result.delivered


def test_the_loop_asks_each_decision_at_its_position() -> None:
    decisions = shipped_contract().decisions
    assert {name: decisions[name].position for name in NODES} == dict(NODES)
