"""A process may die after any record, and before any: what is resumed ends as what was never interrupted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from interlock.journal.store_memory import MemoryJournal
from interlock.journal.verify import verify_run
from interlock.judge.base import Judge
from interlock.judge.rules import RuleJudge
from interlock.loop.approval import ApprovalAnswer, ApprovalRequest
from interlock.loop.extractive import ExtractiveWriter
from interlock.loop.reference import reference_host
from interlock.loop.result import RunResult
from interlock.loop.resume import resume
from interlock.loop.run import run
from interlock.loop.scripted import ScriptedWriter
from interlock.loop.writer import Writer
from interlock.pipeline.host import Host
from interlock.questions import Content, Json, Question
from interlock.testing import Scripted, ScriptedJudge
from interlock.tools.callables import tool_from_function


class Task:
    """One task on a fresh directory, the same every time."""

    def __init__(self, at: Path) -> None:
        self.at = at
        self.asked: list[str] = []
        self.calls: list[str] = []

    def host(self) -> Host:
        return reference_host(self.at)

    def judge(self) -> Judge:
        return RuleJudge(self.host().tools)

    def writer(self) -> Writer:
        return ExtractiveWriter()

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked.append(request.input)
        return ApprovalAnswer(approved=True, by="ada")

    def options(self) -> dict[str, Any]:
        return {"judge": self.judge(), "writer": self.writer(), "host": self.host(), "ask": self.ask}

    def start(self, journal: MemoryJournal) -> RunResult:
        task = "Copy the function taxOf from b.ts into a new file c.ts"
        return run(task, cwd=self.at, can_write=True, can_delete=True, journal=journal, **self.options())

    def files(self) -> Mapping[str, bytes]:
        return {str(path.relative_to(self.at)): path.read_bytes() for path in self.at.rglob("*") if path.is_file()}


class Scripts(Task):
    """Two gated calls, one of them of a tool of its own, then an answer."""

    def host(self) -> Host:
        def notify(who: str) -> str:
            """Somebody is to be told."""
            self.calls.append(who)
            return f"told {who}"

        return reference_host(self.at, tools=[tool_from_function(notify, base_risk=2, idempotent=True)])

    def judge(self) -> Judge:
        return ScriptedJudge(_script)

    def writer(self) -> Writer:
        return _ByTool()


class _ByTool(ScriptedWriter):
    def __init__(self) -> None:
        super().__init__(["both done"] * 9)

    async def provide(self, tool: Any, request: Any) -> Any:
        arguments: Mapping[str, Json] = {"path": "a.ts"} if tool.name == "delete_file" else {"who": "ada"}
        return await ScriptedWriter(["x"], [arguments]).provide(tool, request)


def _script(state: Content, id_: str, question: Question) -> Scripted:
    assert isinstance(state, Mapping)
    done = str(state)
    answers: dict[str, Scripted] = {
        "needs_tool": 0.9,
        "pick_tool": "notify" if "delete_file" in done else "delete_file",
        "risk": 3.0,
        "needs_auth": 0.9,
        "step_ok": 0.9,
        "is_done": 0.9 if "notify" in done else 0.1,
        "deliverable": 0.9,
        "unsupported": 0.1,
    }
    return answers[id_.rpartition(".")[2]]


Fresh = Callable[[], Task]


@pytest.fixture
def fresh(tmp_path: Path, request: pytest.FixtureRequest) -> Fresh:
    count = iter(range(1000))

    def make() -> Task:
        at = tmp_path / str(next(count))
        at.mkdir()
        (at / "a.ts").write_text("export function totalOf() { return 1 }\n")
        (at / "b.ts").write_text("export function taxOf() { return 2 }\n")
        made: Task = request.param(at)
        return made

    return make


def _settled(task: Task, journal: MemoryJournal) -> RunResult:
    """Run, and resume as often as it dies."""
    with suppress(SystemExit):
        return task.start(journal)
    (run_id,) = journal.snapshot().__enter__().run_ids()
    return resume(run_id, journal=journal, **task.options())


@pytest.mark.parametrize("fresh", [pytest.param(Task, id="rules"), pytest.param(Scripts, id="gates")], indirect=True)
@pytest.mark.parametrize("stored", [pytest.param(True, id="after-the-record"), pytest.param(False, id="before-it")])
def test_wherever_a_process_dies_the_resumed_run_ends_the_same(
    fresh: Fresh, mortal: Callable[..., MemoryJournal], stored: bool
) -> None:
    whole = fresh()
    journal = MemoryJournal()
    expected = whole.start(journal)
    assert expected.delivered, expected.reason
    last = expected.records[-1].seq
    for at in range(2, last + (not stored)):  # the first record starts the run, and after the last it has ended
        task, journal = fresh(), mortal(at=at, stored=stored)
        result = _settled(task, journal)
        assert (result.halt, result.answer) == (expected.halt, expected.answer), at
        assert task.files() == whole.files(), at
        assert [(step.step, step.tool, step.input, step.failed) for step in result.steps] == [
            (step.step, step.tool, step.input, step.failed) for step in expected.steps
        ], at
        with journal.snapshot() as view:
            check = verify_run(view, result.run_id)
        assert check.verdict != "mismatch", (at, check.findings)
        kinds = [record.type for record in journal.records(result.run_id)]
        assert kinds.count("tool_result") == len(expected.steps), at
        assert kinds.count("run_ended") == 1, at
        assert kinds.count("decision") == sum(record.type == "decision" for record in expected.records), at
        assert len(task.asked) <= len(whole.asked) + 1, at
