"""Turns what an author annotated into one pydantic adapter, read once and kept.

Knows nothing of functions, menus or replies.
Source: next-step specification, section 5.
"""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError, PydanticUndefinedAnnotation, PydanticUserError

from interlock.schema.kept import Kept
from interlock.schema.typed_dicts import Annotation, readable

__all__ = ["AdapterError", "Annotation", "adapter_for"]


class AdapterError(TypeError):
    """An annotation that JSON cannot carry; the message names the annotation."""


def adapter_for(annotation: object) -> TypeAdapter[Any]:
    """Return the adapter of `annotation`, built once and kept by identity.

    Raises:
        AdapterError: pydantic has no JSON form for it.
    """
    return _ADAPTERS.get(annotation, None, lambda: _built(annotation))


_ADAPTERS: Kept[TypeAdapter[Any]] = Kept()


def _built(annotation: object) -> TypeAdapter[Any]:
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(readable(annotation))
        adapter.json_schema()
    except (PydanticSchemaGenerationError, PydanticUserError, PydanticUndefinedAnnotation, NameError) as error:
        raise AdapterError(f"`{_shown(annotation)}` cannot be carried by JSON; annotate a type that can") from error
    return adapter


def _shown(annotation: object) -> str:
    return getattr(annotation, "__name__", None) or str(annotation).removeprefix("typing.")
