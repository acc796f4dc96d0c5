"""Whole numbers in addresses: of a page, a record, a report."""

from __future__ import annotations

__all__ = ["whole_in"]

_MOST_DIGITS = 15
"""More are no number of anything here, and would not fit where numbers are kept."""


def whole_in(text: str) -> int | None:
    """Return the number that `text` writes in ASCII digits; None when it writes none, or one that nothing has."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None
