"""Limits of a run: a spent budget, the end of its time, a breaker, and being cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from interlock.journal.records import Record
from interlock.journal.store_memory import MemoryJournal
from interlock.judge.base import Usage
from interlock.loop.budget import Budgets
from interlock.loop.result import RunResult
from interlock.loop.run import arun, run
from interlock.loop.scripted import ScriptedWriter
from interlock.loop.writer import Draft, WriteRequest
from interlock.testing import ScriptedJudge

Judges = Callable[..., ScriptedJudge]


def _types(result: RunResult) -> list[str]:
    return [record.type for record in result.records]


@pytest.mark.parametrize(
    ("budgets", "halt", "has_draft"),
    [
        pytest.param(Budgets(max_steps=1), "max_steps", True, id="steps"),
        pytest.param(Budgets(max_judge_calls=3), "budget:judge_calls+escalate", True, id="judge-calls"),
        pytest.param(Budgets(max_tokens=1), "budget:tokens", False, id="tokens"),
        pytest.param(Budgets(max_seconds=1e-9), "budget:seconds", False, id="seconds"),
    ],
)
def test_a_spent_budget_ends_the_run_by_its_name(
    project: Path, judge: Judges, budgets: Budgets, halt: str, has_draft: bool
) -> None:
    writer = ScriptedWriter(["so far"], [{"pattern": "totalOf"}], usage=Usage(input_tokens=5, output_tokens=5))
    judged = judge(pick_tool=["search_text", "read_file"], is_done=0.1)
    result = run("what?", judge=judged, writer=writer, cwd=project, budgets=budgets)
    assert result.halt == halt
    assert (result.draft is not None) is has_draft
    assert "budget" in _types(result)


def test_the_last_writer_call_is_kept_for_the_answer(project: Path, judge: Judges) -> None:
    judged = judge(pick_tool=["search_text", "search_text"], is_done=0.1)
    writer = ScriptedWriter(["so far"], [{"pattern": "a"}, {"pattern": "b"}])
    result = run("what?", judge=judged, writer=writer, cwd=project, budgets=Budgets(max_writer_calls=2))
    assert (result.halt, result.delivered) == ("budget:writer_calls", True)


class _Slow(ScriptedWriter):
    async def write(self, request: WriteRequest) -> Draft:
        await asyncio.sleep(60)
        return await super().write(request)


def test_a_writer_that_hangs_is_cut_at_the_end_of_the_time(project: Path, judge: Judges) -> None:
    result = run("what?", judge=judge(), writer=_Slow(["x"]), cwd=project, budgets=Budgets(max_seconds=0.3))
    assert result.halt == "budget:seconds"
    assert result.accounting.wall_s < 5


@pytest.mark.anyio
async def test_a_cancelled_run_says_so_in_its_journal(project: Path, judge: Judges) -> None:
    journal = MemoryJournal()
    ended: list[Any] = []

    def listen(record: Record) -> None:
        if record.type == "run_ended":
            ended.append(record.body)

    with anyio.move_on_after(0.2) as scope:
        await arun("w", judge=judge(), writer=_Slow(["x"]), cwd=project, journal=journal, on_event=listen)
    assert scope.cancelled_caught
    assert [(body["halt"], body["delivered"], body["steps"]) for body in ended] == [("cancelled", False, 2)]
