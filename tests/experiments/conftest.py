"""What the tests of experiments share: arms, cases, a model that answers by the role it is given."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from interlock.engine import EngineOptions, Waiting
from interlock.experiments import Case, Experiment, Outcome, RunPlan, make_experiment
from interlock.judge.base import Judge
from interlock.models.base import Failure, TextModel, TextReply, TextRequest, Usage
from interlock.models.scripted import ScriptedModel
from interlock.prompts import PromptPack
from interlock.testing import FakeClock

SYSTEM = "Take finish, tool_call, ask_user or replan."


@dataclass(frozen=True)
class Plain:
    """A runtime that is nothing but a model."""

    model: TextModel | None
    judge: Judge | None = None


@dataclass
class RoleModel(ScriptedModel):
    """Answers by the role that a request shows, and by the goal where a rule says so."""

    rules: dict[str, Callable[[str], str | Failure]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__(["unused"], model="by-role")

    async def generate(self, request: TextRequest) -> TextReply:
        await super().generate(request)
        role = str(request.messages[1].content).removeprefix("ROLE:\n")
        goal = json.loads(str(request.messages[2].content))["goal"]
        said = self.rules[role](goal)
        failure = said if isinstance(said, Failure) else None
        return TextReply(
            text="" if failure is not None else str(said),
            finish="stop",
            usage=Usage(input_tokens=100, output_tokens=10),
            requested_model=self.id,
            served_model=self.id,
            request_id=None,
            failure=failure,
        )


Rules = dict[str, Callable[[str], str | Failure]]
Runs = Callable[[Rules], Plain]


@pytest.fixture
def runs() -> Runs:
    """Return what makes a runtime whose model answers by role and goal; its requests are kept."""
    return lambda rules: Plain(RoleModel(rules))


@pytest.fixture
def experiment() -> Experiment:
    """Return an experiment on the role."""
    first = PromptPack(system=SYSTEM, role="first", version="1")
    second = PromptPack(system=SYSTEM, role="second", version="2")
    return make_experiment("tone", first, second)


@pytest.fixture
def cases() -> tuple[Case, ...]:
    """Return forty cases; what is right is known for every other one."""
    return tuple(
        Case(id=f"c{n}", loop={"goal": f"goal {n}"}, expect={"action": "finish"} if n % 2 else None) for n in range(40)
    )


@pytest.fixture
def waiting() -> Waiting:
    """Return a clock that stands still."""
    clock = FakeClock()
    return Waiting(now=clock.now, sleep=clock.sleep, rng=lambda: 0.0)


@pytest.fixture
def plan(waiting: Waiting) -> RunPlan:
    """Return a plan on that clock."""
    return RunPlan(options=EngineOptions(), waiting=waiting)


Made = Callable[..., Outcome]


@pytest.fixture
def made() -> Made:
    """Return what makes an outcome by the parts that matter to a test."""

    def make(arm: str, case: int | str, valid_at_first: bool = True, **parts: object) -> Outcome:
        values: dict[str, object] = {
            "action": "finish",
            "tool": None,
            "valid": True,
            "expected": None,
            "expected_tool": None,
            "checks": (),
            "mode": "text",
            "input_tokens": 100,
            "output_tokens": 10,
            "tokens_estimated": False,
            "cost_usd": None,
            "elapsed_s": 0.5,
        }
        known = {"arm": arm, "case": str(case), "valid_at_first": valid_at_first}
        return Outcome(**{**values, **known, **parts})  # type: ignore[arg-type]  # parts by name

    return make
