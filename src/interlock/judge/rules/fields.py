"""Reads the fields of a frame as sent, whatever it holds; a field of another type reads as empty.

Knows nothing of questions or rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from interlock.frame.build import UNTRUSTED
from interlock.questions import Content, Json

__all__ = ["Fields", "read_fields"]

MAX_CHARS = 4_000
MAX_ITEMS = 200
"""What is read of one field; a frame's bounds are narrower."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """The fields of one frame by key, with those of tool provenance on the same level."""

    values: Mapping[str, Json]

    def has(self, key: str) -> bool:
        """Return True when the frame holds the field."""
        return key in self.values

    def text(self, key: str) -> str:
        """Return a text field; a list of texts as lines, anything else as the empty text."""
        value = self.values.get(key)
        if isinstance(value, str):
            return value[:MAX_CHARS]
        return "\n".join(self.items(key))[:MAX_CHARS]

    def items(self, key: str) -> tuple[str, ...]:
        """Return a list field's texts; a text that is not empty counts as a list of its one item."""
        value = self.values.get(key)
        if isinstance(value, str):
            return (value[:MAX_CHARS],) if value else ()
        if isinstance(value, Sequence):
            return tuple(item[:MAX_CHARS] for item in value[:MAX_ITEMS] if isinstance(item, str))
        return ()


def read_fields(frame_state: Content) -> Fields:
    """Return the fields of a frame; a state that is not an object has none."""
    if not isinstance(frame_state, Mapping):
        return Fields(values={})
    tool = frame_state.get(UNTRUSTED)
    values = {key: value for key, value in frame_state.items() if key != UNTRUSTED}
    if isinstance(tool, Mapping):
        values = {**tool, **values}
    return Fields(values=values)
