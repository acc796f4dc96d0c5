"""The JSON Schema of a type as providers and menus read it: references inlined, titles and defaults gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import TypeAdapter

from interlock._text import first_paragraph
from interlock.schema.kept import Kept

__all__ = ["Hoisted", "JsonNode", "JsonSchema", "forms_of", "hoisted", "inlined", "schema_of", "without_defaults"]

JsonSchema: TypeAlias = Mapping[str, Any]
JsonNode: TypeAlias = Any
"""A part of a JSON Schema: an object, a list or a scalar."""

_NAMED = ("properties", "patternProperties", "$defs", "dependentSchemas")
_LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "not", "contains", "propertyNames")
_JSON_TYPES: Mapping[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
    list: "array",
    dict: "object",
}
_REFERENCE = "#/$defs/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hoisted:
    """Schemas that share one document, and the definitions that stand at its root."""

    nodes: tuple[JsonNode, ...]
    definitions: JsonSchema


def schema_of(adapter: TypeAdapter[Any]) -> JsonSchema:
    """Return the validation schema of `adapter`, made once, `$defs` kept only where a type holds itself.

    `default` stays on the fields of classes: menus show it; `without_defaults` removes it for providers.
    """
    return _SCHEMAS.get(adapter, None, lambda: inlined(adapter.json_schema(mode="validation")))


_SCHEMAS: Kept[JsonSchema] = Kept()


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
            return {**_without_title(node), "$ref": _REFERENCE + name}
        merged = {**_briefly(definitions[name]), **{key: value for key, value in node.items() if key != "$ref"}}
        return _plain(merged, definitions, (*above, name), kept)
    read = {key: _member(key, value, definitions, above, kept) for key, value in _without_title(node).items()}
    return _completed(read)


def _without_title(node: JsonSchema) -> dict[str, JsonNode]:
    return {key: value for key, value in node.items() if key != "title"}


def _briefly(definition: JsonSchema) -> JsonSchema:
    """Return the definition of a class with the first paragraph of its docstring, as one line."""
    text = definition.get("description")
    if not isinstance(text, str):
        return definition
    return {**definition, "description": first_paragraph(text)}


def _member(key: str, value: JsonNode, definitions: JsonSchema, above: tuple[str, ...], kept: set[str]) -> JsonNode:
    if key in _NAMED:
        return {name: _plain(item, definitions, above, kept) for name, item in value.items()}
    if key in _LISTED:
        return [_plain(item, definitions, above, kept) for item in value]
    if key in _SINGLE:
        return _plain(value, definitions, above, kept)
    return value


def _completed(node: dict[str, Any]) -> dict[str, Any]:
    """Return `node` with constants as enums, a type beside every enum, items in every array, one flat `anyOf`.

    `uniqueItems` goes: a set takes a value that is written twice, and some providers take no schema that says so.
    """
    if "const" in node:
        node["enum"] = [node.pop("const")]
    if "enum" in node:
        return _typed_enum(node)
    if node.get("type") == "array":
        node.setdefault("items", {})
        node.pop("uniqueItems", None)
    if node.pop("discriminator", None) is not None:
        node["anyOf"] = node.pop("oneOf")
    if "anyOf" in node:
        node["anyOf"] = [inner for member in node["anyOf"] for inner in _flat(member)]
    return node


def _flat(member: JsonNode) -> list[JsonNode]:
    is_union = isinstance(member, Mapping) and member.keys() == {"anyOf"}
    return list(member["anyOf"]) if is_union else [member]


def _typed_enum(node: dict[str, Any]) -> dict[str, Any]:
    values = list({(type(value), repr(value)): value for value in node["enum"]}.values())
    node = {**node, "enum": values}
    kinds = list(dict.fromkeys(_kind(value) for value in values))
    if len(kinds) == 1:
        return {**node, "type": kinds[0]}
    rest = {key: value for key, value in node.items() if key not in ("enum", "type")}
    members = [{"type": kind, "enum": [value for value in values if _kind(value) == kind]} for kind in kinds]
    return {**rest, "anyOf": [{"type": "null"} if member["type"] == "null" else member for member in members]}


def _kind(value: object) -> str:
    return _JSON_TYPES.get(type(value), "object")


def forms_of(node: JsonSchema) -> list[JsonSchema]:
    """Return the alternatives of a schema, those inside alternatives included; a schema without any is its only one."""
    if "anyOf" not in node:
        return [node]
    return [form for member in node["anyOf"] for form in forms_of(member)]


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


def hoisted(schemas: Sequence[JsonSchema]) -> Hoisted:
    """Return the schemas as parts of one document, without defaults.

    A definition moves to the root; one whose name is taken by another gets a number.
    """
    definitions: dict[str, JsonNode] = {}
    nodes: list[JsonNode] = []
    for schema in schemas:
        own = schema.get("$defs", {})
        names = {name: _free_name(name, own, definitions) for name in own}
        plain = without_defaults({key: value for key, value in schema.items() if key != "$defs"})
        definitions |= {names[name]: _renamed(without_defaults(item), names) for name, item in own.items()}
        nodes.append(_renamed(plain, names))
    return Hoisted(nodes=tuple(nodes), definitions=definitions)


def _free_name(name: str, own: JsonSchema, taken: Mapping[str, JsonNode]) -> str:
    if name not in taken or taken[name] == without_defaults(own[name]):
        return name
    number = 2
    while f"{name}_{number}" in taken or f"{name}_{number}" in own:
        number += 1
    return f"{name}_{number}"


def _renamed(node: JsonNode, names: Mapping[str, str]) -> JsonNode:
    """Return `node` with its references following `names`."""
    if isinstance(node, list):
        return [_renamed(item, names) for item in node]
    if not isinstance(node, Mapping):
        return node
    reference = node.get("$ref")
    read = {key: _renamed(value, names) for key, value in node.items()}
    if isinstance(reference, str):
        name = reference.removeprefix(_REFERENCE)
        read["$ref"] = _REFERENCE + names.get(name, name)
    return read
