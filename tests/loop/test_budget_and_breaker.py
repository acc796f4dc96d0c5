"""Limits: which effect a spent budget forbids, and when going in circles is stopped."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from interlock.loop.breaker import tripped
from interlock.loop.budget import Budgets, Spent, exceeded
from interlock.loop.events import Ask, Call, CheckFacts, Effect, Finish, Generate, Provide, RequestApproval
from interlock.loop.state import PendingCall, Step
from interlock.questions import Json
from interlock.tools.base import Tool


async def _never(arguments: Mapping[str, Json]) -> str:
    raise AssertionError(arguments)


TOOL = Tool(name="t", description="t", parameters={}, run=_never, input_text=lambda _: ".")
PENDING = PendingCall(tool=TOOL, arguments={})


@pytest.mark.parametrize(
    ("spent", "effect", "halt"),
    [
        pytest.param(Spent(steps=12), Ask(decision="needs_tool"), "max_steps", id="no-turn-after-the-last-step"),
        pytest.param(Spent(steps=12), Ask(decision="step_ok"), None, id="the-last-step-is-still-judged"),
        pytest.param(Spent(steps=11), Ask(decision="needs_tool"), None, id="one-step-left"),
        pytest.param(Spent(judge_calls=200), Ask(decision="step_ok"), "budget:judge_calls", id="judge-calls"),
        pytest.param(Spent(judge_calls=200), Generate(), None, id="a-draft-costs-no-judge-call"),
        pytest.param(Spent(writer_calls=4), Generate(), "budget:writer_calls", id="writer-calls"),
        pytest.param(Spent(writer_calls=3), Generate(), None, id="the-last-writer-call-is-a-draft"),
        pytest.param(Spent(writer_calls=3), Provide(tool=TOOL), "budget:writer_calls", id="one-is-kept-for-the-draft"),
        pytest.param(Spent(writer_calls=2), Provide(tool=TOOL), None, id="an-input-may-be-generated"),
        pytest.param(Spent(tokens=100), Generate(), "budget:tokens", id="tokens-before-a-draft"),
        pytest.param(Spent(tokens=100), Ask(decision="step_ok"), "budget:tokens", id="tokens-before-a-question"),
        pytest.param(Spent(tokens=100), Call(call=PENDING, audit=False), None, id="a-tool-costs-no-tokens"),
        pytest.param(Spent(seconds=300), Call(call=PENDING, audit=False), "budget:seconds", id="seconds-before-a-tool"),
        pytest.param(Spent(seconds=300), RequestApproval(call=PENDING), "budget:seconds", id="seconds-before-a-person"),
        pytest.param(Spent(seconds=300), CheckFacts(), None, id="looking-is-free"),
        pytest.param(Spent(seconds=300), Finish(), None, id="ending-is-free"),
        pytest.param(Spent(), Ask(decision="needs_tool"), None, id="nothing-spent"),
    ],
)
def test_a_spent_budget_forbids_the_effects_that_would_spend_more(
    spent: Spent, effect: Effect, halt: str | None
) -> None:
    assert exceeded(Budgets(max_tokens=100), spent, effect) == halt


def test_without_a_token_limit_tokens_forbid_nothing() -> None:
    assert exceeded(Budgets(), Spent(tokens=10**9), Generate()) is None


def _step(result: str, *, failed: bool = False, target: str = "a.ts") -> Step:
    return Step(step=1, tool="read_file", input=target, result=result, failed=failed)


@pytest.mark.parametrize(
    ("finished", "why"),
    [
        pytest.param([], None, id="nothing-done"),
        pytest.param([_step("x", failed=True)], None, id="one-failure"),
        pytest.param([_step("x", failed=True), _step("y", failed=True)], "same_failure", id="failed-twice"),
        pytest.param([_step("x", failed=True), _step("x", failed=True, target="b")], None, id="two-targets-failed"),
        pytest.param([_step("x"), _step("x")], None, id="same-result-twice"),
        pytest.param([_step("x"), _step("x"), _step("x")], "same_result", id="same-result-three-times"),
        pytest.param([_step("x"), _step("y"), _step("x")], None, id="three-calls-with-other-results"),
        pytest.param([_step("x", failed=True), _step("y")], None, id="recovered"),
        pytest.param(
            [_step("x"), _step("x"), _step("x"), _step("z", target="b")], None, id="only-the-newest-call-counts"
        ),
    ],
)
def test_going_in_circles_is_named(finished: list[Step], why: str | None) -> None:
    assert tripped(finished) == why
