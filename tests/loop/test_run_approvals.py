"""Asking a person before a call: exactly that call runs, once, or it does not run at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interlock.loop.approval import ApprovalAnswer, ApprovalRequest
from interlock.loop.result import RunResult
from interlock.loop.run import run
from interlock.loop.scripted import ScriptedWriter
from interlock.testing import ScriptedJudge

Judges = Callable[..., ScriptedJudge]


def _types(result: RunResult) -> list[str]:
    return [record.type for record in result.records]


def _deleting(judge: Judges) -> ScriptedJudge:
    return judge(pick_tool="delete_file", grade_risk__risk=3.0, is_done=0.9)


def _delete(project: Path, judge: Judges, ask: Any) -> RunResult:
    writer = ScriptedWriter(["done"], [{"path": "a.ts"}])
    return run("delete a.ts", judge=_deleting(judge), writer=writer, cwd=project, can_delete=True, ask=ask)


def test_an_approved_call_runs_once_and_the_journal_says_who_let_it(project: Path, judge: Judges) -> None:
    asked: list[ApprovalRequest] = []

    async def approve(request: ApprovalRequest) -> ApprovalAnswer:
        asked.append(request)
        return ApprovalAnswer(approved=True, by="ada", note="fine")

    result = _delete(project, judge, approve)
    assert not (project / "a.ts").exists()
    assert [(request.tool, request.arguments, request.base_risk) for request in asked] == [
        ("delete_file", {"path": "a.ts"}, 3)
    ]
    about = next(record.body for record in result.records if record.type == "tool_about_to_run")
    answered = next(record.body for record in result.records if record.type == "approval_answered")
    assert (about["approved_by"], answered["by"], answered["note"]) == ("ada", "ada", "fine")
    assert answered["binding"] == asked[0].binding


@pytest.mark.parametrize(
    ("risk", "said"),
    [
        pytest.param(0.0, "(risk 0, at least 3 by the host; needs_auth 0.1)", id="the-host-decides"),
        pytest.param(3.0, "(risk 3; needs_auth 0.1)", id="the-judge-says-as-much"),
    ],
)
def test_the_reason_says_what_the_host_knows_of_the_risk(project: Path, judge: Judges, risk: float, said: str) -> None:
    """A judge that calls it harmless moves no rule; a person would else read a rule that its own number refutes."""
    asked: list[str | None] = []

    async def read(request: ApprovalRequest) -> ApprovalAnswer:
        asked.append(request.reason)
        return ApprovalAnswer(approved=False, by="ada")

    script = judge(pick_tool="delete_file", grade_risk__risk=risk, grade_risk__needs_auth=0.1)
    writer = ScriptedWriter(["done"], [{"path": "a.ts"}])
    run("delete a.ts", judge=script, writer=writer, cwd=project, can_delete=True, ask=read)

    assert asked == [f"score:risk >= 2 → ask_human {said}"]


def test_a_refused_call_does_not_run(project: Path, judge: Judges) -> None:
    async def refuse(request: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer(approved=False, by="ada")

    async def nobody(request: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer(approved=True, by=None)

    async def fail(request: ApprovalRequest) -> ApprovalAnswer:
        raise ConnectionError(request.run_id)

    for ask in (None, refuse, nobody, fail):
        result = _delete(project, judge, ask)
        assert result.halt.partition("+")[0] == "denied"
        assert (project / "a.ts").exists()
        assert result.steps == ()


def test_a_call_that_cannot_work_is_not_asked_about(project: Path, judge: Judges) -> None:
    async def never(request: ApprovalRequest) -> ApprovalAnswer:
        raise AssertionError

    writer = ScriptedWriter(["no"], [{"path": "nowhere.ts"}])
    result = run("delete it", judge=_deleting(judge), writer=writer, cwd=project, can_delete=True, ask=never)
    assert (result.steps[0].result or "").startswith("[TOOL_ERROR] not-found")
    assert "approval_requested" not in _types(result)
