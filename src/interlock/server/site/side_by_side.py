"""Two texts beside each other: lines that belong together on one row, and in a changed line the words that changed.

Pure; what is far from any change is left out, and how much is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

from interlock._text import visible

__all__ = ["Part", "Row", "RowKind", "Side", "Sides", "side_by_side"]

RowKind: TypeAlias = Literal["same", "changed", "removed", "added", "gap"]

_CONTEXT = 3
_MAX_LINES = 1_000
"""Of either text; longer ones are not compared line by line."""
_MAX_WORDS = 400
"""Of one line; in a longer one all of it counts as changed."""
_WORD = re.compile(r"[\u3400-\u9fff\u3040-\u30ff]|\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of a line."""

    text: str
    is_changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One line of one text."""

    number: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What stands beside each other."""

    kind: RowKind
    left: Side | None
    right: Side | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """How one text becomes another; without rows when they are equal."""

    rows: tuple[Row, ...]
    added: int
    removed: int
    left_out: int
    """Rows that are not shown because there are too many."""


def side_by_side(old: str, new: str) -> Sides:
    """Return both texts beside each other where they differ."""
    if old.endswith("\n") and new.endswith("\n"):
        old, new = old[:-1], new[:-1]
    before, after = old.split("\n"), new.split("\n")
    if before == after:
        return Sides(rows=(), added=0, removed=0, left_out=0)
    longest = max(len(before), len(after))
    if longest > _MAX_LINES:
        rows = tuple(_replaced(before[:_MAX_LINES], after[:_MAX_LINES], 0, 0))
        return Sides(rows=rows, added=len(after), removed=len(before), left_out=longest - _MAX_LINES)
    rows = tuple(_rows(before, after))
    return Sides(
        rows=rows,
        added=sum(row.kind in ("added", "changed") for row in rows),
        removed=sum(row.kind in ("removed", "changed") for row in rows),
        left_out=0,
    )


def _rows(before: Sequence[str], after: Sequence[str]) -> Iterator[Row]:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for at, group in enumerate(matcher.get_grouped_opcodes(_CONTEXT)):
        if at or group[0][1]:
            yield Row(kind="gap", left=None, right=None)
        for tag, old_from, old_to, new_from, new_to in group:
            old, new = before[old_from:old_to], after[new_from:new_to]
            yield from _same(old, old_from, new_from) if tag == "equal" else _replaced(old, new, old_from, new_from)


def _same(lines: Sequence[str], old_from: int, new_from: int) -> Iterator[Row]:
    for at, line in enumerate(lines):
        parts = (Part(text=visible(line), is_changed=False),)
        left, right = Side(number=old_from + at + 1, parts=parts), Side(number=new_from + at + 1, parts=parts)
        yield Row(kind="same", left=left, right=right)


def _replaced(old: Sequence[str], new: Sequence[str], old_from: int, new_from: int) -> Iterator[Row]:
    both = min(len(old), len(new))
    for at in range(both):
        was, now = _words(old[at], new[at])
        left, right = Side(number=old_from + at + 1, parts=was), Side(number=new_from + at + 1, parts=now)
        yield Row(kind="changed", left=left, right=right)
    for at, line in enumerate(old[both:], both):
        yield Row(kind="removed", left=Side(number=old_from + at + 1, parts=_whole(line)), right=None)
    for at, line in enumerate(new[both:], both):
        yield Row(kind="added", left=None, right=Side(number=new_from + at + 1, parts=_whole(line)))


def _whole(line: str) -> tuple[Part, ...]:
    return (Part(text=visible(line), is_changed=False),)


def _words(old: str, new: str) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Return both lines with the words marked in which they differ."""
    was, now = _WORD.findall(old), _WORD.findall(new)
    if max(len(was), len(now)) > _MAX_WORDS:
        return (Part(text=visible(old), is_changed=True),), (Part(text=visible(new), is_changed=True),)
    left: list[Part] = []
    right: list[Part] = []
    for tag, old_from, old_to, new_from, new_to in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        is_changed = tag != "equal"
        left += _part(was[old_from:old_to], is_changed=is_changed)
        right += _part(now[new_from:new_to], is_changed=is_changed)
    return tuple(left), tuple(right)


def _part(words: Sequence[str], *, is_changed: bool) -> list[Part]:
    return [Part(text=visible("".join(words)), is_changed=is_changed)] if words else []
