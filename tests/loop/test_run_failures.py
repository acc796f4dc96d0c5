"""What fails at the edges of a run: nothing is approved by it, nothing done is lost, and the halt says it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

import anyio
import pytest

from interlock.errors import HostError, JournalError, ToolError
from interlock.journal.chain import Head
from interlock.journal.records import Body, EventType, Record
from interlock.journal.store_memory import MemoryJournal
from interlock.judge.base import Caps, Failure, JudgeReply, QuestionId
from interlock.loop.reference import reference_host
from interlock.loop.result import RunResult
from interlock.loop.run import run
from interlock.loop.scripted import ScriptedWriter
from interlock.loop.writer import Draft, WriteRequest
from interlock.questions import Choice, Content, Noul, Question, Score
from interlock.testing import Scripted, ScriptedJudge
from interlock.tools.callables import tool_from_function

Judges = Callable[..., ScriptedJudge]
WRITE = {"path": "c.ts", "content": "export const c = 1\n"}
APPROVING = {"continue", "finish", "deliver", "call", "auto", "auto_audit"}


def _actions(result: RunResult) -> set[str]:
    return {str(record.body["action"]) for record in result.records if record.type == "decision"}


def _types(result: RunResult) -> list[str]:
    return [record.type for record in result.records]


def _flat(state: Content, name: QuestionId, question: Question) -> Scripted:
    match question:
        case Noul():
            return 0.5
        case Choice():
            return {label: 1 / len(question.criteria) for label in question.criteria}
        case Score():
            return {str(level): 1 / len(question.criteria) for level in range(len(question.criteria))}


def test_a_judge_that_knows_nothing_approves_nothing(project: Path) -> None:
    writer = ScriptedWriter(["something"])
    result = run("what?", judge=ScriptedJudge(_flat), writer=writer, cwd=project, can_write=True, can_delete=True)
    assert not _actions(result) & APPROVING
    assert not result.delivered
    assert "tool_about_to_run" not in _types(result)


@pytest.mark.parametrize("node", ["pick_tool", "grade_risk", "step_ok", "is_done", "can_deliver"])
def test_a_judge_that_knows_nothing_of_one_decision_lets_nothing_through_there(project: Path, node: str) -> None:
    sure: dict[str, Scripted] = {
        "needs_tool": 0.9,
        "pick_tool": "read_file",
        "pick_input": "a.ts",
        "grade_risk.risk": 0.0,
        "grade_risk.needs_auth": 0.1,
        "step_ok": 0.9,
        "is_done": 0.9,
        "can_deliver.deliverable": 0.9,
        "can_deliver.unsupported": 0.1,
    }
    listed: list[str] = []

    def answer(state: Content, name: QuestionId, question: Question) -> Scripted:
        if name.partition(".")[0] == node:
            return _flat(state, name, question)
        if name == "pick_tool" and not listed:
            listed.append("list_dir")
            return "list_dir"
        return sure[name]

    result = run("what?", judge=ScriptedJudge(answer), writer=ScriptedWriter(["x"]), cwd=project)
    at_node = {
        str(record.body["action"])
        for record in result.records
        if record.type == "decision" and record.body["decision"] == node
    }
    assert at_node
    assert not at_node & APPROVING


@pytest.mark.parametrize("reason", ["connect", "timeout", "busy", "server", "auth", "not-json", "deadline"])
def test_a_judge_that_fails_ends_the_loop_and_delivers_nothing(project: Path, reason: str) -> None:
    judge = ScriptedJudge([Failure(reason=reason)] * 9)
    result = run("what?", judge=judge, writer=ScriptedWriter(["nothing is known"]), cwd=project)
    assert result.halt == "judge_down+escalate"
    assert (result.delivered, result.failed) == (False, False)
    assert not _actions(result) & APPROVING


def test_a_judge_that_fails_before_a_call_asks_a_person(project: Path) -> None:
    script: list[Mapping[str, Scripted] | Failure] = [{"needs_tool": 0.9}, {"pick_tool": "list_dir"}]
    judge = ScriptedJudge([*script, Failure(reason="timeout"), Failure(reason="timeout")])
    result = run("what?", judge=judge, writer=ScriptedWriter(["x"]), cwd=project, plan="sequential")
    assert result.halt == "denied+escalate"
    assert "approval_answered" in _types(result)
    assert "tool_about_to_run" not in _types(result)


class _Raising:
    id = "raising"
    caps = Caps()

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        raise ConnectionResetError


def test_a_judge_that_raises_has_failed(project: Path) -> None:
    result = run("what?", judge=_Raising(), writer=ScriptedWriter(["x"]), cwd=project)
    assert result.halt == "judge_down+escalate"


def test_a_tool_that_was_not_offered_is_never_looked_for_elsewhere(project: Path, judge: Judges) -> None:
    result = run("what?", judge=judge(pick_tool="rm_rf"), writer=ScriptedWriter(["x"]), cwd=project)
    assert result.halt.startswith("unknown_tool")
    assert result.steps == ()


class _Writer(ScriptedWriter):
    async def write(self, request: WriteRequest) -> Draft:
        raise RuntimeError(request.task)


@pytest.mark.parametrize(
    ("writer", "reason"),
    [
        pytest.param(_Writer([]), "it raised RuntimeError", id="raises"),
        pytest.param(ScriptedWriter([]), "the script holds no draft", id="says-that-it-failed"),
        pytest.param(ScriptedWriter([" \n"]), "empty answer", id="writes-nothing"),
    ],
)
def test_a_writer_that_fails_ends_the_run_with_its_reason(
    project: Path, judge: Judges, writer: ScriptedWriter, reason: str
) -> None:
    result = run("a secret task", judge=judge(), writer=writer, cwd=project)
    assert (result.halt, result.failed, result.answer) == ("writer_failed", True, None)
    assert reason in (result.reason or "")
    assert "secret" not in (result.reason or "")
    assert len(result.steps) == 2


def test_an_input_that_nobody_can_give_is_never_a_placeholder(project: Path, judge: Judges) -> None:
    result = run(
        "write", judge=judge(pick_tool="write_file"), writer=ScriptedWriter(["x"]), cwd=project, can_write=True
    )
    assert result.halt.startswith("input_unclear")
    assert sorted(path.name for path in project.iterdir()) == ["a.ts", "b.ts"]


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        pytest.param("raise", "exception", id="an-exception"),
        pytest.param("hang", "timeout", id="a-hang"),
        pytest.param("binary", "binary", id="binary-output"),
        pytest.param("cancel", "exception", id="cancels-itself"),
        pytest.param("exit", "exception", id="leaves-the-program"),
    ],
)
def test_a_tool_that_fails_is_a_step_that_failed(project: Path, judge: Judges, behaviour: str, kind: str) -> None:
    async def probe() -> str:
        """A probe is wanted."""
        if behaviour == "raise":
            raise ZeroDivisionError("inside")
        if behaviour == "hang":
            await anyio.sleep(60)
        if behaviour == "cancel":
            raise asyncio.CancelledError
        if behaviour == "exit":
            raise SystemExit(3)
        return "\0\1"

    host = reference_host(project, tools=[tool_from_function(probe, base_risk=0, timeout_s=0.05)])
    judged = judge(pick_tool="probe", step_ok=0.1)
    result = run("probe", judge=judged, writer=ScriptedWriter(["it failed"]), host=host, cwd=project)
    assert result.steps[0].result is not None
    assert result.steps[0].result.startswith(f"[TOOL_ERROR] {kind}: ")
    assert (result.halt, result.steps[0].failed) == ("step_failed", True)


def test_huge_output_is_cut_and_the_run_goes_on(project: Path, judge: Judges) -> None:
    def dump() -> str:
        """Everything is wanted."""
        return "x" * 1_000_000

    host = reference_host(project, tools=[tool_from_function(dump, base_risk=0)])
    writer = ScriptedWriter(["cut"])
    result = run("dump", judge=judge(pick_tool="dump", is_done=0.9), writer=writer, host=host, cwd=project)
    assert result.delivered
    assert len(result.steps[0].result or "") <= 200_000
    assert len(writer.requests[0].evidence[0].result) <= 60_000
    assert writer.requests[0].evidence[0].dropped_chars > 0


def test_the_same_failing_call_trips_the_breaker(project: Path, judge: Judges) -> None:
    def flaky() -> str:
        """It is wanted."""
        raise ToolError("busy", "try again")

    host = reference_host(project, tools=[tool_from_function(flaky, base_risk=0)])
    judged = judge(pick_tool="flaky", is_done=0.1)
    result = run("flaky", judge=judged, writer=ScriptedWriter(["no"]), host=host, cwd=project)
    assert result.halt == "breaker:same_failure"
    assert len(result.steps) == 2


class _FailingJournal(MemoryJournal):
    """Refuses the first record of one type, as a disk that is full does."""

    def __init__(self, kind: EventType) -> None:
        super().__init__()
        self._kind = kind

    def append(
        self, run_id: str, kind: EventType, body: Body, *, ts: str, durable: bool = False, expected: Head | None = None
    ) -> Record:
        if kind == self._kind:
            raise JournalError("journal: the disk is full")
        return super().append(run_id, kind, body, ts=ts, durable=durable, expected=expected)


@pytest.mark.parametrize("kind", ["run_started", "decision", "audit", "tool_about_to_run"])
def test_a_store_that_fails_before_an_effect_stops_the_run(project: Path, judge: Judges, kind: EventType) -> None:
    judged = judge(pick_tool="write_file", grade_risk__risk=1.0)
    journal = _FailingJournal(kind)
    with pytest.raises(JournalError, match="the disk is full"):
        run("w", judge=judged, writer=ScriptedWriter(["x"], [WRITE]), cwd=project, can_write=True, journal=journal)
    assert not (project / "c.ts").exists()


def test_a_host_without_tools_is_refused_before_anything_runs(project: Path, judge: Judges) -> None:
    from dataclasses import replace

    bare = replace(reference_host(project), tools={})
    with pytest.raises(HostError, match="it brings no tools"):
        run("what?", judge=judge(), writer=ScriptedWriter(["x"]), host=bare, cwd=project)
