"""Full turns: tools that the model calls, replies that are filled objects, and what reaches the model besides."""

# ruff: noqa: RUF012  (options as an author writes them)

from __future__ import annotations

import asyncio
import importlib.util
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from interlock import Agent, Runtime, aagent, agent, llm
from interlock.agents.turn import MAX_TURN_CALLS
from interlock.decision import DecisionError
from interlock.errors import ModelError
from interlock.functions import tool_spec
from interlock.messages import ImagePart, Message, TextPart, ToolCall
from interlock.models.base import Failure
from interlock.testing import ScriptedModel, calling


def tool(name: str, execute: Callable[[Any], Any]) -> dict[str, Any]:
    return {"spec": {"name": name, "description": f"The {name}."}, "execute": execute}


def told(model: ScriptedModel, at: int) -> list[object]:
    """Return what the tools of one reply told the model."""
    return [message.content for message in model.requests[at].messages if message.role == "tool"]


class TestTools:
    """The loop of a turn."""

    def test_a_turn_goes_on_until_the_reply_is_text(self) -> None:
        model = ScriptedModel(
            [calling(("add", '{"n": 1}'), ("add", '{"n": 2}'), text="Adding."), calling("add"), "Seven."]
        )

        assert agent("Add.", tools=[tool("add", lambda given: given.get("n", 4))], runtime=Runtime(model)) == "Seven."

        user = Message(role="user", content="Add.")
        assert model.requests[1].messages == (
            user,
            Message(
                role="assistant",
                content="Adding.",
                tool_calls=(
                    ToolCall(id="call-0", name="add", arguments='{"n": 1}'),
                    ToolCall(id="call-1", name="add", arguments='{"n": 2}'),
                ),
            ),
            Message(role="tool", content="1", tool_call_id="call-0"),
            Message(role="tool", content="2", tool_call_id="call-1"),
        )
        assert told(model, 2) == ["1", "2", "4"]

    @pytest.mark.parametrize(
        ("result", "text"),
        [
            pytest.param("as it is", "as it is", id="text"),
            pytest.param({"n": 1, "ü": [None]}, '{"n": 1, "ü": [null]}', id="json"),
            pytest.param(None, "null", id="none"),
            pytest.param(Path("a/b"), '"a/b"', id="a-path"),
            pytest.param(object(), '"<object>"', id="no-json-form"),
        ],
    )
    def test_every_result_is_text_for_the_model(self, result: object, text: str) -> None:
        model = ScriptedModel([calling("give"), "done"])
        agent("p", tools=[tool("give", lambda given: result)], runtime=Runtime(model))

        assert told(model, 1) == [text]

    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            pytest.param("", "{}", id="nothing"),
            pytest.param('{"n": 1,}', '{"n": 1}', id="a-comma-too-many"),
            pytest.param("[1]", "error: the arguments must be one JSON object", id="a-list"),
            pytest.param('{"n": NaN}', "error: the arguments must be one JSON object", id="not-a-number"),
            pytest.param('{"n": 1, "n": 2}', "error: the arguments must be one JSON object", id="a-key-twice"),
            pytest.param('{"a":' * 100_000, "error: the arguments must be one JSON object", id="nested-without-end"),
        ],
    )
    def test_arguments_are_data(self, arguments: str, text: str) -> None:
        model = ScriptedModel([calling(("echo", arguments)), "done"])
        agent("p", tools=[tool("echo", dict)], runtime=Runtime(model))

        assert told(model, 1) == [text]

    @pytest.mark.parametrize(
        ("error", "text"),
        [
            pytest.param(LookupError("no such row"), "error: LookupError: no such row", id="exception"),
            pytest.param(StopIteration(), "error: RuntimeError: coroutine raised StopIteration", id="stop-iteration"),
            pytest.param(TimeoutError("socket"), "error: TimeoutError: socket", id="a-timeout-of-its-own"),
        ],
    )
    def test_a_tool_that_fails_tells_the_model(self, error: Exception, text: str) -> None:
        def fail(given: object) -> None:
            raise error

        model = ScriptedModel([calling("fail"), "done"])

        assert agent("p", tools=[tool("fail", fail)], runtime=Runtime(model)) == "done"
        assert told(model, 1) == [text]

    def test_objects_with_spec_and_execute_are_tools(self) -> None:
        class Clock:
            spec = {"name": "clock"}

            def execute(self, given: object) -> str:
                return "noon"

        model = ScriptedModel([calling("clock"), "done"])
        agent("p", tools=[Clock()], runtime=Runtime(model))

        assert told(model, 1) == ["noon"]

    @pytest.mark.parametrize("door", ["agent", "aagent"])
    def test_async_tools_are_awaited(self, door: str) -> None:
        async def wait(given: object) -> str:
            await asyncio.sleep(0)
            return threading.current_thread().name

        model = ScriptedModel([calling("wait"), "done"])
        runtime = Runtime(model)
        if door == "agent":
            agent("p", tools=[tool("wait", wait)], runtime=runtime)
            assert told(model, 1) != ["interlock"]
        else:
            asyncio.run(aagent("p", tools=[tool("wait", wait)], runtime=runtime))
            assert told(model, 1) == [threading.current_thread().name]

    def test_a_turn_that_never_ends_is_ended(self) -> None:
        model = ScriptedModel([calling("again")])

        with pytest.raises(ModelError, match=f"the turn did not end within {MAX_TURN_CALLS} model calls"):
            agent("p", tools=[tool("again", lambda given: "more")], runtime=Runtime(model))
        assert len(model.requests) == MAX_TURN_CALLS

    def test_registered_tools_are_those_of_the_runtime_and_of_the_agent(self) -> None:
        class Desk(Agent):
            method_options = {"look": {"tool": True}, "work": {"tool": True}}

            def look(self) -> str:
                """Look."""
                return "seen"

            def work(self) -> str:
                """Work."""
                return str(agent("p"))

        model = ScriptedModel(["done"])
        desk = Desk()
        desk.runtime = Runtime(model, tools=[tool("clock", str), desk.look])
        desk.work()
        desk.runtime.exec("outside of the agent")

        offered = [[spec["name"] for spec in request.tools] for request in model.requests]
        assert offered == [["clock", "look"], ["clock", "look"]]

    def test_a_nested_turn_inherits_the_outer_tools(self) -> None:
        class Desk(Agent):
            method_options = {"inner": {"tool": True}}

            def inner(self) -> str:
                """Take a turn of its own."""
                return str(agent("inner"))

        desk, model = Desk(), ScriptedModel([calling("inner"), "of the inner turn", "done"])
        runtime = Runtime(model, tools=[tool("other", str)])
        runtime.exec("p", tools=[desk.inner, tool("clock", str)])

        assert [[spec["name"] for spec in request.tools] for request in model.requests] == [["inner", "clock"]] * 3

    @pytest.mark.parametrize(
        ("tools", "message"),
        [
            pytest.param(["look", "look"], "two tools are named `look`", id="the-same-name-twice"),
            pytest.param(["find_tools"], "two tools are named `find_tools`", id="the-name-of-the-built-in-tool"),
        ],
    )
    def test_names_of_tools_are_unique(self, tools: list[str], message: str) -> None:
        class Desk(Agent):
            method_options = {"later": {"tool": True, "defer": True}}

            def later(self) -> None:
                """Wait to be found."""

            def work(self) -> None:
                """Work."""
                agent("p")

        model = ScriptedModel(["done"])
        with pytest.raises(ValueError, match=message):
            Desk(Runtime(model, tools=[tool(name, str) for name in tools])).work()
        assert model.requests == []

    def test_a_hidden_parameter_that_nothing_fills_is_said_before_any_call(self) -> None:
        class Desk(Agent):
            method_options = {"look_up": {"tool": True, "input": {"tenant": {"hidden": True}}}}

            def look_up(self, query: str, tenant: str) -> str:
                """Look up."""
                return f"{query} for {tenant}"

        desk, model = Desk(), ScriptedModel(["done"])
        runtime = Runtime(model, tools=[desk.look_up])

        with pytest.raises(TypeError, match="tool `look_up`: context lacks `tenant`"):
            runtime.exec("p")
        assert model.requests == []

    def test_the_context_of_a_decision_fills_the_tools_of_its_turn(self) -> None:
        class Desk(Agent):
            method_options = {"look_up": {"tool": True, "input": {"tenant": {"hidden": True}}}}

            def look_up(self, query: str, tenant: str) -> str:
                """Look up."""
                return f"{query} for {tenant}"

        desk = Desk()
        model = ScriptedModel([calling(("look_up", '{"query": "x", "tenant": "other"}')), '{"call": "go"}'])

        agent("p", choices={"go": 1}, context={"tenant": "acme"}, tools=[desk.look_up], runtime=Runtime(model))
        assert told(model, 1) == ["x for acme"]


class Colour(Enum):
    RED = "red"


@dataclass
class Row:
    id: int


class Shape(TypedDict):
    width: int


class Person(BaseModel):
    name: str


FORMS = [
    pytest.param({"x": str}, '{"x": "a"}', {"x": "a"}, id="type"),
    pytest.param({"x": "what it is"}, '{"x": "a"}', {"x": "a"}, id="description"),
    pytest.param({"x": [int]}, '{"x": [1, 2]}', {"x": [1, 2]}, id="list"),
    pytest.param({"x": {"y": {"z": bool}}}, '{"x": {"y": {"z": true}}}', {"x": {"y": {"z": True}}}, id="nested"),
    pytest.param({"x": [{"id": int}]}, '{"x": [{"id": 1, "more": 2}]}', {"x": [{"id": 1}]}, id="list-of-objects"),
    pytest.param({"x": {"type": "integer"}}, '{"x": 1}', {"x": 1}, id="named-type"),
    pytest.param({"x": {"type": int, "options": ["1", 2]}}, '{"x": 2}', {"x": 2}, id="options"),
    pytest.param({"x": {"fields": {"type": str}}}, '{"x": {"type": "a"}}', {"x": {"type": "a"}}, id="fields"),
    pytest.param({"x": {"items": {"description": "one"}}}, '{"x": ["a"]}', {"x": ["a"]}, id="items"),
    pytest.param({"x": float}, '{"x": 1}', {"x": 1.0}, id="float-from-integer"),
    pytest.param({"x": int | None}, '{"x": null}', {"x": None}, id="optional"),
    pytest.param({"x": Literal["a", "b"]}, '{"x": "b"}', {"x": "b"}, id="literal"),
    pytest.param({"x": Colour}, '{"x": "red"}', {"x": Colour.RED}, id="enum"),
    pytest.param({"x": Row}, '{"x": {"id": 1}}', {"x": Row(1)}, id="dataclass"),
    pytest.param({"x": Shape}, '{"x": {"width": 2}}', {"x": {"width": 2}}, id="typed-dict"),
    pytest.param({"x": Person}, '{"x": {"name": "a"}}', {"x": Person(name="a")}, id="model"),
    pytest.param({"x": Annotated[int, Field(ge=1)]}, '{"x": 1}', {"x": 1}, id="constraint"),
    pytest.param({}, "anything", {}, id="no-fields"),
]


class TestResponseFormat:
    """A reply that fills an object, in the language of schema options."""

    @pytest.mark.parametrize(("schema", "reply", "wanted"), FORMS)
    def test_exec_returns_the_validated_object(self, schema: Any, reply: str, wanted: object) -> None:
        model = ScriptedModel([f"Here you are:\n```json\n{reply}\n```"])

        assert Runtime(model).exec("Fill.", response_format=schema) == wanted
        assert "Reply with one JSON object of this schema" in str(model.requests[0].messages[-1].content)
        assert model.requests[0].schema is not None
        assert model.requests[0].schema["required"] == list(schema)

    def test_llm_does_the_same(self) -> None:
        class Desk(Agent):
            method_options = {"fill": {"system": "Be exact."}}

            def fill(self) -> Any:
                """Fill."""
                return llm("Fill.", response_format={"n": int}), llm("F.", system="Guess.", response_format={"n": int})

        model = ScriptedModel(['{"n": 1}'])
        assert Desk(Runtime(model)).fill() == ({"n": 1}, {"n": 1})
        assert [request.messages[0].content for request in model.requests] == ["Be exact.", "Guess."]

    @pytest.mark.parametrize(
        ("first", "kind", "problem"),
        [
            pytest.param("no object", "no_action", "no JSON object with these fields was found", id="nothing"),
            pytest.param(None, "no_action", "the reply is not text", id="not-text"),
            pytest.param('{"n": 1} {"n": ', "no_action", "cut off or not valid JSON", id="cut-off-after-a-whole-one"),
            pytest.param('{"n": 1e999, "rows": []}', "no_action", "is not valid JSON", id="a-number-out-of-range"),
            pytest.param('{"n": 1, "n": 2}', "ambiguous", "names a key twice", id="twice"),
            pytest.param('{"n": "1", "rows": []}', "type_mismatch", "`n`", id="type"),
            pytest.param('{"m": 1, "n": 1, "rows": [{}]}', "missing_required", "`rows[0].id`", id="missing-inside"),
        ],
    )
    def test_what_does_not_fit_is_asked_again_once(self, first: str | None, kind: str, problem: str) -> None:
        schema = {"n": int, "rows": [{"id": int}]}
        model = ScriptedModel([first, '{"n": 1, "rows": []}'])

        assert Runtime(model).exec("Fill.", response_format=schema) == {"n": 1, "rows": []}
        again = str(model.requests[1].messages[-1].content)
        assert f"Problem ({kind})" in again
        assert problem in again

    def test_a_second_failure_is_an_error(self) -> None:
        model = ScriptedModel(['{"n": "x"}'])

        with pytest.raises(DecisionError, match=r"^no valid object after 2 attempts \(type_mismatch\): `n`") as caught:
            Runtime(model).exec("Fill.", response_format={"n": int})
        assert (caught.value.options, len(caught.value.attempts), len(model.requests)) == (("n",), 2, 2)

    def test_with_tools_only_the_second_request_is_held_to_the_schema(self) -> None:
        model = ScriptedModel([calling("look"), "hm", '{"n": 1}'])

        runtime = Runtime(model)
        assert runtime.exec("Fill.", tools=[tool("look", str)], response_format={"n": int}) == {"n": 1}
        assert [request.schema is None for request in model.requests] == [True, True, False]


class TestSystem:
    """System prompt and skills."""

    def test_a_skill_beside_the_module_is_named_in_every_call(self, tmp_path: Path) -> None:
        (tmp_path / "SKILL.md").write_text(
            "---\nname: refunds\ndescription: Pays money back.\ntriggers: [refund, pay back]\n---\nText.\n", "utf-8"
        )
        (tmp_path / "clerks.py").write_text(
            "from interlock import Agent, llm\n\n\nclass Clerk(Agent):\n    def ask(self):\n"
            '        """Ask."""\n        return llm("p")\n',
            "utf-8",
        )
        spec = importlib.util.spec_from_file_location("clerks_with_a_skill", tmp_path / "clerks.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        model = ScriptedModel(["text"])

        module.Clerk(Runtime(model, system="Be polite.")).ask()
        Runtime(model, system="Be polite.").exec("outside", tools=[])

        block = "Skills:\nrefunds: Pays money back. (triggers: refund, pay back)"
        assert [request.messages[0].content for request in model.requests] == [f"Be polite.\n\n{block}", "Be polite."]

    def test_the_docstring_is_no_system_prompt(self) -> None:
        class Clerk(Agent):
            def ask(self) -> str:
                """Ask with a canary."""
                return str(llm("p"))

        model = ScriptedModel(["text"])
        Clerk(Runtime(model)).ask()

        assert [message.role for message in model.requests[0].messages] == ["user"]
        assert str(model.requests[0].messages[0].content).startswith(
            "Context:\n[0] function ask (running)\ndoc: Ask with"
        )


def test_images_are_sent_as_parts_after_the_context(tmp_path: Path) -> None:
    picture = tmp_path / "a.jpg"
    picture.write_bytes(b"bytes")

    class Clerk(Agent):
        def look(self) -> str:
            """Look."""
            return str(llm([{"type": "text", "text": "What is it?"}, {"type": "image", "path": str(picture)}]))

    model = ScriptedModel(["a cat"])
    runtime = Runtime(model)
    Clerk(runtime).look()

    parts = list(model.requests[0].messages[0].content)
    assert str(getattr(parts[0], "text", "")).startswith("Context:\n[0] function look")
    assert parts[1:] == [TextPart(text="What is it?"), ImagePart(data=b"bytes", media_type="image/jpeg")]
    assert runtime.nodes[1].input == f"What is it?\n(image {picture})"


def test_an_image_that_is_not_there_is_said_before_the_call(tmp_path: Path) -> None:
    model = ScriptedModel(["x"])

    with pytest.raises(FileNotFoundError, match=r"nowhere\.png"):
        Runtime(model).exec([{"type": "image", "path": str(tmp_path / "nowhere.png")}])
    assert model.requests == []


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        pytest.param(None, "the reply is not text", id="not-text"),
        pytest.param(Failure(reason="auth", status=401), r"the model call failed: auth \(status 401\)", id="failed"),
    ],
)
def test_a_plain_turn_returns_text_or_raises(reply: Failure | None, message: str) -> None:
    runtime = Runtime(ScriptedModel([reply]))

    with pytest.raises(ModelError, match=message):
        agent("p", runtime=runtime)
    with pytest.raises(ModelError, match=message):
        runtime.exec("p")
    assert [node.status for node in runtime.nodes] == ["error", "error"]


class TestSeveralCallsInOneReply:
    """No call of a reply is skipped, and none answers for another."""

    class Desk(Agent):
        method_options = {
            "pay": {"tool": True, "requires_approval": True},
            "look": {"tool": True, "input": {"tenant": {"hidden": True}}},
        }

        def pay(self, amount: int) -> str:
            """Pay an amount."""
            return f"paid {amount}"

        def look(self, at: str, tenant: str = "acme", runtime: Any = None) -> str:
            """Look somewhere."""
            return f"saw {at} of {tenant}"

        def work(self) -> str:
            """Work."""
            return str(agent("p"))

    def test_a_gated_call_among_others_is_asked_for_and_answered(self) -> None:
        asked: list[object] = []

        def approve(request: Any) -> bool:
            asked.append(request.arguments)
            return bool(request.arguments == {"amount": 1})

        model = ScriptedModel(
            [
                calling(
                    ("pay", '{"amount": 1}'),
                    ("look", '{"at": "a"}'),
                    ("pay", '{"amount": 2}'),
                    ("gone", "{}"),
                    ("pay", '{"amount": 1}'),
                    text="All at once.",
                ),
                "done",
            ]
        )
        assert self.Desk(Runtime(model, approver=approve)).work() == "done"

        assert told(model, 1) == [
            "paid 1",
            "saw a of acme",
            "error: `pay` was not approved",
            "error: no tool `gone`; the tools are: look, pay",
            "paid 1",
        ]
        assert asked == [{"amount": 1}, {"amount": 2}, {"amount": 1}]
        assert [m.tool_call_id for m in model.requests[1].messages if m.role == "tool"] == [
            f"call-{n}" for n in range(5)
        ]

    def test_what_is_sent_is_the_one_spec_of_the_function(self) -> None:
        """There is no second reader of a signature that could let an injected or hidden parameter through."""
        model = ScriptedModel(["done"])
        desk = self.Desk(Runtime(model))
        desk.work()

        assert list(model.requests[0].tools) == [tool_spec(desk.look), tool_spec(desk.pay)]
        assert "tenant" not in str(model.requests[0].tools)
        assert "runtime" not in str(model.requests[0].tools)
