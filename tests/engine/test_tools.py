"""Tools of the engine: what stands for one, and that a call never raises."""

from __future__ import annotations

import asyncio
from datetime import date
from typing import Any

import pytest

from interlock import Agent, Runtime
from interlock.actions import ToolSpec
from interlock.engine.tools import MAX_RESULT_CHARS, EngineTool, call_tool, engine_tools
from interlock.errors import ToolError
from interlock.testing import ScriptedModel
from interlock.tools.callables import tool_from_function


def add(first: int, second: int = 2, *, note: str | None = None) -> int:
    """Add two numbers."""
    return first + second


async def later(word: str) -> str:
    """Say a word later."""
    await asyncio.sleep(0)
    return word


def secret(query: str, token: str = "none") -> str:
    """Ask with a token."""
    return f"{query} with {token}"


secret.input_meta = {"token": {"hidden": True}}  # type: ignore[attr-defined]  # functions carry attributes


def broken() -> str:
    """Fail."""
    raise ValueError("it is\nbroken")


def refusing() -> str:
    """Fail as a tool does."""
    raise ToolError("not-found", "no such page")


def leaving() -> str:
    """End the program."""
    raise SystemExit(3)


def tool(item: object, **context: object) -> EngineTool:
    (found,) = engine_tools([item], context=context, runtime=None)
    return found


def called(item: object, arguments: dict[str, Any] | None = None, **context: object) -> tuple[str, bool]:
    outcome = asyncio.run(call_tool(tool(item, **context), arguments or {}))
    return outcome.text, outcome.failed


class Desk(Agent):
    """An agent with one method."""

    def look(self, word: str) -> str:
        """Look a word up."""
        return f"{word}: a word"


@pytest.mark.parametrize(
    ("item", "name", "given", "text"),
    [
        pytest.param(add, "add", {"first": 1}, "3", id="a-function"),
        pytest.param(later, "later", {"word": "hi"}, "hi", id="an-async-function"),
        pytest.param(
            tool_from_function(add, base_risk=0, effect="read"), "add", {"first": 1, "second": 5}, "6", id="a-tool"
        ),
        pytest.param(
            {"spec": {"name": "echo", "description": "", "parameters": {}}, "execute": lambda given: given},
            "echo",
            {"a": ["b"]},
            '{"a": ["b"]}',
            id="a-pair",
        ),
        pytest.param(Desk(Runtime(ScriptedModel([]))).look, "look", {"word": "agent"}, "agent: a word", id="a-method"),
    ],
)
def test_what_stands_for_a_tool(item: object, name: str, given: dict[str, Any], text: str) -> None:
    assert tool(item).spec.name == name
    assert called(item, given) == (text, False)


def test_a_tool_that_is_only_declared_cannot_be_called() -> None:
    declared = tool(ToolSpec(name="search", description="", parameters={}))
    with pytest.raises(TypeError, match="only declared"):
        asyncio.run(call_tool(declared, {}))


@pytest.mark.parametrize("risk", [2, 3, None])
def test_a_tool_that_would_need_an_approval_is_refused(risk: int | None) -> None:
    """The engine asks nobody, so it must not be the way around a gate."""
    with pytest.raises(ValueError, match="the engine asks nobody before a call"):
        tool(tool_from_function(add, base_risk=risk))


@pytest.mark.parametrize(
    ("item", "text"),
    [
        pytest.param(broken, "[TOOL_ERROR] ValueError: it is broken", id="an-exception"),
        pytest.param(refusing, "[TOOL_ERROR] not-found: no such page", id="a-tool-error"),
        pytest.param(leaving, "[TOOL_ERROR] RuntimeError: the tool ended with SystemExit", id="an-exit"),
    ],
)
def test_what_a_tool_raises_becomes_an_observation(item: object, text: str) -> None:
    assert called(item) == (text, True)


@pytest.mark.parametrize(
    ("result", "text"),
    [
        pytest.param(None, "(empty)", id="nothing"),
        pytest.param("  ", "(empty)", id="blank"),
        pytest.param("中文", "中文", id="text"),
        pytest.param({"a": 1}, '{"a": 1}', id="an-object"),
        pytest.param("half \ud83d", "half �", id="half-a-character"),
        pytest.param("a\0b", "a�b", id="a-nul"),
    ],
)
def test_a_result_is_text_that_can_be_kept(result: object, text: str) -> None:
    assert called({"spec": {"name": "x"}, "execute": lambda _: result}) == (text, False)


def test_a_long_result_is_shown_by_its_head_and_tail() -> None:
    found, _ = called({"spec": {"name": "x"}, "execute": lambda _: "a" * 90_000 + "z"})

    assert len(found) <= MAX_RESULT_CHARS
    assert (found[0], found[-1]) == ("a", "z")


def test_a_hidden_parameter_is_filled_by_context_and_never_shown() -> None:
    found = tool(secret, token="t0ken")

    assert "token" not in str(found.spec.parameters)
    assert called(secret, {"query": "q"}, token="t0ken") == ("q with t0ken", False)
    assert called(secret, {"query": "q"}) == ("q with none", False)
    assert found.spec.fits is not None


def test_a_hidden_parameter_without_context_is_refused() -> None:
    def needs(query: str, token: str) -> str:
        """Ask."""
        return token

    needs.input_meta = {"token": {"hidden": True}}  # type: ignore[attr-defined]  # functions carry attributes
    with pytest.raises(TypeError, match="context lacks `token`"):
        tool(needs)


def test_arguments_that_the_schema_cannot_judge_are_judged_by_their_types() -> None:
    def on(day: date) -> str:
        """Name a day."""
        return day.isoformat()

    fits = tool(on).spec.fits

    assert fits is not None
    assert fits({"day": "2026-01-02"}) is None
    assert "day" in str(fits({"day": "yesterday"}))


def test_misspelt_arguments_are_refused_by_the_schema() -> None:
    assert tool(add).spec.parameters["additionalProperties"] is False


def test_a_tool_that_hangs_is_given_up() -> None:
    """An async one is cancelled; the model reads that its effect is not known."""
    ended: list[str] = []

    async def hanging() -> str:
        """Hang."""
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        return "late"

    (slow,) = engine_tools([hanging], context={}, runtime=None, timeout_s=0.01)
    outcome = asyncio.run(call_tool(slow, {}))

    assert outcome.failed
    assert outcome.text == "[TOOL_ERROR] timeout: no result after 0.01 s; whether it took effect is not known"
    assert ended == ["cancelled"]


def test_a_timeout_of_the_tools_own_is_the_tools_own() -> None:
    async def impatient() -> str:
        """Give up by itself."""
        raise TimeoutError("the server was slow")

    assert called(impatient) == ("[TOOL_ERROR] TimeoutError: the server was slow", True)


def test_an_exception_that_cannot_be_read_is_named_by_its_type() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    def mute() -> str:
        """Fail without words."""
        raise MuteError

    assert called(mute) == ("[TOOL_ERROR] MuteError: ", True)
