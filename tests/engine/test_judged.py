"""A judge picks the action or tool; the text model writes only what the pick needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from interlock.engine import FALLBACK_QUESTION, Waiting, next_action
from interlock.judge.base import Judge
from interlock.models.base import TextModel
from interlock.prompts import PromptPack
from interlock.questions import Choice
from interlock.testing import ScriptedJudge, ScriptedModel

Says = Callable[..., str]


@dataclass(frozen=True)
class Both:
    model: TextModel | None
    judge: Judge | None


def search(query: str) -> str:
    """Search the web."""
    return query


def clock() -> str:
    """Tell the time."""
    return "noon"


def decide(judge: ScriptedJudge, model: ScriptedModel, pack: PromptPack, waiting: Waiting, **given: Any) -> Any:
    return next_action({"goal": "g"}, [search, clock], runtime=Both(model, judge), pack=pack, waiting=waiting, **given)


def test_a_tool_without_arguments_needs_no_text(pack: PromptPack, waiting: Waiting) -> None:
    offered = dict.fromkeys(("search", "clock", "finish", "ask_user", "replan"), 0.1)
    judge, model = ScriptedJudge({"pick": offered | {"clock": 0.6}}), ScriptedModel([])
    decision = decide(judge, model, pack, waiting)

    assert (decision.action, decision.tool, decision.tool_input) == ("tool_call", "clock", {})
    assert decision.picked_by == "judge"
    assert decision.probabilities["clock"] == pytest.approx(0.6)
    assert model.requests == []


def test_the_judge_is_shown_tools_and_actions_and_the_state(pack: PromptPack, waiting: Waiting) -> None:
    """`tool_call` is not offered: picking a tool is that action."""
    judge = ScriptedJudge({"pick": "clock"})
    decide(judge, ScriptedModel([]), pack, waiting, observation="it is late")
    (seen,) = judge.seen
    question = seen.questions["pick"]

    assert isinstance(question, Choice)
    assert list(question.criteria) == ["search", "clock", "finish", "ask_user", "replan"]
    assert isinstance(seen.frame_state, dict)
    assert seen.frame_state["state"]["goal"] == "g"
    assert seen.frame_state["observations"] == {"observation#1": "it is late"}


def test_the_text_model_writes_the_arguments_of_the_pick_only(says: Says, pack: PromptPack, waiting: Waiting) -> None:
    """Another action or tool than the one picked is refused by its check."""
    model = ScriptedModel(
        [
            says("finish", "x"),
            says("tool_call", tool="clock", given={}),
            says("tool_call", tool="search", given={"query": "agents"}),
        ]
    )
    decision = decide(ScriptedJudge({"pick": "search"}), model, pack, waiting)

    assert (decision.tool, decision.tool_input, decision.picked_by) == ("search", {"query": "agents"}, "judge")
    assert [item.check for item in decision.attempts] == [3, 4]


def test_the_text_model_writes_the_text_of_an_action(says: Says, pack: PromptPack, waiting: Waiting) -> None:
    model = ScriptedModel([says("ask_user", "Which year?")])
    decision = decide(ScriptedJudge({"pick": "ask_user"}), model, pack, waiting)

    assert (decision.action, decision.final, decision.picked_by) == ("ask_user", "Which year?", "judge")
    assert "- finish" not in str(model.requests[0].messages[0].content)


def test_a_judge_that_does_not_answer_leads_to_the_fallback(pack: PromptPack, waiting: Waiting) -> None:
    """No pick is no permission: nothing is guessed in its place."""
    model = ScriptedModel(["x"])
    decision = decide(ScriptedJudge({"pick": None}), model, pack, waiting)

    assert (decision.action, decision.final, decision.fallback) == ("ask_user", FALLBACK_QUESTION, True)
    assert [(item.check, item.reply) for item in decision.attempts] == [(None, None)]
    assert "the judge gave no answer" in decision.attempts[0].reason
    assert model.requests == []
