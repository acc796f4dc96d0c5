"""Any Python value as a person reads it: JSON, text as it is, records as a table; what is too long is cut.

Pure.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from interlock._text import visible
from interlock.agents.recorded import as_recorded
from interlock.questions import Json

__all__ = ["FIRST_CHARS", "MAX_CHARS", "Shown", "Text", "shown_of", "text_of"]

FIRST_CHARS = 1_500
"""What is longer is folded after so much."""
_FIRST_LINES = 30
MAX_CHARS = 100_000
"""What is longer is cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text that may be folded."""

    first: str
    """What is shown at once."""
    rest: str
    """What is folded away; empty when `first` is all."""
    cut: int
    """How many characters are not shown at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One value."""

    text: Text
    rows: tuple[tuple[str, Text], ...] = ()
    """The fields of a record; empty for anything else."""


def shown_of(value: object, *, as_table: bool = True) -> Shown:
    """Return what is shown of a value; `as_table`: the fields of a record one by one."""
    recorded = as_recorded(value)
    rows: tuple[tuple[str, Text], ...] = ()
    if as_table and isinstance(recorded, Mapping):
        rows = tuple((visible(name), text_of(item)) for name, item in recorded.items())
    return Shown(text=text_of(recorded), rows=rows)


def text_of(recorded: Json) -> Text:
    """Return a JSON value as text, control characters written as escapes."""
    whole = recorded if isinstance(recorded, str) else json.dumps(recorded, ensure_ascii=False, indent=2)
    kept = whole[:MAX_CHARS]
    lines = kept[:FIRST_CHARS].splitlines(keepends=True)
    first = "".join(lines[:_FIRST_LINES])
    return Text(
        first=visible(first),
        rest=visible(kept[len(first) :]),
        cut=len(whole) - len(kept),
    )
