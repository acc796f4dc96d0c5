"""Reads the texts of a submitted form into the values of a function's parameters.

Source: next-step specification, section 15.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from interlock.functions.reflect import describe
from interlock.schema import Accepted, Field, JsonSchema, Problem, field_for, forms_of, read_value

__all__ = ["FormValues", "read_form"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormValues:
    """What a submitted form says."""

    values: Mapping[str, object]
    """Parameter → value of its type; those left empty are not keys."""
    errors: Mapping[str, str]
    """Field → what is wrong with it; the function may be called only when this is empty."""


def read_form(fn: Callable[..., Any], given: Mapping[str, str | bool]) -> FormValues:
    """Return the values of the visible parameters of `fn`; what names no visible parameter is dropped.

    `given`: field → its text, or the state of a toggle. Text beside chips may be a value that `options` does not list.

    Raises:
        TypeError: the function cannot be described, or JSON cannot carry a visible annotation.
    """
    values: dict[str, object] = {}
    errors: dict[str, str] = {}
    for param in describe(fn).visible:
        written = given.get(param.name, "")
        if written == "":
            if param.required:
                errors[param.name] = "is required"
            continue
        value, problems = _read(field_for(param.name, param.annotation), written)
        if problems:
            errors[param.name] = "; ".join(f"{_below(problem, param.name)}{problem.message}" for problem in problems)
        else:
            values[param.name] = value
    return FormValues(values=values, errors=errors)


def _read(field: Field, written: str | bool) -> Accepted:
    """Return the value of a whole text: JSON, and text itself where JSON does not fit the type."""
    if isinstance(written, bool) or _is_text(field.schema):
        return read_value(field, written)
    as_text = read_value(field, written)
    try:
        read = read_value(field, json.loads(written))
    except (ValueError, RecursionError):
        return as_text
    return as_text if read[1] and not as_text[1] else read


def _is_text(schema: JsonSchema) -> bool:
    """True for a type that holds only text, and perhaps null."""
    kinds = {form.get("type") for form in forms_of(schema)}
    return kinds - {"null"} == {"string"}


def _below(problem: Problem, name: str) -> str:
    """Return where inside a field's value a problem is; empty for the value as a whole."""
    return "" if problem.path == name else f"`{problem.path}` "
