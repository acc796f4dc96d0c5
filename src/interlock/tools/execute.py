"""One tool call: the ceilings around it, its time limit, and what went wrong as one line.

Knows nothing of judges, policies or approvals; whether a call may happen is decided before.
Source: reference loop specification, tools and the risk ladder.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

import anyio

from interlock._canonical import compact_json
from interlock.errors import ToolError
from interlock.questions import Json
from interlock.tools.base import Tool
from interlock.tools.text import EMPTY, head_and_tail, one_line

__all__ = ["TOOL_ERROR", "ToolResult", "check_call", "error_text", "run_tool"]

TOOL_ERROR = "[TOOL_ERROR]"
"""How the one line of a failed call begins: `[TOOL_ERROR] kind: message`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What one call came to."""

    text: str
    """As the loop shows it; never empty."""
    kind: str | None
    """The slug of the failure; None when the call succeeded."""
    cut: tuple[int, int] | None
    """(characters before, characters after) when the output was over the ceiling; None otherwise."""
    elapsed_s: float

    @property
    def ok(self) -> bool:
        """True when the tool ran and returned, whatever it returned."""
        return self.kind is None


def error_text(kind: str, message: str) -> str:
    """Return the one line by which a failed call is shown."""
    return f"{TOOL_ERROR} {one_line(kind, 40)}: {one_line(message)}"


def check_call(tool: Tool, arguments: Mapping[str, Json]) -> ToolError | None:
    """Return why a call cannot work, found without making it; None when nothing speaks against it.

    Asked before a person is, and again before the call.
    """
    try:
        _require_size(tool, arguments)
        _require_names(tool, arguments)
        if tool.check is not None:
            tool.check(arguments)
    except ToolError as error:
        return error
    return None


async def run_tool(tool: Tool, arguments: Mapping[str, Json]) -> ToolResult:
    """Run one call and return what it gave; a failure is a result, never an exception.

    Cancelling the caller cancels the call.
    """
    started = time.monotonic()
    try:
        _require_size(tool, arguments)
        _require_names(tool, arguments)
        text = _require_output(tool, await _within_time(tool, arguments))
    except ToolError as error:
        return _failed(error.kind, str(error), started)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code may raise anything; it becomes the result
        return _failed("exception", _described(error), started)
    shown = head_and_tail(text, tool.max_output_chars)
    cut = (len(text), len(shown)) if shown != text else None
    return ToolResult(text=shown, kind=None, cut=cut, elapsed_s=time.monotonic() - started)


async def _within_time(tool: Tool, arguments: Mapping[str, Json]) -> object:
    """Return what the tool returned; it runs in a task of its own, so that it can cancel only itself."""
    returned: list[object] = []
    raised: list[BaseException] = []

    async def call() -> None:
        try:
            returned.append(await tool.run(arguments))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code may raise anything; it is raised again
            raised.append(error)

    with anyio.move_on_after(tool.timeout_s) as limit:
        async with anyio.create_task_group() as alone:
            alone.start_soon(call)
    if raised:
        raise raised[0]
    if returned:
        return returned[0]
    if limit.cancelled_caught:
        raise ToolError("timeout", f"no result after {tool.timeout_s:g} s; whether it took effect is not known")
    raise ToolError("exception", "the tool cancelled itself")


def _described(error: BaseException) -> str:
    """Return the class and the message of a foreign exception, whose message may itself fail."""
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - foreign code; without its message the class is named
        message = ""
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _failed(kind: str, message: str, started: float) -> ToolResult:
    return ToolResult(text=error_text(kind, message), kind=kind, cut=None, elapsed_s=time.monotonic() - started)


def _require_size(tool: Tool, arguments: Mapping[str, Json]) -> None:
    try:
        size = len(compact_json(dict(arguments)))
    except (TypeError, ValueError, RecursionError) as error:
        raise ToolError("bad-arguments", f"the arguments are not JSON: {error}") from error
    if size > tool.max_input_chars:
        raise ToolError("too-large", f"the arguments have {size} characters; at most {tool.max_input_chars} are taken")


def _require_names(tool: Tool, arguments: Mapping[str, Json]) -> None:
    """Refuse arguments that the schema does not name or that are missing; a hidden parameter is not named."""
    known, required = tool.parameters.get("properties", {}), tool.parameters.get("required", ())
    unknown = [name for name in arguments if not isinstance(known, Mapping) or name not in known]
    if unknown:
        raise ToolError("bad-arguments", f"no parameter `{unknown[0]}`; the tool takes {_listed(known)}")
    names = [name for name in required if isinstance(name, str)] if isinstance(required, list | tuple) else []
    missing = [name for name in names if name not in arguments]
    if missing:
        raise ToolError("bad-arguments", f"`{missing[0]}` is missing; the tool takes {_listed(known)}")


def _listed(known: object) -> str:
    names = list(known) if isinstance(known, Mapping) else []
    return ", ".join(f"`{name}`" for name in names) or "nothing"


def _require_output(tool: Tool, output: object) -> str:
    """Return output as text that every store can keep."""
    if not isinstance(output, str):
        raise ToolError("exception", f"`{tool.name}` returned {type(output).__name__}, not text")
    if "\x00" in output:
        raise ToolError("binary", f"`{tool.name}` returned binary data; only text can be shown")
    text = output.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return text if text.strip() else EMPTY
