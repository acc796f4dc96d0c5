"""Tools of the engine: what a model is told of each, what its arguments must be, and one call that never raises.

Source: decision-engine specification, retry and limits.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, cast

from interlock.actions import ToolSpec
from interlock.errors import ToolError
from interlock.functions.bind import bind, missing_context
from interlock.functions.fields import fields_of
from interlock.functions.reflect import describe
from interlock.functions.toolspec import tool_spec
from interlock.menu.attempts import Rejected
from interlock.menu.reply import read_fields
from interlock.questions import Json
from interlock.tools.base import Tool
from interlock.tools.execute import TOOL_ERROR, error_text, run_tool
from interlock.tools.text import EMPTY, head_and_tail, one_line
from interlock.tools.threads import in_thread

__all__ = ["MAX_RESULT_CHARS", "TOOL_TIMEOUT_S", "EngineTool", "ToolOutcome", "call_tool", "engine_tools"]

MAX_RESULT_CHARS = 20_000
"""A longer result is shown by its head and tail."""
TOOL_TIMEOUT_S = 30.0
"""For one call of a function, unless a run says otherwise."""
MAX_UNASKED_RISK = 1
"""The engine asks nobody before a call, so it takes no tool whose declared risk is higher or unknown."""

Call: TypeAlias = Callable[[Mapping[str, Json]], Awaitable[object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineTool:
    """One tool, and how it is called."""

    spec: ToolSpec
    call: Call | None
    """None for a tool that is only declared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What one call brought; a failure is text that begins with `[TOOL_ERROR]`."""

    text: str
    failed: bool


def engine_tools(
    tools: Sequence[object] | Mapping[str, object],
    *,
    context: Mapping[str, object],
    runtime: object,
    timeout_s: float = TOOL_TIMEOUT_S,
) -> tuple[EngineTool, ...]:
    """Return the tools that functions, declared tools, `spec`/`execute` pairs or bare specs stand for.

    `context` fills hidden parameters; parameters for a Runtime get `runtime`. A declared tool has its own time limit.

    Raises:
        TypeError: an item is none of these, cannot be described, or lacks context.
        ValueError: a declared tool would need an approval, which the engine does not ask for.
    """
    items = tools.values() if isinstance(tools, Mapping) else tools
    fill = _Fill(context=context, runtime=runtime, timeout_s=timeout_s)
    return tuple(_tool(item, fill) for item in items)


async def call_tool(tool: EngineTool, arguments: Mapping[str, Json]) -> ToolOutcome:
    """Return what a call brought; whatever it raises becomes `[TOOL_ERROR] TYPE: MESSAGE`.

    Raises:
        TypeError: the tool is only declared.
    """
    if tool.call is None:
        raise TypeError(f"tool `{tool.spec.name}` is only declared and cannot be called")
    try:
        text = _text(await tool.call(arguments))
    except ToolError as error:
        return ToolOutcome(text=error_text(error.kind, str(error)), failed=True)
    except (Exception, SystemExit) as error:  # noqa: BLE001  (whatever a tool raises is told to the model)
        return ToolOutcome(text=f"{TOOL_ERROR} {type(error).__name__}: {one_line(_said(error))}", failed=True)
    return ToolOutcome(text=head_and_tail(text, MAX_RESULT_CHARS), failed=text.startswith(TOOL_ERROR))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fill:
    """What a call is given besides the model's arguments."""

    context: Mapping[str, object]
    runtime: object
    timeout_s: float


def _tool(item: object, fill: _Fill) -> EngineTool:
    if isinstance(item, EngineTool):
        return item
    if isinstance(item, ToolSpec):
        return EngineTool(spec=item, call=None)
    if isinstance(item, Tool):
        return _declared(item)
    spec, execute = (
        (item.get("spec"), item.get("execute"))
        if isinstance(item, Mapping)
        else (getattr(item, "spec", None), getattr(item, "execute", None))
    )
    if isinstance(spec, Mapping) and isinstance(spec.get("name"), str) and callable(execute):
        return _pair(spec, execute, fill)
    if callable(item):
        return _function(item, fill)
    raise TypeError(f"{item!r} is not a tool; write a function, a Tool, or a dict of `spec` and `execute`")


def _declared(tool: Tool) -> EngineTool:
    if tool.base_risk is None or tool.base_risk > MAX_UNASKED_RISK:
        risk = "unknown" if tool.base_risk is None else tool.base_risk
        raise ValueError(
            f"tool `{tool.name}`: its risk is {risk}, and the engine asks nobody before a call; "
            "gate it in a loop, or declare a risk of 0 or 1"
        )

    async def call(arguments: Mapping[str, Json]) -> object:
        return (await run_tool(tool, arguments)).text

    return EngineTool(
        spec=ToolSpec(name=tool.name, description=tool.description, parameters=tool.parameters), call=call
    )


def _pair(spec: Mapping[str, Any], execute: Callable[..., Any], fill: _Fill) -> EngineTool:
    parameters = spec.get("parameters")
    return EngineTool(
        spec=ToolSpec(
            name=spec["name"],
            description=str(spec.get("description", "")),
            parameters=parameters if isinstance(parameters, Mapping) else {"type": "object"},
        ),
        call=lambda arguments: _within(lambda: execute(dict(arguments)), fill.timeout_s),
    )


def _function(function: Callable[..., Any], fill: _Fill) -> EngineTool:
    described = describe(function)
    missing = missing_context(described, fill.context)
    if missing:
        raise TypeError(f"tool `{described.name}`: context lacks `{missing[0]}`, which has no default")
    fields, shown = fields_of(described), tool_spec(function)
    parameters = {**shown["parameters"], "additionalProperties": False}

    def fits(arguments: Mapping[str, Json]) -> str | None:
        read = read_fields(fields, arguments)
        return read.message if isinstance(read, Rejected) else None

    async def call(arguments: Mapping[str, Json]) -> object:
        read = read_fields(fields, arguments)
        if isinstance(read, Rejected):
            raise ToolError("bad-arguments", read.message)
        bound = bind(described, read, fill.context, fill.runtime)
        work = partial(described.function, *bound.args, **bound.kwargs)
        return await _within(work, fill.timeout_s, is_async=described.is_async)

    spec = ToolSpec(name=described.name, description=shown["description"], parameters=parameters, fits=fits)
    return EngineTool(spec=spec, call=call)


async def _within(work: Callable[[], Any], timeout_s: float, *, is_async: bool = False) -> object:
    """Return what `work` gives: an async one is cancelled when its time is up, a plain one runs on in its thread."""
    try:
        async with asyncio.timeout(timeout_s) as scope:
            result = work() if is_async else await in_thread(work)
            return await cast("Awaitable[object]", result) if inspect.isawaitable(result) else result
    except TimeoutError as error:
        if not scope.expired():
            raise
        raise ToolError("timeout", f"no result after {timeout_s:g} s; whether it took effect is not known") from error


def _text(result: object) -> str:
    """Return a result as text that every store can keep; never empty."""
    given = "" if result is None else result if isinstance(result, str) else _json(result)
    text = given.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "�")
    return text if text.strip() else EMPTY


def _json(result: object) -> str:
    return json.dumps(result, ensure_ascii=False, default=str)


def _said(error: BaseException) -> str:
    """Return the message of a foreign exception, which may itself fail."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001  (foreign code)
        return ""
