"""The lines of the evidence, each with its place on disk as far as the evidence tells it.

Pure: knows nothing of writers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from interlock.loop.writer import Evidence
from interlock.tools.base import Effect
from interlock.tools.execute import TOOL_ERROR
from interlock.tools.table import reference_table
from interlock.tools.text import EMPTY, is_note

__all__ = ["EFFECTS", "Passage", "failed", "listed", "passages", "whole_text"]

EFFECTS: dict[str, Effect] = {name: tool.effect for name, tool in reference_table().items()}
"""Effects of the reference tools by name."""

_HIT = re.compile(r"(?P<path>[^\s:][^:\n]*):(?P<line>\d+): (?P<text>.*)")
_HEADING = re.compile(r"^\s*(?:#+ |[\w\"'.-]+:\s*$|\[[\w\".-]+\]\s*$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One line of evidence."""

    path: str | None
    """The file it stands in; None for what another tool returned."""
    line: int | None
    """1-based; None where a cut hides how many lines come before."""
    text: str
    context: str
    """What it belongs to: the file's name, the headings and keys above it."""

    @property
    def quote(self) -> str:
        """The line as quoted, with its place when it has one."""
        shown = self.text.strip()
        return f"{self.path}:{self.line}: {shown}" if self.path is not None and self.line is not None else f"> {shown}"


def passages(evidence: Sequence[Evidence]) -> tuple[Passage, ...]:
    """Return the lines that were read, found or returned, in order; each place once."""
    found: dict[tuple[str | None, object, str], Passage] = {}
    for piece in evidence:
        for passage in _of(piece):
            found.setdefault((passage.path, passage.line, passage.text), passage)
    return tuple(found.values())


def whole_text(evidence: Sequence[Evidence], path: str) -> str | None:
    """Return the text of a file that was read without a cut; None when it was not."""
    for piece in reversed(evidence):
        if _reads(piece) and piece.input == path and not piece.dropped_chars and not _notes(piece.result):
            return piece.result
    return None


def listed(evidence: Sequence[Evidence]) -> tuple[str, ...] | None:
    """Return the paths of the newest listing; None when nothing was listed."""
    for piece in reversed(evidence):
        if EFFECTS.get(piece.tool) == "list" and not failed(piece):
            return tuple(line for line in piece.result.split("\n") if line and line != EMPTY and not is_note(line))
    return None


def failed(piece: Evidence) -> bool:
    """Return True when the step reports a failure."""
    return piece.result.startswith(TOOL_ERROR)


def _of(piece: Evidence) -> list[Passage]:
    effect = EFFECTS.get(piece.tool)
    if failed(piece) or piece.result.strip() == EMPTY or effect in {"list", "write", "move", "delete"}:
        return []
    if effect == "search":
        return [_hit(match) for match in map(_HIT.fullmatch, piece.result.split("\n")) if match]
    if effect == "read":
        return _lines(piece.result, piece.input)
    return [
        Passage(path=None, line=None, text=line, context=f"{piece.tool} {piece.input}")
        for line in piece.result.split("\n")
        if line.strip()
    ]


def _hit(match: re.Match[str]) -> Passage:
    return Passage(path=match["path"], line=int(match["line"]), text=match["text"], context=match["path"])


def _lines(text: str, path: str) -> list[Passage]:
    found = []
    above: list[tuple[int, str]] = []
    counted = True
    for number, line in enumerate(text.split("\n"), start=1):
        if is_note(line):
            counted = False
            continue
        if not line.strip():
            continue
        depth = len(line) - len(line.lstrip())
        above = [(level, title) for level, title in above if level < depth or title.startswith("#")]
        context = " ".join([path, *(title for _, title in above[-3:])])
        found.append(Passage(path=path, line=number if counted else None, text=line, context=context))
        if _HEADING.match(line):
            kept = [
                (level, title)
                for level, title in above
                if (not line.startswith("#") and level < depth) or (title.startswith("#") and not line.startswith("#"))
            ]
            above = [*kept, (depth, line.strip())]
    return found


def _reads(piece: Evidence) -> bool:
    return EFFECTS.get(piece.tool) == "read" and not failed(piece)


def _notes(text: str) -> bool:
    return any(is_note(line) for line in text.split("\n"))
