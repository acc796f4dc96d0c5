"""Cases as lines of JSON; a line that would be misread is refused with its number."""

from __future__ import annotations

import json
from typing import Any

import pytest

from interlock.actions import ActionDecision
from interlock.errors import ExperimentError
from interlock.experiments import Case, cases_digest, read_cases
from interlock.experiments.cases import calls_expected, is_expected

TOOL = {"name": "search", "description": "the web", "parameters": {"type": "object"}}


def lines(*cases: Any) -> str:
    return "\n".join(json.dumps(case, ensure_ascii=False) for case in cases)


def test_cases_are_read_line_by_line() -> None:
    text = lines({"loop": {"goal": "写诗"}}, {"id": "two", "loop": {"goal": "b"}, "expect": {"action": "finish"}})
    first, second = read_cases(f"\n{text}\n\n", "cases.jsonl")

    assert (first.id, first.loop["goal"], first.expect) == ("2", "写诗", None)
    assert (second.id, second.expect) == ("two", {"action": "finish"})


def test_only_a_line_feed_ends_a_line() -> None:
    """JSON may hold the other line ends of Unicode unescaped; files of Windows have a mark and carriage returns."""
    text = lines({"id": "a\u2028b", "loop": {"goal": "x\u0085y"}}, {"loop": {"goal": "z"}}).replace("\n", "\r\n")
    first, second = read_cases(f"\ufeff{text}", "cases.jsonl")

    assert (first.id, first.loop["goal"], second.id) == ("a\u2028b", "x\u0085y", "2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "holds no case", id="empty"),
        pytest.param("{", "cases:1: is not JSON", id="not-json"),
        pytest.param("[]", "cases:1: is no case", id="a-list"),
        pytest.param('{"loop": {"goal": "x", "budget": {"max_steps": NaN}}}', "is not JSON", id="not-a-number"),
        pytest.param(
            '{"loop": {"goal": "x", "budget": {"max_tokens": 1e999}}}', "is not JSON", id="beyond-every-float"
        ),
        pytest.param("[" * 100_000, "is not JSON", id="too-deep"),
        pytest.param('{"loop": {"goal": "\\ud800"}}', "is not JSON", id="half-of-a-character"),
        pytest.param('{"loop": {"goal": "x", "goal": "y"}}', "is not JSON", id="a-key-twice"),
        pytest.param(lines({"goal": "x"}), "cases:1: is no case", id="no-loop"),
        pytest.param(lines({"loop": {"goal": "x"}, "want": 1}), "no key `want`", id="unknown-key"),
        pytest.param(lines({"loop": {}}), "`goal` is empty", id="no-goal"),
        pytest.param(lines({"loop": {"goal": "x", "mood": 1}}), "no key `mood`", id="unknown-key-of-the-loop"),
        pytest.param(lines({"loop": {"goal": "x", "tools_available": ["a"]}}), "a tool is an object", id="tools"),
        pytest.param(
            lines({"loop": {"goal": "x", "tools_available": [TOOL, TOOL]}}), "two tools are named", id="same-tools"
        ),
        pytest.param(lines({"id": 1, "loop": {"goal": "x"}}), "`id` is text", id="id"),
        pytest.param(lines({"loop": {"goal": "x"}, "expect": {}}), "`expect` holds", id="empty-expectation"),
        pytest.param(
            lines({"loop": {"goal": "x"}, "expect": {"action": 1}}), "`expect.action` is of another", id="no-action"
        ),
        pytest.param(
            lines({"loop": {"goal": "x"}, "expect": {"tool_input": "y"}}), "`expect.tool_input` is", id="no-input"
        ),
        pytest.param(
            lines({"loop": {"goal": "x", "tools_available": [TOOL]}, "expect": {"tool": "serach"}}),
            "no tool `serach` in this case; did you mean `search`",
            id="no-such-tool",
        ),
        pytest.param(lines({"loop": {"goal": "x"}, "expect": {"final": "y"}}), "`expect` holds", id="a-final"),
        pytest.param(lines(*[{"id": "a", "loop": {"goal": "x"}}] * 2), "cases:2: the id `a` is there", id="twice"),
    ],
)
def test_a_line_of_another_form_is_refused(text: str, message: str) -> None:
    with pytest.raises(ExperimentError, match=message):
        read_cases(text, "cases")


@pytest.mark.parametrize(
    ("expect", "right"),
    [
        pytest.param({"action": "tool_call"}, True, id="the-action"),
        pytest.param({"tool": "search"}, True, id="the-tool"),
        pytest.param({"action": "tool_call", "tool": "search", "tool_input": {"query": "x"}}, True, id="all"),
        pytest.param({"tool": "note"}, False, id="another-tool"),
        pytest.param({"action": "finish"}, False, id="another-action"),
        pytest.param({"tool_input": {"query": "y"}}, False, id="another-input"),
    ],
)
def test_what_is_right_may_be_said_in_part(expect: dict[str, Any], right: bool) -> None:
    loop = {"goal": "x", "tools_available": [TOOL, {**TOOL, "name": "note"}]}
    (case,) = read_cases(lines({"loop": loop, "expect": expect}), "cases")
    decision = ActionDecision(action="tool_call", tool="search", tool_input={"query": "x"})

    assert is_expected(case, decision) is right


def test_a_digest_tells_cases_apart() -> None:
    one = read_cases(lines({"loop": {"goal": "x"}}), "cases")
    other = read_cases(lines({"loop": {"goal": "y"}}), "cases")

    assert cases_digest(one) == cases_digest(one) != cases_digest(other)


@pytest.mark.parametrize(
    ("expect", "right"),
    [
        pytest.param({"tool": "search"}, True, id="the-tool"),
        pytest.param({"action": "tool_call", "tool": "search", "tool_input": {"q": "other"}}, True, id="other-input"),
        pytest.param({"tool": "clock"}, False, id="another-tool"),
        pytest.param({"tool": None}, False, id="no-tool"),
        pytest.param({"action": "tool_call"}, None, id="only-an-action"),
        pytest.param(None, None, id="nobody-said"),
    ],
)
def test_the_tool_is_right_where_the_case_names_one(expect: Any, right: bool | None) -> None:
    decision = ActionDecision(action="tool_call", tool="search", tool_input={"q": "x"})

    assert calls_expected(Case(id="1", loop={"goal": "g"}, expect=expect), decision) is right
