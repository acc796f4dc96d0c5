"""Reads a callable into its metadata; the only place that looks at a function's signature.

Source: next-step specification, sections 6 and 13.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from typing import Any, cast
from weakref import WeakKeyDictionary

from pydantic import BaseModel

from interlock._text import first_paragraph
from interlock.functions.input_meta import check_input
from interlock.functions.metadata import (
    AUTO_INJECTED,
    Expose,
    FunctionMetadata,
    ParamKind,
    ParamMetadata,
    ParamSource,
    RenderRange,
)
from interlock.schema import ABSENT, Annotation

__all__ = ["METHOD_OPTIONS_ATTRIBUTE", "describe"]

METHOD_OPTIONS_ATTRIBUTE = "interlock_method_options"
"""Set on every Agent method: its merged `method_options` entry."""

_KINDS: Mapping[inspect._ParameterKind, ParamKind] = {
    inspect.Parameter.POSITIONAL_ONLY: "positional_only",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional_or_keyword",
    inspect.Parameter.KEYWORD_ONLY: "keyword_only",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """A callable taken apart: what runs, what it was bound to, and where its names resolve."""

    name: str
    doc: str
    bound: frozenset[str]
    """Parameters that a partial filled by name."""
    code: Callable[..., Any]
    """The function whose globals resolve string annotations."""
    names: Mapping[str, Any]
    """Further names of the module it was written in."""
    said: Mapping[str, Mapping[str, Any]]
    """Its `input=`."""
    options: Mapping[str, Any]
    """Its `method_options` entry."""


def describe(fn: Callable[..., Any]) -> FunctionMetadata:
    """Return the metadata of any callable.

    Raises:
        TypeError: it is not callable, has no readable signature, is a method without its object,
            a visible annotation does not resolve, or `input_meta` says what cannot be.
    """
    if not callable(fn):
        raise TypeError(f"{fn!r} is not callable")
    parts = _parts(fn)
    options = parts.options
    signature = _signature(fn, parts.name)
    listed = [item for item in signature.parameters.values() if item.kind in _KINDS and item.name not in parts.bound]
    if listed and listed[0].name in ("self", "cls") and listed[0].kind is not inspect.Parameter.KEYWORD_ONLY:
        raise TypeError(f"`{parts.name}` is a method without its object; pass `object.{parts.name}`")
    return FunctionMetadata(
        name=options.get("name") or parts.name,
        summary=options.get("description") or first_paragraph(parts.doc),
        doc=parts.doc,
        params=tuple(_param(item, parts.said.get(item.name, {}), parts) for item in listed),
        function=fn,
        is_async=is_async(fn),
        system=options.get("system"),
        expose=cast("Expose", options.get("expose") or ("io" if options.get("tool") else "full")),
        render_range=RenderRange(**options.get("render_range") or {}),
        returns=_returns(signature.return_annotation, parts),
        options=options,
    )


def is_async(fn: Callable[..., Any]) -> bool:
    """True when calling `fn` gives an awaitable."""
    for layer in _layers(fn):
        call = layer if inspect.isroutine(layer) else type(layer).__call__
        if not isinstance(layer, type) and inspect.iscoroutinefunction(call):
            return True
    return False


def _signature(fn: Callable[..., Any], name: str) -> inspect.Signature:
    try:
        return inspect.signature(fn)
    except (TypeError, ValueError) as error:
        raise TypeError(f"`{name}` has no readable signature; wrap it in a function") from error


def _layers(fn: Callable[..., Any]) -> list[Callable[..., Any]]:
    """Return `fn` and what it stands for, outermost first: the functions of partials, and what wrappers wrap."""
    layers = [fn]
    while True:
        here = layers[-1]
        inner = here.func if isinstance(here, functools.partial) else getattr(here, "__wrapped__", None)
        if not callable(inner) or len(layers) == _MAX_LAYERS:
            return layers
        layers.append(inner)


_MAX_LAYERS = 100
"""An object that answers for every attribute would else be taken apart for ever."""


def _parts(fn: Callable[..., Any]) -> _Parts:
    """Take `fn` apart; name and docstring are those of the first function that is no partial and wraps none."""
    layers = _layers(fn)
    partials = [isinstance(layer, functools.partial) for layer in (*layers, None)]
    named = next(layer for layer, *tells in zip(layers, partials, partials[1:], strict=False) if not any(tells))
    owner = named if isinstance(named, type) else type(named)
    is_routine = inspect.isroutine(named)
    name = getattr(named, "__name__", None) or owner.__name__
    module = sys.modules.get(getattr(named if is_routine else owner, "__module__", None) or "")
    return _Parts(
        name=name,
        doc=(inspect.getdoc(named) or "") if is_routine else _class_doc(owner),
        bound=frozenset(key for layer in layers if isinstance(layer, functools.partial) for key in layer.keywords),
        code=getattr(layers[-1], "__func__", layers[-1]) if is_routine else inspect.unwrap(_body(named)),
        names={} if module is None else vars(module),
        said=_said(layers, name),
        options=_options(layers, name),
    )


def _body(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return what runs when a class or a callable object is called."""
    body: Callable[..., Any] = (
        inspect.getattr_static(fn, "__init__") if isinstance(fn, type) else inspect.getattr_static(type(fn), "__call__")
    )
    return body


def _said(layers: list[Callable[..., Any]], name: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the outermost `input_meta`, checked against the parameters of what carries it."""
    inner = [_body(layer) for layer in layers if not inspect.isroutine(layer)]
    for layer in (*layers, *inner):
        said: Mapping[str, Mapping[str, Any]] | None = getattr(layer, "input_meta", None)
        if said is not None:
            known = [item.name for item in _signature(layer, name).parameters.values() if item.kind in _KINDS]
            check_input(name, said, known)
            return said
    return {}


def _options(layers: list[Callable[..., Any]], name: str) -> Mapping[str, Any]:
    """Return the `method_options` entry of the Agent method that is called in the end; empty for anything else."""
    has_object = False
    for layer in layers:
        has_object = (
            has_object or inspect.ismethod(layer) or (isinstance(layer, functools.partial) and bool(layer.args))
        )
    options: Mapping[str, Any] = next(
        (getattr(layer, METHOD_OPTIONS_ATTRIBUTE) for layer in layers if hasattr(layer, METHOD_OPTIONS_ATTRIBUTE)), {}
    )
    if options and not has_object:
        raise TypeError(f"`{name}` is an Agent method without its agent; pass `agent.{name}`")
    return options


def _class_doc(owner: type[Any]) -> str:
    """Return the docstring written for a class, not the one that Python makes of its fields."""
    doc = owner.__dict__.get("__doc__")
    if not isinstance(doc, str) or doc.startswith(f"{owner.__name__}("):
        return ""
    return inspect.cleandoc(doc)


def _param(item: inspect.Parameter, said: Mapping[str, Any], parts: _Parts) -> ParamMetadata:
    source: ParamSource = "llm"
    if item.name in AUTO_INJECTED:
        source = "runtime"
    elif said.get("hidden"):
        source = "context"
    options = said.get("options")
    return ParamMetadata(
        name=item.name,
        kind=_KINDS[item.kind],
        annotation=_resolved(item, parts) if source == "llm" else None,
        default=ABSENT if item.default is inspect.Parameter.empty else item.default,
        source=source,
        description=said.get("description"),
        options=None if options is None else tuple(options),
        placeholder=said.get("placeholder"),
        multiline=said.get("multiline"),
        options_from=said.get("options_from"),
    )


def _resolved(item: inspect.Parameter, parts: _Parts) -> Annotation:
    """Return the annotation of one visible parameter, its names resolved where the function was written."""
    if item.annotation is inspect.Parameter.empty:
        return str
    kept = _HINTS.setdefault(parts.code, {}) if isinstance(parts.code, types.FunctionType) else {}
    written, hint = kept.get(item.name, (None, None))
    if written is item.annotation:
        return hint
    try:
        hint = _hint(item.annotation, parts)
    except Exception as error:  # a forward reference may hold any expression
        raise TypeError(
            f"`{parts.name}`: the annotation of `{item.name}`, `{item.annotation}`, does not resolve"
        ) from error
    kept[item.name] = (item.annotation, hint)
    return hint


_HINTS: WeakKeyDictionary[Callable[..., Any], dict[str, tuple[object, Annotation]]] = WeakKeyDictionary()
"""Function → parameter → its annotation as written and as read; one object each, so that its adapter is kept."""


def _hint(annotation: Annotation, parts: _Parts) -> Annotation:
    holder = types.SimpleNamespace(__annotations__={"value": annotation})
    names = getattr(parts.code, "__globals__", None) or dict(parts.names)
    return typing.get_type_hints(holder, globalns=names, localns=parts.names, include_extras=True)["value"]


def _returns(annotation: Annotation, parts: _Parts) -> Annotation:
    if annotation is inspect.Signature.empty:
        return None
    try:
        read = _hint(annotation, parts)
    except Exception:  # noqa: BLE001  (nothing about the return type is needed to call the function)
        return None
    is_record = isinstance(read, type) and (
        is_dataclass(read) or typing.is_typeddict(read) or issubclass(read, BaseModel)
    )
    return read if is_record else None
