"""Applies the safe fixes that diagnostics carry.

Chooses nothing: a diagnostic without an edit needs a person.
Source: decision-contract/v1, compile.
"""

from __future__ import annotations

from collections.abc import Iterable

from interlock.contract.findings import Findings
from interlock.contract.syntax import scan
from interlock.diagnostics import Diagnostic, Edit

__all__ = ["apply_edits"]


def apply_edits(text: str, diagnostics: Iterable[Diagnostic]) -> str:
    """Return `text` with the edits of `diagnostics`, each within one line; of two that overlap the later one waits.

    Everything else stays byte for byte, line ends and byte order mark included.
    """
    source = scan(text, Findings())
    lines = list(source.lines)
    taken: dict[int, int] = {}
    for edit in sorted((item.edit for item in diagnostics if item.edit is not None), key=_place, reverse=True):
        span = edit.span
        if span.line > len(lines) or span.end_column - 1 > taken.get(span.line, len(lines[span.line - 1])):
            continue
        line = lines[span.line - 1]
        lines[span.line - 1] = line[: span.column - 1] + edit.text + line[span.end_column - 1 :]
        taken[span.line] = span.column - 1
    return source.text(lines)


def _place(edit: Edit) -> tuple[int, int]:
    return edit.span.line, edit.span.column
