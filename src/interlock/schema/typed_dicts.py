"""Rebuilds each `typing.TypedDict` inside an annotation where pydantic cannot read this Python's own.

What should happen: `TypeAdapter` reads it. What does, before Python 3.12: it refuses, because the class does not say
which inherited keys are required. Delete this file when Python 3.12 is the oldest one supported.
Source: https://docs.pydantic.dev/latest/errors/usage_errors/#typed-dict-version.
"""

from __future__ import annotations

import dataclasses
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeAlias, get_args, get_origin

import typing_extensions
from pydantic import GetCoreSchemaHandler, GetPydanticSchema
from pydantic_core import core_schema

__all__ = ["Annotation", "readable"]

Annotation: TypeAlias = Any
"""A type expression as an author wrote it; its type is known only at run time."""

_Made: TypeAlias = dict[int, Annotation]
"""Identity of a class → what it became, so that a class may hold itself."""

_typed_dict_class: Callable[[str, Mapping[str, Annotation]], Annotation] = getattr(typing_extensions, "TypedDict")  # noqa: B009  (as a plain function; its fields are known at run time)


def readable(annotation: object) -> Annotation:
    """Return `annotation` with every `typing.TypedDict` rebuilt where this Python's own is not readable."""
    if sys.version_info >= (3, 12) or not _holds_old_typed_dict(annotation, set()):
        return annotation
    return _rebuilt(annotation, {})


def _is_old_typed_dict(annotation: object) -> bool:
    return typing.is_typeddict(annotation) and type(annotation).__module__ == "typing"


def _hints(owner: type[object]) -> dict[str, object]:
    return typing_extensions.get_type_hints(owner, include_extras=True)


def _holds_old_typed_dict(annotation: object, seen: set[type[object]]) -> bool:
    inner: tuple[object, ...] = get_args(annotation)
    if isinstance(annotation, type) and (dataclasses.is_dataclass(annotation) or typing.is_typeddict(annotation)):
        if annotation in seen:
            return False
        seen.add(annotation)
        inner = tuple(_hints(annotation).values())
    return _is_old_typed_dict(annotation) or any(_holds_old_typed_dict(item, seen) for item in inner)


def _rebuilt(annotation: Annotation, made: _Made) -> Annotation:
    """Return `annotation` with its TypedDicts rebuilt."""
    if id(annotation) in made:
        return made[id(annotation)]
    if typing.is_typeddict(annotation):
        return _typed_dict(annotation, made)
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        return _dataclass(annotation, made)
    return _generic(annotation, made)


def _generic(annotation: Annotation, made: _Made) -> Annotation:
    origin: Annotation = get_origin(annotation)
    inner = get_args(annotation)
    if origin is None or not inner or origin is typing.Literal:
        return annotation
    if origin is Annotated:
        return Annotated[(_rebuilt(inner[0], made), *annotation.__metadata__)]
    changed = tuple(_rebuilt(item, made) for item in inner)
    if origin in (typing.Union, types.UnionType):
        return typing.Union[changed]  # noqa: UP007  (a union of a computed tuple)
    return origin[changed]


def _typed_dict(owner: Annotation, made: _Made) -> Annotation:
    shape = _shape(owner)
    made[id(owner)] = shape
    hints = _hints(owner)
    required = {name for name, hint in hints.items() if _is_required(hint, name in owner.__required_keys__)}
    return _filled(shape, hints, frozenset(required), made)


def _dataclass(owner: type[Any], made: _Made) -> Annotation:
    """Return `owner` read as its fields and then built, defaults left to its own constructor."""
    shape = _shape(owner)
    made[id(owner)] = read = Annotated[owner, GetPydanticSchema(_builder(owner, shape))]
    fields = [field for field in dataclasses.fields(owner) if field.init]
    hints = _hints(owner)
    required = frozenset(
        field.name
        for field in fields
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    )
    _filled(shape, {field.name: hints[field.name] for field in fields}, required, made)
    return read


def _shape(owner: type[Any]) -> Annotation:
    """Return a TypedDict without fields, named and configured like `owner`."""
    shape: Annotation = _typed_dict_class(owner.__name__, {})
    shape.__doc__ = owner.__doc__ if typing.is_typeddict(owner) else None
    if "__pydantic_config__" in vars(owner):
        shape.__pydantic_config__ = vars(owner)["__pydantic_config__"]
    return shape


def _filled(shape: Annotation, hints: Mapping[str, object], required: frozenset[str], made: _Made) -> Annotation:
    shape.__annotations__ = {name: _rebuilt(_unqualified(hint), made) for name, hint in hints.items()}
    shape.__required_keys__ = required
    shape.__optional_keys__ = frozenset(hints) - required
    return shape


_QUALIFIERS = (typing_extensions.Required, typing_extensions.NotRequired, typing_extensions.ReadOnly)


def _is_required(hint: object, is_key: bool) -> bool:
    """Tell whether a field is required; the sets of keys do not know what a string annotation says."""
    while (qualifier := get_origin(hint)) in _QUALIFIERS:
        if qualifier is not typing_extensions.ReadOnly:
            return qualifier is typing_extensions.Required
        hint = get_args(hint)[0]
    return is_key


def _unqualified(hint: object) -> object:
    while get_origin(hint) in _QUALIFIERS:
        hint = get_args(hint)[0]
    return hint


def _builder(owner: type[Any], shape: Annotation) -> Callable[[object, GetCoreSchemaHandler], core_schema.CoreSchema]:
    def schema(_: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(lambda read: owner(**read), handler(shape))

    return schema
