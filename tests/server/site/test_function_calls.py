"""Calls from the page: once per form, within a time, asked where they must be, and forgotten after a while."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, ClassVar

import pytest

from interlock import Agent, Runtime, llm
from interlock.agents.approving import Approver
from interlock.errors import InterlockError
from interlock.server.site.function_calls import MAX_AT_ONCE, MAX_KEPT, Call, Calls, Wanted
from interlock.testing import ScriptedModel


def runtime_of(approver: Approver) -> Runtime:
    return Runtime(ScriptedModel(["said"]), approver=approver, context_name="page")


@pytest.fixture
def calls() -> Calls:
    """Return an empty list of calls."""
    return Calls(runtime_of, clock=lambda: datetime.now(UTC))


def wanted(function: Callable[..., Any], *, once: str = "", **values: Any) -> Wanted:
    return Wanted(name=function.__name__, function=function, values=values, given={}, once=once)


def made(calls: Calls, function: Callable[..., Any], **values: Any) -> Call:
    return calls.start(wanted(function, **values), wait_s=10)


class Shop(Agent):
    """Sells."""

    method_options: ClassVar[Any] = {
        "pay": {"requires_approval": True, "input": {"till": {"hidden": True}}},
        "hasty": {"timeout": 0.05},
        "secret": {"expose": "hidden"},
    }

    def pay(self, amount: int, till: str = "HIDDEN-TILL") -> str:
        """Pay."""
        return f"paid {amount} from {'a till' if till else 'nothing'}"

    def buy(self, amount: int) -> str:
        """Buy."""
        self.secret()
        return self.pay(amount) + f", {llm('say it')}"

    def secret(self) -> None:
        """Say nothing."""

    def hasty(self, gate: threading.Event) -> None:
        """Be late."""
        gate.wait(5)


def test_a_call_returns_what_is_shown_of_its_result(calls: Calls) -> None:
    def double(x: int) -> list[int]:
        return [x, x]

    call = made(calls, double, x=4)

    assert call.state == "ok"
    assert call.result is not None
    assert call.result.text.first == "[\n  4,\n  4\n]"
    assert call.arguments.rows[0][0] == "x"
    assert call.nodes() == ()


def test_an_async_function_is_awaited(calls: Calls) -> None:
    async def later() -> str:
        await asyncio.sleep(0)
        return "later"

    call = made(calls, later)

    assert call.result is not None
    assert call.result.text.first == "later"


def test_an_agent_runs_on_the_runtime_of_the_call_and_leaves_its_graph(calls: Calls) -> None:
    call = made(calls, Shop().buy, amount=3)
    asked = call.asked
    assert asked is not None
    assert (asked.name, asked.arguments.text.first) == ("pay", '{\n  "amount": 3\n}')
    assert calls.answer(call, asked.id, said=True)
    call.settled.wait(10)

    assert call.result is not None
    assert call.result.text.first == "paid 3 from a till, said"
    assert [(node.kind, node.name, node.caller) for node in call.nodes()] == [
        ("function", "buy", None),
        ("function", "secret", 0),
        ("function", "pay", 0),
        ("llm", "llm", 0),
    ]


def test_a_no_and_an_answer_to_another_question_run_nothing(calls: Calls) -> None:
    call = made(calls, Shop().pay, amount=3)
    asked = call.asked
    assert asked is not None

    assert not calls.answer(call, "another", said=True)
    assert calls.answer(call, asked.id, said=False)
    assert not calls.answer(call, asked.id, said=True)
    call.settled.wait(10)
    assert (call.state, call.problem) == ("error", "`pay` was not approved")


def test_a_question_that_nobody_answers_in_time_is_a_no() -> None:
    ran: list[int] = []

    class Till(Agent):
        """Holds money."""

        method_options: ClassVar[Any] = {"open": {"requires_approval": True}}

        def open(self) -> None:
            """Open."""
            ran.append(1)

    calls = Calls(runtime_of, clock=lambda: datetime.now(UTC), limit_s=0.1)
    call = made(calls, Till().open)
    asked = call.asked
    while call.state == "running":
        call.settled.wait(0.02)
        call.settled.clear()

    assert asked is not None
    assert not calls.answer(call, asked.id, said=True)
    assert ran == []


def test_an_agent_with_a_runtime_of_its_own_asks_whom_that_one_asks(calls: Calls) -> None:
    own = Runtime(ScriptedModel(["own"]))
    Shop(own).secret()

    call = made(calls, Shop(own).pay, amount=1)

    assert call.asked is None
    assert "no approver is configured" in call.problem
    assert [node.name for node in call.nodes()] == ["pay"]


def test_a_call_that_is_out_of_time_says_that_its_thread_goes_on() -> None:
    gate = threading.Event()
    calls = Calls(runtime_of, clock=lambda: datetime.now(UTC), limit_s=0.05)

    call = made(calls, lambda: gate.wait(5))

    assert call.state == "timeout"
    assert "still running" in call.problem
    gate.set()
    for _ in range(500):
        if call.is_late:
            break
        gate.wait(0.01)
        threading.Event().wait(0.01)
    assert call.is_late
    assert call.result is None


def test_a_method_keeps_its_own_time_limit(calls: Calls) -> None:
    gate = threading.Event()
    call = made(calls, Shop().hasty, gate=gate)
    gate.set()

    assert call.state == "timeout"
    assert call.problem.startswith("function hasty timed out after 0.05s")


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        pytest.param(ValueError("no such thing"), "ValueError: no such thing", id="error"),
        pytest.param(SystemExit(3), "SystemExit: 3", id="exit"),
        pytest.param(KeyboardInterrupt(), "KeyboardInterrupt: ", id="interrupt"),
        pytest.param(InterlockError("as it is"), "as it is", id="own"),
    ],
)
def test_whatever_a_function_raises_is_read_as_text(raised: BaseException, told: str, calls: Calls) -> None:
    def stumble() -> None:
        raise raised

    call = made(calls, stumble)

    assert (call.state, call.problem) == ("error", told)


def test_one_form_makes_one_call(calls: Calls) -> None:
    ran: list[int] = []

    def count() -> None:
        ran.append(1)

    first = calls.start(wanted(count, once="a"), wait_s=10)
    again = calls.start(wanted(count, once="a"), wait_s=10)
    other = calls.start(wanted(count, once="b"), wait_s=10)

    assert again is first
    assert other is not first
    assert len(ran) == 2


def test_old_calls_are_forgotten(calls: Calls) -> None:
    def nothing() -> None:
        return None

    first, *_ = [made(calls, nothing) for _ in range(MAX_KEPT + 3)]

    assert calls.find(first.id) is None
    assert len(calls.newest("nothing")) <= MAX_KEPT + 1


def test_too_many_at_once_are_refused(calls: Calls) -> None:
    gate = threading.Event()
    try:
        for _ in range(MAX_AT_ONCE):
            calls.start(wanted(lambda: gate.wait(10)), wait_s=0)
        with pytest.raises(InterlockError, match="at work already"):
            calls.start(wanted(lambda: None), wait_s=0)
    finally:
        gate.set()


def test_nobody_says_yes_to_what_cannot_be_shown_whole(calls: Calls) -> None:
    class Press(Agent):
        """Prints."""

        method_options: ClassVar[Any] = {"print_it": {"requires_approval": True}}

        def print_it(self, text: str) -> str:
            """Print."""
            return text[:5]

    call = made(calls, Press().print_it, text="x" * 200_000)
    asked = call.asked
    assert asked is not None

    assert not calls.answer(call, asked.id, said=True)
    assert calls.answer(call, asked.id, said=False)
