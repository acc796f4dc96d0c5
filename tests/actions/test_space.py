"""The action space is closed: its names are words, each once, and no tool is named like an action."""

from __future__ import annotations

import pytest

from interlock.actions import STANDARD_SPACE, ActionDecision, SpaceAction, ToolSpec, call_key, check_tools


def test_a_host_adds_actions_behind_the_standard_ones() -> None:
    space = STANDARD_SPACE.added(SpaceAction(name="hand_over", description="x"))

    assert space.names == ("finish", "tool_call", "ask_user", "replan", "hand_over")
    assert space.only("replan").names == ("replan",)
    assert STANDARD_SPACE.names == ("finish", "tool_call", "ask_user", "replan")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("finish", "is there twice", id="twice"),
        pytest.param("Hand over", "is not a name", id="two-words"),
        pytest.param("", "is not a name", id="empty"),
        pytest.param("完成", "is not a name", id="another-script"),
    ],
)
def test_a_name_that_could_be_misread_is_refused(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        STANDARD_SPACE.added(SpaceAction(name=name, description="x"))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        pytest.param(["", "b"], "is not one word", id="empty"),
        pytest.param([" a"], "is not one word", id="a-blank"),
        pytest.param(["a\n"], "is not one word", id="a-line-end"),
        pytest.param(["a", "a"], "two tools are named `a`", id="twice"),
        pytest.param(["replan"], "named like an action", id="an-action"),
    ],
)
def test_a_tool_that_could_be_misread_is_refused(names: list[str], message: str) -> None:
    tools = [ToolSpec(name=name, description="", parameters={}) for name in names]
    with pytest.raises(ValueError, match=message):
        check_tools(tools, STANDARD_SPACE)


def test_equal_calls_have_equal_keys_whatever_the_order() -> None:
    assert call_key("a", {"x": 1, "y": [2]}) == call_key("a", {"y": [2], "x": 1})
    assert call_key("a", {"x": 1}) != call_key("a", {"x": True})
    assert call_key("a", {"x": 1}) != call_key("b", {"x": 1})


def test_the_four_keys_of_a_decision_are_plain_values() -> None:
    decision = ActionDecision(action="tool_call", tool="a", tool_input={"x": 1}, thought="hm")

    assert decision.fields == {"action": "tool_call", "tool": "a", "tool_input": {"x": 1}, "final": None}
