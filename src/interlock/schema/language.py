"""The field language of options: `{name: type}` with nested objects, lists and meta-specs.

Source: next-step specification, section 4.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Annotated, Any

import pydantic
import typing_extensions

from interlock._text import has_control
from interlock.schema.annotation import AdapterError, Annotation
from interlock.schema.fields import Field, field_for, one_of
from interlock.schema.kept import Kept

__all__ = ["META_KEYS", "TYPE_NAMES", "schema_fields"]

META_KEYS = frozenset({"type", "description", "options", "fields", "items"})
TYPE_NAMES: Mapping[str, type] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "list": list,
    "dict": dict,
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
}


def schema_fields(schema: object) -> tuple[Field, ...]:
    """Return the fields that `schema` declares, in order; every one is required.

    Raises:
        TypeError: the schema is not a dict, or a field is not written in the language.
        ValueError: a field is named `decision`, the key that names the option in a result.
    """
    if not isinstance(schema, dict):
        raise TypeError(f"schema must be a dict of field names to types, got {type(schema).__name__}")
    if "decision" in schema:
        raise ValueError("schema field `decision` would replace the option's name in the result; rename the field")
    return _FIELDS.get(schema, repr(schema), lambda: tuple(_field(name, written) for name, written in schema.items()))


_FIELDS: Kept[tuple[Field, ...]] = Kept()
"""Schema → its fields; a schema that was changed in place reads differently and is read again."""


def _field(name: str, written: object) -> Field:
    _require_name(name)
    try:
        return field_for(name, _annotation(written, name), description=_description(written))
    except AdapterError as error:
        raise TypeError(f"schema field `{name}`: {error}") from error


def _require_name(name: object) -> None:
    """Refuse what would not be one word or phrase in a menu.

    Raises:
        TypeError: it is not text, or empty.
        ValueError: it holds a control character.
    """
    if not isinstance(name, str) or not name:
        raise TypeError(f"schema field names are non-empty text, got {name!r}")
    if has_control(name):
        raise ValueError(f"schema field name {name!r} holds a control character; write it without")


def _is_meta(written: object) -> bool:
    return isinstance(written, dict) and all(key in META_KEYS for key in written)


def _description(written: object) -> str | None:
    if isinstance(written, str):
        return written
    if _is_meta(written) and isinstance(written, dict):
        text = written.get("description")
        return text if isinstance(text, str) else None
    return None


def _annotation(written: object, path: str) -> Annotation:
    """Return the annotation that `written` stands for."""
    if isinstance(written, str):
        return str
    if isinstance(written, list):
        return _list(written, path)
    if isinstance(written, dict):
        return _meta(written, path) if _is_meta(written) else _object(written, path)
    if isinstance(written, type) or _is_typing_construct(written):
        return written
    raise TypeError(f"schema field `{path}`: {written!r} is not a type, a description, a list or a dict")


def _is_typing_construct(written: object) -> bool:
    is_alias = isinstance(written, typing_extensions.TypeAliasType)
    has_origin = typing_extensions.get_origin(written) is not None
    return written is Any or has_origin or is_alias or type(written).__module__ == "typing"


def _list(written: list[object], path: str) -> Annotation:
    if len(written) != 1:
        raise TypeError(f"schema field `{path}`: a list holds exactly one element template, got {len(written)}")
    return list[_described(written[0], f"{path}[]")]  # type: ignore[misc]  # the element type is computed


def _object(written: dict[Any, object], path: str) -> Annotation:
    for name in written:
        _require_name(name)
    fields = {name: _described(inner, f"{path}.{name}") for name, inner in written.items()}
    return typing_extensions.TypedDict("Object", fields)  # type: ignore[operator]  # the fields are known at run time


def _described(written: object, path: str) -> Annotation:
    annotation, text = _annotation(written, path), _description(written)
    return annotation if text is None else Annotated[annotation, pydantic.Field(description=text)]


def _meta(written: dict[str, object], path: str) -> Annotation:
    if not written:
        warnings.warn(f"schema field `{path}`: an empty dict is a text field; write `str`", stacklevel=2)
    if "fields" in written and "items" in written:
        raise TypeError(f"schema field `{path}`: `fields` makes an object and `items` a list; write one of them")
    if "options" in written and ("fields" in written or "items" in written):
        raise TypeError(f"schema field `{path}`: `options` stand on the element template, not on a list or object")
    if "fields" in written:
        fields = written["fields"]
        if not isinstance(fields, dict):
            raise TypeError(f"schema field `{path}`: `fields` is a dict of field names to types")
        return _object(fields, path)
    if "items" in written:
        return _list([written["items"]], path)
    annotation = _named_type(written.get("type", str), path)
    if "options" not in written:
        return annotation
    options = written["options"]
    if not isinstance(options, list | tuple):
        raise TypeError(f"schema field `{path}`: `options` is a list of values")
    return one_of(annotation, options, path)


def _named_type(written: object, path: str) -> Annotation:
    if isinstance(written, str):
        if written not in TYPE_NAMES:
            raise TypeError(f"schema field `{path}`: no type `{written}`; write one of {', '.join(TYPE_NAMES)}")
        return TYPE_NAMES[written]
    if isinstance(written, type) or _is_typing_construct(written):
        return written
    raise TypeError(f"schema field `{path}`: `type` is a type or its name, got {written!r}")
