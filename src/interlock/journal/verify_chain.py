"""Whether the rows of one run are the ones that were written: each hash, each link, each number, and the head.

Pure; knows nothing of what the rows say.
"""

from __future__ import annotations

from dataclasses import dataclass

from interlock.journal.chain import GENESIS, Head, row_hash
from interlock.journal.records import Row

__all__ = ["ChainWalk"]


@dataclass(slots=True, kw_only=True)
class ChainWalk:
    """Follows the rows of one run in the order of their numbers; what is wrong is said row by row."""

    last: Row | None = None
    """The row before, as stored."""

    def follow(self, row: Row) -> list[str]:
        """Return what is wrong with `row` where it stands."""
        found: list[str] = []
        expected = 1 if self.last is None else self.last.seq + 1
        if row.seq != expected:
            found.append(_misplaced(row.seq, expected))
        elif row.prev_hash != (GENESIS if self.last is None else self.last.hash):
            found.append("does not follow from the row before: one of the two was changed")
        if row.hash != _recomputed(row):
            found.append("was changed: its hash is not that of its content")
        self.last = row
        return found

    def end(self, head: Head | None) -> list[str]:
        """Return what is wrong between the last row and the run's head."""
        if head is None:
            return ["the head is missing: it was deleted, and the end of the run cannot be trusted"]
        seq = 0 if self.last is None else self.last.seq
        if head.seq > seq:
            return [f"the end was cut off: {_rows(seq + 1, head.seq)} missing"]
        if self.last is None:
            return ["the head names no row"]
        if head.seq < seq:
            return [f"the head names row {head.seq}, but the last is row {seq}"]
        if head.hash != self.last.hash:
            return [f"the head does not name row {seq} as it stands: one of the two was changed"]
        return []


def _recomputed(row: Row) -> str:
    return row_hash(prev_hash=row.prev_hash, run_id=row.run_id, seq=row.seq, ts=row.ts, type=row.type, body=row.body)


def _misplaced(seq: int, expected: int) -> str:
    if seq < expected:
        return "stands where it does not belong: its number was changed, or it is a copy"
    return f"{_rows(expected, seq - 1)} missing before it"


def _rows(first: int, last: int) -> str:
    return f"row {first} is" if first == last else f"rows {first} to {last} are"
