"""What a draft quotes: whole lines, quoted pieces, and lines cited as `PATH:LINE`.

Pure: knows nothing of the disk; what is quoted is compared elsewhere.
Source: reference loop specification, host-checked facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Quote", "quotes"]

MIN_LINE_CHARS = 4
MIN_PIECE_CHARS = 8
_PIECES = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|“([^”\n]+)”|「([^」\n]+)」|『([^』\n]+)』")
_LEAD = re.compile(r"(?:[>*+|•-]\s+|\d{1,3}[.)]\s+)*")
_AFTER_CITATION = re.compile(r":(\d{1,7})(?!\d)(\s?[:：])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """One quotation."""

    texts: tuple[str, ...]
    """Without surrounding space: readings of one text, or the pieces that all stand on a cited line."""
    exact: bool = False
    """True when a text is a whole line, False when it is a part of one."""
    every: bool = False
    """True when all of `texts` are quoted, False when one of them is."""
    path: str | None = None
    """The file that the draft cites; None when it cites none."""
    line: int | None = None
    """From 1; set exactly when `path` is."""


def quotes(draft: str, paths: Sequence[str]) -> tuple[Quote, ...]:
    """Return what a draft quotes, in order; a citation counts when it names one of `paths`."""
    found: list[Quote] = []
    for raw in draft.splitlines():
        line = raw.strip()
        found.extend(_cited(line, paths) or _uncited(line))
    return tuple(found)


def _cited(line: str, paths: Sequence[str]) -> list[Quote]:
    """Return what a line quotes from a place: `PATH:LINE: TEXT`, or pieces in quotation marks beside `PATH:LINE`."""
    lead = _end_of_lead(line)
    found: list[Quote] = []
    for path, at, after in _citations(line, paths):
        rest = line[after.end() :].strip()
        cited = int(after[1])
        if at == lead and after[2] and rest:
            found.append(Quote(texts=(rest, rest.strip("…").strip(), _unwrapped(rest)), path=path, line=cited))
        elif pieces := tuple(piece for piece in _pieces(line) if path not in piece):
            found.append(Quote(texts=pieces, every=True, path=path, line=cited))
    return found


def _citations(line: str, paths: Sequence[str]) -> Iterator[tuple[str, int, re.Match[str]]]:
    """Give each `PATH:LINE` of a line: the path, where it begins, and the match after it."""
    for path in paths:
        at = line.find(f"{path}:")
        while at >= 0:
            after = _AFTER_CITATION.match(line, at + len(path))
            if after is not None and not (at > 0 and (line[at - 1].isalnum() or line[at - 1] in "/._-")):
                yield path, at, after
            at = line.find(f"{path}:", at + 1)


def _uncited(line: str) -> list[Quote]:
    bare = line[_end_of_lead(line) :]
    readings = tuple(text for text in (line, bare, _unwrapped(bare)) if _worth(text, MIN_LINE_CHARS))
    whole = [Quote(texts=readings, exact=True)] if readings else []
    return whole + [Quote(texts=(piece,)) for piece in _pieces(line) if _worth(piece, MIN_PIECE_CHARS)]


def _end_of_lead(line: str) -> int:
    lead = _LEAD.match(line)
    return 0 if lead is None else lead.end()


def _pieces(line: str) -> list[str]:
    return [next(group for group in match.groups() if group is not None).strip() for match in _PIECES.finditer(line)]


def _unwrapped(text: str) -> str:
    """Return a text without the quotation marks around the whole of it."""
    match = _PIECES.fullmatch(text)
    return text if match is None else next(group for group in match.groups() if group is not None).strip()


def _worth(text: str, least: int) -> bool:
    return len(text) >= least and any(character.isalnum() for character in text)
