"""The JSON Schema of a valid reply to a menu, for providers that can hold a model to one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from interlock.menu.options import Option
from interlock.schema import JsonSchema, without_defaults

__all__ = ["reply_schema"]


def reply_schema(options: Sequence[Option]) -> JsonSchema:
    """Return an object schema with one alternative per option; a recursive type keeps its `$defs`."""
    alternatives = [_alternative(option) for option in options]
    definitions = {
        name: without_defaults(item)
        for option in options
        for field in option.fields
        for name, item in field.schema.get("$defs", {}).items()
    }
    schema: dict[str, Any] = alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}
    return {**schema, "$defs": definitions} if definitions else schema


def _alternative(option: Option) -> dict[str, Any]:
    properties: dict[str, Any] = {"call": {"type": "string", "enum": [option.name]}}
    required = ["call"]
    if option.fields:
        properties["args"] = {
            "type": "object",
            "properties": {
                field.name: {key: value for key, value in without_defaults(field.schema).items() if key != "$defs"}
                for field in option.fields
            },
            "required": [field.name for field in option.fields if field.required],
            "additionalProperties": False,
        }
        required.append("args")
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
