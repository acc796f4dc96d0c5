"""How large the fields of recorded frames were before they were cut."""

from __future__ import annotations

import math

from interlock.frame.spec import FrameEntry
from interlock.journal.decision_read import read_decision
from interlock.journal.place import read_journal
from interlock.journal.records import decode_body

__all__ = ["field_sizes"]


def field_sizes(place: str) -> dict[tuple[str, str], int]:
    """Return, for each decision and field, the size that 95 of 100 recorded values do not exceed.

    Characters for text, items for lists; other fields have no size.

    Raises:
        JournalError: there is no journal at this place, or a decision in it cannot be read.
    """
    seen: dict[tuple[str, str], list[int]] = {}
    with read_journal(place) as journal:
        for run_id in journal.run_ids():
            for row in journal.rows(run_id, ("decision",)):
                result = read_decision(decode_body(row.body)).result
                for entry in () if result.frame is None else result.frame.entries:
                    size = _size(entry)
                    if size is not None:
                        seen.setdefault((result.decision, entry.key), []).append(size)
    return {name: sorted(sizes)[math.ceil(0.95 * len(sizes)) - 1] for name, sizes in seen.items()}


def _size(entry: FrameEntry) -> int | None:
    if entry.truncated is not None:
        return entry.truncated[0]
    return len(entry.value) if isinstance(entry.value, str | list | tuple) else None
