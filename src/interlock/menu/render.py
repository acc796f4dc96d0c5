"""Writes the menu: one block of text per option, the same text for the same options.

Source: next-step specification, section 7.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from interlock.menu.options import Option
from interlock.schema import Field, JsonSchema, forms_of

__all__ = ["call_line", "render_menu"]

_INDENT = "    "
_TYPE_NAMES: Mapping[str, str] = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "object": "dict",
    "null": "None",
}
_PLACEHOLDERS: Mapping[str, object] = {
    "string": "<str>",
    "integer": 0,
    "number": 0.0,
    "boolean": False,
    "null": None,
}
_LIMITS: Sequence[tuple[str, str]] = (
    ("minimum", "min"),
    ("maximum", "max"),
    ("exclusiveMinimum", "over"),
    ("exclusiveMaximum", "under"),
    ("minLength", "min length"),
    ("maxLength", "max length"),
    ("minItems", "min items"),
    ("maxItems", "max items"),
    ("pattern", "pattern"),
)


def render_menu(options: Sequence[Option]) -> str:
    """Return the menu of `options`: blocks separated by a blank line, one newline at the end."""
    return "\n".join(f"{_block(option)}\n" for option in options)


def call_line(option: Option) -> str:
    """Return the JSON object that picks `option`, placeholders filled in."""
    call: dict[str, object] = {"call": option.name}
    if option.fields:
        call["args"] = {field.name: _placeholder(field.schema, _definitions(field)) for field in option.fields}
    return json.dumps(call, ensure_ascii=False)


def _block(option: Option) -> str:
    signature = ", ".join(f"{field.name}: {_type(field.schema)}" for field in option.fields)
    lines = [f"{option.name}({signature})"]
    lines += [_INDENT + line for line in option.description.splitlines()]
    for field in option.fields:
        lines += [_INDENT + line for line in _field_lines(field)]
    lines.append(f"{_INDENT}Call: {call_line(option)}")
    return "\n".join(lines)


def _field_lines(field: Field) -> Iterator[str]:
    default = _default_mark(field.default) if not field.required else ""
    yield _line(field.name, field.description, field.schema, default)
    yield from _nested(field.name, field.schema, _definitions(field))


def _line(path: str, description: str | None, node: JsonSchema, default: str) -> str:
    text = f"{path}: {_one_line(description)}" if description else path
    return " ".join([text, *_marks(node), *([default] if default else [])])


def _one_line(text: str) -> str:
    return " ".join(line.strip() for line in text.splitlines() if line.strip())


def _marks(node: JsonSchema) -> Iterator[str]:
    values = _options(node)
    if values:
        yield f"(options: {', '.join(json.dumps(value, ensure_ascii=False) for value in values)})"
    inner = _not_null(node)
    limits = [f"{word} {inner[key]}" for key, word in _LIMITS if key in inner and "prefixItems" not in inner]
    if limits:
        yield f"(limits: {', '.join(limits)})"


def _default_mark(default: object) -> str:
    if default is None:
        return "(optional)"
    try:
        return f"(default: {json.dumps(default, ensure_ascii=False, allow_nan=False)})"
    except (TypeError, ValueError, RecursionError):
        return "(optional)"


def _nested(path: str, node: JsonSchema, definitions: JsonSchema, above: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the lines of what is inside `node` and says something; a recursive type is entered once."""
    node, above = _followed(node, definitions, above)
    for member in node.get("anyOf", ()):
        yield from _nested(path, member, definitions, above)
    for place, inner, default in _inside(path, node):
        line = _line(place, inner.get("description"), inner, default)
        if line != place:
            yield line
        yield from _nested(place, inner, definitions, above)


def _inside(path: str, node: JsonSchema) -> Iterator[tuple[str, JsonSchema, str]]:
    """Yield what `node` directly holds: its path, its schema, and how a default is marked."""
    for index, inner in enumerate(node.get("prefixItems", ())):
        is_required = index < node.get("minItems", 0)
        yield f"{path}[{index}]", inner, "" if is_required else _default_mark(inner.get("default"))
    for key, place in (("items", f"{path}[]"), ("additionalProperties", f"{path}.*")):
        if isinstance(node.get(key), Mapping):
            yield place, node[key], ""
    required = node.get("required", ())
    for name, inner in node.get("properties", {}).items():
        yield f"{path}.{name}", inner, "" if name in required else _default_mark(inner.get("default"))


def _followed(node: JsonSchema, definitions: JsonSchema, above: tuple[str, ...]) -> tuple[JsonSchema, tuple[str, ...]]:
    reference = node.get("$ref")
    if reference is None:
        return node, above
    name = str(reference).rpartition("/")[2]
    return ({} if name in above else definitions.get(name, {})), (*above, name)


def _definitions(field: Field) -> JsonSchema:
    read: JsonSchema = field.schema.get("$defs", {})
    return read


def _not_null(node: JsonSchema) -> JsonSchema:
    """Return the one member of a nullable type, else the node."""
    forms = [form for form in forms_of(node) if form.get("type") != "null"]
    return forms[0] if len(forms) == 1 else node


def _options(node: JsonSchema) -> list[Any]:
    return [value for form in forms_of(node) for value in form.get("enum", ())]


def _type(node: JsonSchema) -> str:
    if "anyOf" in node:
        return " | ".join(dict.fromkeys(_type(form) for form in forms_of(node)))
    if node.get("type") == "array":
        items = node.get("items")
        return f"list[{_type(items)}]" if isinstance(items, Mapping) and items else "list"
    kind = node.get("type")
    return _TYPE_NAMES.get(kind, "any") if isinstance(kind, str) else "any"


def _placeholder(node: JsonSchema, definitions: JsonSchema, above: tuple[str, ...] = ()) -> object:
    node, above = _followed(node, definitions, above)
    if "anyOf" in node:
        forms = forms_of(node)
        return _placeholder(next((form for form in forms if form.get("type") != "null"), forms[0]), definitions, above)
    kind = node.get("type")
    if kind == "array":
        return _list_placeholder(node, definitions, above)
    if kind == "object":
        fields = node.get("properties", {})
        return {name: _placeholder(inner, definitions, above) for name, inner in fields.items()}
    return _PLACEHOLDERS.get(kind) if isinstance(kind, str) else None


def _list_placeholder(node: JsonSchema, definitions: JsonSchema, above: tuple[str, ...]) -> list[object]:
    if "prefixItems" in node:
        return [_placeholder(item, definitions, above) for item in node["prefixItems"]]
    items = node.get("items")
    if not isinstance(items, Mapping) or not items:
        return []
    inner, _ = _followed(items, definitions, above)
    return [_placeholder(items, definitions, above)] if inner else []
