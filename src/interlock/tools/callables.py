"""A caller's own function as a tool: its parameters read from the signature, its risk declared by the caller.

Knows nothing of judges or policies.
Source: reference loop specification, tools and the risk ladder.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TypeAlias

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError
from pydantic_core import ArgsKwargs, to_json

from interlock._canonical import compact_json
from interlock.errors import HostError, ToolError
from interlock.questions import Json
from interlock.tools.base import Effect, Tool, ToolRun
from interlock.tools.text import decode
from interlock.tools.threads import in_thread

__all__ = ["tool_from_function"]

Function: TypeAlias = Callable[..., object]
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


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
        function: every parameter has a name; the annotations decide what is accepted.
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
    called = name if name is not None else getattr(function, "__name__", "")
    text = description if description is not None else _first_paragraph(function)
    _require_declared(called, text, base_risk)
    arguments = _arguments(called, function)
    schema = _schema(called, arguments)
    return Tool(
        name=called,
        description=text,
        parameters=schema,
        run=_runner(called, function, arguments),
        check=lambda given: _require_valid(arguments, given),
        input_text=lambda given: compact_json(dict(given)),
        base_risk=base_risk,
        effect=effect,
        leaves_root=leaves_root,
        network=network,
        idempotent=idempotent,
        input_source="provide" if schema.get("properties") else "fixed",
        needs=needs,
        timeout_s=timeout_s,
    )


def _require_declared(name: str, description: str, base_risk: int | None) -> None:
    if not name.isidentifier():
        raise HostError(f"tool `{name}`: is no name; give `name=` as one word")
    if not description:
        raise HostError(f"tool `{name}`: has no description; write when it applies")
    if base_risk is not None and base_risk not in range(4):
        raise HostError(f"tool `{name}`: base_risk is {base_risk}; declare 0 to 3, or None for unknown")


def _first_paragraph(function: Function) -> str:
    return " ".join((inspect.getdoc(function) or "").split("\n\n", 1)[0].split())


def _arguments(name: str, function: Function) -> TypeAdapter[Mapping[str, object]]:
    """Return what checks the arguments of a function without calling it."""
    try:
        signature = inspect.signature(function, eval_str=True)
    except (TypeError, ValueError, NameError) as error:
        raise HostError(f"tool `{name}`: its signature cannot be read: {error}") from error
    unnamed = [parameter.name for parameter in signature.parameters.values() if parameter.kind not in _NAMED]
    if unnamed:
        raise HostError(f"tool `{name}`: `{unnamed[0]}` cannot be given by name; write a plain parameter")

    def accepted(**given: object) -> Mapping[str, object]:
        return given

    by_name = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in signature.parameters.values()]
    accepted.__signature__ = signature.replace(parameters=by_name)  # type: ignore[attr-defined] # read by inspect
    accepted.__annotations__ = {parameter.name: parameter.annotation for parameter in by_name}
    try:
        return TypeAdapter(accepted)  # type: ignore[arg-type] # a function stands for a call of it
    except PydanticUserError as error:
        raise HostError(f"tool `{name}`: a parameter cannot be checked: {error}") from error


def _schema(name: str, arguments: TypeAdapter[Mapping[str, object]]) -> Mapping[str, Json]:
    try:
        return arguments.json_schema()
    except PydanticUserError as error:
        raise HostError(f"tool `{name}`: a parameter has no JSON Schema: {error}") from error


def _require_valid(arguments: TypeAdapter[Mapping[str, object]], given: Mapping[str, Json]) -> Mapping[str, object]:
    """Return the arguments as the function takes them."""
    try:
        return arguments.validate_python(ArgsKwargs((), dict(given)))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ToolError("bad-arguments", f"`{place}`: {first['msg']}") from error


def _runner(name: str, function: Function, arguments: TypeAdapter[Mapping[str, object]]) -> ToolRun:
    asynchronous = inspect.iscoroutinefunction(function)

    async def run(given: Mapping[str, Json]) -> str:
        valid = _require_valid(arguments, given)
        result = function(**valid) if asynchronous else await in_thread(lambda: function(**valid))
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
