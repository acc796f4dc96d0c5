"""What is wrong with a value that a model wrote, in words the model can act on."""

from __future__ import annotations

import json
from collections.abc import Sequence
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One finding at one path, such as `rows[1].id`."""

    kind: ProblemKind
    path: str
    message: str


def problems_of(error: ValidationError, name: str, value: object) -> list[Problem]:
    """Return the problems of `value` in the field `name`, in the order of the value; missing fields alone if any."""
    found: dict[str, Problem] = {}
    for item in error.errors(include_url=False):
        place = _place(name, item["loc"], value)
        kind, message = _reading(item)
        if place.in_union:
            kind, message = "type_mismatch", f"fits none of its types, got {_got(place.value)}"
        found.setdefault(place.path, Problem(kind=kind, path=place.path, message=message))
    missing = [problem for problem in found.values() if problem.kind == "missing_required"]
    return missing or list(found.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    path: str
    value: object
    in_union: bool


def _place(name: str, location: Sequence[str | int], value: object) -> _Place:
    """Walk `location` through the value; a part that is not in it names a member of a union, or what is missing."""
    path, here = name, value
    for index, part in enumerate(location):
        if isinstance(part, int) and isinstance(here, list) and part < len(here):
            path, here = f"{path}[{part}]", here[part]
        elif isinstance(here, dict) and part in here:
            path, here = f"{path}.{part}", here[part]
        elif index == len(location) - 1 and isinstance(here, dict | list) and not _is_union_tag(part, here):
            path = f"{path}[{part}]" if isinstance(part, int) else f"{path}.{part}"
        else:
            return _Place(path=path, value=here, in_union=True)
    return _Place(path=path, value=here, in_union=False)


def _is_union_tag(part: str | int, here: object) -> bool:
    """True when the last part of a location cannot be a missing field or element of `here`."""
    return isinstance(part, str) and (isinstance(here, list) or not part.isidentifier())


def _reading(item: ErrorDetails) -> tuple[ProblemKind, str]:
    code: str = item["type"]
    sentence = f"{item['msg'][:1].lower()}{item['msg'][1:]}"
    if code == "missing":
        return "missing_required", "is required"
    if code == "extra_forbidden":
        return "bad_args", "is not a field"
    if code in ("enum", "literal_error", "not_an_option"):
        return "enum_violation", f"must be one of {item['ctx']['expected']}, got {_got(item['input'])}"
    if code.endswith(("_type", "_parsing", "_of_type")) or code in _TYPE_CODES:
        return "type_mismatch", f"{sentence}, got {_got(item['input'])}"
    return "constraint_violation", sentence


def _got(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"
