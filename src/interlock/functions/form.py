"""The form in which a person fills a function's parameters: which control each has, and what it shows.

Source: next-step specification, section 15; the control per parameter is that of the function metadata document.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from interlock.functions.fields import fields_of
from interlock.functions.metadata import ParamMetadata
from interlock.functions.reflect import describe
from interlock.functions.type_text import type_text
from interlock.schema import ABSENT, Field, JsonSchema, adapter_for, forms_of, schema_of

__all__ = ["Control", "FormField", "FormModel", "FormParam", "field_of_form", "form_model", "json_default"]

Control: TypeAlias = Literal["toggle", "select", "chips", "textarea", "line"]
"""`toggle`: yes or no; `select`: one of the registered functions; `chips`: listed values to click; the rest is text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """One parameter in the form; hidden and injected ones have none."""

    name: str
    type: str
    """Its annotation as a person reads it."""
    optional: bool
    description: str | None
    control: Control
    chips: tuple[str, ...]
    """The listed values as field text; empty unless `control` is `chips`."""
    takes_other: bool
    """True when text beside the chips may be another value."""
    placeholder: str | None
    """What an empty field shows in grey."""
    tab_text: str | None
    """What Tab puts into an empty field: the default, where it is shown."""
    toggled: bool | None
    """The state of a toggle at first; None when it has none, and for other controls."""

    @property
    def label(self) -> str:
        """Name, type and description as the form shows them."""
        head = f"{self.name} ({self.type}, optional)" if self.optional else f"{self.name} ({self.type})"
        return f"{head} {self.description}" if self.description else head


@dataclass(frozen=True, slots=True, kw_only=True)
class FormModel:
    """The form of one function."""

    name: str
    summary: str
    fields: tuple[FormField, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormParam:
    """What a form is made from, whoever read it."""

    name: str
    type: str
    values: tuple[object, ...] | None
    """What its type allows, when that is a closed list."""
    options: tuple[object, ...] | None
    """Its `options`, each of its type."""
    default: object
    """A JSON value; ABSENT when it has none, None when it has one that is not shown."""
    description: str | None
    placeholder: str | None
    multiline: bool | None
    options_from: str | None


def form_model(fn: Callable[..., Any]) -> FormModel:
    """Return the form of `fn` from its live metadata.

    Raises:
        TypeError: the function cannot be described, or JSON cannot carry a visible annotation.
    """
    function = describe(fn)
    pairs = zip(function.visible, fields_of(function), strict=True)
    return FormModel(
        name=function.name,
        summary=function.summary,
        fields=tuple(field_of_form(_param(param, field)) for param, field in pairs),
    )


def field_of_form(param: FormParam) -> FormField:
    """Return the control of one parameter and what it shows."""
    control = _control(param)
    listed = (param.options or param.values or ()) if control == "chips" else ()
    shown = None if param.placeholder or control == "toggle" else _default_text(param.default)
    return FormField(
        name=param.name,
        type=param.type,
        optional=param.default is not ABSENT,
        description=param.description,
        control=control,
        chips=tuple(_field_text(value) for value in listed),
        takes_other=control == "chips" and param.values is None,
        placeholder=param.placeholder or shown,
        tab_text=shown,
        toggled=param.default if control == "toggle" and isinstance(param.default, bool) else None,
    )


def _control(param: FormParam) -> Control:
    """Return the control of the first rule that applies."""
    if param.type == "bool":
        return "toggle"
    if param.options_from is not None:
        return "select"
    if param.options is not None or param.values is not None:
        return "chips"
    is_long = param.type == "str" if param.multiline is None else param.multiline
    return "textarea" if is_long else "line"


def _field_text(value: object) -> str:
    """Return a JSON value as the text of a field."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _default_text(default: object) -> str | None:
    """Return a default as the text of a field; None for one that is not shown."""
    if default is ABSENT or default is None:
        return None
    text = _field_text(default)
    return None if not text or text.startswith("_") else text


def json_default(default: object) -> object:
    """Return a default as a JSON value, an enum's member as its value; None for what JSON cannot show."""
    while isinstance(default, enum.Enum):
        default = default.value
    try:
        return json.loads(json.dumps(default, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return None


def _param(param: ParamMetadata, field: Field) -> FormParam:
    return FormParam(
        name=param.name,
        type=type_text(param.annotation),
        values=_closed(schema_of(adapter_for(param.annotation))),
        options=None if param.options is None else _closed(field.schema),
        default=ABSENT if param.required else json_default(param.default),
        description=param.description,
        placeholder=param.placeholder,
        multiline=param.multiline,
        options_from=param.options_from,
    )


def _closed(schema: JsonSchema) -> tuple[object, ...] | None:
    """Return the values that a schema lists, null left out; None when a form of it lists none."""
    forms = [form for form in forms_of(schema) if form.get("type") != "null"]
    if not forms or not all("enum" in form for form in forms):
        return None
    return tuple(value for form in forms for value in form["enum"] if value is not None)
