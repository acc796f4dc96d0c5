"""Whether a value fits a JSON Schema, for the keywords by which types and tools describe values.

Keywords it does not know restrict nothing here; the reader of the value has the last word.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence

from interlock._canonical import Json
from interlock.schema.problems import Problem, ProblemKind

__all__ = ["find_misfit", "misfit"]

_Node = Mapping[str, Json]

_OBJECT = (dict, Mapping)
_ARRAY = (list, tuple, Sequence)
_SCALAR = (str, int, float, type(None))
"""Exact types first: they are told apart faster than by what they can do."""

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "object": _OBJECT,
    "array": (list, tuple),
}


def misfit(value: Json, schema: _Node, place: str = "arguments") -> str | None:
    """Return the first thing that does not fit, with its place and never with the value; None when all fits."""
    found = find_misfit(value, schema, place)
    return None if found is None else f"`{found.path}` {found.message}"


def find_misfit(value: Json, schema: _Node, place: str) -> Problem | None:
    """Return the first thing that does not fit; its message never holds the value.

    Covers `type`, `enum`, `const`, `anyOf`, `$ref` into `$defs`, `required`, `properties`, `additionalProperties`,
    `items`, `prefixItems`, `uniqueItems`, `minLength`, `maxLength`, `minItems`, `maxItems`, `minimum` and `maximum`.
    """
    definitions = schema.get("$defs")
    return _misfit(value, schema, place, definitions if isinstance(definitions, _OBJECT) else {})


def _misfit(value: Json, schema: _Node, place: str, definitions: _Node) -> Problem | None:
    found = _not_allowed(value, schema, place) or _wrong_type(value, schema, place)
    if found is None and "anyOf" in schema:
        found = _no_form(value, schema["anyOf"], place, definitions)
    if found is None and "$ref" in schema:
        named = definitions.get(str(schema["$ref"]).rpartition("/")[2])
        found = _misfit(value, named, place, definitions) if isinstance(named, _OBJECT) else None
    if found is not None:
        return found
    if isinstance(value, _SCALAR):
        return _out_of_bounds(value, schema, place)
    if isinstance(value, _OBJECT):
        return _wrong_members(value, schema, place, definitions)
    return _wrong_items(value, schema, place, definitions)


def _problem(kind: ProblemKind, place: str, message: str) -> Problem:
    return Problem(kind=kind, path=place, message=message)


def _wrong_type(value: Json, schema: _Node, place: str) -> Problem | None:
    wanted = schema.get("type")
    if wanted is None:
        return None
    names = [wanted] if isinstance(wanted, str) else wanted
    if isinstance(names, _ARRAY) and not any(_is(value, name) for name in names):
        return _problem("type_mismatch", place, f"must be {' or '.join(str(name) for name in names)}")
    if wanted == "number" and isinstance(value, int) and abs(value) > sys.float_info.max:
        return _problem("constraint_violation", place, "is too large for a number")
    return None


def _is(value: Json, name: Json) -> bool:
    """Tell whether `value` is of the type `name`; a boolean is no number, and an unknown name restricts nothing."""
    types = _TYPES.get(str(name), (object,))
    return isinstance(value, types) and not (isinstance(value, bool) and name in {"integer", "number"})


def _not_allowed(value: Json, schema: _Node, place: str) -> Problem | None:
    listed = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if listed is None or not isinstance(listed, _ARRAY) or any(_same(value, item) for item in listed):
        return None
    allowed = ", ".join(json.dumps(item, ensure_ascii=False) for item in listed)
    return _problem("enum_violation", place, f"must be one of {allowed}")


def _same(value: Json, allowed: Json) -> bool:
    """Tell whether a written value is the allowed one: true is not 1, and 1.0 is no integer."""
    if isinstance(allowed, float):
        return isinstance(value, int | float) and not isinstance(value, bool) and value == allowed
    return type(value) is type(allowed) and value == allowed


def _no_form(value: Json, forms: Json, place: str, definitions: _Node) -> Problem | None:
    """Return why none of several forms fits: what is wrong in the only one of the value's type, if there is one."""
    found: list[Problem] = []
    for form in forms if isinstance(forms, _ARRAY) else ():
        problem = _misfit(value, form, place, definitions) if isinstance(form, _OBJECT) else None
        if problem is None:
            return None
        found.append(problem)
    of_type = [item for item in found if item.kind != "type_mismatch" or item.path != place]
    return of_type[0] if len(of_type) == 1 else _problem("type_mismatch", place, "fits none of its forms")


def _out_of_bounds(value: Json, schema: _Node, place: str) -> Problem | None:
    if isinstance(value, str):
        return _beyond(len(value), schema.get("minLength"), schema.get("maxLength"), place, "have a length of ")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _beyond(value, schema.get("minimum"), schema.get("maximum"), place, "be ")
    return None


def _beyond(number: float, least: Json, most: Json, place: str, verb: str) -> Problem | None:
    if isinstance(least, int | float) and number < least:
        return _problem("constraint_violation", place, f"must {verb}at least {least}")
    if isinstance(most, int | float) and number > most:
        return _problem("constraint_violation", place, f"must {verb}at most {most}")
    return None


def _wrong_members(value: _Node, schema: _Node, place: str, definitions: _Node) -> Problem | None:
    properties, required = schema.get("properties"), schema.get("required")
    known = properties if isinstance(properties, _OBJECT) else {}
    for name in required if isinstance(required, _ARRAY) else ():
        if name not in value:
            return _problem("missing_required", f"{place}.{name}", "is missing")
    rest = schema.get("additionalProperties", True)
    for name, item in value.items():
        described = known.get(name, rest)
        if described is False:
            named = ", ".join(f"`{each}`" for each in known) or "nothing"
            return _problem("bad_args", place, f"takes {named} and no other name")
        found = _misfit(item, described, f"{place}.{name}", definitions) if isinstance(described, _OBJECT) else None
        if found is not None:
            return found
    return None


def _wrong_items(value: Sequence[Json], schema: _Node, place: str, definitions: _Node) -> Problem | None:
    listed = schema.get("prefixItems")
    first = listed if isinstance(listed, _ARRAY) else ()
    rest = schema.get("items")
    for at, item in enumerate(value):
        described = first[at] if at < len(first) else rest
        found = _misfit(item, described, f"{place}[{at}]", definitions) if isinstance(described, _OBJECT) else None
        if found is not None:
            return found
    if schema.get("uniqueItems") is True and len({_identity(item) for item in value}) < len(value):
        return _problem("constraint_violation", place, "must hold each value once")
    return _beyond(len(value), schema.get("minItems"), schema.get("maxItems"), place, "have a length of ")


def _identity(value: Json) -> str:
    """Return a text that is equal for equal values; 1.0 is 1, and true is not."""
    return json.dumps(int(value) if isinstance(value, float) and value.is_integer() else value, sort_keys=True)
