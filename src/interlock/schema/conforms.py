"""Whether a value fits a JSON Schema, for the keywords by which types and tools describe values.

Keywords it does not know restrict nothing here; the reader of the value has the last word.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence

from interlock._canonical import Json
from interlock.schema.problems import Problem, ProblemKind

__all__ = ["find_misfit", "misfit"]

_Node = Mapping[str, Json]

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "object": (Mapping,),
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
    return next(_problems(value, schema, place, definitions if isinstance(definitions, Mapping) else {}), None)


def _problems(value: Json, schema: _Node, place: str, definitions: _Node) -> Iterator[Problem]:
    reference = schema.get("$ref")
    if isinstance(reference, str):
        named = definitions.get(reference.rpartition("/")[2])
        if isinstance(named, Mapping):
            yield from _problems(value, named, place, definitions)
    yield from _not_allowed(value, schema, place, definitions)
    yield from _wrong_type(value, schema, place)
    yield from _out_of_bounds(value, schema, place)
    yield from _wrong_members(value, schema, place, definitions)
    yield from _wrong_items(value, schema, place, definitions)


def _problem(kind: ProblemKind, place: str, message: str) -> Problem:
    return Problem(kind=kind, path=place, message=message)


def _wrong_type(value: Json, schema: _Node, place: str) -> Iterator[Problem]:
    wanted = schema.get("type")
    names = [wanted] if isinstance(wanted, str) else wanted
    if isinstance(names, Sequence) and not any(_is(value, name) for name in names):
        yield _problem("type_mismatch", place, f"must be {' or '.join(str(name) for name in names)}")
    elif wanted == "number" and isinstance(value, int) and abs(value) > sys.float_info.max:
        yield _problem("constraint_violation", place, "is too large for a number")


def _is(value: Json, name: Json) -> bool:
    """Tell whether `value` is of the type `name`; a boolean is no number, and an unknown name restricts nothing."""
    types = _TYPES.get(str(name), (object,))
    return isinstance(value, types) and not (isinstance(value, bool) and name in {"integer", "number"})


def _not_allowed(value: Json, schema: _Node, place: str, definitions: _Node) -> Iterator[Problem]:
    listed = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(listed, Sequence) and not any(_same(value, item) for item in listed):
        allowed = ", ".join(json.dumps(item, ensure_ascii=False) for item in listed)
        yield _problem("enum_violation", place, f"must be one of {allowed}")
    branches = schema.get("anyOf")
    if isinstance(branches, Sequence):
        found = [
            next(_problems(value, item, place, definitions), None) for item in branches if isinstance(item, Mapping)
        ]
        if found and None not in found:
            yield _nearest([item for item in found if item is not None], place)


def _nearest(found: Sequence[Problem], place: str) -> Problem:
    """Return the problem of the only form of the value's type, else that none fits."""
    of_type = [item for item in found if item.kind != "type_mismatch" or item.path != place]
    return of_type[0] if len(of_type) == 1 else _problem("type_mismatch", place, "fits none of its forms")


def _same(value: Json, allowed: Json) -> bool:
    """Tell whether a written value is the allowed one: true is not 1, and 1.0 is no integer."""
    if isinstance(allowed, float):
        return isinstance(value, int | float) and not isinstance(value, bool) and value == allowed
    return type(value) is type(allowed) and value == allowed


def _out_of_bounds(value: Json, schema: _Node, place: str) -> Iterator[Problem]:
    if isinstance(value, str):
        yield from _beyond(len(value), schema.get("minLength"), schema.get("maxLength"), place, "have a length of ")
    elif isinstance(value, list | tuple):
        yield from _beyond(len(value), schema.get("minItems"), schema.get("maxItems"), place, "have a length of ")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _beyond(value, schema.get("minimum"), schema.get("maximum"), place, "be ")


def _beyond(number: float, least: Json, most: Json, place: str, verb: str) -> Iterator[Problem]:
    if isinstance(least, int | float) and number < least:
        yield _problem("constraint_violation", place, f"must {verb}at least {least}")
    if isinstance(most, int | float) and number > most:
        yield _problem("constraint_violation", place, f"must {verb}at most {most}")


def _wrong_members(value: Json, schema: _Node, place: str, definitions: _Node) -> Iterator[Problem]:
    if not isinstance(value, Mapping):
        return
    properties, required = schema.get("properties"), schema.get("required")
    known = properties if isinstance(properties, Mapping) else {}
    for name in required if isinstance(required, Sequence) else ():
        if name not in value:
            yield _problem("missing_required", f"{place}.{name}", "is missing")
    rest = schema.get("additionalProperties", True)
    for name, item in value.items():
        described = known.get(name, rest)
        if described is False:
            named = ", ".join(f"`{each}`" for each in known) or "nothing"
            yield _problem("bad_args", place, f"takes {named} and no other name")
        elif isinstance(described, Mapping):
            yield from _problems(item, described, f"{place}.{name}", definitions)


def _wrong_items(value: Json, schema: _Node, place: str, definitions: _Node) -> Iterator[Problem]:
    if not isinstance(value, list | tuple):
        return
    listed = schema.get("prefixItems")
    first = listed if isinstance(listed, Sequence) else ()
    rest = schema.get("items")
    for at, item in enumerate(value):
        described = first[at] if at < len(first) else rest
        if isinstance(described, Mapping):
            yield from _problems(item, described, f"{place}[{at}]", definitions)
    if schema.get("uniqueItems") is True and len({_identity(item) for item in value}) < len(value):
        yield _problem("constraint_violation", place, "must hold each value once")


def _identity(value: Json) -> str:
    """Return a text that is equal for equal values; 1.0 is 1, and true is not."""
    return json.dumps(int(value) if isinstance(value, float) and value.is_integer() else value, sort_keys=True)
