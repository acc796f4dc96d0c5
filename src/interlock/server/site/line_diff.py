"""The difference of two texts, line by line, as a person reads it.

Pure; where a comparison would take long the old lines go and the new ones come, and what is not shown is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

from interlock._text import visible

__all__ = ["DiffLine", "Difference", "Sign", "beginning", "difference"]

Sign: TypeAlias = Literal["+", "-", " ", "@"]
"""Added, removed, the same; and where a piece begins, the text says at which line."""

_CONTEXT = 3
_MAX_COMPARED = 1_000
"""Lines of either text between what is the same at both ends; more are not compared one by one."""
_MAX_SHOWN = 400
_MAX_COLUMNS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """One line of a difference; nothing in it can steer how it is shown."""

    sign: Sign
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How one text becomes another; without lines when they are equal."""

    lines: tuple[DiffLine, ...]
    more: int
    """Lines that are not shown."""
    added: int
    removed: int


def difference(old: str, new: str) -> Difference:
    """Return how `old` becomes `new`."""
    found = list(_lines(_split(old), _split(new)))
    return Difference(
        lines=tuple(found[:_MAX_SHOWN]),
        more=max(0, len(found) - _MAX_SHOWN),
        added=sum(line.sign == "+" for line in found),
        removed=sum(line.sign == "-" for line in found),
    )


def beginning(text: str, most: int, *, sign: Sign = " ") -> tuple[tuple[DiffLine, ...], int]:
    """Return the first lines of a text, and how many there are besides."""
    lines = _split(text)
    return tuple(DiffLine(sign=sign, text=_shown(line)) for line in lines[:most]), max(0, len(lines) - most)


def _split(text: str) -> list[str]:
    """Return the lines with what ends them; a carriage return is part of its line."""
    *ended, last = text.split("\n")
    lines = [f"{line}\n" for line in ended]
    return [*lines, last] if last else lines


def _lines(before: Sequence[str], after: Sequence[str]) -> Iterator[DiffLine]:
    if before == after:
        return
    start = max(0, _same(before, after) - _CONTEXT)
    shorter = min(len(before), len(after)) - start
    end = max(0, min(_same(before[::-1], after[::-1]), shorter) - _CONTEXT)
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    for group in _groups(old, new):
        yield DiffLine(sign="@", text=str(start + group[0][1] + 1))
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                yield from (DiffLine(sign=" ", text=_shown(line)) for line in old[old_from:old_to])
                continue
            yield from (DiffLine(sign="-", text=_shown(line)) for line in old[old_from:old_to])
            yield from (DiffLine(sign="+", text=_shown(line)) for line in new[new_from:new_to])


def _groups(old: Sequence[str], new: Sequence[str]) -> Sequence[Sequence[tuple[str, int, int, int, int]]]:
    if max(len(old), len(new)) > _MAX_COMPARED:
        return [[("replace", 0, len(old), 0, len(new))]]
    matcher = SequenceMatcher(None, old, new)
    return list(matcher.get_grouped_opcodes(_CONTEXT))


def _same(some: Sequence[str], others: Sequence[str]) -> int:
    """Return how many lines at the beginning are the same."""
    for at, (one, other) in enumerate(zip(some, others, strict=False)):
        if one != other:
            return at
    return min(len(some), len(others))


def _shown(line: str) -> str:
    text, ending, _ = line.partition("\n")
    more = len(text) - _MAX_COLUMNS
    cut = f"{text[:_MAX_COLUMNS]}[{more} more characters]" if more > 0 else text
    return visible(cut if ending else f"{cut}[no line end]")
