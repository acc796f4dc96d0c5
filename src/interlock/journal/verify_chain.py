"""Whether the rows of one run are the ones that were written: each hash, each link, each number, and the head.

Pure; knows nothing of what the rows say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from interlock.journal.base import JournalView
from interlock.journal.chain import GENESIS, Head
from interlock.journal.records import Row
from interlock.journal.redactions import RedactedRow, content_hash, redactions

__all__ = ["ChainWalk", "chain_problem"]


@dataclass(slots=True, kw_only=True)
class ChainWalk:
    """Follows the rows of one run in the order of their numbers; what is wrong is said row by row."""

    redacted: Mapping[int, RedactedRow] = field(default_factory=dict)
    """Row → what was taken out of it, as the run's own records say."""
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
        if row.hash != content_hash(row, row.body) and not self.was_redacted(row):
            found.append("was changed: its hash is not that of its content")
        self.last = row
        return found

    def was_redacted(self, row: Row) -> bool:
        """Tell whether `row` reads as a later record of the run says that it does since something was taken out."""
        known = self.redacted.get(row.seq)
        return known is not None and (known.hash, known.content) == (row.hash, content_hash(row, row.body))

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


def chain_problem(view: JournalView, run_id: str) -> str | None:
    """Return the first thing that is wrong with the chain of a run, the row named; None when it holds."""
    walk = ChainWalk(redacted=redactions(view, run_id))
    for row in view.rows(run_id):
        for problem in walk.follow(row):
            return f"row {row.seq} {problem}"
    return next(iter(walk.end(view.head(run_id))), None)


def _misplaced(seq: int, expected: int) -> str:
    if seq < expected:
        return "stands where it does not belong: its number was changed, or it is a copy"
    return f"{_rows(expected, seq - 1)} missing before it"


def _rows(first: int, last: int) -> str:
    return f"row {first} is" if first == last else f"rows {first} to {last} are"
