"""Reads one field of a recorded body as the type it was written with.

A journal is a file, so nothing in it is trusted; every refusal names the field.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TypeVar

from interlock.errors import JournalError
from interlock.questions import Json

__all__ = [
    "flag",
    "items",
    "number",
    "objects",
    "one_of",
    "optional_number",
    "optional_section",
    "optional_text",
    "optional_whole",
    "section",
    "text",
    "texts",
    "value",
    "whole",
]

T = TypeVar("T", bound=str)


def value(body: Mapping[str, Json], key: str) -> Json:
    """Return the field, whatever it is.

    Raises:
        JournalError: there is none.
    """
    if key not in body:
        raise JournalError(f"`{key}` is missing")
    return body[key]


def text(body: Mapping[str, Json], key: str) -> str:
    """Return a text."""
    found = value(body, key)
    if isinstance(found, str):
        return found
    raise JournalError(f"`{key}` is not text")


def optional_text(body: Mapping[str, Json], key: str) -> str | None:
    """Return a text, or None where null was written."""
    return None if value(body, key) is None else text(body, key)


def one_of(body: Mapping[str, Json], key: str, words: tuple[T, ...]) -> T:
    """Return one of a closed set of words."""
    found = value(body, key)
    for word in words:
        if word == found:
            return word
    raise JournalError(f"`{key}` is not one of {', '.join(f'`{word}`' for word in words)}")


def number(body: Mapping[str, Json], key: str) -> float:
    """Return a number that a float can hold."""
    found = value(body, key)
    if isinstance(found, int | float) and not isinstance(found, bool) and abs(found) <= sys.float_info.max:
        return found
    raise JournalError(f"`{key}` is not a number")


def optional_number(body: Mapping[str, Json], key: str) -> float | None:
    """Return a number, or None where null was written."""
    return None if value(body, key) is None else number(body, key)


def whole(body: Mapping[str, Json], key: str) -> int:
    """Return a whole number."""
    found = value(body, key)
    if isinstance(found, int) and not isinstance(found, bool):
        return found
    raise JournalError(f"`{key}` is not a whole number")


def optional_whole(body: Mapping[str, Json], key: str) -> int | None:
    """Return a whole number, or None where null was written."""
    return None if value(body, key) is None else whole(body, key)


def flag(body: Mapping[str, Json], key: str) -> bool:
    """Return true or false."""
    found = value(body, key)
    if isinstance(found, bool):
        return found
    raise JournalError(f"`{key}` is not true or false")


def items(body: Mapping[str, Json], key: str) -> list[Json]:
    """Return a list."""
    found = value(body, key)
    if isinstance(found, list | tuple):
        return list(found)
    raise JournalError(f"`{key}` is not a list")


def texts(body: Mapping[str, Json], key: str) -> tuple[str, ...]:
    """Return a list of texts."""
    found = items(body, key)
    if all(isinstance(item, str) for item in found):
        return tuple(str(item) for item in found)
    raise JournalError(f"`{key}` is not a list of texts")


def objects(body: Mapping[str, Json], key: str) -> list[Mapping[str, Json]]:
    """Return a list of objects."""
    found = items(body, key)
    read = [item for item in found if isinstance(item, Mapping)]
    if len(read) == len(found):
        return read
    raise JournalError(f"`{key}` is not a list of objects")


def section(body: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    """Return an object."""
    found = value(body, key)
    if isinstance(found, Mapping):
        return found
    raise JournalError(f"`{key}` is not an object")


def optional_section(body: Mapping[str, Json], key: str) -> Mapping[str, Json] | None:
    """Return an object, or None where null was written."""
    return None if value(body, key) is None else section(body, key)
