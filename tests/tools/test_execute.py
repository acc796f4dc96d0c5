"""One call: the ceilings around it, its time limit, and failures as one line."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import replace

import anyio
import pytest

from interlock.errors import ToolError
from interlock.questions import Json
from interlock.tools.base import Tool, ToolRun
from interlock.tools.execute import check_call, error_text, run_tool

pytestmark = pytest.mark.anyio


def _tool(run: ToolRun, **declared: object) -> Tool:
    tool = Tool(
        name="tool",
        description="it applies",
        parameters={"type": "object", "properties": {"text": {"type": "string"}}, "required": []},
        run=run,
        input_text=str,
    )
    return replace(tool, **declared)  # type: ignore[arg-type] # each test names fields of Tool


def _gives(output: object) -> ToolRun:
    async def run(_: Mapping[str, Json]) -> str:
        return output  # type: ignore[return-value] # foreign tools return anything

    return run


def _raises(error: BaseException) -> ToolRun:
    async def run(_: Mapping[str, Json]) -> str:
        raise error

    return run


async def test_text_is_given_as_it_is() -> None:
    result = await run_tool(_tool(_gives("two\nlines\n")), {"text": "x"})
    assert (result.text, result.ok, result.kind, result.cut) == ("two\nlines\n", True, None, None)
    assert result.elapsed_s >= 0


@pytest.mark.parametrize("output", ["", "  \n\t"])
async def test_nothing_is_shown_as_empty(output: str) -> None:
    result = await run_tool(_tool(_gives(output)), {})
    assert (result.text, result.ok) == ("(empty)", True)


class _Mute(Exception):  # noqa: N818 - a foreign class
    def __str__(self) -> str:
        raise ValueError("no message")


@pytest.mark.parametrize(
    ("error", "line"),
    [
        pytest.param(ToolError("not-found", "`a` does not exist"), "not-found: `a` does not exist", id="tool-error"),
        pytest.param(
            ValueError("first\nsecond\r\n\x1b[31m\u2028third"),
            "exception: ValueError: first second [31m third",
            id="lines",
        ),
        pytest.param(ToolError("odd\nkind", "x"), "odd kind: x", id="kind-on-two-lines"),
        pytest.param(RuntimeError(), "exception: RuntimeError", id="no-message"),
        pytest.param(_Mute("x"), "exception: _Mute", id="message-that-fails"),
        pytest.param(SystemExit(3), "exception: SystemExit: 3", id="exit"),
        pytest.param(
            ExceptionGroup("many", [ValueError("a")]), "exception: ExceptionGroup: many (1 sub-exception)", id="group"
        ),
        pytest.param(MemoryError("full"), "exception: MemoryError: full", id="memory"),
    ],
)
async def test_a_failure_is_one_line(error: BaseException, line: str) -> None:
    result = await run_tool(_tool(_raises(error)), {})
    assert result.text == f"[TOOL_ERROR] {line}"
    assert not result.ok
    assert result.text.splitlines() == [result.text]


async def test_a_message_without_end_is_cut() -> None:
    result = await run_tool(_tool(_raises(ValueError("x" * 1_000_000))), {})
    assert len(result.text) < 400


@pytest.mark.parametrize(
    ("output", "kind"),
    [
        pytest.param(b"\x00\x01", "exception", id="bytes"),
        pytest.param(None, "exception", id="none"),
        pytest.param({"a": 1}, "exception", id="mapping"),
        pytest.param("text\x00text", "binary", id="nul"),
    ],
)
async def test_what_is_not_text_is_a_failure(output: object, kind: str) -> None:
    result = await run_tool(_tool(_gives(output)), {})
    assert result.kind == kind


async def test_a_lone_surrogate_does_not_reach_the_journal() -> None:
    result = await run_tool(_tool(_gives("a\ud800b")), {})
    assert result.text.encode("utf-8").decode().startswith("a\ufffd")


async def test_ten_megabytes_of_output_keep_head_and_tail() -> None:
    output = "HEAD" + "x" * 10_000_000 + "TAIL"
    result = await run_tool(_tool(_gives(output), max_output_chars=1_000), {})
    assert len(result.text) <= 1_000
    assert result.text.startswith("HEAD")
    assert result.text.endswith("TAIL")
    head, label, tail = result.text.split("\n")
    assert label == f"[cut: {len(output) - len(head) - len(tail)} characters]"
    assert result.cut == (len(output), len(result.text))


async def test_input_over_the_ceiling_is_refused_before_the_call() -> None:
    tool = _tool(_raises(AssertionError("called")), max_input_chars=50)
    result = await run_tool(tool, {"text": "x" * 100})
    assert result.text == "[TOOL_ERROR] too-large: the arguments have 111 characters; at most 50 are taken"
    refused = check_call(tool, {"text": "x" * 100})
    assert refused is not None
    assert refused.kind == "too-large"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param({"hidden": 1}, "no parameter `hidden`; the tool takes `text`", id="unknown"),
        pytest.param({}, "`text` is missing; the tool takes `text`", id="missing"),
        pytest.param({"text": math.nan}, "the arguments are not JSON", id="nan"),
        pytest.param({"text": object()}, "the arguments are not JSON", id="object"),
    ],
)
async def test_arguments_that_the_schema_does_not_name_never_reach_the_tool(
    arguments: Mapping[str, Json], words: str
) -> None:
    parameters: Mapping[str, Json] = {"type": "object", "properties": {"text": {}}, "required": ["text"]}
    tool = _tool(_raises(AssertionError("called")), parameters=parameters)
    result = await run_tool(tool, arguments)
    assert result.kind == "bad-arguments"
    assert words in result.text
    refused = check_call(tool, arguments)
    assert refused is not None
    assert words in str(refused)


async def test_arguments_nested_without_end_are_refused() -> None:
    nested: Json = []
    for _ in range(100_000):
        nested = [nested]
    refused = check_call(_tool(_gives("x")), {"text": nested})
    assert refused is not None
    assert refused.kind == "bad-arguments"


async def test_a_tool_that_takes_nothing_says_so() -> None:
    result = await run_tool(_tool(_gives("x"), parameters={}), {"text": 1})
    assert result.text == "[TOOL_ERROR] bad-arguments: no parameter `text`; the tool takes nothing"


async def test_a_tool_that_hangs_is_cancelled() -> None:
    cancelled = anyio.Event()

    async def hang(_: Mapping[str, Json]) -> str:
        try:
            return await _sleeping(_)
        finally:
            cancelled.set()

    began = time.monotonic()
    result = await run_tool(_tool(hang, timeout_s=0.05), {})
    assert result.text == "[TOOL_ERROR] timeout: no result after 0.05 s; whether it took effect is not known"
    assert cancelled.is_set()
    assert time.monotonic() - began < 5


async def test_cancelling_the_caller_cancels_the_call() -> None:
    with anyio.move_on_after(0.05) as outer:
        await run_tool(_tool(_sleeping, timeout_s=60), {})
    assert outer.cancelled_caught


async def _sleeping(_: Mapping[str, Json]) -> str:
    await anyio.sleep_forever()
    raise AssertionError("slept")


async def test_a_timeout_that_the_tool_itself_reports_is_its_own_failure() -> None:
    result = await run_tool(_tool(_raises(TimeoutError("upstream"))), {})
    assert result.text == "[TOOL_ERROR] exception: TimeoutError: upstream"


async def test_a_check_speaks_before_the_call() -> None:
    def check(arguments: Mapping[str, Json]) -> None:
        if arguments.get("text") == "bad":
            raise ToolError("not-found", "nothing there")

    tool = _tool(_gives("x"), check=check)
    assert check_call(tool, {"text": "good"}) is None
    assert str(check_call(tool, {"text": "bad"})) == "nothing there"


def test_the_line_of_a_failure_is_written_in_one_place() -> None:
    assert error_text("kind", "two\nlines") == "[TOOL_ERROR] kind: two lines"
