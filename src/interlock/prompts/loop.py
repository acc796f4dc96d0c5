"""The loop layer: one JSON object with exactly seven keys, filled anew for every turn.

Source: decision-engine specification, three layers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from interlock.actions import ToolSpec
from interlock.errors import PromptError
from interlock.questions import Json

__all__ = ["BUDGET_KEYS", "EMPTY_LOOP", "LOOP_KEYS", "check_template", "fill_loop", "read_tools"]

LOOP_KEYS = ("goal", "tools_available", "memory_summary", "budget", "last_observation", "last_error", "plan")
BUDGET_KEYS = ("max_steps", "max_tool_calls", "max_tokens", "max_cost_usd")
"""Each holds what is left; null is no limit."""

EMPTY_LOOP: Mapping[str, Json] = {
    "goal": "",
    "tools_available": [],
    "memory_summary": "",
    "budget": dict.fromkeys(BUDGET_KEYS),
    "last_observation": None,
    "last_error": None,
    "plan": None,
}
_TEXTS = ("goal", "memory_summary")
_TEXTS_OR_NULL = ("last_observation", "last_error", "plan")


def check_template(template: Mapping[str, Json]) -> None:
    """Refuse a loop layer that is not the object a turn fills.

    Raises:
        PromptError: a key is missing or unknown, or its value is of another form.
    """
    missing = [key for key in LOOP_KEYS if key not in template]
    if missing:
        raise PromptError(f"loop layer: lacks {_listed(missing)}; write exactly {_listed(LOOP_KEYS)}")
    _check_values(template)


def fill_loop(
    template: Mapping[str, Json], state: Mapping[str, Json], tools: Sequence[ToolSpec] | None
) -> dict[str, Json]:
    """Return the loop of one turn: the keys of the template in its order, with what `state` says.

    `tools` become `tools_available`; None leaves that key to `state`.

    Raises:
        PromptError: the state has an unknown key or a value of another form, or there is no goal.
    """
    _check_values(state)
    budget = {**_budget(template), **_budget(state)}
    said: dict[str, Json] = {**state, "budget": budget}
    if tools is not None:
        said["tools_available"] = [tool_json(tool) for tool in tools]
    loop = {key: said.get(key, template[key]) for key in template}
    if not str(loop["goal"]).strip():
        raise PromptError("loop layer: `goal` is empty; say what is to be reached")
    return loop


def tool_json(tool: ToolSpec) -> dict[str, Json]:
    """Return a tool as a model is shown it."""
    return {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}


def read_tools(loop: Mapping[str, Json]) -> tuple[ToolSpec, ...]:
    """Return the tools that a filled loop declares.

    Raises:
        PromptError: an entry is not an object of `name`, `description` and `parameters`.
    """
    listed = loop.get("tools_available")
    return tuple(_tool(item) for item in listed) if isinstance(listed, Sequence) else ()


def _tool(item: Json) -> ToolSpec:
    name = item.get("name") if isinstance(item, Mapping) else None
    if not isinstance(item, Mapping) or not isinstance(name, str):
        raise PromptError("loop layer: a tool is an object of `name`, `description` and `parameters`")
    description, parameters = item.get("description", ""), item.get("parameters", {"type": "object"})
    if not isinstance(description, str) or not isinstance(parameters, Mapping):
        raise PromptError(f"loop layer: tool `{name}`: `description` is text and `parameters` a JSON Schema")
    return ToolSpec(name=name, description=description, parameters=parameters)


def _check_values(values: Mapping[str, Json]) -> None:
    for key, value in values.items():
        if key not in LOOP_KEYS:
            raise PromptError(f"loop layer: no key `{key}`; write {_listed(LOOP_KEYS)}")
        is_right = (
            isinstance(value, str)
            if key in _TEXTS
            else value is None or isinstance(value, str)
            if key in _TEXTS_OR_NULL
            else isinstance(value, Mapping)
            if key == "budget"
            else isinstance(value, Sequence) and not isinstance(value, str)
        )
        if not is_right:
            raise PromptError(f"loop layer: `{key}` is {_WANTED[key]}")
    _check_budget(values.get("budget"))


_WANTED: Mapping[str, str] = {
    **dict.fromkeys(_TEXTS, "text"),
    **dict.fromkeys(_TEXTS_OR_NULL, "text or null"),
    "budget": "an object of limits",
    "tools_available": "a list of tools",
}


def _check_budget(budget: Json) -> None:
    for key, value in budget.items() if isinstance(budget, Mapping) else ():
        if key not in BUDGET_KEYS:
            raise PromptError(f"loop layer: no budget `{key}`; write {_listed(BUDGET_KEYS)}")
        is_finite = not isinstance(value, float) or math.isfinite(value)
        if isinstance(value, bool) or not (value is None or isinstance(value, int | float)) or not is_finite:
            raise PromptError(f"loop layer: budget `{key}` is a number or null")


def _budget(values: Mapping[str, Json]) -> dict[str, Json]:
    budget = values.get("budget")
    given = dict(budget) if isinstance(budget, Mapping) else {}
    return {key: given[key] for key in BUDGET_KEYS if key in given}


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
