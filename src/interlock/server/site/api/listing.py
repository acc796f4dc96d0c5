"""What an endpoint takes, field by field, as people read it: on the page, and in the reference.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from interlock.server.site.api.endpoint import Endpoint

__all__ = ["FieldLine", "fields_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldLine:
    """One field."""

    name: str
    place: str
    """One of `path`, `query`, `body`."""
    type: str
    says: str
    default: str
    """As JSON; empty where the field must be given."""


def fields_of(endpoint: Endpoint) -> tuple[FieldLine, ...]:
    """Return the fields of an endpoint, in order."""
    schema = endpoint.takes.model_json_schema()
    beside = "query" if endpoint.method == "GET" else "body"
    return tuple(
        FieldLine(
            name=name,
            place="path" if name in endpoint.in_path else beside,
            type=_type(found),
            says=str(found.get("description", "")),
            default="" if name in schema.get("required", ()) else _spelt(found.get("default")),
        )
        for name, found in schema.get("properties", {}).items()
    )


def _type(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(each) for each in schema["anyOf"] if each.get("const") != ""))
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"] if value != "")
    if "const" in schema:
        return f"`{schema['const']}`"
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}"
    if schema.get("type") == "object":
        return f"object of {_type(schema.get('additionalProperties', {}))}"
    return str(schema.get("type", "any"))


def _spelt(default: object) -> str:
    if isinstance(default, bool):
        return "true" if default else "false"
    return f'"{default}"' if isinstance(default, str) else str(default)
