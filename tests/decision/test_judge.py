"""The same menu answered by a judge: one pass with probabilities, and a text model for arguments only."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from interlock import Agent, Runtime, agent, decision
from interlock.decision import DecisionError
from interlock.errors import FunctionTimeout
from interlock.judge.base import Caps, Failure, JudgeReply
from interlock.judge.rules import RuleJudge
from interlock.questions import Choice, ChoiceAnswer, Content, Question
from interlock.testing import ScriptedJudge, ScriptedModel

OPTIONS: dict[str, Any] = {
    "refund": ("pay it back", {"amount": int}),
    "wait": ("WAITED", "when nothing is known yet"),
    "none": decision.abstain("none of these fits"),
}
LIKELY = {"refund": 0.2, "wait": 0.7, "none": 0.1}


def test_the_menu_is_one_choice() -> None:
    judge, model = ScriptedJudge({"pick": LIKELY}), ScriptedModel([])

    picked = decision.pick("Which step?", OPTIONS, runtime=Runtime(model, judge=judge))

    (seen,) = judge.seen
    assert seen.questions == {
        "pick": Choice(
            instructions="Which step?",
            criteria={"refund": "pay it back", "wait": "when nothing is known yet", "none": "none of these fits"},
        )
    }
    assert (picked.name, picked.way, picked.basis) == ("wait", "judge", "scripted")
    assert picked.probabilities == LIKELY
    assert picked.resolve() == "WAITED"
    assert model.requests == []


def test_required_fields_are_written_by_the_text_model_for_that_option_alone() -> None:
    judge = ScriptedJudge({"pick": "refund"})
    model = ScriptedModel(['{"call": "refund"}', '{"call": "refund", "args": {"amount": 5}}'])

    picked = decision.pick("Which step?", OPTIONS, runtime=Runtime(model, judge=judge))

    assert (picked.name, dict(picked.args), picked.way) == ("refund", {"amount": 5}, "judge")
    assert [attempt.kind for attempt in picked.attempts] == ["missing_required"]
    assert picked.probabilities == {"refund": 1.0, "wait": 0.0, "none": 0.0}
    menu = decision.render_options({"refund": OPTIONS["refund"]})
    assert model.requests[0].messages[-1].content == f"Which step?\n\n{menu}"
    assert len(judge.seen) == 1


@pytest.mark.parametrize(
    "option",
    [
        pytest.param({"look": lambda query="all": query}, id="only-a-default"),
        pytest.param({"look": "LOOKED"}, id="a-value"),
        pytest.param({"look": decision.abstain("nothing fits", then="all")}, id="an-abstention"),
    ],
)
def test_without_required_fields_no_text_model_is_asked_or_needed(option: dict[str, Any]) -> None:
    runtime = Runtime(judge=ScriptedJudge({"pick": "look"}))

    assert decision.make("p", {**option, "other": 1}, runtime=runtime) in ("all", "LOOKED")


def test_one_option_is_asked_like_many() -> None:
    runtime = Runtime(judge=ScriptedJudge({"pick": {"only": 1.0}}))

    assert decision.make("p", {"only": "taken"}, runtime=runtime) == "taken"


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        pytest.param({"pick": None}, "unscored/abstained", id="abstained"),
        pytest.param({}, "not_asked/no-recording", id="nothing-recorded"),
        pytest.param([Failure(reason="connect")], "transport_error/connect", id="could-not-be-reached"),
        pytest.param({"pick": "elsewhere"}, "invalid_response", id="a-label-that-was-not-offered"),
        pytest.param({"pick": {"refund": 0.2, "wait": 0.2, "none": 0.2}}, "invalid_response", id="sums-to-nothing"),
    ],
)
def test_no_answer_is_an_error_and_never_asked_again(script: Any, reason: str) -> None:
    judge, model = ScriptedJudge(script), ScriptedModel([])
    runtime = Runtime(model, judge=judge)

    with pytest.raises(
        DecisionError, match=f"1 attempt \\(no_answer\\): the judge gave no answer: .*{reason}"
    ) as caught:
        decision.make("p", OPTIONS, runtime=runtime, max_retries=3)
    assert (caught.value.kind, caught.value.replies) == ("no_answer", (None,))
    assert len(judge.seen) == 1
    assert model.requests == []
    assert decision.make("p", OPTIONS, runtime=runtime, fallback=lambda error: error.kind) == "no_answer"


def test_the_rule_judge_abstains_from_a_menu_it_knows_nothing_of() -> None:
    """It decides from declared facts; a free menu has none, so a person or a fallback is asked."""
    runtime = Runtime(judge=RuleJudge({}))

    assert decision.make("Which step?", {"a": 1, "b": 2}, runtime=runtime, fallback=lambda error: "ask") == "ask"


def test_a_label_without_numbers_is_a_pick_without_numbers() -> None:
    answer = ChoiceAnswer(choice="wait", probabilities=None, basis="label_only")
    picked = decision.pick("p", OPTIONS, runtime=Runtime(ScriptedModel([]), judge=ScriptedJudge({"pick": answer})))

    assert (picked.name, picked.probabilities, picked.basis) == ("wait", None, "label_only")


def test_a_prompt_with_an_image_is_not_judged_blind() -> None:
    judge = ScriptedJudge({"pick": "wait"})
    prompt = [{"type": "text", "text": "Look:"}, {"type": "image", "path": "ticket.png"}]

    with pytest.raises(TypeError, match="the judge of this Runtime reads text only"):
        decision.make(prompt, OPTIONS, runtime=Runtime(ScriptedModel([]), judge=judge))  # type: ignore[arg-type]  # items are dicts in practice
    assert judge.seen == []


def test_a_turn_is_decided_by_the_model_that_took_it() -> None:
    judge, model = ScriptedJudge({"pick": "refund"}), ScriptedModel(['{"call": "wait"}'])

    assert agent("p", choices=OPTIONS, runtime=Runtime(model, judge=judge)) == "WAITED"
    assert judge.seen == []


def test_the_judge_is_shown_the_session() -> None:
    judge = ScriptedJudge({"pick": "wait"})

    class Desk(Agent):
        def decide(self, ticket: str) -> Any:
            """Decide about a ticket."""
            return decision.make("Which step?", OPTIONS)

    Desk(Runtime(ScriptedModel([]), judge=judge)).decide("late parcel")

    state = judge.seen[0].frame_state
    assert isinstance(state, str)
    assert state.startswith("[0] function decide (running)\ndoc: Decide about a ticket.")
    assert "late parcel" in state


def test_the_decision_node_keeps_the_probabilities() -> None:
    runtime = Runtime(ScriptedModel([]), judge=ScriptedJudge({"pick": LIKELY}))

    decision.make("Which step?", OPTIONS, runtime=runtime)

    (node,) = runtime.nodes
    assert (node.kind, node.status, node.output) == ("decision", "ok", {"call": "wait", "args": {}})
    assert node.facts == {
        "options": ["refund", "wait", "none"],
        "pick": "wait",
        "way": "judge",
        "attempts": 1,
        "probabilities": LIKELY,
    }


class SlowJudge:
    """Answers after a second."""

    caps = Caps()

    async def answer(self, frame_state: Content, questions: Mapping[str, Question]) -> JudgeReply:
        await asyncio.sleep(1)
        raise AssertionError("it was not cancelled")


def test_a_judge_that_takes_too_long_is_cancelled() -> None:
    runtime = Runtime(judge=SlowJudge(), timeout_s=0.02)

    with pytest.raises(FunctionTimeout, match="the time of the enclosing call is over"):
        decision.make("p", {"a": 1, "b": 2}, runtime=runtime)
    assert runtime.nodes[0].status == "timeout"
