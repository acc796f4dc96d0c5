"""A person as the judge of a run: asked question by question, and not hurried by the run's budget of time."""

from __future__ import annotations

import time
from pathlib import Path

import anyio
import pytest

from interlock.judge.base import Failure, Judge
from interlock.judge.combinators import Fallback
from interlock.judge.human import Asked, HumanJudge, Said
from interlock.judge.scripted import ScriptedJudge
from interlock.loop.budget import Budgets
from interlock.loop.run import arun
from interlock.loop.scripted import ScriptedWriter

BUDGET_S = 2.5
"""More than a busy machine needs for the run itself."""
DOWN = Failure(reason="connect")
PICKS = {"needs_tool": 1, "pick_tool": 2, "can_deliver.deliverable": 0, "can_deliver.unsupported": 1}


async def slowly(asked: Asked) -> Said:
    await anyio.sleep(BUDGET_S * 0.35)
    return Said(pick=PICKS[asked.id], by="Ada")


async def never(_: Asked) -> Said:
    await anyio.sleep(BUDGET_S * 1.1)
    return Said(pick=None, by="Ada")


def human() -> Judge:
    return HumanJudge(slowly, now=time.monotonic)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "judge",
    [
        pytest.param(human(), id="alone"),
        pytest.param(
            Fallback([ScriptedJudge([DOWN] * 9), human()], now=time.monotonic), id="after-a-server-that-is-down"
        ),
    ],
)
async def test_the_time_that_a_person_needs_is_none_of_the_runs(judge: Judge, tmp_path: Path) -> None:
    began = time.monotonic()
    result = await arun(
        "Say hello", judge=judge, writer=ScriptedWriter(["Hello."]), cwd=tmp_path, budgets=Budgets(max_seconds=BUDGET_S)
    )

    assert "budget" not in result.halt
    assert time.monotonic() - began > BUDGET_S


@pytest.mark.anyio
async def test_a_person_who_says_nothing_ends_no_budget_either(tmp_path: Path) -> None:
    result = await arun(
        "Say hello",
        judge=HumanJudge(never, now=time.monotonic),
        writer=ScriptedWriter(["Hello."]),
        cwd=tmp_path,
        budgets=Budgets(max_seconds=BUDGET_S),
    )

    assert (result.halt.startswith("escalated"), result.delivered) == (True, False)
