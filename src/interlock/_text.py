"""Small operations on text that several floors share."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["ELLIPSIS", "clip", "fold", "nearest"]

ELLIPSIS = "…"


def clip(text: str, bound: int) -> str:
    """Return at most `bound` characters of `text`, head first, the ellipsis inside the bound."""
    if len(text) <= bound:
        return text
    return text[: bound - 1] + ELLIPSIS


def fold(text: str) -> str:
    """Return the form in which two look-alike names are equal: NFC, case and space folded."""
    composed = text if text.isascii() else unicodedata.normalize("NFC", text)
    return " ".join(composed.casefold().split())


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name closest to `name`, or None when none is close."""
    near = get_close_matches(name, list(known), n=1)
    return near[0] if near else None
