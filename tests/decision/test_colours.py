"""Plain and async doors, threads and event loops: nothing waits for itself, nothing is bound to the wrong Runtime."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest

from interlock import Agent, Runtime, aagent, agent, decision, llm
from interlock.models.base import TextReply, TextRequest
from interlock.pipeline.sharedloop import run_anywhere
from interlock.testing import ScriptedModel, calling

GO = '{"call": "go"}'
LIMIT_S = 10.0
"""Far more than any of these takes; a deadlock ends here."""


def in_time(call: Callable[[], Any]) -> Any:
    """Return what `call` returns, in a thread that is given up when it hangs."""
    outcome: list[Any] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(call())
        except BaseException as error:  # noqa: BLE001  (handed to the waiting test)
            failure.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(LIMIT_S)
    assert outcome or failure, "it waits for itself"
    if failure:
        raise failure[0]
    return outcome[0]


async def async_go() -> str:
    await asyncio.sleep(0)
    return "went"


def go() -> str:
    return "went"


def here() -> int:
    return threading.get_ident()


def lazy_go() -> Awaitable[str]:
    """Looks plain and gives an awaitable."""
    return async_go()


@pytest.mark.parametrize("step", [go, async_go, lazy_go], ids=["plain", "async", "gives-an-awaitable"])
def test_make_runs_every_kind_of_function(step: Callable[[], object]) -> None:
    assert decision.make("p", {"go": step}, runtime=Runtime(ScriptedModel([GO]))) == "went"


@pytest.mark.anyio
@pytest.mark.parametrize("step", [go, async_go, lazy_go], ids=["plain", "async", "gives-an-awaitable"])
async def test_amake_awaits_what_is_awaitable(step: Callable[[], object]) -> None:
    assert await decision.amake("p", {"go": step}, runtime=Runtime(ScriptedModel([GO]))) == "went"


@pytest.mark.anyio
@pytest.mark.parametrize("step", [go, lazy_go], ids=["plain", "gives-an-awaitable"])
async def test_make_works_while_a_loop_runs(step: Callable[[], object]) -> None:
    assert decision.make("p", {"go": step}, runtime=Runtime(ScriptedModel([GO]))) == "went"


@pytest.mark.anyio
async def test_the_async_doors_await_options_and_fallbacks() -> None:
    async def ask(error: object) -> str:
        return "asked"

    runtime = Runtime(ScriptedModel([GO, "no", "no", GO, GO]))

    assert await aagent("p", choices={"go": async_go}, runtime=runtime) == "went"
    assert await decision.amake("p", {"go": 1}, runtime=runtime, fallback=ask) == "asked"
    assert await runtime.aexec("p", choices={"go": async_go}) == "went"


def test_an_async_fallback_is_run_by_make() -> None:
    async def ask(error: object) -> str:
        return "asked"

    assert decision.make("p", {"go": 1}, runtime=Runtime(ScriptedModel(["no"])), fallback=ask) == "asked"


@pytest.mark.parametrize("door", ["make", "agent", "exec"])
def test_the_picked_function_runs_in_the_thread_of_its_caller(door: str) -> None:
    runtime = Runtime(ScriptedModel([GO]))
    options = {"go": here}
    ran = {
        "make": lambda: decision.make("p", options, runtime=runtime),
        "agent": lambda: agent("p", choices=options, runtime=runtime),
        "exec": lambda: runtime.exec("p", choices=options),
    }[door]()

    assert ran == threading.get_ident()


@pytest.mark.anyio
async def test_amake_runs_a_plain_function_in_place() -> None:
    runtime = Runtime(ScriptedModel([GO]))

    assert await decision.amake("p", {"go": here}, runtime=runtime) == threading.get_ident()


class Nested(Agent):
    """Tools that go on with plain calls, however deep."""

    method_options = {  # noqa: RUF012  (read by the base class)
        "plain": {"tool": True, "timeout": 5},
        "waits": {"tool": True},
    }

    def plain(self, depth: int) -> str:
        """Go on from plain code."""
        return self._next(depth)

    async def waits(self, depth: int) -> str:
        """Go on from a coroutine that blocks."""
        return self._next(depth)

    def raw_thread(self, depth: int) -> str:
        """Go on from a thread that this package did not start."""
        found: list[str] = []
        runtime = self.runtime

        def work() -> None:
            found.append(decision.make("p", {"go": "bottom"}, runtime=runtime))

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join()
        return found[0]

    def _next(self, depth: int) -> str:
        if depth == 0:
            return self.raw_thread(0)
        return str(agent(f"depth {depth}", tools=[self.waits, self.plain]))


class Deep:
    """Asks for a tool until the tools are `depth` calls deep, then answers."""

    def __init__(self, order: tuple[str, ...]) -> None:
        self.order = order

    async def generate(self, request: TextRequest) -> TextReply:
        if request.schema is not None:
            return said(GO)
        if request.messages[-1].role == "tool":
            return said(str(request.messages[-1].content))
        depth = int(str(request.messages[-1].content).rpartition("depth ")[2])
        return calling((self.order[depth % len(self.order)], f'{{"depth": {depth - 1}}}'))

    def stream(self, request: TextRequest) -> Any:
        raise NotImplementedError


def said(text: str) -> TextReply:
    return TextReply(text=text, finish="stop", usage=None, requested_model="deep", served_model=None, request_id=None)


@pytest.mark.parametrize(
    "order", [("plain",), ("waits",), ("plain", "waits"), ("waits", "waits", "plain")], ids="-".join
)
def test_calls_inside_tools_inside_calls_never_wait_for_themselves(order: tuple[str, ...]) -> None:
    """Twelve deep: more than a pool of threads would have."""
    desk = Nested(Runtime(Deep(order)))

    assert in_time(lambda: agent("depth 12", tools=[desk.plain, desk.waits], runtime=desk.runtime)) == "bottom"


def test_the_same_from_inside_a_running_loop() -> None:
    desk = Nested(Runtime(Deep(("waits", "plain"))))

    async def main() -> Any:
        return agent("depth 4", tools=[desk.plain, desk.waits], runtime=desk.runtime)

    assert in_time(lambda: asyncio.run(main())) == "bottom"


def test_many_threads_at_once_share_the_loop() -> None:
    desk = Nested(Runtime(Deep(("plain", "waits"))))
    results: list[Any] = []

    def work() -> None:
        results.append(agent("depth 3", tools=[desk.plain, desk.waits], runtime=desk.runtime))

    threads = [threading.Thread(target=work, daemon=True) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT_S)

    assert results == ["bottom"] * 8


def test_leaving_the_process_inside_a_tool_leaves_the_shared_loop_running() -> None:
    """`SystemExit` reaches the caller; the next call does not hang."""
    runtime = Runtime(ScriptedModel([calling("stop"), "still here"]))
    tool = {"spec": {"name": "stop"}, "execute": lambda given: sys.exit(3)}

    with pytest.raises(SystemExit, match="3"):
        in_time(lambda: agent("p", tools=[tool], runtime=runtime))
    assert in_time(lambda: agent("p", tools=[], runtime=runtime)) == "still here"


class Named(Agent):
    def who(self) -> tuple[str, str, str]:
        """Say on which Runtime each kind of call runs."""
        return llm("who"), agent("who", tools=[]), decision.make("who", [self.option])

    def option(self) -> str:
        """Say it from a picked option."""
        return str(llm("who"))


class Echo:
    """A text model that says its own name, or picks the only option."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def generate(self, request: TextRequest) -> TextReply:
        await asyncio.sleep(0.001)
        return said('{"call": "option"}' if request.schema is not None else self.name)

    def stream(self, request: TextRequest) -> Any:
        raise NotImplementedError


def test_threads_with_different_runtimes_never_see_each_other() -> None:
    seen: dict[str, set[tuple[str, str, str]]] = {}

    def work(name: str) -> None:
        desk = Named(Runtime(Echo(name)))
        seen[name] = {desk.who() for _ in range(5)}

    threads = [threading.Thread(target=work, args=(f"runtime-{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT_S)

    assert seen == {name: {(name, name, name)} for name in (f"runtime-{n}" for n in range(4))}


class AsyncNamed(Agent):
    async def who(self) -> tuple[str, str]:
        """Say on which Runtime each kind of call runs."""
        first = await aagent("who", tools=[])
        await asyncio.sleep(0)
        return first, await decision.amake("who", [self.option])

    async def option(self) -> str:
        """Say it from a picked option."""
        return str(await aagent("who", tools=[]))


def test_tasks_and_loops_with_different_runtimes_never_see_each_other() -> None:
    seen: dict[str, list[tuple[str, str]]] = {}

    async def main(prefix: str) -> None:
        names = [f"{prefix}-{n}" for n in range(5)]
        found = await asyncio.gather(*(AsyncNamed(Runtime(Echo(name))).who() for name in names))
        seen.update({name: [pair] for name, pair in zip(names, found, strict=True)})

    threads = [threading.Thread(target=lambda p=prefix: asyncio.run(main(p))) for prefix in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT_S)

    assert seen == {name: [(name, name)] for name in seen}
    assert len(seen) == 10


def test_one_runtime_serves_two_event_loops() -> None:
    runtime = Runtime(Echo("shared"))

    async def main() -> list[str]:
        return list(await asyncio.gather(*(aagent("who", runtime=runtime, tools=[]) for _ in range(3))))

    assert [asyncio.run(main()) for _ in range(2)] == [["shared"] * 3] * 2


def test_run_anywhere_passes_results_errors_and_context() -> None:
    async def fails() -> None:
        raise LookupError("inner")

    async def nested() -> str:
        return run_anywhere(lambda: value("inside"))

    async def value(text: str) -> str:
        await asyncio.sleep(0)
        return text

    def make(coroutine: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        return in_time(lambda: run_anywhere(coroutine))

    with pytest.raises(LookupError, match="inner"):
        make(fails)
    assert make(nested) == "inside"
