"""Which native tools one call offers, and in what form.

Source: next-step specification, section 14.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from interlock.agents.binding import current
from interlock.functions.bind import bind
from interlock.functions.fields import fields_of
from interlock.functions.metadata import FunctionMetadata
from interlock.functions.reflect import METHOD_OPTIONS_ATTRIBUTE, describe
from interlock.functions.toolspec import tool_spec
from interlock.menu.attempts import Rejected
from interlock.menu.reply import read_fields
from interlock.schema import Field

__all__ = ["FIND_TOOLS", "AgentTool", "ToolOffer", "as_tool", "select_tools"]

FIND_TOOLS = "find_tools"
"""The built-in tool that finds deferred ones."""

Execute: TypeAlias = Callable[[Mapping[str, Any]], Any]
Method: TypeAlias = Callable[..., Any]


class BadArgumentsError(ValueError):
    """A model's arguments do not fit a tool; the message is for the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTool:
    """One native tool."""

    spec: Mapping[str, Any]
    execute: Execute
    """Takes the arguments as the model wrote them; may be async."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The `method_options` of an Agent method; empty otherwise."""

    @property
    def name(self) -> str:
        """The name in its spec."""
        return str(self.spec["name"])


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOffer:
    """What a turn offers at first, and what its model can still find."""

    offered: tuple[AgentTool, ...]
    deferred: tuple[AgentTool, ...] = ()


def as_tool(item: object) -> AgentTool:
    """Return a tool from an Agent method, a `{"spec", "execute"}` dict or an object with both.

    Raises:
        TypeError: it is anything else; plain callables are options, not tools.
    """
    if isinstance(item, AgentTool):
        return item
    if inspect.ismethod(item) and hasattr(item, METHOD_OPTIONS_ATTRIBUTE):
        return _from_method(item)
    spec, execute = (
        (item.get("spec"), item.get("execute"))
        if isinstance(item, Mapping)
        else (getattr(item, "spec", None), getattr(item, "execute", None))
    )
    if isinstance(spec, Mapping) and isinstance(spec.get("name"), str) and callable(execute):
        return AgentTool(spec=spec, execute=execute)
    raise TypeError(
        f"{item!r} is not a tool; write an Agent method, a dict of `spec` and `execute`, or an object with both"
    )


def select_tools(
    registered: Sequence[AgentTool],
    *,
    tools: Sequence[object] | None,
    toolset: str | None,
    outer: ToolOffer | None,
    context_name: str,
) -> ToolOffer:
    """Return what one call offers.

    `tools` offers exactly those; `toolset` selects a group; without both, an enclosing turn's tools are inherited.

    Raises:
        TypeError: `tools` holds what is not a tool.
        ValueError: `tools` and `toolset` are both given, or two tools share a name.
    """
    if tools is not None and toolset is not None:
        raise ValueError("tools and toolset exclude each other; write one of them")
    if tools is None and toolset is None and outer is not None:
        return outer
    if tools is not None:
        return _checked(ToolOffer(offered=tuple(as_tool(item) for item in tools)))
    if toolset == "none":
        return ToolOffer(offered=())
    group = [tool for tool in registered if toolset in (None, "default") or tool.options.get("toolset") == toolset]
    usable = [tool for tool in group if may_offer(tool, context_name)]
    return _checked(
        ToolOffer(
            offered=tuple(tool for tool in usable if not tool.options.get("defer")),
            deferred=tuple(tool for tool in usable if tool.options.get("defer")),
        )
    )


def may_offer(tool: AgentTool, context_name: str) -> bool:
    """True when the tool's own conditions hold; asked before offering and again before running."""
    if context_name in tool.options.get("unsafe_in", ()):
        return False
    conditions = (tool.options.get("available_if"), tool.options.get("check_fn"))
    return all(condition is None or condition() for condition in conditions)


def find_tools(offer: ToolOffer) -> AgentTool:
    """Return the built-in tool that names the deferred tools matching a query."""
    spec = {
        "name": FIND_TOOLS,
        "description": "Find further tools by words of their name or description.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    }
    return AgentTool(spec=spec, execute=lambda given: "\n".join(_line(tool) for tool in matching(offer, given)))


def matching(offer: ToolOffer, given: Mapping[str, Any]) -> list[AgentTool]:
    """Return the deferred tools that hold any word of the query."""
    words = str(given.get("query", "")).casefold().split()
    return [tool for tool in offer.deferred if any(word in _line(tool).casefold() for word in words)]


def _line(tool: AgentTool) -> str:
    return f"{tool.name}: {tool.spec.get('description', '')}"


def _checked(offer: ToolOffer) -> ToolOffer:
    names = [tool.name for tool in (*offer.offered, *offer.deferred)]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise ValueError(f"two tools are named `{repeated}`; rename one with `name` in method_options")
    return offer


def _from_method(method: Any) -> AgentTool:  # noqa: ANN401  (a bound method of any Agent)
    described = describe(method)
    fields = fields_of(described)
    missing = [param.name for param in described.params if param.hidden and param.required]
    if missing:
        raise TypeError(f"tool `{described.name}`: hidden `{missing[0]}` has no default; a native tool has no context")

    def execute(given: Mapping[str, Any]) -> object:
        return _called(method, described, fields, given)

    return AgentTool(spec=tool_spec(method), execute=execute, options=described.options)


def _called(method: Method, described: FunctionMetadata, fields: Sequence[Field], given: Mapping[str, Any]) -> object:
    read = read_fields(fields, given)
    if isinstance(read, Rejected):
        raise BadArgumentsError(f"({read.kind}) {read.message}")
    call = bind(described, read, {}, current().runtime)
    return method(*call.args, **call.kwargs)
