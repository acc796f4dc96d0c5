"""Reads an option container into options; everything a programmer got wrong is refused here, before any call.

Source: next-step specification, sections 3 and 6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from interlock._text import has_control
from interlock.functions.fields import fields_of
from interlock.functions.metadata import FunctionMetadata
from interlock.functions.reflect import describe
from interlock.schema import Field, field_for, schema_fields

__all__ = ["Abstain", "Option", "OptionKind", "Options", "abstain", "read_options"]

OptionKind: TypeAlias = Literal["function", "value", "schema", "abstain"]
Options: TypeAlias = dict[str, Any] | list[Any] | tuple[Any, ...]
"""`{name: handler}`, a list, or a tuple read like a list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Abstain:
    """What `abstain` puts into a container."""

    description: str
    then: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One offered step."""

    name: str
    kind: OptionKind
    description: str
    """Empty when nothing is said."""
    fields: tuple[Field, ...]
    """What the model fills, in order."""
    handler: object
    """The function, the value, or what `abstain` leads to; None for a schema."""
    function: FunctionMetadata | None


def abstain(description: str, *, then: object = None) -> Abstain:
    """Return an option for "none of these"; `then` is called with the reason, or is the result.

    Raises:
        TypeError: the description is not text.
    """
    if not isinstance(description, str):
        raise TypeError(f"abstain: the description is text, got {description!r}")
    return Abstain(description=description, then=then)


def read_options(container: object) -> tuple[Option, ...]:
    """Return the options of `container`, in its order.

    Raises:
        TypeError: the container, an item, a name, a schema or a signature is not of a known form.
        ValueError: it is empty, a name is empty, repeated or not printable, or two options abstain.
    """
    if isinstance(container, dict):
        listed = [_from_handler(name, handler) for name, handler in container.items()]
    elif isinstance(container, list | tuple):
        listed = [_from_item(item) for item in container]
    else:
        raise TypeError(f"options are a dict, a list or a tuple, got {type(container).__name__}")
    if not listed:
        raise ValueError("options are empty; offer at least one")
    _refuse_repeats(listed)
    return tuple(listed)


def _refuse_repeats(listed: list[Option]) -> None:
    seen: set[str] = set()
    for option in listed:
        if option.name in seen:
            raise ValueError(f"duplicate option name `{option.name}`; names are unique")
        seen.add(option.name)
    if sum(option.kind == "abstain" for option in listed) > 1:
        raise ValueError("more than one option abstains; offer at most one")


def _from_handler(name: object, handler: object) -> Option:
    checked = _name(name)
    if isinstance(handler, Abstain):
        return _abstain(checked, handler)
    if isinstance(handler, tuple) and len(handler) == 2:
        return _from_pair(checked, handler)
    if callable(handler):
        return _function(checked, handler, None)
    return _value(checked, handler, "")


def _from_pair(name: str, pair: tuple[object, object]) -> Option:
    first, second = pair
    if isinstance(second, dict) and not callable(first):
        return _schema(name, _text(name, first), second)
    if not isinstance(second, str):
        raise TypeError(
            f"option `{name}`: a 2-tuple is `(value, description)`, `(function, description)` or "
            f"`(description, schema)`; the description is text, got {second!r}"
        )
    if callable(first):
        return _function(name, first, second)
    return _value(name, first, second)


def _from_item(item: object) -> Option:
    parts = item if isinstance(item, tuple) else (item,)
    if not parts:
        raise TypeError("an option of a list is empty; write a name, or (name, description)")
    first, rest = parts[0], parts[1:]
    if callable(first):
        return _listed_function(first, rest)
    if isinstance(first, str):
        return _listed_name(first, rest)
    raise TypeError(f"an option of a list begins with a function or a name, got {first!r}; use a dict for other values")


def _listed_function(function: Callable[..., Any], rest: tuple[object, ...]) -> Option:
    if len(rest) > 1:
        raise TypeError("a function in a list is `function` or `(function, description)`")
    name = getattr(function, "__name__", None)
    if name is None:
        raise TypeError(f"{function!r} has no name; use the dict form, {{name: function}}")
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"`{name}` is not a name; use the dict form, {{name: function}}")
    return _function(_name(name), function, None if not rest else _text(name, rest[0]))


def _listed_name(name: str, rest: tuple[object, ...]) -> Option:
    checked = _name(name)
    if len(rest) > 2:
        raise TypeError(
            f"option `{name}`: a list item is `name`, `(name, description)` or `(name, description, schema)`"
        )
    description = _text(name, rest[0]) if rest else ""
    if len(rest) == 2:
        return _schema(checked, description, rest[1])
    return _value(checked, name, description)


def _name(name: object) -> str:
    """Return an option's name as plain text; a member of a text enum is its value."""
    if not isinstance(name, str):
        raise TypeError(f"option names are text, got {name!r}")
    if not name:
        raise ValueError("an option name is empty; write a name")
    if has_control(name):
        raise ValueError(f"option name {name!r} holds a control character; write it without")
    return str.__str__(name)


def _text(name: str, description: object) -> str:
    if not isinstance(description, str):
        raise TypeError(f"option `{name}`: the description is text, got {description!r}")
    return description


def _value(name: str, value: object, description: str) -> Option:
    return Option(name=name, kind="value", description=description, fields=(), handler=value, function=None)


def _schema(name: str, description: str, schema: object) -> Option:
    fields = schema_fields(schema)
    return Option(name=name, kind="schema", description=description, fields=fields, handler=None, function=None)


def _abstain(name: str, handler: Abstain) -> Option:
    reason = field_for("reason", str, description="why none of the other options fits", required=False, default=None)
    return Option(
        name=name,
        kind="abstain",
        description=handler.description,
        fields=(reason,),
        handler=handler.then,
        function=None,
    )


def _function(name: str, function: Callable[..., Any], description: str | None) -> Option:
    described = describe(function)
    return Option(
        name=name,
        kind="function",
        description=described.summary if description is None else description,
        fields=fields_of(described),
        handler=function,
        function=described,
    )
