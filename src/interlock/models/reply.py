"""Finds the pick in a model's reply: the last JSON object that carries a call key.

Knows nothing of menus, options or models.
Source: next-step specification, section 9.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from interlock.models.repair import RepeatedKeyError, read_object
from interlock.models.spans import CALL_KEYS, find_spans

__all__ = ["SEARCHED_CHARS", "Found", "NotFound", "extract_action", "find_action"]

SEARCHED_CHARS = 256 * 1024
"""Only this much of a reply's end is searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The chosen object, its call key renamed to `call`."""

    action: Mapping[str, object]
    repaired: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NotFound:
    """Why there is no pick, in words that a model can act on."""

    kind: Literal["no_action", "ambiguous"]
    message: str


def find_action(reply: object) -> Found | NotFound:
    """Return the pick in `reply`, or why there is none; never raises, linear time."""
    if not isinstance(reply, str):
        return NotFound(kind="no_action", message="the reply is not text")
    text = reply[-SEARCHED_CHARS:]
    spans = find_spans(text)
    if spans.broken:
        return NotFound(kind="no_action", message="the last object with a `call` is cut off or not valid JSON")
    if spans.last is None:
        return NotFound(kind="no_action", message="no JSON object with a `call` was found")
    try:
        value, repaired = read_object(text[spans.last.start : spans.last.end])
    except RepeatedKeyError:
        return NotFound(kind="ambiguous", message="the object names a key twice; name each key once")
    except ValueError:
        return NotFound(kind="no_action", message="the last object with a `call` is not valid JSON")
    return Found(action=_renamed(cast("dict[str, object]", value)), repaired=repaired)


def extract_action(text: str) -> dict[str, object] | None:
    """Return the chosen object with its call key renamed to `call`, or None when there is none."""
    found = find_action(text)
    return dict(found.action) if isinstance(found, Found) else None


def _renamed(value: dict[str, object]) -> dict[str, object]:
    key = next(key for key in CALL_KEYS if key in value)
    return {"call": value[key], **{name: item for name, item in value.items() if name not in (key, "call")}}
