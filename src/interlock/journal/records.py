"""One row of a journal: its columns, the closed set of event types, and the JSON spelling of its body.

Knows nothing of stores, decisions or loops.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, TypeAlias, get_args

from interlock.errors import JournalError
from interlock.questions import Json

__all__ = [
    "EVENT_TYPES",
    "Body",
    "EventType",
    "Record",
    "Row",
    "decode_body",
    "encode_body",
    "finite",
    "make_run_id",
    "read_row",
    "read_rows",
    "timestamp",
]

EventType: TypeAlias = Literal[
    "run_started",
    "run_ended",
    "node_started",
    "node_ended",
    "decision",
    "judge_request",
    "judge_reply",
    "tool_about_to_run",
    "tool_result",
    "approval_requested",
    "approval_answered",
    "approval_consumed",
    "approval_expired",
    "audit",
    "generation",
    "budget",
    "error",
    "engine_started",
    "action",
    "engine_ended",
    "redacted",
    "pruned",
    "decision_record",
]
EVENT_TYPES: tuple[EventType, ...] = get_args(EventType)

Body: TypeAlias = Mapping[str, Json]
"""What an event says; its keys keep the order in which they were given."""

MAX_DEPTH = 200
"""Objects and lists in a body may stand in each other this deep, so that whatever reads one comes to its end."""

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row exactly as stored, trusted in nothing: text that is not UTF-8 holds surrogate escapes."""

    run_id: str
    seq: int
    """1 for the first row of a run; -1 when the column holds no integer."""
    ts: str
    type: str
    body: str
    prev_hash: str
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One event of a run."""

    run_id: str
    seq: int
    """1 for the first event of the run, then without gaps."""
    ts: str
    """UTC, such as `2026-01-02T03:04:05.000006Z`; informational, `seq` orders."""
    type: EventType
    body: Body
    text: str
    """The body's JSON as stored; the hash is taken over it."""
    prev_hash: str
    hash: str


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return list(value)
    raise TypeError(f"a value of type `{type(value).__name__}` is not JSON")


_ENCODER = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_plain, check_circular=False
)
"""Without its own check for circles, which cost a tenth; one still ends in a RecursionError."""


def encode_body(body: Body) -> str:
    """Return the body as compact JSON, keys in the order given, encodable in UTF-8.

    A lone surrogate is written as its JSON escape; two that form a pair are read back as the character they spell.

    Raises:
        JournalError: a number is not finite, or a value is not JSON.
    """
    try:
        text = _ENCODER.encode(body)
    except (TypeError, ValueError, RecursionError) as cause:
        raise JournalError(f"record body: cannot be written as JSON: {cause}") from cause
    if _openers(text) > MAX_DEPTH and _is_deep(body):
        raise JournalError(f"record body: cannot be written: is nested more than {MAX_DEPTH} deep")
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub(_escaped, text)
    return text


def decode_body(text: str) -> dict[str, Json]:
    """Return the body written by `encode_body`.

    Raises:
        JournalError: the text is not one JSON object of finite numbers, or is nested too deep.
    """
    try:
        body: object = json.loads(text, parse_constant=_refuse, parse_float=finite)
    except (ValueError, RecursionError) as cause:
        raise JournalError("record body: is not JSON; the row was not written by a journal") from cause
    if not isinstance(body, dict):
        raise JournalError("record body: is not a JSON object; the row was not written by a journal")
    if _openers(text) > MAX_DEPTH and _is_deep(body):
        raise JournalError("record body: is nested too deep; the row was not written by a journal")
    return body


def read_row(row: Row) -> Record:
    """Return the record that a stored row spells; its hash is not checked here.

    Raises:
        JournalError: the type is unknown, or the body is not JSON.
    """
    kind = _KINDS.get(row.type)
    if kind is None:
        raise JournalError(f"unknown event type `{row.type}`; upgrade interlock if a later release wrote it")
    return Record(
        run_id=row.run_id,
        seq=row.seq,
        ts=row.ts,
        type=kind,
        body=decode_body(row.body),
        text=row.body,
        prev_hash=row.prev_hash,
        hash=row.hash,
    )


def read_rows(rows: Iterable[Row]) -> Iterator[Record]:
    """Yield the records that stored rows spell.

    Raises:
        JournalError: a row cannot be read; it is named.
    """
    for row in rows:
        try:
            yield read_row(row)
        except JournalError as cause:
            raise JournalError(f"run `{row.run_id}` row {row.seq}: {cause}; run `interlock verify`") from cause


def timestamp(now: datetime) -> str:
    """Return `now`, which knows its zone, in UTC with microseconds and a `Z`."""
    return now.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def make_run_id(now: datetime, token: str) -> str:
    """Return an id that sorts by time, such as `20260102T030405.000Z-9f3a1c`; `token` is what no other run has."""
    moment = now.astimezone(UTC)
    return f"{moment:%Y%m%dT%H%M%S}.{moment.microsecond // 1000:03d}Z-{token}"


_KINDS: Mapping[str, EventType] = {kind: kind for kind in EVENT_TYPES}


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"


def _openers(text: str) -> int:
    """Return a bound of the depth of a JSON text that costs next to nothing."""
    return text.count("[") + text.count("{")


def _is_deep(body: object) -> bool:
    level: list[object] = [body]
    for _ in range(MAX_DEPTH):
        level = [item for value in level for item in _inside(value)]
        if not level:
            return False
    return True


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def finite(text: str) -> float:
    """Return the number that `text` spells in JSON.

    Raises:
        ValueError: it is too large for one.
    """
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"`{text[:20]}` is not a finite number")
    return number


def _refuse(constant: str) -> None:
    raise ValueError(f"`{constant}` is not a finite number")
