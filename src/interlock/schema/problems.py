"""What is wrong with a value that a model wrote, in words the model can act on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pydantic import ValidationError
from pydantic_core import ErrorDetails

__all__ = ["Problem", "ProblemKind", "problems_of"]

ProblemKind: TypeAlias = Literal[
    "no_action",
    "ambiguous",
    "unknown_call",
    "bad_args",
    "missing_required",
    "type_mismatch",
    "enum_violation",
    "constraint_violation",
    "no_answer",
]

MAX_SHOWN = 80
"""Characters of a wrong value that a message shows."""

_TYPE_CODES = frozenset({"int_from_float", "none_required", "union_tag_invalid", "union_tag_not_found"})
_MISSING_CODES = frozenset({"missing", "missing_argument", "missing_keyword_only_argument"})
_EXTRA_CODES = frozenset({"extra_forbidden", "unexpected_keyword_argument", "unexpected_positional_argument"})
_KEY = "[key]"
"""What a location ends with when the key of a dict is wrong, not its value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One finding at one path, such as `rows[1].id`."""

    kind: ProblemKind
    path: str
    message: str


def problems_of(error: ValidationError, name: str, value: object) -> list[Problem]:
    """Return the problems of `value` in the field `name`, one per path, in the order of the value."""
    found: dict[str, Problem] = {}
    items = error.errors(include_url=False)
    branches = _branches([item["loc"] for item in items])
    for item in items:
        place = _place(name, item["loc"], value, branches)
        kind, message = _reading(item)
        if place.in_union:
            kind, message = "type_mismatch", f"fits none of its types, got {_got(place.value)}"
        found.setdefault(place.path, Problem(kind=kind, path=place.path, message=message))
    return list(found.values())


_Location: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    path: str
    value: object
    in_union: bool


def _branches(locations: Sequence[_Location]) -> Mapping[_Location, set[str | int]]:
    """Return which parts follow each beginning of a location; several names of types there are forms of a union."""
    found: dict[_Location, set[str | int]] = {}
    for location in locations:
        for index, part in enumerate(location):
            found.setdefault(location[:index], set()).add(part)
    return found


def _place(name: str, location: _Location, value: object, branches: Mapping[_Location, set[str | int]]) -> _Place:
    """Walk `location` through the value; a part that is not in it names a form of a union, or what is missing."""
    path, here = name, value
    for index, part in enumerate(location):
        is_last = index == len(location) - 1
        if isinstance(part, int) and isinstance(here, list) and part < len(here):
            path, here = f"{path}[{part}]", here[part]
        elif isinstance(here, dict) and part in here:
            path, here = f"{path}.{part}", here[part]
        elif is_last and part == _KEY:
            return _Place(path=path, value=here, in_union=False)
        elif is_last and isinstance(here, dict | list) and not _is_form(part, here):
            path = f"{path}[{part}]" if isinstance(part, int) else f"{path}.{part}"
        elif is_last or len(branches[location[:index]]) > 1:
            return _Place(path=path, value=here, in_union=True)
    return _Place(path=path, value=here, in_union=False)


def _is_form(part: str | int, here: object) -> bool:
    """True when the last part of a location cannot be a missing field or element of `here`."""
    return isinstance(part, str) and (isinstance(here, list) or not part.isidentifier())


def _reading(item: ErrorDetails) -> tuple[ProblemKind, str]:
    code: str = item["type"]
    sentence = _lowered(item["msg"])
    if code in _MISSING_CODES:
        return "missing_required", "is required"
    if code in _EXTRA_CODES:
        return "bad_args", "is not a field"
    if code == "json_invalid":
        return "type_mismatch", "holds half of a character, or is nested too deep"
    if code in ("enum", "literal_error", "not_an_option"):
        return "enum_violation", f"must be one of {item['ctx']['expected']}, got {_got(item['input'])}"
    if item["loc"][-1:] == (_KEY,):
        sentence = f"has a key that is not of its type: {sentence}"
    if code.endswith(("_type", "_parsing", "_of_type")) or code in _TYPE_CODES:
        return "type_mismatch", f"{sentence}, got {_got(item['input'])}"
    return "constraint_violation", sentence


def _lowered(sentence: str) -> str:
    """Return a sentence without its capital; an acronym stays."""
    return sentence if sentence[1:2].isupper() else f"{sentence[:1].lower()}{sentence[1:]}"


def _got(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"
