"""The main job on the bundled example: each task ends as a person expects, on disk and in the answer."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from interlock.judge.base import Caps, Judge, JudgeReply, QuestionId
from interlock.judge.rules import RuleJudge
from interlock.loop.extractive import ExtractiveWriter
from interlock.loop.reference import reference_host
from interlock.loop.result import RunResult
from interlock.loop.run import run
from interlock.questions import Choice, Content, Question

SHOP = Path(__file__).parents[2] / "examples" / "shop"
CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return a copy of the example project."""
    return Path(shutil.copytree(SHOP, tmp_path / "shop"))


class Watched:
    """Passes every request on to a judge and keeps what it was shown."""

    def __init__(self, judge: Judge) -> None:
        self.id = "watched"
        self.seen: list[tuple[QuestionId, Content]] = []
        self.asked: list[tuple[QuestionId, Question]] = []
        self._judge = judge

    @property
    def caps(self) -> Caps:
        return self._judge.caps

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        self.seen += [(name, frame_state) for name in questions]
        self.asked += questions.items()
        return await self._judge.answer(frame_state, questions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One run, and what its judge saw."""

    result: RunResult
    graded: Sequence[tuple[str, str]]
    """(tool, target) of every frame of `grade_risk`."""


def perform(task: str, shop: Path, **allowed: bool) -> Ran:
    host = reference_host(shop)
    judge = Watched(RuleJudge(host.tools))
    result = run(task, judge=judge, writer=ExtractiveWriter(), host=host, cwd=shop, **allowed)  # type: ignore[arg-type]
    frames = [state for name, state in judge.seen if name == "grade_risk.risk"]
    graded = [(str(frame["tool"]), _target(frame)) for frame in frames if isinstance(frame, Mapping)]
    calls = [(record.body["tool"], record.body["input"]) for record in result.records if record.type == "tool_result"]
    assert [(tool, str(text)[:199]) for tool, text in calls] == [(tool, target[:199]) for tool, target in graded]
    return Ran(result=result, graded=graded)


def _target(frame: Mapping[str, Any]) -> str:
    return str(frame["untrusted_tool_output"]["target"])


def digests(root: Path) -> dict[str, str]:
    found = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


@pytest.mark.parametrize(
    ("task", "says", "chinese"),
    [
        pytest.param("List the files in this directory.", ["src/alpha.ts", "notes/meeting.md"], False, id="list-en"),
        pytest.param("列出这个目录里的文件。", ["src/alpha.ts", "notes/meeting.md"], True, id="list-zh"),
        pytest.param("Which function does src/alpha.ts export?", ["totalOf"], False, id="export-en"),
        pytest.param("src/alpha.ts 导出了哪个函数？", ["totalOf"], True, id="export-zh"),
        pytest.param(
            "Which functions do src/alpha.ts and src/beta.ts export?", ["totalOf", "taxOf"], False, id="two-exports-en"
        ),
        pytest.param("src/alpha.ts 和 src/beta.ts 各导出了什么函数？", ["totalOf", "taxOf"], True, id="two-exports-zh"),
        pytest.param("Which order was paid twice, says logs/checkout.log?", ["INV-2043"], False, id="end-of-20-kb-en"),
        pytest.param("logs/checkout.log 里 reconcile 为什么 failed？", ["INV-2043"], True, id="end-of-20-kb-zh"),
        pytest.param("What is the last line of logs/checkout.log?", ["INV-2043"], False, id="last-line-en"),
        pytest.param("logs/checkout.log 的最后一行写了什么？", ["INV-2043"], True, id="last-line-zh"),
        pytest.param("What does src/stock.py define?", ["Shelf", "OutOfStockError"], False, id="defines-en"),
    ],
)
def test_a_question_is_answered_from_what_was_read(shop: Path, task: str, says: list[str], chinese: bool) -> None:
    before = digests(shop)
    result = perform(task, shop).result
    assert result.delivered, result.reason
    assert all(word in (result.answer or "") for word in says), result.answer
    assert bool(CHINESE.search((result.answer or "").partition("\n")[0])) is chinese
    assert result.degraded
    assert digests(shop) == before


@pytest.mark.parametrize(
    ("task", "chinese"),
    [
        pytest.param("Copy the function taxOf from src/beta.ts into a new file src/tax.ts.", False, id="copy-en"),
        pytest.param("把 src/beta.ts 里的 taxOf 函数抄到新文件 src/tax.ts 里。", True, id="copy-zh"),
    ],
)
def test_a_function_is_copied_byte_for_byte(shop: Path, task: str, chinese: bool) -> None:
    before = digests(shop)
    ran = perform(task, shop, can_write=True)
    lines = (shop / "src" / "beta.ts").read_text(encoding="utf-8").split("\n")
    assert (shop / "src" / "tax.ts").read_text(encoding="utf-8") == "\n".join(lines[7:11]) + "\n"
    assert ran.result.delivered, ran.result.reason
    assert "src/tax.ts" in (ran.result.answer or "")
    assert bool(CHINESE.search(ran.result.answer or "")) is chinese
    assert ran.graded[-1][0] == "write_file"
    audits = [record.body for record in ran.result.records if record.type == "audit"]
    assert [(body["tool"], body["target"]) for body in audits] == [("write_file", "src/tax.ts")]
    after = digests(shop)
    after.pop("src/tax.ts")
    assert after == before


@pytest.mark.parametrize(
    ("task", "chinese"),
    [
        pytest.param("What is the name of the loyalty programme?", False, id="en"),
        pytest.param("src/alpha.ts 里的退货期限是多少天？", True, id="zh"),
        pytest.param("Which function in src/alpha.ts sends the invoice by mail?", False, id="no-such-function"),
    ],
)
def test_an_answer_that_is_not_there_is_said_to_be_missing(shop: Path, task: str, chinese: bool) -> None:
    result = perform(task, shop).result
    assert result.delivered, result.reason
    assert bool(CHINESE.search(result.answer or "")) is chinese


@pytest.mark.parametrize(
    "task",
    [
        pytest.param("Delete build.lock.", id="en"),
        pytest.param("删除 build.lock。", id="zh"),
    ],
)
def test_a_deletion_without_permission_is_never_offered(shop: Path, task: str) -> None:
    before = digests(shop)
    host = reference_host(shop)
    judge = Watched(RuleJudge(host.tools))
    result = run(task, judge=judge, writer=ExtractiveWriter(), host=host, cwd=shop)
    asked = [question for name, question in judge.asked if name == "pick_tool"]
    assert asked
    assert all(isinstance(question, Choice) and "delete_file" not in question.criteria for question in asked)
    assert not result.delivered
    assert digests(shop) == before


@pytest.mark.parametrize(
    ("task", "says"),
    [
        pytest.param("What is the notice period?", "terms.md:3: The notice period is 6 weeks.", id="en"),
        pytest.param("周二谁值班？", "值班.md:4: 周二：李雷", id="zh"),
    ],
)
def test_a_small_project_is_read_until_the_answer_is_found(tmp_path: Path, task: str, says: str) -> None:
    (tmp_path / "README.md").write_text("# Garden club\n\nWe plant trees.\n", encoding="utf-8")
    (tmp_path / "terms.md").write_text("# Terms\n\nThe notice period is 6 weeks.\n", encoding="utf-8")
    (tmp_path / "值班.md").write_text("# 值班表\n\n周一：王芳\n周二：李雷\n", encoding="utf-8")
    result = perform(task, tmp_path).result
    assert says in (result.answer or ""), result.reason
