"""Turns what an author annotated into one pydantic adapter, read once and kept.

Knows nothing of functions, menus or replies.
Source: next-step specification, section 5.
"""

from __future__ import annotations

import dataclasses
import sys
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, TypeAlias, get_args, get_origin

import typing_extensions
from pydantic import GetCoreSchemaHandler, GetPydanticSchema, TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError, PydanticUndefinedAnnotation, PydanticUserError
from pydantic_core import core_schema

__all__ = ["AdapterError", "Annotation", "adapter_for"]

Annotation: TypeAlias = Any
"""A type expression as an author wrote it; its type is known only at run time."""


class AdapterError(TypeError):
    """An annotation that JSON cannot carry; the message names the annotation."""


def adapter_for(annotation: object) -> TypeAdapter[Any]:
    """Return the adapter of `annotation`, built once and kept by identity.

    Raises:
        AdapterError: pydantic has no JSON form for it.
    """
    kept = _ADAPTERS.get(id(annotation))
    if kept is not None:
        return kept[1]
    adapter = _built(annotation)
    if len(_ADAPTERS) >= _KEPT:
        _ADAPTERS.pop(next(iter(_ADAPTERS)))
    _ADAPTERS[id(annotation)] = (annotation, adapter)
    return adapter


_KEPT = 1024
_ADAPTERS: dict[int, tuple[object, TypeAdapter[Any]]] = {}
"""Identity → the annotation, held so that its identity is not given to another, and its adapter."""


def _built(annotation: object) -> TypeAdapter[Any]:
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(readable(annotation))
        adapter.json_schema()
    except (PydanticSchemaGenerationError, PydanticUserError, PydanticUndefinedAnnotation, NameError) as error:
        raise AdapterError(f"`{_shown(annotation)}` cannot be carried by JSON; annotate a type that can") from error
    return adapter


def readable(annotation: object) -> Annotation:
    """Return `annotation` with every `typing.TypedDict` rebuilt where this Python's own is not readable."""
    if sys.version_info >= (3, 12) or not _holds_old_typed_dict(annotation, set()):
        return annotation
    return _rebuilt(annotation)


def _shown(annotation: object) -> str:
    return getattr(annotation, "__name__", None) or str(annotation).removeprefix("typing.")


def _is_old_typed_dict(annotation: object) -> bool:
    return typing.is_typeddict(annotation) and type(annotation).__module__ == "typing"


def _hints(owner: type[object]) -> dict[str, object]:
    return typing_extensions.get_type_hints(owner, include_extras=True)


def _holds_old_typed_dict(annotation: object, seen: set[int]) -> bool:
    if id(annotation) in seen:
        return False
    seen.add(id(annotation))
    if _is_old_typed_dict(annotation):
        return True
    inner: tuple[object, ...] = get_args(annotation)
    if isinstance(annotation, type) and (dataclasses.is_dataclass(annotation) or typing.is_typeddict(annotation)):
        inner = tuple(_hints(annotation).values())
    return any(_holds_old_typed_dict(item, seen) for item in inner)


def _rebuilt(annotation: Annotation) -> Annotation:
    if typing.is_typeddict(annotation):
        return _typed_dict(annotation)
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        return _dataclass(annotation)
    origin: Annotation = get_origin(annotation)
    inner = get_args(annotation)
    if origin is None or not inner or origin is typing.Literal:
        return annotation
    if origin is Annotated:
        return Annotated[(_rebuilt(inner[0]), *annotation.__metadata__)]
    changed = tuple(_rebuilt(item) for item in inner)
    if origin in (typing.Union, types.UnionType):
        return typing.Union[changed]  # noqa: UP007  (a union of a computed tuple)
    return origin[changed]


def _typed_dict(owner: Annotation) -> Annotation:
    required = owner.__required_keys__
    fields = {
        name: _rebuilt(hint) if name in required else typing_extensions.NotRequired[_rebuilt(hint)]
        for name, hint in _hints(owner).items()
    }
    rebuilt = typing_extensions.TypedDict(owner.__name__, fields)  # type: ignore[misc]  # name and fields are known at run time
    rebuilt.__doc__ = owner.__doc__
    return rebuilt


def _dataclass(owner: type[Any]) -> Annotation:
    """Return `owner` read as its fields and then built, defaults left to its own constructor."""
    hints = _hints(owner)
    fields = {
        field.name: _rebuilt(hints[field.name])
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        else typing_extensions.NotRequired[_rebuilt(hints[field.name])]
        for field in dataclasses.fields(owner)
        if field.init
    }
    shape = typing_extensions.TypedDict(owner.__name__, fields)  # type: ignore[misc]  # name and fields are known at run time
    return Annotated[owner, GetPydanticSchema(_builder(owner, shape))]


def _builder(owner: type[Any], shape: Annotation) -> Callable[[object, GetCoreSchemaHandler], core_schema.CoreSchema]:
    def schema(_: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(lambda read: owner(**read), handler(shape))

    return schema
