"""One field that a model fills: its type, what is said about it, and the check of a written value.

Source: next-step specification, sections 4, 5 and 10.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, TypeAdapter, ValidationError, WithJsonSchema
from pydantic_core import PydanticCustomError

from interlock.schema.annotation import Annotation, adapter_for
from interlock.schema.json_schema import JsonSchema, schema_of
from interlock.schema.problems import Problem, problems_of

__all__ = ["ABSENT", "Absent", "Accepted", "Field", "field_for", "missing_fields", "one_of", "read_value"]


class Absent:
    """The type of `ABSENT`: no default, or no value."""


ABSENT = Absent()


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One visible parameter of a function, or one field of a schema option."""

    name: str
    adapter: TypeAdapter[Any]
    schema: JsonSchema
    """JSON Schema, references inlined; class fields keep their `default`."""
    description: str | None
    required: bool
    default: object = ABSENT

    @property
    def null_is_absent(self) -> bool:
        """True when null stands for the default, because the default is None."""
        return self.default is None


Accepted: TypeAlias = tuple[object, list[Problem]]
"""The validated value and no problem, or ABSENT and the problems."""


def field_for(
    name: str,
    annotation: object,
    *,
    description: str | None = None,
    options: Sequence[object] | None = None,
    required: bool = True,
    default: object = ABSENT,
) -> Field:
    """Return the field of `annotation`, restricted to `options` when they are given.

    Raises:
        AdapterError: JSON cannot carry the annotation.
        TypeError: an option does not convert to the type, or the type is a list or an object.
    """
    adapter = adapter_for(annotation if options is None else one_of(annotation, options, name))
    return Field(
        name=name,
        adapter=adapter,
        schema=schema_of(adapter),
        description=description,
        required=required,
        default=default,
    )


def one_of(annotation: object, options: Sequence[object], name: str) -> Annotation:
    """Return `annotation` restricted to `options`, each converted to the type.

    Raises:
        TypeError: there are no options, one does not convert, or the type is a list or an object.
    """
    base = adapter_for(annotation)
    kind = schema_of(base).get("type")
    if kind in ("array", "object"):
        raise TypeError(f"`{name}`: options go on the elements of a list or object; put them on the element template")
    if not options:
        raise TypeError(f"`{name}`: options are empty; list at least one")
    values = [_converted(option, base, kind, name) for option in options]
    shown = [base.dump_python(value, mode="json") for value in values]
    expected = ", ".join(json.dumps(value, ensure_ascii=False) for value in shown)

    def check(value: object) -> object:
        if not any(value == allowed and type(value) is type(allowed) for allowed in values):
            raise PydanticCustomError("not_an_option", "must be one of {expected}", {"expected": expected})
        return value

    return Annotated[annotation, AfterValidator(check), WithJsonSchema({**schema_of(base), "enum": shown})]


def _converted(option: object, adapter: TypeAdapter[Any], kind: object, name: str) -> object:
    read = option
    if isinstance(option, str) and kind in ("integer", "number"):
        try:
            read = json.loads(option)
        except ValueError:
            read = option
    try:
        return adapter.validate_json(json.dumps(read), strict=True)
    except (ValidationError, TypeError, ValueError) as error:
        raise TypeError(f"`{name}`: option {option!r} is not of its type") from error


def missing_fields(fields: Sequence[Field], values: Mapping[str, object]) -> list[Problem]:
    """Return one problem per required field that `values` does not name."""
    return [
        Problem(kind="missing_required", path=field.name, message="is required")
        for field in fields
        if field.required and field.name not in values
    ]


def read_value(field: Field, value: object) -> Accepted:
    """Return the validated object for a value read from JSON, or what is wrong with it; never raises."""
    try:
        return field.adapter.validate_json(json.dumps(value), strict=True), []
    except ValidationError as error:
        return ABSENT, problems_of(error, field.name, value)
