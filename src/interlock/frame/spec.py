"""What a decision may see: declared fields, bounds and exclusions, resolved against a host.

Knows nothing of judges, policies or the contract's text.
Source: decision-contract/v1, frame.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from interlock.questions import Json

__all__ = [
    "CellType",
    "Exclusion",
    "FieldStatus",
    "Frame",
    "FrameEntry",
    "FrameField",
    "FrameSpec",
    "Project",
    "Provenance",
    "StateView",
]

CellType: TypeAlias = Literal["text", "list", "number", "bool"]
Provenance: TypeAlias = Literal["host", "caller", "tool", "model"]
FieldStatus: TypeAlias = Literal["present", "empty", "unfilled", "absent", "wrong_type"]

Project: TypeAlias = Callable[[Any], object]
"""Reads the value of one cell, of the type its host gives it; returns None when there is nothing to show (the promise
then applies)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameField:
    """One `+ key bound [projection]` line; cell, type and provenance come from the host's registry."""

    key: str
    bound: int
    """Characters for text, items for a list, inert for numbers and booleans."""
    cell: str
    projection: str | None
    type: CellType
    """The type of what is shown: the projection's shape, or the cell's type."""
    provenance: Provenance
    default: Json
    """What the projection promises when there is nothing to show; meaningless without `has_default`."""
    has_default: bool
    may_be_absent: bool
    """True when the projection says that the field does not apply where there is nothing to show."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """One `- cell` line: what is deliberately not seen, and why."""

    cell: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameSpec:
    """The declared frame of one decision, fields and exclusions in declaration order."""

    fields: tuple[FrameField, ...]
    exclusions: tuple[Exclusion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StateView:
    """What a frame is built from: the host's cells, and the functions its projections name.

    A cell that is not a key was not supplied; a value of None counts as not supplied.
    """

    cells: Mapping[str, object]
    projections: Mapping[str, Project]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameEntry:
    """One field as built."""

    key: str
    value: Json
    """None unless the status is `present` or `empty`."""
    cell: str
    provenance: Provenance
    status: FieldStatus
    defaulted: bool
    truncated: tuple[int, int] | None
    """(size before, size after) in characters or items; None when nothing was cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What a judge is shown of one state."""

    decision: str
    entries: tuple[FrameEntry, ...]
    exclusions: tuple[Exclusion, ...]
    sent: Mapping[str, Json]
    """The state as sent: `present` and `empty` fields, those of provenance `caller` before the others, each in order;
    those of provenance `tool` are gathered under the one key `untrusted_tool_output`; values are never rewritten."""
    digest: str
    """16 hex characters of SHA-256 over the compact JSON of `[decision, [[key, value], …]]`."""
