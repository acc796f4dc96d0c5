"""Which fields of a built frame are gaps, and how a gap is named.

Source: decision-contract/v1, gaps fail loudly.
"""

from __future__ import annotations

from interlock.frame.spec import Frame, FrameEntry

__all__ = ["gaps", "is_gap"]


def gaps(frame: Frame) -> tuple[str, ...]:
    """Return `key: status` of every gap, in declaration order."""
    return tuple(f"{entry.key}: {entry.status}" for entry in frame.entries if is_gap(entry))


def is_gap(entry: FrameEntry) -> bool:
    """Return True where the judge would miss what it was meant to see.

    An empty field is a gap only where a tool was to fill it; an absent one never is.
    """
    if entry.status in ("unfilled", "wrong_type"):
        return True
    return entry.status == "empty" and entry.provenance == "tool"
