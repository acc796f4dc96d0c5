"""The provider tool spec of a function.

Source: next-step specification, section 15.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interlock.functions.fields import fields_of
from interlock.functions.metadata import FunctionMetadata, ParamMetadata
from interlock.functions.reflect import describe
from interlock.schema import Field, without_defaults

__all__ = ["tool_spec"]


def tool_spec(fn: Callable[..., Any]) -> dict[str, Any]:
    """Return `{"name", "description", "parameters"}` of `fn`, visible parameters only.

    Raises:
        TypeError: the function cannot be described, or JSON cannot carry a visible annotation.
    """
    function = describe(fn)
    fields = fields_of(function)
    parameters: dict[str, Any] = {
        "type": "object",
        "properties": {
            field.name: _property(field, param) for field, param in zip(fields, function.visible, strict=True)
        },
    }
    required = [field.name for field in fields if field.required]
    if required:
        parameters["required"] = required
    definitions = {name: item for field in fields for name, item in field.schema.get("$defs", {}).items()}
    if definitions:
        parameters["$defs"] = without_defaults(definitions)
    return {"name": function.name, "description": _description(function), "parameters": parameters}


def _description(function: FunctionMetadata) -> str:
    return function.summary or f"Call {function.name}."


def _property(field: Field, param: ParamMetadata) -> dict[str, Any]:
    node: dict[str, Any] = {key: value for key, value in without_defaults(field.schema).items() if key != "$defs"}
    text = param.description or (f"e.g. {param.placeholder}" if param.placeholder else None)
    return node if text is None else {**node, "description": text}
