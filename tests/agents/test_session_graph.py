"""What a model call is shown of its session: `expose` × `render_range`, in one order, nothing hidden."""

# ruff: noqa: RUF012  (options as an author writes them)

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest

from interlock import Agent, Runtime, agent, decision, llm
from interlock.decision import MissingContextError
from interlock.functions.visibility import Node
from interlock.testing import ScriptedModel, calling

EXPOSES = ("io", "llm", "full", "hidden")
CALLERS = (None, 0, 1, 3)
SUBCALLS = (-1, 0, 1, 2)


def shown(model: ScriptedModel, at: int = -1) -> list[str]:
    """Return the names of the nodes that a request shows, with their numbers."""
    return re.findall(r"^\[\d+\] \w+ \w+", str(model.requests[at].messages[-1].content), re.MULTILINE)


def outline(nodes: tuple[Node, ...]) -> list[str]:
    """Return the nodes as a request shows them."""
    return [f"[{node.seq}] {node.kind} {node.name}" for node in nodes]


def house(expose: str, render_range: dict[str, Any]) -> type[Agent]:
    """Return an agent: `main` writes before and after `inner`, which has a model call and calls `deep`."""

    class House(Agent):
        method_options = {
            "inner": {"expose": expose},
            "deep": {"expose": "full"},
            "main": {"render_range": render_range},
            "before": {"expose": "io"},
        }

        def before(self) -> str:
            """Write something before."""
            return str(llm("asked before"))

        def main(self) -> None:
            """Do the work."""
            llm("first")
            self.inner()
            llm("last")

        def inner(self) -> str:
            """Work inside."""
            said = str(llm("asked inside"))
            decision.make("decided inside", {"go": "went"})
            self.deep()
            return said

        def deep(self) -> str:
            """Work at the bottom."""
            return str(llm("asked at the bottom"))

    return House


# 0 before, 1 its llm, 2 before, 3 its llm, 4 main, 5 llm first, 6 inner, 7 llm of inner, 8 decision of inner,
# 9 llm of the decision, 10 deep, 11 llm of deep, 12 llm last
OF_INNER = {
    "io": ["[6] function inner"],
    "llm": ["[7] llm llm", "[8] decision decision", "[9] llm llm"],
    "full": [
        "[6] function inner",
        "[7] llm llm",
        "[8] decision decision",
        "[9] llm llm",
        "[10] function deep",
        "[11] llm llm",
    ],
    "hidden": [],
}


@pytest.mark.parametrize(("expose", "callers", "subcalls"), list(itertools.product(EXPOSES, CALLERS, SUBCALLS)))
def test_the_table_of_expose_and_render_range(expose: str, callers: int | None, subcalls: int) -> None:
    """Filtered first, then sliced: a cap neither uncovers a hidden node nor is used up by one."""
    model = ScriptedModel(["text", "text", "text", "text", '{"call": "go"}', "text", "text"])
    house_ = house(expose, {"callers": callers, "subcalls": subcalls})(Runtime(model))

    house_.before()  # type: ignore[attr-defined]  # made above
    house_.before()  # type: ignore[attr-defined]  # made above
    house_.main()  # type: ignore[attr-defined]  # made above

    before = ["[0] function before", "[2] function before"]
    since = ["[5] llm llm", *OF_INNER[expose]]
    kept_before = before if callers is None else before[max(0, len(before) - callers) :]
    kept_since = since if subcalls == -1 else since[max(0, len(since) - subcalls) :]
    assert shown(model) == [*kept_before, "[4] function main", *kept_since]


@pytest.mark.parametrize("expose", EXPOSES)
def test_a_function_sees_its_own_work_whatever_it_exposes(expose: str) -> None:
    """`expose` is for callers; the function itself and what it calls see everything on their branch."""
    model = ScriptedModel(["text", "text", '{"call": "go"}', "text", "text"])
    runtime = Runtime(model)

    house(expose, {})(runtime).main()  # type: ignore[attr-defined]  # made above

    at_the_bottom = next(request for request in model.requests if "asked at the bottom" in str(request.messages))
    content = str(at_the_bottom.messages[-1].content)
    assert re.findall(r"^\[\d+\] \w+ \w+", content, re.MULTILINE) == [
        "[0] function main",
        "[1] llm llm",
        "[2] function inner",
        "[3] llm llm",
        "[4] decision decision",
        "[5] llm llm",
        "[6] function deep",
    ]


def test_io_hides_everything_below_full_grandchildren_included() -> None:
    class Three(Agent):
        method_options = {"middle": {"expose": "io"}, "bottom": {"expose": "full"}}

        def top(self) -> None:
            """Call down."""
            self.middle()
            llm("last")

        def middle(self) -> str:
            """Stand between."""
            return self.bottom()

        def bottom(self) -> str:
            """Do the work."""
            return str(llm("asked at the bottom"))

    model = ScriptedModel(["text"])
    Three(Runtime(model)).top()

    assert shown(model) == ["[0] function top", "[1] function middle"]


def test_caps_smaller_than_the_hidden_nodes_uncover_nothing() -> None:
    class Busy(Agent):
        method_options = {"secret": {"expose": "hidden"}, "main": {"render_range": {"subcalls": 2}}}

        def main(self) -> None:
            """Work between secrets."""
            llm("one")
            for _ in range(5):
                self.secret()
            llm("two")
            self.secret()
            llm("three")

        def secret(self) -> str:
            """Keep this to yourself."""
            return str(llm("a secret question"))

    model = ScriptedModel(["text"])
    Busy(Runtime(model)).main()

    last = str(model.requests[-1].messages[-1].content)
    assert shown(model)[1:] == ["[1] llm llm", "[12] llm llm"]
    assert "secret" not in last.replace("between secrets", "")


def test_the_context_stands_before_the_content_and_begins_with_what_the_function_is() -> None:
    class Desk(Agent):
        def answer(self, ticket: str, tone: str = "kind") -> str:
            """Answer a ticket.

            In two sentences.
            """
            return str(llm(f"Answer: {ticket}"))

    model = ScriptedModel(["gladly"])
    runtime = Runtime(model)
    Desk(runtime).answer("late parcel")
    runtime.exec("Go on.", tools=[])

    own = (
        "Context:\n[0] function answer (running)\ndoc: Answer a ticket.\n\nIn two sentences.\n"
        'input: {"ticket": "late parcel", "tone": "kind"}\n\nAnswer: late parcel'
    )
    assert model.requests[0].messages[-1].content == own
    assert str(model.requests[1].messages[-1].content).startswith("Context:\n[0] function answer (ok)\n")
    assert "output: gladly" in str(model.requests[1].messages[-1].content)


class Colour(Enum):
    RED = "red"


@dataclass
class Row:
    id: int
    colour: Colour = Colour.RED


class Opaque:
    """Has a text with an address in it."""


def test_the_same_calls_give_the_same_context() -> None:
    """No address, no order of a set, no later change of an argument gets into it."""

    class Desk(Agent):
        def take(self, rows: list[Any], tags: set[str], other: object) -> Row:
            """Take rows."""
            rows.append("added later")
            return Row(1)

    def run() -> tuple[str, tuple[Node, ...]]:
        model = ScriptedModel(["text"])
        runtime = Runtime(model)
        Desk(runtime).take([Row(2), b"xyz", 1.5], {"b", "a", "c"}, Opaque())
        runtime.exec("Go on.", tools=[])
        return str(model.requests[0].messages[-1].content), runtime.nodes

    first, nodes = run()
    assert first == run()[0]
    assert nodes[0].input == {
        "rows": [{"id": 2, "colour": "red"}, "<3 bytes>", 1.5],
        "tags": ["a", "b", "c"],
        "other": "<Opaque>",
    }
    assert nodes[0].output == {"id": 1, "colour": "red"}


@pytest.mark.parametrize(
    ("make", "recorded"),
    [
        pytest.param(lambda: float("nan"), "nan", id="not-a-number"),
        pytest.param(lambda: 10**5000, f"<integer of {(10**5000).bit_length()} bits>", id="an-endless-integer"),
        pytest.param(lambda: {5: "x", None: "y"}, {"5": "x", "null": "y"}, id="keys-that-are-no-text"),
        pytest.param(lambda: _CYCLE, ["…"], id="a-list-that-holds-itself"),
        pytest.param(lambda: print, "<print>", id="a-function"),
        pytest.param(lambda: Row, "<Row>", id="a-class"),
    ],
)
def test_every_value_has_a_recorded_form(make: Callable[[], object], recorded: object) -> None:
    class Desk(Agent):
        def give(self) -> object:
            """Give something."""
            return make()

    runtime = Runtime()
    Desk(runtime).give()

    assert runtime.nodes[0].output == recorded


_CYCLE: list[Any] = []
_CYCLE.append(_CYCLE)


def test_hidden_and_injected_values_are_rendered_nowhere() -> None:
    class Desk(Agent):
        method_options = {"look_up": {"input": {"tenant_canary": {"hidden": True}}}}

        def look_up(self, query: str, tenant_canary: str, runtime: Any = None) -> str:
            """Look something up."""
            return str(llm(f"find {query}"))

        def lacks(self) -> None:
            """Forget the context."""
            decision.make("p", [self.look_up])

    model = ScriptedModel(["found", "text"])
    runtime = Runtime(model)
    desk = Desk(runtime)
    desk.look_up("x", "value-canary")
    with pytest.raises(MissingContextError, match="tenant_canary"):
        desk.lacks()
    runtime.exec("Go on.", tools=[])

    assert runtime.nodes[0].hidden == {"tenant_canary": "value-canary"}
    assert runtime.nodes[0].input == {"query": "x"}
    assert runtime.nodes[2].output == "MissingContextError"
    for request in model.requests:
        assert "canary" not in str(request)
        assert "runtime" not in str(request).lower()


def test_a_tool_that_forgets_its_context_tells_the_model_no_name() -> None:
    class Desk(Agent):
        method_options = {"look_up": {"input": {"tenant_canary": {"hidden": True}}}, "ask": {"tool": True}}

        def look_up(self, tenant_canary: str) -> str:
            """Look something up."""
            return tenant_canary

        def ask(self) -> str:
            """Ask."""
            return str(decision.make("p", [self.look_up]))

    desk, model = Desk(), ScriptedModel([calling("ask"), "done"])
    Runtime(model).exec("Go.", tools=[desk.ask])

    assert model.requests[1].messages[-1].content == "error: MissingContextError"
    assert "canary" not in str(model.requests)


def test_every_call_is_a_node_with_its_outcome() -> None:
    class Desk(Agent):
        def good(self, n: int) -> int:
            """Succeed."""
            return n + 1

        def bad(self) -> None:
            """Fail."""
            raise LookupError("nothing there")

    model = ScriptedModel([calling(("good", '{"n": 1}'), text="let me see"), '{"call": "bad"}'])
    runtime = Runtime(model)
    desk = Desk(runtime)
    with pytest.raises(LookupError, match="nothing there"):
        agent("Go.", choices=[desk.bad], tools=[desk.good], runtime=runtime)

    assert [(node.kind, node.name, node.caller, node.status, node.output) for node in runtime.nodes] == [
        ("decision", "decision", None, "ok", {"call": "bad", "args": {}}),
        ("llm", "llm", None, "ok", "let me see"),
        ("function", "good", None, "ok", 2),
        ("llm", "llm", None, "ok", '{"call": "bad"}'),
        ("function", "bad", None, "error", "LookupError: nothing there"),
    ]
    assert runtime.nodes[1].facts == {"model": "scripted", "finish": "stop", "tool_calls": ["good"], "usage": None}
    assert runtime.nodes[0].facts["options"] == ["bad"]
    assert all(node.duration_s is not None and node.duration_s >= 0 for node in runtime.nodes)


def test_each_runtime_keeps_its_own_session() -> None:
    """A call that goes to another Runtime and back stands under its own caller on each."""

    class Back(Agent):
        def end(self) -> str:
            """End on the caller's Runtime again."""
            return str(llm("end"))

    class There(Agent):
        def __init__(self, runtime: Runtime, home: Runtime) -> None:
            super().__init__(runtime)
            self.home = home

        def middle(self) -> str:
            """Stand on another Runtime."""
            return f"{llm('middle')} {Back(self.home).end()}"

    class Home(Agent):
        def begin(self, there: Any) -> str:
            """Begin."""
            return str(there.middle())

    home, away = Runtime(ScriptedModel(["home"])), Runtime(ScriptedModel(["away"]))
    assert Home(home).begin(There(away, home)) == "away home"

    assert outline(home.nodes) == ["[0] function begin", "[1] function end", "[2] llm llm"]
    assert [node.caller for node in home.nodes] == [None, 0, 1]
    assert outline(away.nodes) == ["[0] function middle", "[1] llm llm"]
    assert [node.caller for node in away.nodes] == [None, 0]
