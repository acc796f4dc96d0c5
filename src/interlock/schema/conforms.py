"""Whether a value fits a JSON Schema, for the keywords by which tools describe their arguments.

Keywords it does not know restrict nothing here; the tool itself has the last word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from interlock._canonical import Json

__all__ = ["misfit"]

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "object": (Mapping,),
    "array": (list, tuple),
}


def misfit(value: Json, schema: Mapping[str, Json], place: str = "arguments") -> str | None:
    """Return the first thing that does not fit, with its place and never with the value; None when all fits.

    Covers `type`, `enum`, `const`, `anyOf`, `required`, `properties`, `additionalProperties`, `items`,
    `minLength`, `maxLength`, `minItems`, `maxItems`, `minimum` and `maximum`.
    """
    return (
        _wrong_type(value, schema, place)
        or _not_allowed(value, schema, place)
        or _out_of_bounds(value, schema, place)
        or _wrong_members(value, schema, place)
        or _wrong_items(value, schema, place)
    )


def _wrong_type(value: Json, schema: Mapping[str, Json], place: str) -> str | None:
    wanted = schema.get("type")
    names = [wanted] if isinstance(wanted, str) else wanted
    if not isinstance(names, Sequence) or any(_is(value, name) for name in names):
        return None
    return f"`{place}` must be {' or '.join(str(name) for name in names)}"


def _is(value: Json, name: Json) -> bool:
    """Tell whether `value` is of the type `name`; a boolean is no number, and an unknown name restricts nothing."""
    types = _TYPES.get(str(name), (object,))
    return isinstance(value, types) and not (isinstance(value, bool) and name in {"integer", "number"})


def _not_allowed(value: Json, schema: Mapping[str, Json], place: str) -> str | None:
    listed = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(listed, Sequence) and not any(type(item) is type(value) and item == value for item in listed):
        return f"`{place}` must be one of the listed values"
    branches = schema.get("anyOf")
    if isinstance(branches, Sequence) and not any(
        isinstance(branch, Mapping) and misfit(value, branch, place) is None for branch in branches
    ):
        return f"`{place}` fits none of its forms"
    return None


def _out_of_bounds(value: Json, schema: Mapping[str, Json], place: str) -> str | None:
    if isinstance(value, str):
        return _beyond(len(value), schema.get("minLength"), schema.get("maxLength"), f"the length of `{place}`")
    if isinstance(value, list | tuple):
        return _beyond(len(value), schema.get("minItems"), schema.get("maxItems"), f"the length of `{place}`")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _beyond(value, schema.get("minimum"), schema.get("maximum"), f"`{place}`")
    return None


def _beyond(number: float, least: Json, most: Json, what: str) -> str | None:
    if isinstance(least, int | float) and number < least:
        return f"{what} must be at least {least}"
    if isinstance(most, int | float) and number > most:
        return f"{what} must be at most {most}"
    return None


def _wrong_members(value: Json, schema: Mapping[str, Json], place: str) -> str | None:
    if not isinstance(value, Mapping):
        return None
    properties, required = schema.get("properties"), schema.get("required")
    known = properties if isinstance(properties, Mapping) else {}
    for name in required if isinstance(required, Sequence) else ():
        if name not in value:
            return f"`{place}.{name}` is missing"
    rest = schema.get("additionalProperties", True)
    for name, item in value.items():
        described = known.get(name, rest)
        if described is False:
            return f"`{place}` takes {', '.join(f'`{each}`' for each in known) or 'nothing'} and no other name"
        wrong = misfit(item, described, f"{place}.{name}") if isinstance(described, Mapping) else None
        if wrong is not None:
            return wrong
    return None


def _wrong_items(value: Json, schema: Mapping[str, Json], place: str) -> str | None:
    items = schema.get("items")
    if not isinstance(value, list | tuple) or not isinstance(items, Mapping):
        return None
    found = (misfit(item, items, f"{place}[{at}]") for at, item in enumerate(value))
    return next((wrong for wrong in found if wrong is not None), None)
