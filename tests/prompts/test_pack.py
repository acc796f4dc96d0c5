"""A pack, the state that each turn fills, and the messages they become."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Literal

import pytest

from interlock.actions import STANDARD_SPACE, SpaceAction, ToolSpec
from interlock.errors import PromptError
from interlock.prompts import EMPTY_LOOP, LOOP_KEYS, PromptPack, Wanted, fill_loop, read_tools, render_pack
from interlock.registry import load_pack, shipped_registry

SYSTEM = "Take finish, tool_call, ask_user or replan."
SEARCH = ToolSpec(name="search", description="the web", parameters={"type": "object"})


def pack(**parts: Any) -> PromptPack:
    return PromptPack(**{"system": SYSTEM, "role": "Be brief.", "version": "v1", **parts})


def rendered(given: PromptPack, state: dict[str, Any] | None = None, **wanted: Any) -> list[str]:
    loop = fill_loop(given.loop, {"goal": "g", **(state or {})}, [SEARCH])
    return [str(message.content) for message in render_pack(given, loop, Wanted(**wanted))]


def test_texts_are_stripped_and_the_state_is_not() -> None:
    """Models read the first line of a prompt with care; data is left as it is."""
    system, role, state = rendered(
        pack(system=f"\n\n  {SYSTEM}\t\n", role="\n Be brief. \n"), {"memory_summary": "  two blanks  "}
    )

    assert system == SYSTEM
    assert role == "ROLE:\nBe brief."
    assert json.loads(state)["memory_summary"] == "  two blanks  "


def test_the_state_has_exactly_seven_keys_and_keeps_other_scripts() -> None:
    state = rendered(pack(), {"goal": "写一首诗"})[2]

    assert tuple(json.loads(state)) == LOOP_KEYS
    assert "写一首诗" in state


def test_the_order_and_the_defaults_of_the_state_are_the_templates() -> None:
    template = {key: EMPTY_LOOP[key] for key in reversed(LOOP_KEYS)} | {"memory_summary": "nothing yet"}
    loop = json.loads(rendered(pack(loop=template))[2])

    assert next(iter(loop)) == "plan"
    assert loop["memory_summary"] == "nothing yet"
    assert loop["tools_available"] == [{"name": "search", "description": "the web", "parameters": {"type": "object"}}]


def test_a_state_may_declare_its_own_tools() -> None:
    """So a case of an experiment holds all that a model is shown."""
    loop = fill_loop(EMPTY_LOOP, {"goal": "g", "tools_available": [{"name": "search"}]}, None)

    assert [(tool.name, tool.description) for tool in read_tools(loop)] == [("search", "")]


@pytest.mark.parametrize(
    ("template", "message"),
    [
        pytest.param({}, "lacks `goal`, `tools_available`", id="empty"),
        pytest.param({**EMPTY_LOOP, "mood": 1}, "no key `mood`", id="unknown-key"),
        pytest.param({**EMPTY_LOOP, "goal": None}, "`goal` is text", id="goal"),
        pytest.param({**EMPTY_LOOP, "plan": 1}, "`plan` is text or null", id="plan"),
        pytest.param({**EMPTY_LOOP, "budget": []}, "`budget` is an object", id="budget"),
        pytest.param({**EMPTY_LOOP, "budget": {"max_steps": "6"}}, "budget `max_steps` is a number", id="budget-text"),
        pytest.param({**EMPTY_LOOP, "budget": {"max_steps": True}}, "budget `max_steps` is a number", id="budget-true"),
        pytest.param({**EMPTY_LOOP, "tools_available": "all"}, "`tools_available` is a list", id="tools"),
    ],
)
def test_a_template_of_another_form_is_refused(template: dict[str, Any], message: str) -> None:
    with pytest.raises(PromptError, match=message):
        pack(loop=template)


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        pytest.param("search", "a tool is an object", id="text"),
        pytest.param({"description": "x"}, "a tool is an object", id="no-name"),
        pytest.param({"name": "x", "parameters": []}, "`parameters` a JSON Schema", id="parameters"),
    ],
)
def test_a_declared_tool_of_another_form_is_refused(tool: Any, message: str) -> None:
    with pytest.raises(PromptError, match=message):
        read_tools({"tools_available": [tool]})


def test_digests_follow_the_texts() -> None:
    """A layer without a name still has a digest, so a result can be told apart from another."""
    refs = pack().refs()

    assert {layer: (ref.name, ref.version) for layer, ref in refs.items()} == dict.fromkeys(
        ("system", "role", "loop"), (None, "v1")
    )
    assert pack(role="Be long.").refs()["role"].digest != refs["role"].digest
    assert pack(role="Be long.").refs()["system"] == refs["system"]
    assert str(refs["role"]) == "unnamed@v1"


def test_a_layer_that_was_changed_in_code_loses_its_published_name() -> None:
    """Otherwise a record would name a version that was not used."""
    published = load_pack()
    changed = replace(published, role="You are someone else.")

    assert str(published.refs()["role"]) == "web_research@1.0"
    assert changed.refs()["role"].name is None
    assert changed.refs()["system"] == published.refs()["system"]
    assert changed.refs()["loop"] == published.refs()["loop"]


def test_a_state_that_was_changed_in_code_is_not_taken_for_the_published_one() -> None:
    published = load_pack()
    other = {**published.loop, "memory_summary": "nothing yet"}
    with pytest.raises(PromptError, match="`loop_text` says something else"):
        replace(published, loop=other)

    assert replace(published, loop=other, loop_text=None).refs()["loop"].name is None


def test_the_actions_of_the_space_must_be_named() -> None:
    """A model cannot take what it is not told of, and a closed set is stated in full."""
    space = STANDARD_SPACE.added(SpaceAction(name="hand_over", description="a colleague is needed"))
    with pytest.raises(PromptError, match="does not name the action `hand_over`"):
        rendered(pack(), space=space)

    assert "- hand_over: a colleague is needed" in rendered(pack(system="Actions:\n{{actions}}"), space=space)[0]


def test_an_unknown_placeholder_is_refused() -> None:
    with pytest.raises(PromptError, match=r"no placeholder `\{\{action\}\}`; write one of actions, tools, "):
        rendered(pack(system=f"{SYSTEM} {{{{action}}}}"))


PARAGRAPHS = {
    "allowed actions": ("Allowed actions:", ("finish", "tool_call", "ask_user", "replan")),
    "allowed tools": ("Allowed tools:", ('"search"',)),
    "schema": ("Schema:", ('"action"', '"tool"', '"tool_input"', '"final"')),
    "no reasoning outside thought": ("Reasoning:", ("reasoning anywhere",)),
    "what to do after a failed check": ("After a failed check:", ("the whole reply again",)),
    "results only from an observation": ("Results:", ("Observation",)),
    "ask or replan when the tool is missing": ("Missing tool:", ("ask_user", "replan")),
}


@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize("statement", [pytest.param(name, id=name.replace(" ", "-")) for name in PARAGRAPHS])
def test_the_shipped_rules_state_each_thing_in_a_paragraph_of_its_own(version: str, statement: str) -> None:
    text = shipped_registry().get("decision_engine", version).text
    begins, holds = PARAGRAPHS[statement]
    paragraphs = [
        part for part in rendered(pack(system=text), tools=(SEARCH,))[0].split("\n\n") if part.startswith(begins)
    ]

    assert len(paragraphs) == 1
    assert all(part in paragraphs[0] for part in holds)


@pytest.mark.parametrize("deliberate", ["none", "brief", "full"])
@pytest.mark.parametrize("form", ["json", "lines", "functions"])
def test_the_rules_ask_for_the_form_and_the_depth(
    form: Literal["json", "lines", "functions"], deliberate: Literal["none", "brief", "full"]
) -> None:
    text = shipped_registry().get("decision_engine").text
    system = rendered(pack(system=text), form=form, deliberate=deliberate)[0]

    assert ("Action Input:" in system) == (form == "lines")
    assert ("call exactly one of the functions" in system) == (form == "functions")
    assert ("write no reasoning anywhere" in system) == (deliberate == "none")
    assert ("step by step" in system) == (deliberate == "full")


def test_two_system_messages_can_be_one() -> None:
    given = pack()
    messages = render_pack(given, fill_loop(given.loop, {"goal": "g"}, []), Wanted(), one_system=True)

    assert [message.role for message in messages] == ["system", "user"]
    assert messages[0].content == f"{SYSTEM}\n\nROLE:\nBe brief."
