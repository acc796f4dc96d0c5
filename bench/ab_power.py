"""How often the experiment finds a difference that is there, and one that is not: planted rates, seeded draws.

Each case succeeds in each arm by an independent draw; what is measured is the test, not a model.
"""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass

from interlock.engine import EngineOptions, Waiting
from interlock.experiments import (
    Case,
    Experiment,
    Outcome,
    RunPlan,
    StopRule,
    make_experiment,
    make_report,
    run_offline,
)
from interlock.experiments.stopping import pairs_of
from interlock.judge.base import Judge
from interlock.models.base import TextModel, TextReply, TextRequest
from interlock.models.scripted import ScriptedModel
from interlock.prompts import PromptPack

CASES = 200
REPEATS = 100
SYSTEM = "Take finish, tool_call, ask_user or replan."
VALID = '{"action": "finish", "tool": null, "tool_input": null, "final": "done"}'


def experiment() -> Experiment:
    """Return an experiment whose arms differ in their role."""
    first = PromptPack(system=SYSTEM, role="A", version="1")
    second = PromptPack(system=SYSTEM, role="B", version="1")
    return make_experiment("power", first, second)


def drawn(rng: random.Random, rate_a: float, rate_b: float, cases: int = CASES) -> list[Outcome]:
    """Return outcomes whose validity at the first attempt was drawn."""
    rates = (("A", rate_a), ("B", rate_b))
    return [_outcome(arm, str(case), rng.random() < rate) for case in range(cases) for arm, rate in rates]


def found(rate_a: float, rate_b: float, *, repeats: int = REPEATS, looks: int = 1) -> int:
    """Return in how many seeded repeats a difference is shown."""
    rule, cases = StopRule(planned=CASES, looks=looks), range(CASES)
    ends = [block[-1] for block in rule.blocks(cases)]
    count = 0
    for seed in range(repeats):
        outcomes = drawn(random.Random(seed), rate_a, rate_b)
        looked = (pairs_of(outcomes[: 2 * end + 2], "valid_at_first") for end in ends)
        count += any(rule.verdict(pairs) == "difference" for pairs in looked)
    return count


@dataclass(frozen=True)
class Plain:
    """A runtime that is nothing but a model."""

    model: TextModel | None
    judge: Judge | None = None


class DrawnModel(ScriptedModel):
    """A model whose first reply to a case is valid by a draw that depends on the arm's role."""

    def __init__(self, seed: int, rates: dict[str, float]) -> None:
        super().__init__([VALID])
        self._rng = random.Random(seed)
        self._rates = rates

    async def generate(self, request: TextRequest) -> TextReply:
        """Return the valid reply, or one that fails check 1; a second attempt is always valid."""
        await super().generate(request)
        arm = str(request.messages[1].content).removeprefix("ROLE:\n")
        is_first = len(request.messages) == 3
        text = VALID if not is_first or self._rng.random() < self._rates[arm] else "no object"
        return TextReply(
            text=text, finish="stop", usage=None, requested_model="drawn", served_model="drawn", request_id=None
        )


async def through_the_engine(seed: int, rate_a: float, rate_b: float) -> tuple[Outcome, ...]:
    """Return the outcomes of one experiment that went through the engine, every attempt of it."""
    cases = [Case(id=str(number), loop={"goal": f"goal {number}"}) for number in range(CASES)]

    async def sleep(_: float) -> None:
        await asyncio.sleep(0)

    plan = RunPlan(options=EngineOptions(), waiting=Waiting(now=time.monotonic, sleep=sleep, rng=lambda: 0.0))
    return await run_offline(experiment(), cases, Plain(DrawnModel(seed, {"A": rate_a, "B": rate_b})), plan=plan)


def found_through_the_engine(rate_a: float, rate_b: float, *, repeats: int = REPEATS) -> int:
    """Return the same with every attempt made by the engine."""
    reports = [
        make_report(experiment(), asyncio.run(through_the_engine(seed, rate_a, rate_b)), planned=CASES)
        for seed in range(repeats)
    ]
    return sum(report.comparison.verdict == "difference" for report in reports)


def main() -> None:
    """Print the figures that the guide quotes."""
    print(f"{CASES} cases, {REPEATS} seeded repeats, independent draws: in how many a difference is shown")
    print(f"70 % against 85 %                      {found(0.70, 0.85):3}")
    print(f"70 % against 85 %, through the engine  {found_through_the_engine(0.70, 0.85):3}")
    print(f"70 % against 70 %                      {found(0.70, 0.70):3}")
    print(f"70 % against 70 %, through the engine  {found_through_the_engine(0.70, 0.70):3}")
    print(f"70 % against 70 %, 5 looks             {found(0.70, 0.70, looks=5):3}")


def _outcome(arm: str, case: str, valid: bool) -> Outcome:
    return Outcome(
        arm="A" if arm == "A" else "B",
        case=case,
        action="finish",
        tool=None,
        valid_at_first=valid,
        valid=True,
        expected=None,
        expected_tool=None,
        checks=() if valid else (1,),
        mode="text",
        input_tokens=100,
        output_tokens=20,
        tokens_estimated=False,
        cost_usd=None,
        elapsed_s=0.1,
    )


if __name__ == "__main__":
    main()
