"""Runs every case through both arms, several at a time, and stops early only where the plan allows it.

Source: decision-engine specification, experiments.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from interlock.engine import EngineOptions, EngineRuntime, Meter, Prices, Turn, Waiting, decide
from interlock.engine.waiting import REAL
from interlock.errors import ExperimentError, ModelError
from interlock.experiments.arms import ARMS, ArmName, Experiment
from interlock.experiments.cases import Case
from interlock.experiments.outcomes import Outcome, failed_outcome, outcome_of
from interlock.experiments.stopping import Metric, StopRule, pairs_of
from interlock.prompts import read_tools

__all__ = ["OnOutcome", "RunPlan", "run_offline"]

OnOutcome: TypeAlias = Callable[[Outcome], object]
"""Is told of every new outcome; what it returns is not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """How the cases are run."""

    options: EngineOptions
    max_retries: int = 2
    prices: Prices | None = None
    jobs: int = 4
    """Decisions at the same time."""
    metric: Metric = "valid_at_first"
    """What the stop rule looks at."""
    looks: int = 1
    """How often it looks; 1 is once, after all cases."""
    waiting: Waiting = REAL


async def run_offline(
    experiment: Experiment,
    cases: Sequence[Case],
    runtime: EngineRuntime,
    *,
    plan: RunPlan,
    done: Sequence[Outcome] = (),
    on_outcome: OnOutcome | None = None,
) -> tuple[Outcome, ...]:
    """Return the outcome of every case in both arms, in the order of the cases; those in `done` are not run again.

    A model that cannot be reached gives an outcome with a failure, which counts for nothing.
    With several looks, the cases after a look that showed a difference are left out.

    Raises:
        ExperimentError: fewer than one job.
        TypeError: the runtime has no text model.
    """
    if plan.jobs < 1:
        raise ExperimentError(f"experiment `{experiment.name}`: jobs is {plan.jobs}; write 1 or more")
    runner = _Runner(experiment, runtime, plan, {(item.arm, item.case): item for item in done}, on_outcome)
    rule = StopRule(planned=len(cases), looks=plan.looks)
    found: list[Outcome] = []
    for block in rule.blocks(cases):
        found += await runner.block(block)
        if rule.verdict(pairs_of(found, plan.metric)) == "difference":
            break
    return tuple(found)


class _Runner:
    def __init__(
        self,
        experiment: Experiment,
        runtime: EngineRuntime,
        plan: RunPlan,
        done: dict[tuple[ArmName, str], Outcome],
        on_outcome: OnOutcome | None,
    ) -> None:
        self._experiment = experiment
        self._runtime = runtime
        self._plan = plan
        self._done = done
        self._on_outcome = on_outcome
        self._limit = asyncio.Semaphore(plan.jobs)

    async def block(self, cases: Sequence[Case]) -> list[Outcome]:
        """Return the outcomes of some cases, both arms of a case one after the other."""
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._one(arm, case)) for case in cases for arm in ARMS]
        except ExceptionGroup as several:
            raise several.exceptions[0] from several
        return [task.result() for task in tasks]

    async def _one(self, arm: ArmName, case: Case) -> Outcome:
        known = self._done.get((arm, case.id))
        if known is not None:
            return known
        async with self._limit:
            outcome = await self._decided(arm, case)
        if self._on_outcome is not None:
            self._on_outcome(outcome)
        return outcome

    async def _decided(self, arm: ArmName, case: Case) -> Outcome:
        turn = Turn(
            state={key: value for key, value in case.loop.items() if key != "tools_available"},
            tools=read_tools(case.loop),
            pack=self._experiment.packs[arm],
            options=self._plan.options,
            max_retries=self._plan.max_retries,
        )
        meter = Meter(None, self._plan.prices)
        try:
            decided = await decide(turn, self._runtime, waiting=self._plan.waiting, meter=meter)
        except ModelError as error:
            return failed_outcome(arm, case, error.reason)
        return outcome_of(arm, case, decided)
