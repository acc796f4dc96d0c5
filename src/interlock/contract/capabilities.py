"""What a host declares that a contract may use; plain data, readable as JSON.

Source: decision-contract/v1, compile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from interlock.frame.spec import CellType, FrameSpec, Provenance
from interlock.questions import Json

__all__ = ["Capabilities", "Cell", "FloorSpec", "ProjectionSpec", "ProviderSpec"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One piece of a host's state."""

    type: CellType
    provenance: Provenance
    extension: bool = False
    """True: completeness applies only in files that name the cell anywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectionSpec:
    """What a projection reads and what it promises."""

    cell: str
    shape: CellType
    default: Json = None
    """Shown when there is nothing to show; ignored when `absent` is true. None: no promise is made."""
    absent: bool = False
    """True: the field does not apply when there is nothing to show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSpec:
    """A candidate provider: the cells it reads and the name of what it gives."""

    reads: tuple[str, ...]
    output: str = "candidates"


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorSpec:
    """A projection that bounds a score from below, and the bound when that projection is absent."""

    projection: str
    absent: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """A host's whole declaration; every mapping is by name, in declaration order."""

    cells: Mapping[str, Cell]
    projections: Mapping[str, ProjectionSpec] = field(default_factory=dict)
    providers: Mapping[str, ProviderSpec] = field(default_factory=dict)
    positions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Position → the actions it handles, `escalate` not listed (it is handled everywhere)."""
    rules: tuple[str, ...] = ()
    """Ids of `kind: rule` decisions that the host's code answers."""
    safe_defaults: Mapping[str, str] = field(default_factory=dict)
    """Decision id → the action taken in modes `shadow` and `off`."""
    floors: Mapping[str, FloorSpec] = field(default_factory=dict)
    """`decision.question` → its floor."""
    frames: Mapping[str, FrameSpec] = field(default_factory=dict)
    """Decision id → the frame used when the file gives none."""
