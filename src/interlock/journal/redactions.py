"""What was redacted in a run, as its `redacted` records tell: which rows, what of them, and how they read since.

Pure over a view. A redacted row keeps its hash, which its content no longer has; the record, which stands later in
the same chain, names the hash that its content has now.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from interlock.errors import JournalError
from interlock.journal.base import JournalView
from interlock.journal.chain import row_hash
from interlock.journal.fields import objects, text, texts, whole
from interlock.journal.records import Body, Record, Row, read_row
from interlock.questions import Json

__all__ = ["REDACTED", "RedactedRow", "content_hash", "redacted_body", "redactions"]

REDACTED = "[redacted]"
"""Stands where something was taken out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactedRow:
    """One row out of which something was taken."""

    seq: int
    hash: str
    """The hash that was given to it when it was written; it stays."""
    content: str
    """The hash of the row as it reads since."""
    what: tuple[str, ...]
    """The parts that were taken out, such as `frame.task`."""
    by: str
    told_by: int
    """The row that says so; 0 while it is not written."""


def redactions(view: JournalView, run_id: str) -> dict[int, RedactedRow]:
    """Return row → what was last taken out of it; a record that cannot be read tells nothing."""
    found: dict[int, RedactedRow] = {}
    for row in view.rows(run_id, ["redacted"]):
        try:
            found |= _told(read_row(row))
        except JournalError:  # `verify` names it
            continue
    return found


def redacted_body(rows: Mapping[int, RedactedRow], *, cell: str, by: str) -> dict[str, Json]:
    """Return the body of `redacted`: the cell, who took it out, and every row that it was taken out of."""
    return {
        "cell": cell,
        "by": by,
        "rows": [
            {"seq": row.seq, "hash": row.hash, "content": row.content, "what": list(row.what)} for row in rows.values()
        ],
    }


def content_hash(row: Row | Record, body: str) -> str:
    """Return the hash that a row would have with another body."""
    return row_hash(prev_hash=row.prev_hash, run_id=row.run_id, seq=row.seq, ts=row.ts, type=row.type, body=body)


def _told(record: Record) -> dict[int, RedactedRow]:
    by = text(record.body, "by")
    return {whole(row, "seq"): _row(row, by, record.seq) for row in objects(record.body, "rows")}


def _row(row: Body, by: str, told_by: int) -> RedactedRow:
    return RedactedRow(
        seq=whole(row, "seq"),
        hash=text(row, "hash"),
        content=text(row, "content"),
        what=texts(row, "what"),
        by=by,
        told_by=told_by,
    )
