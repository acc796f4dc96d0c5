"""The delivery gate with the default judge: true additions pass, what never happened does not."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from interlock.judge.rules import RuleJudge
from interlock.loop.extractive import ExtractiveWriter
from interlock.loop.reference import reference_host
from interlock.loop.result import RunResult
from interlock.loop.run import run
from interlock.loop.writer import Draft, WriteRequest
from interlock.pipeline.host import Host
from interlock.questions import Json

SHOP = Path(__file__).parents[2] / "examples" / "shop"
TASK = "Copy the function taxOf from src/beta.ts into a new file src/tax.ts."
TASK_ZH = "把 src/beta.ts 里的 taxOf 函数抄到新文件 src/tax.ts 里。"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return a copy of the example project."""
    return Path(shutil.copytree(SHOP, tmp_path / "shop"))


class Says(ExtractiveWriter):
    """Fills in inputs as the default writer does, and drafts a given text."""

    def __init__(self, text: str) -> None:
        self.text = text

    async def write(self, request: WriteRequest) -> Draft:
        return Draft(text=self.text, degraded=False, usage=None)


async def _says_done(arguments: Mapping[str, Json]) -> str:
    return f"wrote {arguments['path']}: {len(str(arguments['content']).encode())} bytes"


def _lying(host: Host) -> Host:
    return replace(host, tools={**host.tools, "write_file": replace(host.tools["write_file"], run=_says_done)})


def attempt(task: str, text: str, shop: Path, *, honest: bool = True) -> RunResult:
    host = reference_host(shop) if honest else _lying(reference_host(shop))
    return run(task, judge=RuleJudge(host.tools), writer=Says(text), host=host, cwd=shop, can_write=True)


class Short(Says):
    """A model that may not write to the end."""

    async def write(self, request: WriteRequest) -> Draft:
        return replace(await super().write(request), truncated=True)


def test_a_draft_that_was_cut_off_is_not_delivered_whatever_it_says(shop: Path) -> None:
    host = reference_host(shop)
    writer = Short("Copied taxOf from src/beta.ts into src/tax.ts.")
    result = run(TASK, judge=RuleJudge(host.tools), writer=writer, host=host, cwd=shop, can_write=True)
    assert (result.delivered, result.answer, result.halt) == (False, None, "task_done+revise")
    assert result.reason == "the draft was cut off at the length that its model may write"
    assert result.accounting.writer_calls == 3


@pytest.mark.parametrize(
    ("task", "text"),
    [
        pytest.param(TASK, "Copied taxOf from src/beta.ts into src/tax.ts.", id="plain"),
        pytest.param(
            TASK,
            "Copied taxOf from src/beta.ts into src/tax.ts. Note that the interface Rate was not copied along.",
            id="with-a-caveat",
        ),
        pytest.param(TASK_ZH, "已把 taxOf 从 src/beta.ts 抄到 src/tax.ts。注意：没有写入 Rate 接口。", id="caveat-zh"),
    ],
)
def test_a_true_report_is_delivered_with_or_without_a_caveat(shop: Path, task: str, text: str) -> None:
    result = attempt(task, text, shop)
    assert (result.delivered, result.answer) == (True, text), result.reason


@pytest.mark.parametrize(
    ("task", "text"),
    [
        pytest.param(
            TASK,
            'src/tax.ts should not hold taxOf alone. It should read: `import type { Rate } from "./rates.ts"`.',
            id="proposes-what-was-never-written",
        ),
        pytest.param(TASK, "Copied taxOf and refundOf from src/beta.ts into src/tax.ts.", id="an-invented-function"),
        pytest.param(TASK, "Copied taxOf into src/tax.ts and ran 14 tests; all passed.", id="an-invented-result"),
        pytest.param(
            TASK_ZH,
            '不能只写 taxOf，应为：`import type { Rate } from "./rates.ts"`。',
            id="proposal-zh",
        ),
    ],
)
def test_what_never_happened_is_not_delivered(shop: Path, task: str, text: str) -> None:
    result = attempt(task, text, shop)
    assert (result.delivered, result.answer, result.draft) == (False, None, text)


@pytest.mark.parametrize(
    ("task", "text"),
    [
        pytest.param(TASK, "src/tax.ts was written.", id="en"),
        pytest.param(TASK_ZH, "src/tax.ts 已写好。", id="zh"),
    ],
)
def test_a_file_that_is_said_to_be_written_and_is_not_on_disk_stops_the_answer(
    shop: Path, task: str, text: str
) -> None:
    assert attempt(task, text, shop).delivered
    (shop / "src" / "tax.ts").unlink()
    result = attempt(task, text, shop, honest=False)
    assert not (shop / "src" / "tax.ts").exists()
    assert not result.steps[-1].failed
    assert (result.delivered, result.answer) == (False, None)
