"""A caller's own function as a tool."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import anyio
import pytest

from interlock.errors import HostError
from interlock.questions import Json
from interlock.tools.callables import tool_from_function
from interlock.tools.execute import check_call, run_tool


def weather(city: str, days: int = 3, *, unit: Literal["c", "f"] = "c") -> dict[str, object]:
    """The weather of a city is asked for,
    or a forecast.

    Args: not shown.
    """
    return {"city": city, "days": days, "unit": unit, "über": [1.5, None]}


def test_parameters_description_and_declaration_come_from_the_function_and_the_caller() -> None:
    tool = tool_from_function(weather, base_risk=0, effect="read", leaves_root=True, needs=("online",))
    assert (tool.name, tool.description) == ("weather", "The weather of a city is asked for, or a forecast.")
    assert (tool.base_risk, tool.effect, tool.network, tool.idempotent) == (0, "read", True, False)
    assert (tool.input_source, tool.needs) == ("provide", ("online",))
    assert tool.parameters["required"] == ["city"]
    properties = tool.parameters["properties"]
    assert isinstance(properties, dict)
    assert list(properties) == ["city", "days", "unit"]
    assert tool.input_text({"city": "Köln", "days": 1}) == '{"city":"Köln","days":1}'


def test_a_function_without_parameters_has_a_fixed_input() -> None:
    def now() -> str:
        """The time is asked for."""
        return "12:00"

    assert tool_from_function(now, base_risk=0).input_source == "fixed"


@dataclass
class Point:
    x: int
    y: int


async def later(point: Point) -> int:
    """A sum is asked for."""
    await anyio.sleep(0)
    return point.x + point.y


class Adder:
    """Numbers are to be added."""

    async def __call__(self, numbers: list[int]) -> int:
        await anyio.sleep(0)
        return sum(numbers)


class Counter:
    """Holds a method."""

    def add(self, json: int, copy: bool = False) -> str:
        """A number is to be shown."""
        return f"{json}{copy}"


def _any_number(*numbers: int) -> int:
    """It takes any."""
    return len(numbers)


def _by_place(number: int, /) -> int:
    """It takes one."""
    return number


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("function", "arguments", "text"),
    [
        pytest.param(weather, {"city": "Köln"}, '{"city":"Köln","days":3,"unit":"c","über":[1.5,null]}', id="json"),
        pytest.param(later, {"point": {"x": 1, "y": 2}}, "3", id="async-and-a-dataclass"),
        pytest.param(Adder(), {"numbers": [1, 2]}, "3", id="callable-object"),
        pytest.param(Counter().add, {"json": 4, "copy": True}, "4True", id="method-and-odd-names"),
        pytest.param(functools.partial(weather, unit="f"), {"city": "Y", "days": 1}, '"unit":"f"', id="partial"),
        pytest.param(lambda: None, {}, "(empty)", id="nothing"),
        pytest.param(lambda: "plain\ntext", {}, "plain\ntext", id="text"),
        pytest.param(_any_number, {}, "0", id="any-number-is-none"),
        pytest.param(_by_place, {"number": 3}, "3", id="by-place"),
        pytest.param(len, {"obj": "语言"}, "2", id="builtin"),
        pytest.param("语言".encode, {}, "语言", id="bytes"),
        pytest.param(
            lambda: b"\x00\x01", {}, "[TOOL_ERROR] binary: `tool` is not text; only text can be shown", id="binary"
        ),
        pytest.param(lambda: {"a": object}, {}, '{"a":"<class', id="no-json"),
    ],
)
async def test_a_call_gives_the_result_as_text(
    function: Callable[..., object], arguments: dict[str, Json], text: str
) -> None:
    tool = tool_from_function(function, base_risk=None, name="tool", description="it applies")
    assert check_call(tool, arguments) is None
    result = await run_tool(tool, arguments)
    assert text in result.text


@pytest.mark.anyio
async def test_what_a_function_hides_no_caller_of_the_tool_can_set() -> None:
    tool = tool_from_function(_hidden, base_risk=0)

    assert tool.parameters == {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "What to find"}},
        "required": ["query"],
    }
    refused = check_call(tool, {"query": "q", "session": "EVIL"})
    assert refused is not None
    assert "no parameter `session`" in str(refused)
    assert (await run_tool(tool, {"query": "q"})).text == '["q","s",null]'


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param({}, "`city` is missing", id="missing"),
        pytest.param({"city": 3}, "`city` input should be a valid string, got 3", id="type"),
        pytest.param({"city": "x", "unit": "k"}, "`unit` must be one of 'c' or 'f', got", id="closed-set"),
        pytest.param({"city": "x", "days": "3"}, "`days` input should be a valid integer", id="text-is-no-number"),
        pytest.param({"city": "x", "self": 1}, "no parameter `self`", id="unknown"),
    ],
)
async def test_arguments_are_checked_before_the_function_is_called(arguments: dict[str, Json], words: str) -> None:
    tool = tool_from_function(weather, base_risk=0)
    refused = check_call(tool, arguments)
    assert refused is not None
    assert refused.kind == "bad-arguments"
    assert words in str(refused)
    assert words in (await run_tool(tool, arguments)).text


@pytest.mark.anyio
async def test_blocking_work_runs_beside_the_loop_and_is_given_up_when_its_time_is_over() -> None:
    release, ran = threading.Event(), threading.Event()

    def block() -> str:
        """It blocks."""
        release.wait(10)
        ran.set()
        return "late"

    began = time.monotonic()
    result = await run_tool(tool_from_function(block, base_risk=2, timeout_s=0.05), {})
    assert result.text == "[TOOL_ERROR] timeout: no result after 0.05 s; whether it took effect is not known"
    assert time.monotonic() - began < 5
    release.set()
    assert ran.wait(10)


def test_blocking_work_that_outlives_the_loop_harms_nothing() -> None:
    release, finished = threading.Event(), threading.Event()

    def block() -> None:
        """It blocks."""
        release.wait(10)
        finished.set()

    tool = tool_from_function(block, base_risk=0, timeout_s=0.05)
    assert anyio.run(run_tool, tool, {}).kind == "timeout"
    release.set()
    assert finished.wait(10)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("error", "line"),
    [
        pytest.param(ValueError("a\nb"), "exception: ValueError: a b", id="exception"),
        pytest.param(SystemExit(2), "exception: RuntimeError: the tool ended with SystemExit", id="exit"),
        pytest.param(
            KeyboardInterrupt(), "exception: RuntimeError: the tool ended with KeyboardInterrupt", id="interrupt"
        ),
    ],
)
async def test_what_a_function_raises_is_one_line(error: BaseException, line: str) -> None:
    def fail() -> None:
        """It fails."""
        raise error

    result = await run_tool(tool_from_function(fail, base_risk=0), {})
    assert result.text == f"[TOOL_ERROR] {line}"


def _undocumented(number: int) -> int:
    return number


def _hidden(query: str, session: str = "s", runtime: object = None) -> list[object]:
    """It keeps something to itself."""
    return [query, session, runtime]


_hidden.input_meta = {"query": {"description": "What to find"}, "session": {"hidden": True}}  # type: ignore[attr-defined]


def _needs_runtime(runtime: object) -> object:
    """It needs what only an agent has."""
    return runtime


def _unknown_type(event: threading.Event) -> bool:
    """It takes an event."""
    return event.is_set()


def _callable_parameter(inner: Callable[[], int]) -> int:
    """It takes a function."""
    return inner()


def _unknown_name(value: Nowhere) -> object:  # type: ignore[name-defined] # noqa: F821 - the case under test
    """It takes something undefined."""
    return value


@pytest.mark.parametrize(
    ("function", "risk", "words"),
    [
        pytest.param(_undocumented, 0, "has no description; write when it applies", id="no-description"),
        pytest.param(weather, 4, "base_risk is 4; declare 0 to 3, or None for unknown", id="risk-too-high"),
        pytest.param(weather, -1, "base_risk is -1", id="risk-too-low"),
        pytest.param(_unknown_type, 0, "annotation of `event`: `Event` cannot be carried by JSON", id="unknown-type"),
        pytest.param(_callable_parameter, 0, "`Callable` cannot be carried by JSON", id="no-schema"),
        pytest.param(_unknown_name, 0, "annotation of `value`, `Nowhere`, does not resolve", id="unknown-name"),
        pytest.param(_needs_runtime, 0, "nothing fills `runtime`; give it a default", id="injected"),
        pytest.param(Counter.add, 0, "`add` is a method without its object", id="unbound"),
        pytest.param(lambda: None, 0, "is no name; give `name=` as one word", id="lambda"),
        pytest.param(dict, 0, "`dict` has no readable signature", id="builtin"),
    ],
)
def test_a_function_that_cannot_be_a_tool_is_refused(function: Callable[..., object], risk: int, words: str) -> None:
    with pytest.raises(HostError, match=r"^tool `") as refused:
        tool_from_function(function, base_risk=risk)
    assert words in str(refused.value)
