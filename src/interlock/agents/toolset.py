"""Which native tools one call offers, and in what form.

Source: next-step specification, section 14.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from interlock.agents.binding import current
from interlock.errors import MissingContextError, ToolError
from interlock.functions.bind import bind, missing_context
from interlock.functions.fields import fields_of
from interlock.functions.metadata import FunctionMetadata
from interlock.functions.reflect import METHOD_OPTIONS_ATTRIBUTE, describe
from interlock.functions.toolspec import tool_spec
from interlock.menu.attempts import Rejected
from interlock.menu.reply import read_fields
from interlock.schema import Field

__all__ = [
    "FIND_TOOLS",
    "AgentTool",
    "ToolOffer",
    "as_tool",
    "check_tools",
    "find_tools",
    "matching",
    "may_offer",
    "select_tools",
]

FIND_TOOLS = "find_tools"
"""The built-in tool that finds deferred ones."""

Execute: TypeAlias = Callable[[Mapping[str, Any]], Any]

log = logging.getLogger("interlock")


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


def as_tool(item: object, context: Mapping[str, object] | None = None) -> AgentTool:
    """Return a tool from an Agent method, a `{"spec", "execute"}` dict or an object with both.

    `context`: values of an Agent method's hidden parameters.

    Raises:
        TypeError: it is anything else; plain callables are options, not tools.
        MissingContextError: nothing fills a hidden parameter.
    """
    if isinstance(item, AgentTool):
        return item
    if _is_agent_method(item):
        return _from_method(item, context or {})
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


def check_tools(items: object) -> tuple[object, ...]:
    """Return the tools that a Runtime registers; what fills their hidden parameters is known only in a call.

    Raises:
        TypeError: it is no list, or one item is not a tool.
    """
    if not isinstance(items, list | tuple):
        raise TypeError(f"tools is a list of tools, got {items!r}")
    return tuple(item if _is_agent_method(item) else as_tool(item) for item in items)


def select_tools(
    registered: Sequence[object],
    *,
    tools: Sequence[object] | None,
    toolset: str | None,
    outer: ToolOffer | None,
    context_name: str,
    context: Mapping[str, object],
) -> ToolOffer:
    """Return what one call offers.

    `tools` offers exactly those; `toolset` selects a group; without both, an enclosing turn's tools are inherited.
    A tool whose own conditions do not hold here is never offered.

    Raises:
        TypeError: `tools` is no list, or holds what is not a tool.
        ValueError: `tools` and `toolset` are both given, the toolset is unknown, or two tools share a name.
        MissingContextError: nothing fills a hidden parameter.
    """
    if tools is not None and toolset is not None:
        raise ValueError("tools and toolset exclude each other; write one of them")
    if tools is not None:
        named = [as_tool(item, context) for item in check_tools(tools)]
        return _checked(ToolOffer(offered=tuple(tool for tool in named if may_offer(tool, context_name))))
    if toolset == "none":
        return ToolOffer(offered=())
    if toolset is None and outer is not None:
        return outer
    group = _group([as_tool(item, context) for item in _unrepeated(registered)], toolset)
    usable = [tool for tool in group if may_offer(tool, context_name)]
    return _checked(
        ToolOffer(
            offered=tuple(tool for tool in usable if not tool.options.get("defer")),
            deferred=tuple(tool for tool in usable if tool.options.get("defer")),
        )
    )


def may_offer(tool: AgentTool, context_name: str) -> bool:
    """True when the tool's own conditions hold; asked before offering and again before running.

    A condition that raises does not hold.
    """
    if context_name in tool.options.get("unsafe_in", ()):
        return False
    return all(_holds(tool, key) for key in ("available_if", "check_fn"))


def find_tools(offer: ToolOffer) -> AgentTool:
    """Return the built-in tool that names the deferred tools matching a query."""
    spec = {
        "name": FIND_TOOLS,
        "description": "Find further tools by words of their name or description.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    }
    return AgentTool(spec=spec, execute=lambda given: _listed(matching(offer, given)))


def matching(offer: ToolOffer, given: Mapping[str, Any]) -> list[AgentTool]:
    """Return the deferred tools that hold any word of the query."""
    words = str(given.get("query", "")).casefold().split()
    return [tool for tool in offer.deferred if any(word in _line(tool).casefold() for word in words)]


def _is_agent_method(item: object) -> bool:
    return inspect.ismethod(item) and hasattr(item, METHOD_OPTIONS_ATTRIBUTE)


def _listed(found: Sequence[AgentTool]) -> str:
    return "\n".join(_line(tool) for tool in found) or "no tool matches; use other words"


def _line(tool: AgentTool) -> str:
    return f"{tool.name}: {tool.spec.get('description', '')}"


def _unrepeated(registered: Sequence[object]) -> list[object]:
    """Return the tools without a method that is registered both by its Agent and on the Runtime."""
    methods: list[object] = []
    kept: list[object] = []
    for item in registered:
        if item in methods:
            continue
        kept.append(item)
        methods += [item] if inspect.ismethod(item) else []
    return kept


def _group(tools: Sequence[AgentTool], toolset: str | None) -> list[AgentTool]:
    if toolset in (None, "default"):
        return list(tools)
    group = [tool for tool in tools if tool.options.get("toolset") == toolset]
    if not group:
        known = sorted({str(tool.options["toolset"]) for tool in tools if tool.options.get("toolset")})
        raise ValueError(
            f"no tool is in the toolset `{toolset}`; write one of {', '.join(('default', 'none', *known))}"
        )
    return group


def _holds(tool: AgentTool, key: str) -> bool:
    condition = tool.options.get(key)
    try:
        return condition is None or bool(condition())
    except Exception as error:  # noqa: BLE001  (an author's function; whatever it raises, it does not say yes)
        log.warning("tool `%s`: %s raised `%s`", tool.name, key, type(error).__name__)
        return False


def _checked(offer: ToolOffer) -> ToolOffer:
    names = [tool.name for tool in (*offer.offered, *offer.deferred)] + ([FIND_TOOLS] if offer.deferred else [])
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise ValueError(f"two tools are named `{repeated}`; rename one with `name` in method_options")
    return offer


def _from_method(method: Any, context: Mapping[str, object]) -> AgentTool:  # noqa: ANN401  (a bound method of any Agent)
    described = describe(method)
    fields = fields_of(described)
    missing = missing_context(described, context)
    if missing:
        raise MissingContextError(
            f"tool `{described.name}`: context lacks `{missing[0]}`, which has no default; "
            "pass context=… with choices, give it a default, or name the tools to offer with tools=[…]"
        )

    def execute(given: Mapping[str, Any]) -> object:
        return _called(method, described, fields, given, context)

    return AgentTool(spec=tool_spec(method), execute=execute, options=described.options)


def _called(
    method: Callable[..., Any],
    described: FunctionMetadata,
    fields: Sequence[Field],
    given: Mapping[str, Any],
    context: Mapping[str, object],
) -> object:
    """Call the method with what the model wrote.

    Raises:
        ToolError: it does not fit; the message is for the model.
    """
    read = read_fields(fields, given)
    if isinstance(read, Rejected):
        raise ToolError(read.kind, f"({read.kind}) {read.message}")
    call = bind(described, read, context, current().runtime)
    return method(*call.args, **call.kwargs)
