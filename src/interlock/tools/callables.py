"""A caller's own function as a tool: its parameters as it describes them, its risk declared by the caller.

Knows nothing of judges or policies.
Source: reference loop specification, tools and the risk ladder.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from pydantic_core import to_json

from interlock._canonical import compact_json
from interlock.errors import HostError, ToolError
from interlock.functions.bind import bind
from interlock.functions.fields import fields_of
from interlock.functions.metadata import FunctionMetadata
from interlock.functions.reflect import describe
from interlock.functions.toolspec import tool_spec
from interlock.questions import Json
from interlock.schema import Field, read_values
from interlock.tools.base import Effect, Tool, ToolRun
from interlock.tools.text import decode
from interlock.tools.threads import in_thread

__all__ = ["tool_from_function"]

Function: TypeAlias = Callable[..., object]


def tool_from_function(
    function: Function,
    *,
    base_risk: int | None,
    effect: Effect = "other",
    leaves_root: bool = True,
    network: bool = True,
    idempotent: bool = False,
    name: str | None = None,
    description: str | None = None,
    needs: tuple[str, ...] = (),
    timeout_s: float = 30.0,
) -> Tool:
    """Return a function as a tool that a judge may be offered.

    An `async` function is cancelled when its time is up; any other runs in a thread, which cannot be stopped
    and is then no longer waited for.

    Args:
        function: its annotations decide what is accepted; what it hides is left to its defaults.
        base_risk: 0 read-only, 1 reversible write, 2 irreversible, 3 destructive; None is unknown, and unknown asks.
        effect: what kind of action it is.
        leaves_root: False only when it cannot touch anything outside the working directory.
        network: False only when it cannot reach a network.
        idempotent: True when a second call changes nothing more.
        name: None: the function's name.
        description: the condition under which it applies; None: the first paragraph of the docstring.
        needs: boolean cells that must be true for it to be offered.
        timeout_s: wall-clock limit of one call.

    Raises:
        HostError: the function or a declared value cannot be used.
    """
    described = _described(function)
    called = described.name if name is None else name
    text = described.summary if description is None else description
    _require_declared(called, text, base_risk)
    fields, parameters = _fields(described), tool_spec(function)["parameters"]
    return Tool(
        name=called,
        description=text,
        parameters=parameters,
        run=_runner(called, described, fields),
        check=lambda given: _require_valid(fields, given),
        input_text=lambda given: compact_json(dict(given)),
        base_risk=base_risk,
        effect=effect,
        leaves_root=leaves_root,
        network=network,
        idempotent=idempotent,
        input_source="provide" if fields else "fixed",
        needs=needs,
        timeout_s=timeout_s,
    )


def _described(function: Function) -> FunctionMetadata:
    """Return what a function says about itself; Python has nothing to fill its hidden parameters with."""
    try:
        described = describe(function)
    except TypeError as error:
        raise HostError(f"tool {error}") from error
    unfilled = [param.name for param in described.params if param.required and not param.visible]
    if unfilled:
        raise HostError(f"tool `{described.name}`: nothing fills `{unfilled[0]}`; give it a default")
    return described


def _fields(described: FunctionMetadata) -> tuple[Field, ...]:
    try:
        return fields_of(described)
    except TypeError as error:
        raise HostError(f"tool {error}") from error


def _require_declared(name: str, description: str, base_risk: int | None) -> None:
    if not name.isidentifier():
        raise HostError(f"tool `{name}`: is no name; give `name=` as one word")
    if not description:
        raise HostError(f"tool `{name}`: has no description; write when it applies")
    if base_risk is not None and base_risk not in range(4):
        raise HostError(f"tool `{name}`: base_risk is {base_risk}; declare 0 to 3, or None for unknown")


def _require_valid(fields: Sequence[Field], given: Mapping[str, Json]) -> Mapping[str, object]:
    """Return the arguments as objects of their types."""
    read = read_values(fields, given)
    if read.problems:
        raise ToolError("bad-arguments", f"`{read.problems[0].path}` {read.problems[0].message}")
    return read.values


def _runner(name: str, described: FunctionMetadata, fields: Sequence[Field]) -> ToolRun:
    async def run(given: Mapping[str, Json]) -> str:
        bound = bind(described, _require_valid(fields, given), {}, None)
        call = functools.partial(described.function, *bound.args, **bound.kwargs)
        result = call() if described.is_async else await in_thread(call)
        return _text(name, await result if inspect.isawaitable(result) else result)

    return run


def _text(name: str, result: object) -> str:
    """Return a result as text: text as it is, bytes decoded, nothing as nothing, everything else as JSON."""
    match result:
        case None:
            return ""
        case str():
            return result
        case bytes():
            return decode(result, name=name)
        case _:
            return to_json(result, fallback=str).decode("utf-8")
