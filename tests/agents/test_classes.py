"""What a class inherits, changes and calls: one method is wrapped once, with the options of its own class."""

# ruff: noqa: RUF012  (options as an author writes them)

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from interlock import Agent, Runtime, agent, allm, decision, llm
from interlock.functions import describe
from interlock.testing import ScriptedModel, calling


class Base(Agent):
    method_options = {
        "look_up": {"tool": True, "description": "Look it up.", "requires_approval": True, "timeout": 5},
        "close": {"expose": "io"},
    }

    def look_up(self, query: str) -> str:
        """Look something up."""
        return f"base {query}"

    def close(self) -> str:
        """Close."""
        return "closed"


def names(runtime: Runtime) -> list[str]:
    return [node.name for node in runtime.nodes]


def test_options_merge_key_by_key_along_the_mro() -> None:
    class Child(Base):
        method_options = {"look_up": {"requires_approval": False, "description": "Look here."}}

    assert describe(Child().look_up).options == {
        "tool": True,
        "description": "Look here.",
        "requires_approval": False,
        "timeout": 5,
    }
    assert describe(Base().look_up).options["requires_approval"] is True
    assert Child().look_up("x") == "base x"


def test_an_overridden_method_keeps_the_options_of_its_name() -> None:
    class Child(Base):
        def look_up(self, query: str) -> str:
            """Look elsewhere."""
            return f"child {query}"

    runtime = Runtime(approver=lambda request: True)
    assert Child(runtime).look_up("x") == "child x"
    assert describe(Child().look_up).options["requires_approval"] is True


def test_super_goes_on_with_the_same_call() -> None:
    """One node, one approval, one time limit, and the options of the class that was called."""
    asked: list[str] = []

    class Child(Base):
        def look_up(self, query: str) -> str:
            """Look twice."""
            return f"{super().look_up(query)} and child"

    class GrandChild(Child):
        def look_up(self, query: str) -> str:
            """Look three times."""
            return f"{super().look_up(query)} and grandchild"

    def approve(request: Any) -> bool:
        asked.append(request.name)
        return True

    runtime = Runtime(approver=approve)
    assert GrandChild(runtime).look_up("x") == "base x and child and grandchild"
    assert asked == ["look_up"]
    assert names(runtime) == ["look_up"]


def test_another_method_that_calls_super_makes_a_call_of_its_own() -> None:
    class Child(Base):
        def close(self) -> str:
            """Close differently."""
            return "child"

        def both(self) -> str:
            """Close in the old way and in the new."""
            return f"{super().close()} {self.close()}"

    runtime = Runtime()
    assert Child(runtime).both() == "closed child"
    assert names(runtime) == ["both", "close", "close"]


def test_a_method_that_calls_itself_is_a_call_each_time() -> None:
    class Counts(Agent):
        def down(self, n: int) -> int:
            """Count down."""
            return 0 if n == 0 else 1 + self.down(n - 1)

    runtime = Runtime()
    assert Counts(runtime).down(3) == 3
    assert [node.caller for node in runtime.nodes] == [None, 0, 1, 2]


@pytest.mark.anyio
async def test_super_of_an_async_method_goes_on_as_well() -> None:
    class Waits(Agent):
        async def wait(self) -> str:
            """Wait."""
            return "base"

    class WaitsMore(Waits):
        async def wait(self) -> str:
            """Wait more."""
            return f"{await super().wait()} and more"

    runtime = Runtime()
    assert await WaitsMore(runtime).wait() == "base and more"
    assert names(runtime) == ["wait"]


def test_options_of_one_branch_do_not_shadow_a_method_of_another() -> None:
    class Gated(Base):
        method_options = {"close": {"requires_approval": True}}

    class Written(Base):
        def close(self) -> str:
            """Close in writing."""
            return "written"

    class Both(Gated, Written):
        pass

    assert Both(Runtime(approver=lambda request: True)).close() == "written"
    assert describe(Both().close).options == {"tool": False, "expose": "io", "requires_approval": True}


def test_a_class_that_is_no_agent_gives_the_methods_that_options_name() -> None:
    class Prints:
        def show(self, text: str) -> str:
            """Show a text."""
            return text

        def helper(self) -> str:
            return "plain"

    class Desk(Prints, Agent):
        method_options = {"show": {"tool": True}}

    runtime = Runtime()
    desk = Desk(runtime)
    assert (desk.show("x"), desk.helper()) == ("x", "plain")
    assert names(runtime) == ["show"]


def test_a_property_that_takes_the_place_of_a_method_is_left_alone() -> None:
    """Options that were inherited for the method speak of nothing then, and are refused."""

    class Plain(Agent):
        def open(self) -> str:
            """Open."""
            return "opened"

    assert type("Child", (Plain,), {"open": property(lambda self: "a property")})().open == "a property"
    with pytest.raises(TypeError, match="`Child`: method_options names `close`, which is not a method"):
        type("Child", (Base,), {"close": property(lambda self: "a property")})


def test_what_is_no_method_is_not_wrapped() -> None:
    class Desk(Agent):
        @staticmethod
        def fixed() -> str:
            return "static"

        @classmethod
        def kind(cls) -> str:
            return cls.__name__

        @property
        def size(self) -> int:
            return 3

        def pages(self) -> Any:
            yield from (1, 2)

        async def apages(self) -> Any:
            yield 1

        def __len__(self) -> int:
            return 4

    runtime = Runtime()
    desk = Desk(runtime)
    assert (desk.fixed(), desk.kind(), desk.size, list(desk.pages()), len(desk)) == ("static", "Desk", 3, [1, 2], 4)
    assert runtime.nodes == ()


def test_a_method_keeps_its_name_docstring_and_signature() -> None:
    assert Base.close.__name__ == "close"
    assert Base.close.__doc__ == "Close."
    with pytest.raises(TypeError, match=r"look_up\(\) lacks the argument `query`"):
        Base().look_up()  # type: ignore[call-arg]  # what is tested
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        Base().close(later=True)  # type: ignore[call-arg]  # what is tested


class TestBinding:
    """On which Runtime a call runs."""

    class Inner(Agent):
        method_options = {"ask": {"tool": True}}

        def ask(self) -> str:
            """Ask."""
            return str(llm("p"))

    def test_its_own_before_the_callers(self) -> None:
        inner = self.Inner(Runtime(ScriptedModel(["own"])))

        class Outer(Agent):
            def go(self) -> str:
                """Go."""
                return inner.ask()

        assert Outer(Runtime(ScriptedModel(["outer"]))).go() == "own"

    def test_without_one_its_callers(self) -> None:
        inner = self.Inner()

        class Outer(Agent):
            def go(self) -> str:
                """Go."""
                return inner.ask()

        assert Outer(Runtime(ScriptedModel(["outer"]))).go() == "outer"
        with pytest.raises(RuntimeError, match="no Runtime is bound"):
            inner.ask()

    def test_an_agent_that_never_called_init_has_none(self) -> None:
        class Bare(Agent):
            def __init__(self) -> None:
                self.other = 1

            def go(self) -> int:
                """Go."""
                return self.other

        assert Bare().go() == 1

    @pytest.mark.parametrize("door", ["make", "agent", "exec", "pick"])
    def test_the_picked_method_runs_on_the_runtime_that_decided(self, door: str) -> None:
        runtime = Runtime(ScriptedModel(['{"call": "ask"}', "on the right one"]))
        options = [self.Inner().ask]
        result = {
            "make": lambda: decision.make("p", options, runtime=runtime),
            "agent": lambda: agent("p", choices=options, runtime=runtime),
            "exec": lambda: runtime.exec("p", choices=options),
            "pick": lambda: decision.pick("p", options, runtime=runtime).resolve(),
        }[door]()

        assert result == "on the right one"

    @pytest.mark.anyio
    async def test_an_async_method_stays_bound_while_it_is_awaited(self) -> None:
        class Later(Agent):
            async def ask(self) -> str:
                """Ask later."""
                return str(await allm("p"))

        runtime = Runtime(ScriptedModel(['{"call": "ask"}', "on the right one"]))
        assert await decision.amake("p", [Later().ask], runtime=runtime) == "on the right one"

    def test_a_tool_runs_on_the_runtime_of_its_turn(self) -> None:
        model = ScriptedModel([calling("ask"), "asked by a tool", "done"])

        assert agent("p", tools=[self.Inner().ask], runtime=Runtime(model)) == "done"
        assert model.requests[2].messages[-1].content == "asked by a tool"

    def test_a_fallback_runs_on_it_too(self) -> None:
        runtime = Runtime(ScriptedModel(["no", "no", "asked by the fallback"]))

        assert (
            decision.make("p", {"go": 1}, runtime=runtime, fallback=lambda error: llm("p")) == "asked by the fallback"
        )

    def test_injected_parameters_get_the_bound_runtime(self) -> None:
        class Old(Agent):
            def both(
                self, runtime: Any = None, n: int = 1, *, exec_runtime: Any = None, review_runtime: Any = "given"
            ) -> Any:
                """Take every name."""
                return runtime, exec_runtime, review_runtime, n

        runtime = Runtime()
        old = Old(runtime)
        assert old.both() == (runtime, runtime, runtime, 1)
        assert old.both("mine", 2, review_runtime="theirs") == ("mine", runtime, "theirs", 2)
        assert runtime.nodes[0].input == {"n": 1}


def test_one_method_is_a_tool_and_an_option_at_once() -> None:
    base = Base(Runtime(approver=lambda request: True))
    base.runtime = None
    model = ScriptedModel([calling(("look_up", '{"query": "a"}')), '{"call": "look_up", "args": {"query": "b"}}'])
    runtime = Runtime(model, approver=lambda request: True)

    assert agent("p", choices=[base.look_up], tools=[base.look_up], runtime=runtime) == "base b"
    assert model.requests[1].messages[-1].content == "base a"


@pytest.mark.parametrize(
    "option",
    [
        pytest.param(lambda base: base.close, id="method"),
        pytest.param(lambda base: functools.partial(base.close), id="partial"),
    ],
)
def test_a_method_or_a_partial_of_one_is_an_option(option: Callable[[Any], Any]) -> None:
    runtime = Runtime(ScriptedModel(['{"call": "close"}']))

    assert decision.make("p", {"close": option(Base())}, runtime=runtime) == "closed"
    assert names(runtime) == ["decision", "llm", "close"]
