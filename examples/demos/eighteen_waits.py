"""Eighteen waits to eight: what a contract allows to be asked together or ahead, and the same run with fewer waits.

Run it from anywhere: `python examples/demos/eighteen_waits.py`. Needs no network.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from interlock import Judge, JudgeReply, RunResult, reference_host, run
from interlock.judge.base import Caps
from interlock.judge.rules import RuleJudge
from interlock.loop.extractive import ExtractiveWriter
from interlock.pipeline import PlanName
from interlock.questions import Content, Question

INTERLOCK = Path(sys.executable).with_name("interlock")
SHOP = Path(__file__).parents[1] / "shop"
TASK = "Which functions do src/alpha.ts and src/beta.ts export?"
DELAY_S = 0.25


class Far:
    """Answers as the judge inside, a round trip later."""

    id = "rules, far away"

    def __init__(self, inner: Judge) -> None:
        self._inner = inner

    @property
    def caps(self) -> Caps:
        """Those of the judge inside."""
        return self._inner.caps

    async def answer(self, frame_state: Content, questions: Mapping[str, Question]) -> JudgeReply:
        """Return the reply after the delay."""
        await asyncio.sleep(DELAY_S)
        return await self._inner.answer(frame_state, questions)


def perform(plan: PlanName) -> tuple[RunResult, float]:
    """Return one run of the task under `plan`, and how long it took."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(shutil.copytree(SHOP, Path(place) / "shop"))
        host = reference_host(root)
        began = time.perf_counter()
        result = run(TASK, judge=Far(RuleJudge(host.tools)), writer=ExtractiveWriter(), host=host, cwd=root, plan=plan)
        return result, time.perf_counter() - began


def acted(result: RunResult) -> list[tuple[object, object]]:
    """Return the decisions that acted, in order."""
    bodies = [record.body for record in result.records if record.type == "decision"]
    return [(body["decision"], body["action"]) for body in bodies if not discarded(body["plan"])]


def discarded(plan: object) -> bool:
    """Return whether a decision was asked ahead in vain."""
    return isinstance(plan, Mapping) and plan["discarded"] is True


def main() -> None:
    """Print the plan, run the task both ways, and compare."""
    print(subprocess.run([INTERLOCK, "plan"], capture_output=True, text=True, check=True).stdout)  # noqa: S603 -- own
    print(f"{TASK}\n")
    runs = {plan: perform(plan) for plan in ("sequential", "next")}
    for plan, (result, seconds) in runs.items():
        account = result.accounting
        print(
            f"{plan:<11} {account.waves:>3} waits, {account.requests} requests, {account.questions} questions, "
            f"{account.discarded} answers discarded, {seconds:.1f} s"
        )
    (one, _), (other, _) = runs["sequential"], runs["next"]
    same = (acted(one), one.steps, one.answer) == (acted(other), other.steps, other.answer)
    print(f"\nthe same {len(acted(one))} decisions, {len(one.steps)} calls and answer: {'yes' if same else 'no'}")
    print(f"\n{one.answer}")
    if not same or one.accounting.waves != 18 or other.accounting.waves != 8:
        raise SystemExit("the plans do not come to the same, or do not wait as often as they should")


if __name__ == "__main__":
    main()
