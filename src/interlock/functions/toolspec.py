"""The provider tool spec of a function.

Source: next-step specification, section 15.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interlock.functions.fields import fields_of
from interlock.functions.metadata import FunctionMetadata, ParamMetadata
from interlock.functions.reflect import describe
from interlock.schema import JsonSchema, hoisted

__all__ = ["tool_spec"]


def tool_spec(fn: Callable[..., Any]) -> dict[str, Any]:
    """Return `{"name", "description", "parameters"}` of `fn`, visible parameters only.

    Raises:
        TypeError: the function cannot be described, or JSON cannot carry a visible annotation.
    """
    function = describe(fn)
    fields = fields_of(function)
    found = hoisted([field.schema for field in fields])
    named = zip(fields, found.nodes, function.visible, strict=True)
    parameters: dict[str, Any] = {
        "type": "object",
        "properties": {field.name: _property(node, param) for field, node, param in named},
    }
    required = [field.name for field in fields if field.required]
    if required:
        parameters["required"] = required
    if found.definitions:
        parameters["$defs"] = found.definitions
    return {"name": function.name, "description": _description(function), "parameters": parameters}


def _description(function: FunctionMetadata) -> str:
    return function.summary or f"Call {function.name}."


def _property(node: JsonSchema, param: ParamMetadata) -> JsonSchema:
    text = param.description or (f"e.g. {param.placeholder}" if param.placeholder else None)
    return node if text is None else {**node, "description": text}
