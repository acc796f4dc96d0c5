"""One field that a model fills: its type, what is said about it, and the check of a written value.

Source: next-step specification, sections 4, 5 and 10.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias, cast

from pydantic import AfterValidator, TypeAdapter, ValidationError, WithJsonSchema
from pydantic_core import PydanticCustomError

from interlock._canonical import Json
from interlock.schema.annotation import Annotation, adapter_for
from interlock.schema.conforms import find_misfit
from interlock.schema.json_schema import JsonSchema, forms_of, schema_of
from interlock.schema.kept import Kept
from interlock.schema.problems import Problem, ProblemKind, problems_of

__all__ = ["ABSENT", "Absent", "Accepted", "Field", "FieldValues", "field_for", "one_of", "read_value", "read_values"]


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
    """Return `annotation` restricted to `options`, each converted to the type; made once and kept by identity.

    Raises:
        TypeError: there are no options, one does not convert, or the type is a list or an object.
    """
    return _RESTRICTED.get(annotation, repr(options), lambda: _restricted(annotation, options, name))


_RESTRICTED: Kept[Annotation] = Kept()


def _restricted(annotation: object, options: Sequence[object], name: str) -> Annotation:
    base = adapter_for(annotation)
    schema = schema_of(base)
    kind = _kind(schema)
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

    said = {key: value for key, value in schema.items() if key not in ("anyOf", "$defs")}
    return Annotated[annotation, AfterValidator(check), WithJsonSchema({**said, "enum": shown})]


def _kind(schema: JsonSchema) -> object:
    """Return the JSON type of a schema, of its only form besides null for a nullable one; None for several."""
    kinds = {form.get("type") for form in forms_of(schema)} - {"null"}
    return kinds.pop() if len(kinds) == 1 else schema.get("type")


def _converted(option: object, adapter: TypeAdapter[Any], kind: object, name: str) -> object:
    """Return one option as a value of its type; a number may be written as text."""
    read = option
    if isinstance(option, str) and kind in ("integer", "number"):
        with suppress(ValueError):
            read = json.loads(option)
    try:
        return adapter.validate_json(json.dumps(read, allow_nan=False), strict=True)
    except (ValidationError, TypeError, ValueError) as error:
        raise TypeError(f"`{name}`: option {option!r} is not of its type; write values that are") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldValues:
    """What several fields were given."""

    values: Mapping[str, object]
    """Field → validated object; complete only when there are no problems."""
    problems: tuple[Problem, ...]
    """All those of the first stage that has any, in declaration order: forbidden keys, missing fields, wrong values."""


def read_values(fields: Sequence[Field], given: Mapping[str, object]) -> FieldValues:
    """Return the values of `fields`; other keys are dropped, and null stands for a default that is None."""
    values: dict[str, object] = {}
    problems: list[Problem] = []
    for field in fields:
        if field.name in given and not (given[field.name] is None and field.null_is_absent):
            values[field.name], found = read_value(field, given[field.name])
            problems += found
        elif field.required:
            problems.append(_refused(field, "missing_required", "is required"))
    stages = [[problem for problem in problems if problem.kind == kind] for kind in ("bad_args", "missing_required")]
    first = next((stage for stage in stages if stage), problems)
    return FieldValues(values=values, problems=tuple(first))


def read_value(field: Field, value: object) -> Accepted:
    """Return the validated object for a value read from JSON, or what is wrong with it; never raises.

    What pydantic takes must also fit the schema that a model is shown: true is not 1, and 1.0 is no integer.
    """
    try:
        text = json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return ABSENT, [_refused(field, "type_mismatch", "is not a JSON value")]
    try:
        read = field.adapter.validate_json(text, strict=True)
    except ValidationError as error:
        return ABSENT, problems_of(error, field.name, value)
    except Exception as error:  # noqa: BLE001  (a class may raise anything for values it does not take)
        return ABSENT, [_refused(field, "constraint_violation", f"is not taken: {type(error).__name__}: {error}")]
    unfit = find_misfit(cast("Json", value), field.schema, field.name)
    return (read, []) if unfit is None else (ABSENT, [unfit])


def _refused(field: Field, kind: ProblemKind, message: str) -> Problem:
    return Problem(kind=kind, path=field.name, message=message)
