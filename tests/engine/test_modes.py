"""How a decision is asked for: text, function calls, a schema, reasoning; and what happens where one is lacking."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import jsonschema
import pytest

from interlock.actions import ToolSpec
from interlock.engine import Decided, EngineOptions, Meter, Mode, Turn, Waiting, decide
from interlock.engine.modes import decision_schema
from interlock.engine.validate import Situation
from interlock.judge.base import Judge
from interlock.messages import ToolCall
from interlock.models.base import Failure, TextModel, TextReply
from interlock.prompts import PromptPack
from interlock.questions import Json
from interlock.testing import ScriptedModel

Says = Callable[..., str]
SEARCH = ToolSpec(
    name="search",
    description="search the web",
    parameters={
        "type": "object",
        "properties": {"query": {"type": "string"}},
        "required": ["query"],
        "additionalProperties": False,
    },
)
LACKS = Failure(reason="bad-request", status=400)


@dataclass(frozen=True)
class Plain:
    model: TextModel | None
    judge: Judge | None = None


def calls(*named: tuple[str, str], text: str = "") -> TextReply:
    """Return a reply that calls functions."""
    return TextReply(
        text=text,
        finish="stop",
        usage=None,
        requested_model="m",
        served_model="m",
        request_id=None,
        tool_calls=tuple(ToolCall(id=f"c{at}", name=name, arguments=given) for at, (name, given) in enumerate(named)),
    )


async def decided(model: ScriptedModel, pack: PromptPack, waiting: Waiting, **options: Any) -> Decided:
    turn = Turn(state={"goal": "g"}, tools=(SEARCH,), pack=pack, options=EngineOptions(**options))
    return await decide(turn, Plain(model), waiting=waiting, meter=Meter())


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("reply", "fields", "thought"),
    [
        pytest.param(
            calls(("search", '{"query": "x"}')), ("tool_call", "search", {"query": "x"}, None), None, id="a-tool"
        ),
        pytest.param(calls(("finish", '{"final": "done"}')), ("finish", None, None, "done"), None, id="an-action"),
        pytest.param(
            calls(("finish", '{"final": "done"}'), text="I know."),
            ("finish", None, None, "done"),
            None,
            id="text-beside",
        ),
    ],
)
async def test_a_function_call_is_a_decision(
    reply: TextReply, fields: tuple[Any, ...], thought: str | None, pack: PromptPack, waiting: Waiting
) -> None:
    model = ScriptedModel([reply])
    found = await decided(model, pack, waiting, mode="tools")

    assert tuple(found.decision.fields.values()) == fields
    assert found.decision.thought == thought
    assert [tool["name"] for tool in model.requests[0].tools] == ["search", "finish", "ask_user", "replan"]
    assert model.requests[0].schema is None
    assert model.requests[0].must_call
    assert found.valid_at_first


@pytest.mark.anyio
async def test_text_beside_a_function_call_is_the_thought(pack: PromptPack, waiting: Waiting) -> None:
    """Providers may leave it empty, so it may be missing."""
    reply = calls(("finish", '{"final": "done"}'), text="I know.")
    found = await decided(ScriptedModel([reply]), pack, waiting, mode="tools", deliberate="brief")
    silent = await decided(
        ScriptedModel([calls(("finish", '{"final": "x"}'))]), pack, waiting, mode="tools", deliberate="full"
    )

    assert found.decision.thought == "I know."
    assert silent.decision.thought is None


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("bad", "check", "reason"),
    [
        pytest.param(calls(text="I would search."), 1, "no function was called", id="no-call"),
        pytest.param(calls(("search", "{}"), ("search", "{}")), 1, "2 functions were called", id="two-calls"),
        pytest.param(calls(("browse", "{}")), 4, "not available now", id="unknown-function"),
        pytest.param(calls(("search", '{"query": ')), 5, "must be one JSON object", id="broken-arguments"),
        pytest.param(calls(("search", "")), 5, "`tool_input.query` is missing", id="no-arguments"),
        pytest.param(calls(("finish", "{}")), 8, "must be text", id="no-final"),
    ],
)
async def test_a_wrong_function_call_is_told(
    bad: TextReply, check: int, reason: str, pack: PromptPack, waiting: Waiting
) -> None:
    model = ScriptedModel([bad, calls(("finish", '{"final": "x"}'))])
    found = await decided(model, pack, waiting, mode="tools")
    told = str(model.requests[1].messages[-1].content)

    assert [item.check for item in found.decision.attempts] == [check]
    assert reason in told
    assert told.endswith("Call exactly one of the functions on offer.")


@pytest.mark.anyio
async def test_an_object_in_the_text_stands_for_a_call(says: Says, pack: PromptPack, waiting: Waiting) -> None:
    found = await decided(ScriptedModel([says("finish", "x")]), pack, waiting, mode="tools")

    assert found.decision.final == "x"
    assert found.decision.tolerance == ("text",)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("mode", "lacking", "used"),
    [
        pytest.param("tools", 0, "tools", id="nothing-lacks"),
        pytest.param("tools", 1, "json", id="no-functions"),
        pytest.param("tools", 2, "text", id="no-functions-and-no-schemas"),
        pytest.param("json", 1, "text", id="no-schemas"),
    ],
)
async def test_the_engine_falls_to_the_next_mode_and_says_so(
    *,
    mode: Mode,
    lacking: int,
    used: str,
    says: Says,
    pack: PromptPack,
    waiting: Waiting,
    caplog: pytest.LogCaptureFixture,
) -> None:
    model = ScriptedModel([*[LACKS] * lacking, says("finish", "x")])
    with caplog.at_level(logging.WARNING, logger="interlock.engine"):
        found = await decided(model, pack, waiting, mode=mode)

    assert found.mode == used
    assert [item.reason for item in found.fell] == ["bad-request"] * lacking
    assert len(caplog.messages) == lacking
    assert found.decision.final == "x"
    assert found.decision.attempts == ()


@pytest.mark.anyio
async def test_functions_that_are_ignored_are_lacking(says: Says, pack: PromptPack, waiting: Waiting) -> None:
    """A provider that takes functions and never calls one has no function calling; what was tried is kept."""
    model = ScriptedModel(["I would search.", "Let me search.", "Searching.", "no object", says("finish", "x")])
    found = await decided(model, pack, waiting, mode="tools")

    assert (found.mode, found.decision.final) == ("json", "x")
    assert [(item.mode, item.reason) for item in found.fell] == [("tools", "ignored")]
    assert [(item.number, item.check) for item in found.decision.attempts] == [(1, 1), (2, 1), (3, 1), (4, 1)]
    assert [request.schema is not None for request in model.requests] == [False, False, False, True, True]
    assert not found.valid_at_first


@pytest.mark.anyio
async def test_a_provider_that_calls_functions_badly_has_them(pack: PromptPack, waiting: Waiting) -> None:
    found = await decided(ScriptedModel([calls(("browse", "{}"))]), pack, waiting, mode="tools")

    assert (found.mode, found.fell, found.decision.fallback) == ("tools", (), True)


@pytest.mark.anyio
async def test_reasoning_is_text_with_a_full_thought(pack: PromptPack, waiting: Waiting) -> None:
    reply = '{"thought": "First …", "action": "finish", "tool": null, "tool_input": null, "final": "x"}'
    model = ScriptedModel([reply])
    found = await decided(model, pack, waiting, mode="cot")

    assert found.decision.thought == "First …"
    assert (found.mode, model.requests[0].schema, model.requests[0].tools) == ("cot", None, ())
    assert "step by step" in str(model.requests[0].messages[0].content)


VALID: list[tuple[str, dict[str, Any]]] = [
    ("a-call", {"action": "tool_call", "tool": "search", "tool_input": {"query": "x"}, "final": None}),
    ("an-answer", {"action": "finish", "tool": None, "tool_input": None, "final": "x"}),
    ("a-plan", {"action": "replan", "tool": None, "tool_input": None, "final": "x"}),
]
BROKEN: list[tuple[str, dict[str, Any]]] = [
    ("a-call-with-a-final", {"action": "tool_call", "tool": "search", "tool_input": {"query": "x"}, "final": "x"}),
    ("an-unknown-tool", {"action": "tool_call", "tool": "browse", "tool_input": {"query": "x"}, "final": None}),
    ("a-misspelt-argument", {"action": "tool_call", "tool": "search", "tool_input": {"q": "x"}, "final": None}),
    ("an-answer-with-a-tool", {"action": "finish", "tool": "search", "tool_input": None, "final": "x"}),
    ("an-empty-answer", {"action": "finish", "tool": None, "tool_input": None, "final": ""}),
    ("an-unknown-action", {"action": "walk", "tool": None, "tool_input": None, "final": "x"}),
    ("an-extra-key", {"action": "finish", "tool": None, "tool_input": None, "final": "x", "why": 1}),
]


@pytest.mark.parametrize("value", [pytest.param(value, id=name) for name, value in VALID])
def test_the_schema_takes_what_the_checks_take(value: dict[str, Any]) -> None:
    jsonschema.validate(value, decision_schema(Situation(tools=(SEARCH,))))


@pytest.mark.parametrize("value", [pytest.param(value, id=name) for name, value in BROKEN])
def test_the_schema_refuses_what_the_checks_refuse(value: dict[str, Any]) -> None:
    assert not jsonschema.Draft202012Validator(decision_schema(Situation(tools=(SEARCH,)))).is_valid(value)


@pytest.mark.anyio
async def test_a_schema_is_sent_only_in_its_mode(says: Says, pack: PromptPack, waiting: Waiting) -> None:
    model = ScriptedModel([says("finish", "x")])
    found = await decided(model, pack, waiting, mode="json")

    assert found.mode == "json"
    assert model.requests[0].schema is not None
    assert json.loads(json.dumps(model.requests[0].schema))["anyOf"][0]["properties"]["tool"]["enum"] == ["search"]


@pytest.mark.parametrize("deliberate", ["none", "brief", "full"])
def test_thought_comes_first_in_the_schema(deliberate: Literal["none", "brief", "full"]) -> None:
    """A model thinks before it decides, so the key stands before the action."""
    schema = decision_schema(Situation(deliberate=deliberate))

    properties = schema["properties"]
    assert isinstance(properties, dict)
    assert (next(iter(properties)) == "thought") == (deliberate != "none")


def test_types_that_refer_to_themselves_keep_their_definitions() -> None:
    node: Json = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    tree: dict[str, Json] = {"$ref": "#/$defs/Node", "$defs": {"Node": node}}
    schema = decision_schema(Situation(tools=(ToolSpec(name="grow", description="", parameters=tree),)))

    jsonschema.validate({"action": "tool_call", "tool": "grow", "tool_input": {"next": {}}, "final": None}, schema)


@pytest.mark.anyio
async def test_the_length_of_a_reply_is_passed_on(says: Says, pack: PromptPack, waiting: Waiting) -> None:
    model = ScriptedModel([says("finish", "x")])
    await decided(model, pack, waiting, max_reply_tokens=64)

    assert model.requests[0].max_tokens == 64
