"""Builds the frame of one decision from a host's state: clipped, typed, with provenance and a digest.

Knows nothing of judges, policies or contracts, and has no clock, randomness or files.
Source: decision-contract/v1, frame.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from interlock._text import clip
from interlock.errors import FrameError
from interlock.frame.digest import frame_digest
from interlock.frame.spec import (
    FieldStatus,
    Frame,
    FrameEntry,
    FrameField,
    FrameSpec,
    Provenance,
    StateView,
)
from interlock.questions import Json

__all__ = ["SHOWN", "UNTRUSTED", "build_frame", "sent_state"]

UNTRUSTED = "untrusted_tool_output"
"""The one key under which every field of provenance `tool` is sent."""

SHOWN: tuple[FieldStatus, ...] = ("present", "empty")
"""The statuses of a field that a judge is shown."""

_UNTRUSTED_PROVENANCE: Provenance = "tool"
_FIXED_PROVENANCE: Provenance = "caller"
"""What a caller gave does not change within a run."""


def build_frame(decision_id: str, spec: FrameSpec, view: StateView) -> Frame:
    """Return what a judge may see of one state, fields in declaration order.

    A projection is called only where its cell was supplied; one that raises makes its field `wrong_type`. So does
    what cannot be sent as JSON, such as a number that is not finite or text with a lone surrogate. Text of white
    space alone is `empty`.

    Raises:
        FrameError: `view` lacks a projection that `spec` names, or a field has the reserved key.
    """
    entries = tuple(_entry(field, view) for field in spec.fields)
    shown = [entry for entry in entries if entry.status in SHOWN]
    return Frame(
        decision=decision_id,
        entries=entries,
        exclusions=spec.exclusions,
        sent=sent_state(shown),
        digest=frame_digest(decision_id, shown),
    )


def sent_state(shown: Sequence[FrameEntry]) -> Mapping[str, Json]:
    """Return the state that a judge is sent: what tools gave stands under one key, and no value is rewritten.

    What the caller gave comes first, so that the requests of a run begin alike and a backend can reuse the beginning.
    """
    sent: dict[str, Json] = {e.key: e.value for e in shown if e.provenance == _FIXED_PROVENANCE}
    sent.update((e.key, e.value) for e in shown if e.provenance not in (_FIXED_PROVENANCE, _UNTRUSTED_PROVENANCE))
    untrusted: dict[str, Json] = {e.key: e.value for e in shown if e.provenance == _UNTRUSTED_PROVENANCE}
    if untrusted:
        sent[UNTRUSTED] = untrusted
    return sent


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fitted:
    value: Json
    status: FieldStatus
    truncated: tuple[int, int] | None = None


_WRONG_TYPE = _Fitted(value=None, status="wrong_type")


class _NotJson(Exception):  # noqa: N818
    """A value has no JSON form; never leaves this module."""


def _entry(field: FrameField, view: StateView) -> FrameEntry:
    if field.key == UNTRUSTED:
        raise FrameError(f"frame: field `{UNTRUSTED}` is the key under which tool output is sent; rename the field")
    fitted, defaulted = _read(field, view)
    return FrameEntry(
        key=field.key,
        value=fitted.value,
        cell=field.cell,
        provenance=field.provenance,
        status=fitted.status,
        defaulted=defaulted,
        truncated=fitted.truncated,
    )


def _read(field: FrameField, view: StateView) -> tuple[_Fitted, bool]:
    """Return the field's value within its bound, and whether it is the projection's promise."""
    value = view.cells.get(field.cell)
    if field.projection is not None:
        project = view.projections.get(field.projection)
        if project is None:
            raise FrameError(f"frame: projection `{field.projection}` of field `{field.key}` is not supplied")
        try:
            value = None if value is None else project(value)
        except Exception:  # noqa: BLE001 - a host's function; whatever it raises, its field has no value
            return _WRONG_TYPE, False
    if value is not None:
        return _fit(field, value), False
    if field.may_be_absent:
        return _Fitted(value=None, status="absent"), False
    if not field.has_default:
        return _Fitted(value=None, status="unfilled"), False
    promise = _fit(field, field.default)
    if promise.status == "empty":
        promise = _Fitted(value=promise.value, status="present")
    return promise, True


def _fit(field: FrameField, value: object) -> _Fitted:
    """Return `value` cut to the bound if it is of the declared type."""
    try:
        match field.type:
            case "text":
                return _fit_text(value, field.bound)
            case "list":
                return _fit_items(value, field.bound)
            case "number":
                return _Fitted(value=_number(value), status="present")
            case "bool":
                return _Fitted(value=value, status="present") if isinstance(value, bool) else _WRONG_TYPE
            case _:
                assert_never(field.type)
    except (_NotJson, RecursionError):
        return _WRONG_TYPE


def _fit_text(value: object, bound: int) -> _Fitted:
    if not isinstance(value, str):
        return _WRONG_TYPE
    shown = _text(clip(value, bound))
    return _Fitted(
        value=shown,
        status="present" if shown.strip() else "empty",
        truncated=(len(value), len(shown)) if len(value) > bound else None,
    )


def _fit_items(value: object, bound: int) -> _Fitted:
    if not isinstance(value, list | tuple):
        return _WRONG_TYPE
    shown = [_json(item) for item in value[:bound]]
    return _Fitted(
        value=shown,
        status="present" if shown else "empty",
        truncated=(len(value), len(shown)) if len(value) > bound else None,
    )


def _json(value: object) -> Json:
    """Return a copy of `value` that nobody else can change."""
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, list | tuple):
        return [_json(item) for item in value]
    if isinstance(value, Mapping):
        return {_key(key): _json(item) for key, item in value.items()}
    return _number(value)


def _key(value: object) -> str:
    if not isinstance(value, str):
        raise _NotJson
    return _text(value)


def _number(value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _NotJson
    try:
        finite = math.isfinite(value)
    except OverflowError:
        raise _NotJson from None
    if not finite:
        raise _NotJson
    return value


def _text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _NotJson from None
    return value
