"""Time limits that stop what can be stopped and say what cannot, and results that are kept."""

# ruff: noqa: RUF012  (options as an author writes them)

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from interlock import Agent, Runtime, aagent, agent, allm, decision, llm
from interlock.agents.cache import MAX_KEPT
from interlock.errors import Cancelled, FunctionTimeout
from interlock.models.base import TextReply, TextRequest
from interlock.testing import ScriptedJudge, ScriptedModel, calling

SHORT_S = 0.05


def until(condition: Callable[[], bool]) -> None:
    """Wait for what another thread does."""
    ends = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < ends, "it never happened"
        time.sleep(0.002)


class SlowModel:
    """Answers after `delay_s`; counts how often it was cancelled."""

    def __init__(self, delay_s: float, text: str = "text") -> None:
        self.delay_s = delay_s
        self.text = text
        self.started = 0
        self.cancelled = 0

    async def generate(self, request: TextRequest) -> TextReply:
        self.started += 1
        try:
            await asyncio.sleep(self.delay_s)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return TextReply(
            text=self.text, finish="stop", usage=None, requested_model="slow", served_model=None, request_id=None
        )

    def stream(self, request: TextRequest) -> Any:
        raise NotImplementedError


class Limited(Agent):
    method_options = {name: {"timeout": SHORT_S} for name in ("waits", "stubborn", "blocks", "asks", "decides")} | {
        "own": {"timeout": 5}
    }

    def __init__(self, runtime: Runtime | None = None) -> None:
        super().__init__(runtime)
        self.marks: list[str] = []
        self.go_on = threading.Event()
        self.raised: list[BaseException] = []

    async def waits(self) -> str:
        """Wait in a coroutine."""
        try:
            await asyncio.sleep(5)
            self.marks.append("written")
        finally:
            self.marks.append("cleaned up")
        return "late"

    async def stubborn(self) -> str:
        """Refuse to be cancelled."""
        try:
            await asyncio.sleep(5)
        except asyncio.CancelledError:
            self.marks.append("refused")
        return "late"

    def blocks(self) -> str:
        """Block a thread."""
        self.go_on.wait(5)
        self.marks.append("written")
        return "late"

    def asks(self) -> str:
        """Block, then ask."""
        self.go_on.wait(5)
        for ask in (
            lambda: llm("p"),
            lambda: agent("p"),
            lambda: decision.make("p", {"go": 1}),
            lambda: decision.pick("p", {"go": 1}),
        ):
            try:
                ask()
            except BaseException as error:  # noqa: BLE001  (which one is what is tested)
                self.raised.append(error)
        return "late"

    def decides(self) -> Any:
        """Decide on a slow model."""
        return decision.make("p", {"go": 1})

    def own(self) -> None:
        """Run out of a time of its own."""
        raise TimeoutError("the socket")


@pytest.mark.anyio
async def test_an_async_body_is_cancelled_and_awaited() -> None:
    limited = Limited(Runtime())

    with pytest.raises(FunctionTimeout, match=r"^function waits timed out after 0\.05s$") as caught:
        await limited.waits()
    assert limited.marks == ["cleaned up"]
    assert caught.value.still_running is False
    assert limited.runtime is not None
    assert [(node.status, node.output) for node in limited.runtime.nodes] == [
        ("timeout", "function waits timed out after 0.05s")
    ]


@pytest.mark.anyio
async def test_what_a_body_returns_after_its_time_is_dropped() -> None:
    limited = Limited(Runtime())

    with pytest.raises(FunctionTimeout, match="function stubborn timed out"):
        await limited.stubborn()
    assert limited.marks == ["refused"]


def test_a_sync_body_runs_on_and_its_late_result_is_recorded_as_late() -> None:
    runtime = Runtime()
    limited = Limited(runtime)

    with pytest.raises(FunctionTimeout, match="its thread is still running") as caught:
        limited.blocks()
    assert caught.value.still_running is True
    assert isinstance(caught.value, TimeoutError)
    assert limited.marks == []
    assert runtime.nodes[0].status == "timeout"

    limited.go_on.set()
    until(lambda: runtime.nodes[0].status == "late")
    assert limited.marks == ["written"]
    assert runtime.nodes[0].output == "function blocks timed out after 0.05s; its thread is still running"


@pytest.mark.parametrize("judge", [None, ScriptedJudge({"pick": "go"})], ids=["text", "judge"])
def test_a_body_that_was_given_up_asks_nothing_any_more(judge: ScriptedJudge | None) -> None:
    """`Cancelled` is no `Exception`, so that no handler of the body goes on asking."""
    model = ScriptedModel(["text"])
    runtime = Runtime(model, judge=judge)
    limited = Limited(runtime)

    with pytest.raises(FunctionTimeout, match="function asks timed out"):
        limited.asks()
    limited.go_on.set()
    until(lambda: runtime.nodes[0].status == "late")

    assert [type(error) for error in limited.raised] == [Cancelled] * 4
    assert not isinstance(limited.raised[0], Exception)
    assert model.requests == []
    assert judge is None or judge.seen == []


def test_a_model_call_under_way_is_cancelled_with_its_function() -> None:
    model = SlowModel(5)
    runtime = Runtime(model)

    with pytest.raises(FunctionTimeout, match=r"function decides timed out after 0\.05s"):
        Limited(runtime).decides()
    until(lambda: model.cancelled == 1)
    until(lambda: runtime.nodes[2].status == "timeout")


@pytest.mark.anyio
async def test_a_coroutine_that_blocks_its_loop_is_late_all_the_same() -> None:
    class Blocks(Agent):
        method_options = {"block": {"timeout": 0.02}, "own": {"timeout": 5}}

        async def block(self) -> str:
            """Block."""
            time.sleep(0.04)
            return "late"

        async def own(self) -> None:
            """Run out of a time of its own."""
            raise TimeoutError("the socket")

    with pytest.raises(FunctionTimeout, match="function block timed out"):
        await Blocks().block()
    with pytest.raises(TimeoutError, match="the socket") as caught:
        await Blocks().own()
    assert not isinstance(caught.value, FunctionTimeout)


def test_the_timeout_of_a_call_inside_keeps_its_name() -> None:
    class Nests(Agent):
        method_options = {"outer": {"timeout": 5}, "inner": {"timeout": 0.02}}

        def outer(self) -> str:
            """Stand around."""
            return self.inner()

        def inner(self) -> str:
            """Wait."""
            threading.Event().wait(0.2)
            return "late"

    runtime = Runtime()
    with pytest.raises(FunctionTimeout, match="function inner timed out"):
        Nests(runtime).outer()
    assert [node.status for node in runtime.nodes] == ["timeout", "timeout"]


def test_a_timeout_of_the_body_itself_passes_through() -> None:
    with pytest.raises(TimeoutError, match="the socket") as caught:
        Limited(Runtime()).own()
    assert not isinstance(caught.value, FunctionTimeout)


@pytest.mark.parametrize("way", ["direct", "option", "tool"])
def test_the_limit_holds_for_every_kind_of_call(way: str) -> None:
    model = ScriptedModel([calling("blocks"), "done"] if way == "tool" else ['{"call": "blocks"}'])
    limited = Limited(Runtime(model))

    if way == "tool":
        assert agent("p", tools=[limited.blocks], runtime=limited.runtime) == "done"
        assert "timed out after 0.05s; its thread is still running" in str(model.requests[1].messages[-1].content)
        return
    with pytest.raises(FunctionTimeout, match="function blocks timed out"):
        limited.blocks() if way == "direct" else decision.make("p", [limited.blocks], runtime=limited.runtime)


class TestDeadlines:
    """A deadline holds for everything inside it, and every attempt gets what is left of it."""

    def test_a_turn_ends_when_its_time_is_over(self) -> None:
        model = SlowModel(5)
        runtime = Runtime(model)

        with pytest.raises(FunctionTimeout, match="the time of the enclosing call is over"):
            runtime.exec("p", timeout_s=SHORT_S)
        assert model.cancelled == 1
        assert runtime.nodes[0].status == "timeout"

    def test_the_runtimes_own_limit_is_for_calls_that_name_none(self) -> None:
        runtime = Runtime(SlowModel(0.1), timeout_s=SHORT_S)

        with pytest.raises(FunctionTimeout, match="is over"):
            agent("p", runtime=runtime)
        assert runtime.exec("p", timeout_s=5) == "text"

    def test_a_repick_gets_what_is_left(self) -> None:
        model = SlowModel(0.06, "no pick")
        with pytest.raises(FunctionTimeout, match="is over"):
            Runtime(model).exec("p", choices={"go": 1}, timeout_s=0.1)
        assert (model.started, model.cancelled) == (2, 1)

    def test_many_attempts_share_one_limit(self) -> None:
        runtime = Runtime(SlowModel(0.04, "no pick"), timeout_s=0.1)

        with pytest.raises(FunctionTimeout, match="is over"):
            decision.make("p", {"go": 1}, runtime=runtime, max_retries=50)

    def test_a_spent_deadline_is_refused_before_the_call(self) -> None:
        class Spends(Agent):
            method_options = {"work": {"timeout": 0.2}}

            def work(self) -> str:
                """Catch the first timeout and ask again."""
                try:
                    llm("p")
                except FunctionTimeout:
                    return str(llm("again"))
                return "in time"

        model = SlowModel(5)
        with pytest.raises(FunctionTimeout, match=r"function work timed out after 0\.2s"):
            Spends(Runtime(model)).work()
        assert model.started == 1

    def test_a_tool_that_hangs_does_not_hold_a_turn_up(self) -> None:
        done = threading.Event()
        tool = {"spec": {"name": "hang"}, "execute": lambda given: done.wait(5)}

        with pytest.raises(FunctionTimeout, match="is over"):
            Runtime(ScriptedModel([calling("hang"), "text"])).exec("p", tools=[tool], timeout_s=SHORT_S)
        done.set()

    def test_an_async_tool_that_hangs_is_cancelled(self) -> None:
        marks: list[str] = []

        async def hang(given: object) -> None:
            try:
                await asyncio.sleep(5)
            finally:
                marks.append("cancelled")

        tool = {"spec": {"name": "hang"}, "execute": hang}
        with pytest.raises(FunctionTimeout, match="is over"):
            Runtime(ScriptedModel([calling("hang"), "text"])).exec("p", tools=[tool], timeout_s=SHORT_S)
        until(lambda: marks == ["cancelled"])

    @pytest.mark.anyio
    async def test_the_same_in_a_loop_of_ones_own(self) -> None:
        async def hang(given: object) -> None:
            await asyncio.sleep(5)

        tool = {"spec": {"name": "hang"}, "execute": hang}
        with pytest.raises(FunctionTimeout, match="is over"):
            await Runtime(ScriptedModel([calling("hang"), "text"])).aexec("p", tools=[tool], timeout_s=SHORT_S)

    @pytest.mark.anyio
    async def test_a_cancelled_caller_leaves_a_cancelled_node(self) -> None:
        runtime = Runtime(SlowModel(5))
        task = asyncio.create_task(aagent("p", runtime=runtime))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task])

        assert task.cancelled()
        assert [node.status for node in runtime.nodes] == ["cancelled"]


class Kept(Agent):
    method_options = {
        "add": {"cache": True, "input": {"tenant": {"hidden": True}}},
        "brief": {"cache": True, "cache_ttl": 0.05},
        "aadd": {"cache": True},
        "many": {"cache": True},
        "fails": {"cache": True},
        "opens": {"cache": True},
    }

    def __init__(self, runtime: Runtime | None = None) -> None:
        super().__init__(runtime)
        self.calls: list[object] = []

    def add(self, rows: list[Any], tenant: str = "a", runtime: object = None) -> list[Any]:
        """Add a row."""
        self.calls.append((list(rows), tenant))
        return [*rows, tenant]

    def brief(self) -> None:
        """Hold for a short time."""
        self.calls.append("brief")

    async def aadd(self, n: int) -> int:
        """Add one."""
        self.calls.append(n)
        return n + 1

    def many(self, n: object, *rest: object, **more: object) -> object:
        """Take anything."""
        self.calls.append(n)
        return n

    def fails(self) -> None:
        """Fail."""
        self.calls.append(1)
        raise LookupError("not yet")

    def opens(self) -> object:
        """Return what cannot be copied."""
        self.calls.append(1)
        return threading.Lock()


class TestCache:
    """Only successes, only for equal arguments of one agent, only for a time, never shared."""

    def test_a_result_is_kept_and_handed_out_as_a_copy(self) -> None:
        kept = Kept(Runtime())

        first = kept.add([1])
        first.append("changed by its owner")
        second = kept.add([1])
        second.append("and again")

        assert kept.add(rows=[1], tenant="a") == [1, "a"]
        assert len(kept.calls) == 1

    def test_hidden_arguments_count_and_injected_ones_do_not(self) -> None:
        kept = Kept()
        for runtime, tenant in ((Runtime(), "a"), (Runtime(), "a"), (Runtime(), "b")):
            kept.runtime = runtime
            kept.add([1], tenant)

        assert kept.calls == [([1], "a"), ([1], "b")]

    def test_it_ends_with_its_time(self) -> None:
        kept = Kept()
        kept.brief()
        time.sleep(0.06)
        kept.brief()

        assert len(kept.calls) == 2

    def test_another_agent_has_its_own_results_even_at_the_same_address(self) -> None:
        for n in range(20):
            kept = Kept()
            assert kept.many(1) == 1
            assert kept.calls == [1], n
            del kept

    @pytest.mark.parametrize(
        "pair",
        [
            pytest.param((1, True), id="one-and-true"),
            pytest.param((1, 1.0), id="one-and-one-point-nought"),
            pytest.param(("1", 1), id="text-and-number"),
            pytest.param(([1], [[1]]), id="nesting"),
            pytest.param(({"a": 1}, {"a": 2}), id="values"),
        ],
    )
    def test_arguments_that_differ_are_different(self, pair: tuple[object, object]) -> None:
        kept = Kept()

        assert [kept.many(item) for item in (*pair, *pair)] == [*pair, *pair]
        assert len(kept.calls) == 2

    @pytest.mark.parametrize(
        "value",
        [
            pytest.param({1: "a"}, id="keys-that-are-no-text"),
            pytest.param({"a"}, id="a-set"),
            pytest.param((1, 2), id="a-tuple"),
            pytest.param(float("nan"), id="not-a-number"),
            pytest.param(object, id="a-class"),
        ],
    )
    def test_what_json_cannot_express_is_not_kept(self, value: object) -> None:
        kept = Kept()
        kept.many(value)
        kept.many(value)

        assert len(kept.calls) == 2

    def test_order_of_keys_and_catch_alls_count_as_they_should(self) -> None:
        kept = Kept()
        kept.many({"a": 1, "b": 2}, 5, x=1)
        kept.many({"b": 2, "a": 1}, 5, x=1)
        kept.many({"a": 1, "b": 2}, 6, x=1)

        assert len(kept.calls) == 2

    def test_failures_and_what_cannot_be_copied_are_not_kept(self) -> None:
        kept = Kept()
        for _ in range(2):
            kept.opens()
            with pytest.raises(LookupError, match="not yet"):
                kept.fails()

        assert len(kept.calls) == 4

    def test_the_least_used_goes_first(self) -> None:
        kept = Kept()
        for n in range(MAX_KEPT):
            kept.many(n)
        kept.many(0)
        kept.many("one more")
        kept.calls.clear()
        kept.many(0)
        kept.many(1)

        assert kept.calls == [1]

    @pytest.mark.anyio
    async def test_async_results_are_kept_as_well(self) -> None:
        runtime = Runtime()
        kept = Kept(runtime)

        assert [await kept.aadd(1), await kept.aadd(1)] == [2, 2]
        assert kept.calls == [1]
        assert [(node.status, node.output, dict(node.facts)) for node in runtime.nodes] == [
            ("ok", 2, {}),
            ("ok", 2, {"cached": True}),
        ]


@pytest.mark.anyio
async def test_allm_runs_in_its_own_deadline() -> None:
    class Asks(Agent):
        async def ask(self) -> str:
            """Ask."""
            return str(await allm("p"))

    with pytest.raises(FunctionTimeout, match="is over"):
        await Asks(Runtime(SlowModel(5), timeout_s=SHORT_S)).ask()
