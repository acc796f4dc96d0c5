"""What a reader of a contract is told: a place, a stable code, what is wrong, what would be right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from interlock._text import nearest

__all__ = ["Diagnostic", "Edit", "Layer", "Severity", "Span", "did_you_mean", "render"]

Severity: TypeAlias = Literal["error", "warning", "info"]
Layer: TypeAlias = Literal["syntax", "policy", "frame", "schema", "function"]
"""What a finding is about: four layers of a contract, or a function that a model is offered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A place in a file; lines and columns are 1-based, columns count characters, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A change of text that is safe to apply without asking: it replaces `span` by `text`."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One finding."""

    code: str
    severity: Severity
    layer: Layer
    decision: str | None
    """The decision it belongs to; None for the file as a whole."""
    span: Span
    message: str
    fix: str | None
    """What would be right, in words; None when the message already says it."""
    edit: Edit | None = None
    """The safe fix that `check --fix` applies; None when a person must choose."""


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Return the fix for an unknown `name`: the nearest known one, else the whole list."""
    near = nearest(name, known)
    if near is not None:
        return f"did you mean `{near}`?"
    if not known:
        return "none is declared"
    return "write one of: " + ", ".join(f"`{item}`" for item in known)


def render(found: Iterable[Diagnostic], file: str) -> str:
    """Return the findings as a compiler prints them, one per line, empty text for none."""
    return "\n".join(_line(item, file) for item in found)


def _line(item: Diagnostic, file: str) -> str:
    mark = "" if item.severity == "error" else f"{item.severity}: "
    tail = f"; {item.fix}" if item.fix else ""
    return f"{file}:{item.span.line}:{item.span.column}: {mark}{item.code}: {item.message}{tail}"
