"""Reads a callable into its metadata; the only place that looks at a function's signature.

Source: next-step specification, sections 6 and 13.
"""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from typing import Any, cast

from pydantic import BaseModel

from interlock.functions.metadata import (
    AUTO_INJECTED,
    INPUT_KEYS,
    Expose,
    FunctionMetadata,
    ParamKind,
    ParamMetadata,
    ParamSource,
    RenderRange,
)
from interlock.schema import ABSENT, Annotation

__all__ = ["METHOD_OPTIONS_ATTRIBUTE", "check_input", "describe", "summary_of"]

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
    code: Callable[..., Any]
    """The function whose globals resolve string annotations."""


def describe(fn: Callable[..., Any]) -> FunctionMetadata:
    """Return the metadata of any callable.

    Raises:
        TypeError: it is not callable, has no readable signature, is an Agent method without its instance,
            a visible annotation does not resolve, or `input_meta` names what does not exist.
    """
    if not callable(fn):
        raise TypeError(f"{fn!r} is not callable")
    parts = _parts(fn)
    options: Mapping[str, Any] = getattr(fn, METHOD_OPTIONS_ATTRIBUTE, {})
    if options and not inspect.ismethod(fn):
        raise TypeError(f"`{parts.name}` is an Agent method without its agent; pass `agent.{parts.name}`")
    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError) as error:
        raise TypeError(f"`{parts.name}` has no readable signature; wrap it in a function") from error
    said: Mapping[str, Mapping[str, Any]] = getattr(fn, "input_meta", None) or {}
    listed = [item for item in signature.parameters.values() if item.kind in _KINDS and item.name not in parts.bound]
    check_input(parts.name, said, [item.name for item in listed])
    return FunctionMetadata(
        name=options.get("name") or parts.name,
        summary=options.get("description") or summary_of(parts.doc),
        doc=parts.doc,
        params=tuple(_param(item, said.get(item.name, {}), parts) for item in listed),
        function=fn,
        is_async=is_async(fn),
        system=options.get("system"),
        expose=cast("Expose", options.get("expose") or ("io" if options.get("tool") else "full")),
        render_range=RenderRange(**options.get("render_range") or {}),
        returns=_returns(signature.return_annotation, parts),
        options=options,
    )


def summary_of(doc: str) -> str:
    """Return the first paragraph of a docstring as one line."""
    lines: list[str] = []
    for line in doc.strip().splitlines():
        if not line.strip():
            break
        lines.append(line.strip())
    return " ".join(lines)


def check_input(name: str, said: Mapping[str, Any], params: list[str]) -> None:
    """Refuse `input=` that speaks of an unknown parameter or with an unknown key.

    Raises:
        TypeError: which parameter or key, and what exists.
    """
    for param, keys in said.items():
        if param not in params:
            raise TypeError(f"`{name}`: input names `{param}`, which is not a parameter; write one of {params}")
        if not isinstance(keys, Mapping):
            raise TypeError(f"`{name}`: input of `{param}` is a dict")
        for key in keys:
            if key not in INPUT_KEYS:
                raise TypeError(f"`{name}`: input of `{param}` has the unknown key `{key}`; {sorted(INPUT_KEYS)}")


def is_async(fn: Callable[..., Any]) -> bool:
    """True when calling `fn` gives an awaitable."""
    while isinstance(fn, functools.partial):
        fn = fn.func
    return inspect.iscoroutinefunction(fn) or (
        not inspect.isroutine(fn) and not isinstance(fn, type) and inspect.iscoroutinefunction(type(fn).__call__)
    )


def _parts(fn: Callable[..., Any]) -> _Parts:
    bound: set[str] = set()
    while isinstance(fn, functools.partial):
        bound.update(fn.keywords)
        fn = fn.func
    code: Callable[..., Any] = inspect.unwrap(fn)
    doc = inspect.getdoc(fn) or ""
    if isinstance(fn, type):
        doc, code = _class_doc(fn), inspect.getattr_static(fn, "__init__")
    elif not inspect.isroutine(fn):
        doc, code = _class_doc(type(fn)), type(fn).__call__
    name = getattr(fn, "__name__", None) or type(fn).__name__
    return _Parts(name=name, doc=doc, bound=frozenset(bound), code=inspect.unwrap(code))


def _class_doc(owner: type[Any]) -> str:
    """Return the docstring written for a class, not the one a dataclass makes of its own signature."""
    doc = inspect.cleandoc(owner.__dict__.get("__doc__") or "")
    return "" if is_dataclass(owner) and doc.startswith(f"{owner.__name__}(") else doc


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
    try:
        return _hint(item.annotation, parts)
    except Exception as error:  # a forward reference may hold any expression
        raise TypeError(
            f"`{parts.name}`: the annotation of `{item.name}`, `{item.annotation}`, does not resolve"
        ) from error


def _hint(annotation: Annotation, parts: _Parts) -> Annotation:
    holder = types.SimpleNamespace(__annotations__={"value": annotation})
    names = getattr(parts.code, "__globals__", {})
    return typing.get_type_hints(holder, globalns=names, include_extras=True)["value"]


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
