"""Gathers what is wrong with a contract: a code from the table, a place in a line, words for its author.

Knows the place of a finding and the names that exist, not the rules that are checked.
"""

from __future__ import annotations

from collections.abc import Iterable

from interlock._text import clip
from interlock.contract.codes import code_of
from interlock.diagnostics import Diagnostic, Edit, Layer, Severity, Span, did_you_mean

__all__ = ["Findings", "quoted", "replace_in_line", "suggest"]

_QUOTE_CHARS = 60
_MOST_NAMES = 64


class Findings:
    """Diagnostics in the order found; reading never stops at the first one."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []
        self.decision: str | None = None
        """The decision that is being read; None outside of every one."""

    def add(
        self,
        code: str,
        line: int,
        column: int,
        width: int,
        message: str,
        *,
        fix: str | None = None,
        edit: Edit | None = None,
        severity: Severity | None = None,
    ) -> None:
        """Add one finding on `width` characters of a line; layer and usual severity come from the table of codes."""
        entry = code_of(code)
        self.found.append(
            Diagnostic(
                code=code,
                severity=severity or entry.severity,
                layer=entry.layer,
                decision=self.decision,
                span=Span(line=line, column=column, end_line=line, end_column=column + width),
                message=message,
                fix=fix,
                edit=edit,
            )
        )

    def has_errors(self) -> bool:
        """Say whether the file is wrong."""
        return any(item.severity == "error" for item in self.found)

    def keep_layer(self, layer: Layer) -> None:
        """Drop what other layers say, which means nothing in a file of another schema."""
        self.found = [item for item in self.found if item.layer == layer]

    def ordered(self) -> tuple[Diagnostic, ...]:
        """Return the findings by place in the file, those of one place in the order found."""
        return tuple(sorted(self.found, key=_place))


def quoted(text: str) -> str:
    """Return `text` in backticks, cut when it is long."""
    return f"`{clip(text, _QUOTE_CHARS)}`"


def suggest(name: str, known: Iterable[str]) -> str:
    """Return the fix for an unknown name; a host or file with very many names is not listed."""
    names = list(known)
    if len(names) > _MOST_NAMES or len(name) > _QUOTE_CHARS:
        return f"write one of the {len(names)} declared names"
    return did_you_mean(name, names)


def replace_in_line(line: int, column: int, width: int, text: str) -> Edit:
    """Return the edit that puts `text` in place of `width` characters of a line."""
    return Edit(span=Span(line=line, column=column, end_line=line, end_column=column + width), text=text)


def _place(item: Diagnostic) -> tuple[int, int]:
    return item.span.line, item.span.column
