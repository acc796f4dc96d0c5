"""Any Python value as JSON, the same text for the same value: what a session graph keeps of inputs and outputs.

Knows nothing of nodes.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import math
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from uuid import UUID

from pydantic import BaseModel

from interlock.questions import Json

__all__ = ["as_recorded"]

MAX_DEPTH = 50
"""Containers deeper than this are cut."""
CUT = "…"
_MAX_INT_BITS = 10_000
_AS_TEXT = (dt.date, dt.time, dt.timedelta, Decimal, UUID, PurePath)


def as_recorded(value: object) -> Json:
    """Return `value` as JSON; what has no JSON form is named by its type, never by an address."""
    return _recorded(value, frozenset())


def _recorded(value: object, above: frozenset[int]) -> Json:
    """`above`: the identities of the containers around `value`."""
    if isinstance(value, Enum):
        return _recorded(value.value, above)
    if value is None or isinstance(value, bool | str | int | float):
        return _scalar(value)
    if id(value) in above or len(above) >= MAX_DEPTH:
        return CUT
    inside = above | {id(value)}
    if isinstance(value, list | tuple):
        return [_recorded(item, inside) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((_recorded(item, inside) for item in value), key=_order)
    members = _members(value)
    return _named(value) if members is None else {name: _recorded(item, inside) for name, item in members.items()}


def _members(value: object) -> dict[str, object] | None:
    if isinstance(value, Mapping):
        return {_key(key): item for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: getattr(value, item.name, None) for item in dataclasses.fields(value)}
    if isinstance(value, BaseModel):
        return {name: getattr(value, name) for name in type(value).model_fields}
    return None


def _scalar(value: bool | str | float | None) -> Json:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value) if value.bit_length() <= _MAX_INT_BITS else f"<integer of {value.bit_length()} bits>"
    return float(value) if math.isfinite(value) else str(float(value))


def _named(value: object) -> str:
    if isinstance(value, _AS_TEXT):
        return str(value)
    if isinstance(value, bytes | bytearray):
        return f"<{len(value)} bytes>"
    if isinstance(value, type):
        return f"<{value.__name__}>"
    return f"<{getattr(value, '__qualname__', None) or type(value).__name__}>"


def _key(key: object) -> str:
    return key if isinstance(key, str) else _order(as_recorded(key))


def _order(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
