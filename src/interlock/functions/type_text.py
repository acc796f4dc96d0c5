"""The text of a type as a person reads it in a form; `source_types` gives the same text from source."""

from __future__ import annotations

import enum
import types
import typing
from typing import Annotated, Literal

import typing_extensions

from interlock.schema import Annotation

__all__ = ["literal_text", "type_text", "union_text"]


def type_text(annotation: Annotation) -> str:
    """Return the text of a resolved annotation: names without modules, unions with `|`, no constraints."""
    if annotation is None or annotation is types.NoneType:
        return "None"
    origin: Annotation = typing_extensions.get_origin(annotation)
    inner = typing_extensions.get_args(annotation)
    if origin is Annotated:
        return type_text(inner[0])
    if origin in (typing.Union, types.UnionType):
        return union_text([type_text(form) for form in _forms(annotation)])
    if origin is Literal:
        return f"Literal[{', '.join(_member(value) for value in inner)}]"
    if inner:
        return f"{_name(origin)}[{', '.join(_argument(item) for item in inner)}]"
    return _name(annotation if origin is None else origin)


def _forms(annotation: Annotation) -> list[Annotation]:
    """Return the members of a union, those of unions in it too; any other type alone."""
    origin: Annotation = typing_extensions.get_origin(annotation)
    inner = typing_extensions.get_args(annotation)
    if origin is Annotated:
        return _forms(inner[0])
    if origin in (typing.Union, types.UnionType):
        return [form for member in inner for form in _forms(member)]
    return [annotation]


def union_text(members: list[str]) -> str:
    """Return the text of a union: each member once, in alphabetical order, null last.

    `typing` keeps one object for unions that differ in order alone, so the order written is not known.
    """
    return " | ".join(sorted(set(members), key=lambda member: (member == "None", member)))


def literal_text(value: object) -> str:
    """Return the text of one value of a `Literal`."""
    return repr(value)


def _member(value: object) -> str:
    return f"{type(value).__name__}.{value.name}" if isinstance(value, enum.Enum) else literal_text(value)


def _argument(item: Annotation) -> str:
    if item is Ellipsis:
        return "..."
    return f"[{', '.join(type_text(inner) for inner in item)}]" if isinstance(item, list) else type_text(item)


def _name(annotation: Annotation) -> str:
    return getattr(annotation, "__name__", None) or str(annotation).rpartition(".")[2]
