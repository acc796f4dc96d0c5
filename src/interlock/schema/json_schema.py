"""The JSON Schema of a type as providers and menus read it: references inlined, titles and defaults gone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from pydantic import TypeAdapter

__all__ = ["JsonSchema", "inlined", "schema_of", "without_defaults"]

JsonSchema: TypeAlias = Mapping[str, Any]
JsonNode: TypeAlias = Any
"""A part of a JSON Schema: an object, a list or a scalar."""

_NAMED = ("properties", "patternProperties", "$defs", "dependentSchemas")
_LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "not", "contains", "propertyNames")
_JSON_TYPES: Mapping[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


def schema_of(adapter: TypeAdapter[Any]) -> JsonSchema:
    """Return the validation schema of `adapter`, `$defs` kept only where a type holds itself.

    `default` stays on the fields of classes: menus show it; `without_defaults` removes it for providers.
    """
    return inlined(adapter.json_schema(mode="validation"))


def inlined(schema: JsonSchema) -> JsonSchema:
    """Return `schema` with every reference replaced by what it names, once per branch."""
    definitions = schema.get("$defs", {})
    kept: set[str] = set()
    plain: dict[str, Any] = _plain(
        {key: value for key, value in schema.items() if key != "$defs"}, definitions, (), kept
    )
    if not kept:
        return plain
    return {**plain, "$defs": _kept_definitions(definitions, kept)}


def _kept_definitions(definitions: JsonSchema, kept: set[str]) -> dict[str, Any]:
    written: dict[str, Any] = {}
    while missing := sorted(kept - written.keys()):
        for name in missing:
            written[name] = _plain(definitions[name], definitions, (name,), kept)
    return written


def _plain(node: JsonNode, definitions: JsonSchema, above: tuple[str, ...], kept: set[str]) -> JsonNode:
    if not isinstance(node, Mapping):
        return node
    reference = node.get("$ref")
    if isinstance(reference, str):
        name = reference.rpartition("/")[2]
        if name in above:
            kept.add(name)
            return {"$ref": f"#/$defs/{name}"}
        beside = {key: value for key, value in node.items() if key != "$ref"}
        merged = {**definitions[name], **beside}
        return _plain(merged, definitions, (*above, name), kept)
    read = {key: _member(key, value, definitions, above, kept) for key, value in node.items() if key != "title"}
    return _completed(read)


def _member(key: str, value: JsonNode, definitions: JsonSchema, above: tuple[str, ...], kept: set[str]) -> JsonNode:
    if key in _NAMED:
        return {name: _plain(item, definitions, above, kept) for name, item in value.items()}
    if key in _LISTED:
        return [_plain(item, definitions, above, kept) for item in value]
    if key in _SINGLE:
        return _plain(value, definitions, above, kept)
    return value


def _completed(node: dict[str, Any]) -> dict[str, Any]:
    """Return `node` with a one-value constant as an enum, a type beside every enum, items in every array."""
    if "const" in node:
        node["enum"] = [node.pop("const")]
    if "enum" in node:
        return _typed_enum(node)
    if node.get("type") == "array" and "items" not in node and "prefixItems" not in node:
        node["items"] = {}
    node.pop("discriminator", None)
    return node


def _typed_enum(node: dict[str, Any]) -> dict[str, Any]:
    values = node["enum"]
    kinds = list(dict.fromkeys(_JSON_TYPES.get(type(value), "object") for value in values))
    if len(kinds) == 1:
        return {**node, "type": kinds[0]}
    rest = {key: value for key, value in node.items() if key not in ("enum", "type")}
    members = [
        {"type": kind, "enum": [value for value in values if _JSON_TYPES.get(type(value), "object") == kind]}
        for kind in kinds
    ]
    return {**rest, "anyOf": [{"type": "null"} if member["type"] == "null" else member for member in members]}


def without_defaults(node: JsonNode) -> JsonNode:
    """Return `node` without the annotation `default`; a field that is named so stays."""
    if not isinstance(node, Mapping):
        return node
    read: dict[str, Any] = {}
    for key, value in node.items():
        if key == "default":
            continue
        if key in _NAMED:
            read[key] = {name: without_defaults(item) for name, item in value.items()}
        elif key in _LISTED:
            read[key] = [without_defaults(item) for item in value]
        elif key in _SINGLE:
            read[key] = without_defaults(value)
        else:
            read[key] = value
    return read
