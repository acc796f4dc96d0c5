"""Takes the values of one cell out of a run: what each row reads without them, and where they may still stand.

Pure over records. Answers, outcomes and digests stay, so the run can still be decided again.
Source: journal and safety specification, journal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from interlock._text import ELLIPSIS
from interlock.errors import JournalError
from interlock.frame import SHOWN, UNTRUSTED
from interlock.journal.records import EventType, Record, decode_body, encode_body
from interlock.journal.redactions import REDACTED, RedactedRow, content_hash, redacted_body
from interlock.questions import Json

__all__ = ["Redaction", "redact"]

_ELSEWHERE: Mapping[str, Mapping[EventType, tuple[str, ...]]] = MappingProxyType(
    {
        "task": {"run_started": ("task",)},
        "cwd": {"run_started": ("cwd",), "approval_requested": ("cwd",), "approval_answered": ("saw",)},
        "lastResult": {"tool_result": ("result",)},
        "history": {"tool_result": ("result",)},
        "draft": {"generation": ("text",), "run_ended": ("answer", "draft")},
    }
)
"""Cell of the reference loop → the records, other than decisions, that hold what it is made of."""
_SHORTEST = 4
"""Shorter texts are not looked for: they stand everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redaction:
    """What is to be written in place of what a run holds."""

    texts: Mapping[int, str]
    """Row → its body without the cell, as JSON."""
    body: Mapping[str, Json]
    """Of the record that says so."""
    rows: tuple[RedactedRow, ...]
    remaining: tuple[int, ...]
    """Rows in which a value that was taken out still stands as part of something else."""


def redact(records: Sequence[Record], *, cell: str, by: str) -> Redaction:
    """Return one whole run without the values of `cell`.

    Raises:
        JournalError: the run has not ended, or holds no such cell.
    """
    run_id = records[0].run_id if records else ""
    kinds = {record.type for record in records}
    if "run_started" in kinds and "run_ended" not in kinds:
        raise JournalError(f"run `{run_id}`: has not ended; redact it when it has")
    texts: dict[int, str] = {}
    rows: dict[int, RedactedRow] = {}
    bodies: dict[int, Json] = {}
    taken: list[Json] = []
    for record in records:
        body = decode_body(record.text)
        try:
            what = _take(record.type, body, cell, taken)
        except (LookupError, TypeError) as cause:
            raise JournalError(f"run `{run_id}` row {record.seq}: cannot be read; run `interlock verify`") from cause
        bodies[record.seq] = body
        if what:
            texts[record.seq] = encode_body(body)
            rows[record.seq] = _row(record, texts[record.seq], what, by)
    if not texts:
        raise JournalError(f"run `{run_id}`: no record holds cell `{cell}`, or it was taken out before")
    return Redaction(
        texts=texts,
        body=redacted_body(rows, cell=cell, by=by),
        rows=tuple(rows.values()),
        remaining=tuple(_remaining(bodies, taken)),
    )


def _row(record: Record, text: str, what: Sequence[str], by: str) -> RedactedRow:
    return RedactedRow(
        seq=record.seq, hash=record.hash, content=content_hash(record, text), what=tuple(what), by=by, told_by=0
    )


def _take(kind: EventType, body: dict[str, Any], cell: str, taken: list[Json]) -> list[str]:
    """Take the cell out of one body, put its values into `taken`, and return the parts that it stood in."""
    places = _frame_places(body, cell) if kind == "decision" else ()
    if kind in ("judge_request", "judge_reply"):
        places = _request_places(body, cell)
    elsewhere = _ELSEWHERE.get(cell, {}).get(kind, ())
    what: list[str] = []
    for name, holder, key in (*places, *((key, body, key) for key in elsewhere)):
        value = holder.get(key)
        if value is not None and value != REDACTED:
            taken.append(value)
            holder[key] = REDACTED
            what.append(name)
    return what


def _frame_places(body: dict[str, Any], cell: str) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield where a decision holds the cell: name, the object that holds it, and its key in it."""
    frame, cells = body.get("frame"), body.get("cells")
    if isinstance(frame, dict):
        for entry in frame["fields"]:
            if entry["cell"] == cell and entry["status"] in SHOWN:
                home = frame["state"][UNTRUSTED] if entry["provenance"] == "tool" else frame["state"]
                yield f"frame.{entry['key']}", home, entry["key"]
    if isinstance(cells, dict) and cell in cells:
        yield f"cells.{cell}", cells, cell


def _request_places(body: dict[str, Any], cell: str) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield where the record of a request holds the cell."""
    fields = body.get("fields")
    for key, source in fields.items() if isinstance(fields, dict) else ():
        if source == cell:
            state = body["state"]
            yield f"state.{key}", state if key in state else state[UNTRUSTED], key


def _remaining(bodies: Mapping[int, Json], taken: Sequence[Json]) -> Iterator[int]:
    """Yield the rows in which something that was taken out still stands."""
    sought = {piece for value in taken for leaf in _leaves(value) if (piece := _piece(leaf)) is not None}
    for seq, body in bodies.items():
        leaves = list(_leaves(body))
        if any(piece in leaf for piece in sought for leaf in leaves):
            yield seq


def _piece(leaf: str) -> str | None:
    piece = leaf.removesuffix(ELLIPSIS).strip()
    return piece if len(piece) >= _SHORTEST else None


def _leaves(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from _leaves(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _leaves(item)
