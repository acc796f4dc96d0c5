"""The JSON Schema of a valid reply to a menu, for providers that can hold a model to one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from interlock.menu.options import Option
from interlock.schema import JsonNode, JsonSchema, hoisted

__all__ = ["reply_schema"]


def reply_schema(options: Sequence[Option]) -> JsonSchema:
    """Return an object schema with one alternative per option; a recursive type keeps its `$defs`."""
    found = hoisted([field.schema for option in options for field in option.fields])
    nodes = iter(found.nodes)
    alternatives = [_alternative(option, {field.name: next(nodes) for field in option.fields}) for option in options]
    schema: dict[str, Any] = alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}
    return {**schema, "$defs": found.definitions} if found.definitions else schema


def _alternative(option: Option, nodes: Mapping[str, JsonNode]) -> dict[str, Any]:
    properties: dict[str, Any] = {"call": {"type": "string", "enum": [option.name]}}
    required = ["call"]
    if option.fields:
        properties["args"] = {
            "type": "object",
            "properties": dict(nodes),
            "required": [field.name for field in option.fields if field.required],
            "additionalProperties": False,
        }
        required.append("args")
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
