"""A process may die after any record, and before any: what is resumed ends as what was never interrupted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from interlock.journal.chain import Head
from interlock.journal.records import Body, EventType, Record
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
from interlock.loop.state import Step
from interlock.loop.writer import Writer
from interlock.pipeline.host import Host
from interlock.questions import Content, Json, Question
from interlock.testing import Scripted, ScriptedJudge
from interlock.tools.callables import tool_from_function

Files = Mapping[str, bytes]


class Watching(MemoryJournal):
    """Remembers what was on disk before and after each record."""

    def __init__(self, files: Callable[[], Files]) -> None:
        super().__init__()
        self._files = files
        self.before: dict[int, Files] = {}
        self.after: dict[int, Files] = {}

    def append(
        self, run_id: str, kind: EventType, body: Body, *, ts: str, durable: bool = False, expected: Head | None = None
    ) -> Record:
        files = self._files()
        record = super().append(run_id, kind, body, ts=ts, durable=durable, expected=expected)
        self.before[record.seq], self.after[record.seq] = files, self._files()
        return record


class Task:
    """One task on one directory, which is put back to what it was at any record."""

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

    def files(self) -> Files:
        return {str(path.relative_to(self.at)): path.read_bytes() for path in self.at.rglob("*") if path.is_file()}

    def put_back(self, files: Files) -> None:
        for name in self.files().keys() - files.keys():
            (self.at / name).unlink()
        for name, content in files.items():
            (self.at / name).write_bytes(content)


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


@pytest.fixture
def task(tmp_path: Path, request: pytest.FixtureRequest) -> Task:
    (tmp_path / "a.ts").write_text("export function totalOf() { return 1 }\n")
    (tmp_path / "b.ts").write_text("export function taxOf() { return 2 }\n")
    made: Task = request.param(tmp_path)
    return made


@pytest.mark.parametrize("task", [pytest.param(Task, id="rules"), pytest.param(Scripts, id="gates")], indirect=True)
@pytest.mark.parametrize("stored", [pytest.param(True, id="after-the-record"), pytest.param(False, id="before-it")])
def test_wherever_a_process_dies_the_resumed_run_ends_the_same(
    task: Task, cut: Callable[..., MemoryJournal], stored: bool
) -> None:
    watched = Watching(task.files)
    whole = task.start(watched)
    assert whole.delivered, whole.reason
    left, asked = task.files(), len(task.asked)
    for at in _places(whole.records, stored=stored):
        journal = cut(watched, whole.run_id, at=at, stored=stored)
        task.put_back(watched.after[at] if stored else watched.before[at])
        task.asked.clear()
        result = resume(whole.run_id, journal=journal, **task.options())
        assert (result.halt, result.answer) == (whole.halt, whole.answer), at
        assert task.files() == left, at
        assert [_shape(step) for step in result.steps] == [_shape(step) for step in whole.steps], at
        with journal.snapshot() as view:
            check = verify_run(view, result.run_id)
        assert check.verdict != "mismatch", (at, check.findings)
        records = tuple(journal.records(result.run_id))
        assert _count(records, "tool_result") == len(whole.steps), at
        assert _count(records, "run_ended") == 1, at
        assert _acted(records) == _acted(whole.records), at
        assert len(task.asked) <= asked, at


def _places(records: Sequence[Record], *, stored: bool) -> list[int]:
    """Return every record at which something other than a question happens, and every sixth of the others.

    The first record starts the run; with the last one it has ended.
    """
    asks = ("judge_request", "judge_reply", "decision")
    last = records[-1].seq
    return [
        record.seq
        for record in records[1:]
        if (record.type not in asks or record.seq % 6 == 0) and (not stored or record.seq < last)
    ]


def _shape(step: Step) -> tuple[int, str, str, bool]:
    return step.step, step.tool, step.input, step.failed


def _count(records: Sequence[Record], kind: EventType) -> int:
    return sum(record.type == kind for record in records)


def _acted(records: Sequence[Record]) -> list[tuple[object, object]]:
    decisions = (record.body for record in records if record.type == "decision")
    return [
        (body["decision"], body["action"])
        for body in decisions
        if isinstance(body["plan"], Mapping) and not body["plan"]["discarded"]
    ]
