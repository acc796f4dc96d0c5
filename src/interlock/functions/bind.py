"""Joins what a model wrote with what Python fills, into one call; a model can never supply a hidden value.

Source: next-step specification, sections 10 and 12.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from interlock.functions.metadata import FunctionMetadata, ParamMetadata
from interlock.schema import ABSENT

__all__ = ["BoundCall", "bind", "missing_context"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundCall:
    """The arguments of one call."""

    args: tuple[object, ...]
    kwargs: Mapping[str, object]


def missing_context(function: FunctionMetadata, context: Mapping[str, object]) -> list[str]:
    """Return the hidden parameters without default that `context` does not fill."""
    return [param.name for param in function.params if param.hidden and param.required and param.name not in context]


def bind(
    function: FunctionMetadata, visible: Mapping[str, object], context: Mapping[str, object], runtime: object
) -> BoundCall:
    """Return the call: visible values from the model, hidden ones from `context`, injected ones last.

    A positional-only parameter that nobody fills is passed its default, so that those after it stay in place.
    """
    values = {param.name: _value(param, visible, context, runtime) for param in function.params}
    given = {name: value for name, value in values.items() if value is not ABSENT}
    positional = [param for param in function.params if param.kind == "positional_only"]
    args = tuple(given.pop(param.name, param.default) for param in positional)
    return BoundCall(args=args, kwargs=given)


def _value(
    param: ParamMetadata, visible: Mapping[str, object], context: Mapping[str, object], runtime: object
) -> object:
    if param.source == "runtime":
        return runtime
    if param.source == "context":
        return context.get(param.name, ABSENT)
    return visible.get(param.name, ABSENT)
