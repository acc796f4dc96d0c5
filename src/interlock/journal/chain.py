"""How rows of one run are tied together: each hash covers the previous hash and the whole row.

Pure; knows nothing of stores.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from interlock.errors import HeadMovedError, JournalError
from interlock.journal.records import Body, EventType, Record

__all__ = ["GENESIS", "LEDGER", "Head", "link", "require_head", "require_new", "require_run_id", "row_hash"]

GENESIS = "0" * 64
"""The `prev_hash` of the first row of every run."""

LEDGER = "pruned-runs"
"""The run whose records say which runs were deleted; it is none itself."""

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The last row of a run."""

    seq: int
    hash: str


def row_hash(*, prev_hash: str, run_id: str, seq: int, ts: str, type: str, body: str) -> str:  # noqa: A002 -- a column
    """Return the SHA-256, in hex, over the six values joined by line feeds, in UTF-8.

    Only the last one may be long, and none holds a line feed, so two rows never join to the same bytes.
    """
    joined = f"{prev_hash}\n{run_id}\n{seq}\n{ts}\n{type}\n{body}"
    return hashlib.sha256(joined.encode("utf-8", "surrogateescape")).hexdigest()


def link(head: Head | None, *, run_id: str, ts: str, kind: EventType, body: Body, text: str) -> Record:
    """Return the record that follows `head`; None starts the chain of a run. `text` is the body's JSON.

    Raises:
        JournalError: the run id is not one word.
    """
    require_run_id(run_id)
    seq = 1 if head is None else head.seq + 1
    prev_hash = GENESIS if head is None else head.hash
    return Record(
        run_id=run_id,
        seq=seq,
        ts=ts,
        type=kind,
        body=body,
        text=text,
        prev_hash=prev_hash,
        hash=row_hash(prev_hash=prev_hash, run_id=run_id, seq=seq, ts=ts, type=kind, body=text),
    )


def require_head(expected: Head | None, head: Head | None, *, run_id: str) -> None:
    """Refuse to append when the run's last record is not the expected one; None expects nothing.

    Raises:
        HeadMovedError: it is another one.
    """
    if expected is not None and expected != head:
        at = "has no record" if head is None else f"is at record {head.seq}"
        raise HeadMovedError(f"run `{run_id}`: {at}, not at record {expected.seq}: another process appended first")


def require_new(first: Record, head: Head | None) -> None:
    """Refuse to restore a run of which there are records; `first` is its first record.

    Raises:
        JournalError: there are.
    """
    require_run_id(first.run_id)
    if head is not None:
        raise JournalError(f"run `{first.run_id}`: is in the journal already; it was not restored")


def require_run_id(run_id: str) -> None:
    """Refuse a run id that is not one word.

    Raises:
        JournalError: it is not.
    """
    if _RUN_ID.fullmatch(run_id) is None:
        raise JournalError(f"run id `{run_id}`: is not one word; write letters, digits, `.`, `_` and `-`, at most 128")
