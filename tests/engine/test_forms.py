"""Laws of reading a reply: what was written is read, nothing raises, and time grows with the length."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.actions import ActionDecision, ToolSpec
from interlock.engine.claims import CLAIMS, find_claim, named_ids
from interlock.engine.forms import Draft, Failed, read_lines, read_object_form
from interlock.engine.modes import check_reply
from interlock.engine.validate import LINE_WORDS, Situation
from interlock.models.base import TextReply

TOOL = ToolSpec(name="search", description="", parameters={"type": "object"})
ANYTHING = Situation(tools=(TOOL,), last_observation="x")

PLAIN = st.characters(exclude_categories=["Cs"])
TEXT = st.text(PLAIN, min_size=1).filter(lambda text: text.strip() and "#" not in text)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(PLAIN),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(PLAIN), inner, max_size=3),
    max_leaves=8,
)
INPUTS = st.dictionaries(st.text(PLAIN), VALUES, max_size=4)
CALLS = INPUTS.map(lambda given: {"action": "tool_call", "tool": "search", "tool_input": given, "final": None})
OTHERS = st.builds(
    lambda action, final: {"action": action, "tool": None, "tool_input": None, "final": final},
    st.sampled_from(["finish", "ask_user", "replan"]),
    TEXT,
)
AROUND = st.sampled_from([("", ""), ("Here: ", ""), ("```json\n", "\n```"), ("<think>no</think>", ""), ("", "\nDone.")])


def reply(text: str) -> TextReply:
    return TextReply(text=text, finish="stop", usage=None, requested_model="m", served_model="m", request_id=None)


@given(CALLS | OTHERS, AROUND, st.booleans())
@settings(max_examples=200, deadline=None)
def test_a_valid_decision_is_read_as_it_was_written(
    fields: dict[str, Any], around: tuple[str, str], is_ascii: bool
) -> None:
    text = json.dumps(fields, ensure_ascii=is_ascii)
    found = check_reply(reply(f"{around[0]}{text}{around[1]}"), "json", ANYTHING)

    assert isinstance(found, ActionDecision), found
    assert found.fields == fields


@given(TEXT.filter(lambda text: "\n" not in text and "\r" not in text and ":" not in text and "：" not in text))
@settings(max_examples=100, deadline=None)
def test_a_valid_line_form_is_read_as_it_was_written(final: str) -> None:
    situation = Situation(last_observation="x", words=LINE_WORDS)
    found = check_reply(reply(f"Action: finish\nAction Input: {final}"), "lines", situation)

    assert isinstance(found, ActionDecision), found
    assert found.final == final.strip()


@given(st.text(st.characters()) | st.text("{}[]\":,'`<>/thinkacoloful \n\\0", max_size=400))
@settings(max_examples=200, deadline=None)
def test_no_text_makes_a_reader_raise(text: str) -> None:
    for read in (read_object_form(text), read_lines(text, ["search"])):
        assert isinstance(read, Draft | Failed)


HOSTILE = {
    "open-braces": "{" * 65_536,
    "keys-without-end": '{"action":' * 6_553,
    "objects": '{"action":1}' * 5_461,
    "broken-objects": '{"action":1,' * 5_461,
    "quotes": '"' * 65_536,
    "backslashes": '{"action":"' + "\\" * 65_536,
    "labels": "Action: a\n" * 6_553,
    "label-without-end": "Action Input" * 5_461,
    "blanks": "Action:" + " " * 65_536,
    "ids": "a#1 " * 16_384,
    "hashes": "#" * 65_536,
    "claims": "search results " * 4_369,
    "conditions": "if the " * 9_362,
    "fences": "```" * 21_845,
    "tags": "<think>" * 9_362,
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in HOSTILE.items()])
def test_hostile_text_takes_time_in_proportion_to_its_length(text: str) -> None:
    """64 KiB, the fastest of three, in time of the processor."""

    def work() -> float:
        started = time.process_time()
        read_object_form(text)
        read_lines(text, ["search"])
        find_claim(text)
        named_ids(text, ["search", "搜索"])
        return time.process_time() - started

    assert min(work() for _ in range(3)) < 0.5


@pytest.mark.parametrize("phrase", [pytest.param(phrase, id=phrase) for group in CLAIMS.values() for phrase in group])
def test_each_listed_phrase_is_a_claim_and_none_as_a_condition(phrase: str) -> None:
    is_english = phrase.isascii()

    assert find_claim(f"Well: {phrase.capitalize()} x." if is_english else f"好的，{phrase}有三个。") is not None
    assert find_claim(f"Ask if {phrase} x." if is_english else f"如果{phrase}没有，再问。") is None


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        pytest.param("see search#1, read#2", ("search#1", "read#2"), id="two"),
        pytest.param("根据搜索#1的结果", ("搜索#1",), id="another-script"),
        pytest.param("根据search#1的结果", ("search#1",), id="between-another-script"),
        pytest.param("research#1", ("research#1",), id="a-longer-word"),
        pytest.param("page.search#3", ("search#3",), id="behind-a-dot"),
        pytest.param("# 1, #2, a#b, a#1b", (), id="no-ids"),
        pytest.param("（#1）", (), id="no-name"),
    ],
)
def test_observation_ids_are_found(text: str, ids: tuple[str, ...]) -> None:
    assert named_ids(text, ["search", "搜索"]) == ids


def test_half_a_character_is_refused_in_both_forms() -> None:
    found = read_lines("Action: finish\nAction Input: \ud83d", [])

    assert isinstance(found, Failed)
    assert found.check == 1
