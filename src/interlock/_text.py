"""Small operations on text that several floors share."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "ELLIPSIS",
    "clip",
    "columns",
    "first_paragraph",
    "fold",
    "has_control",
    "nearest",
    "plain_number",
    "visible",
]

ELLIPSIS = "…"
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0d\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
"""What Unicode calls ignorable by default, where no category says so, and the empty pattern of braille."""
_FIRST_UNSEEN = "\u034f"
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def clip(text: str, bound: int) -> str:
    """Return at most `bound` characters of `text`, head first, the ellipsis inside the bound."""
    if len(text) <= bound:
        return text
    return text[: bound - 1] + ELLIPSIS


def columns(text: str) -> int:
    """Return how many columns `text` takes on a terminal: a wide character takes two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def first_paragraph(text: str) -> str:
    """Return the text up to its first blank line, as one line."""
    lines: list[str] = []
    for line in text.strip().splitlines():
        if not line.strip():
            break
        lines.append(line.strip())
    return " ".join(lines)


def fold(text: str) -> str:
    """Return the form in which two look-alike names are equal: NFC, case and space folded."""
    composed = text if text.isascii() else unicodedata.normalize("NFC", text)
    return " ".join(composed.casefold().split())


def has_control(text: str) -> bool:
    """True when `text` holds a control character, a line or paragraph separator, or half of a character."""
    return any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in text)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name closest to `name`, or None when none is close."""
    near = get_close_matches(name, list(known), n=1)
    return near[0] if near else None


def plain_number(text: str) -> float | None:
    """Return the number that `text` spells with ASCII digits, or None when it spells no finite one.

    Python's own reading of a number also takes other scripts' digits and `1_0` for ten.
    """
    number = float(text) if _NUMBER.fullmatch(text) is not None else math.inf
    return number if math.isfinite(number) else None


def visible(text: str) -> str:
    """Return `text` with control, formatting and unseen characters written as escapes; line ends and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(character if _is_harmless(character) else _escaped(character) for character in text)


def _is_harmless(character: str) -> bool:
    if character in "\n\t":
        return True
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") and not _is_unseen(character)


def _is_unseen(character: str) -> bool:
    """True for a letter or mark that nothing is drawn for; what chooses between two forms of an emoji is none."""
    return character >= _FIRST_UNSEEN and _UNSEEN.match(character) is not None


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
