"""What a decision may see: declared, bounded, with provenance, and built from a host's state."""

from interlock.frame.build import SHOWN, UNTRUSTED, build_frame, sent_state
from interlock.frame.digest import frame_digest, interchange_digest
from interlock.frame.gaps import gaps, is_gap
from interlock.frame.spec import (
    CellType,
    Exclusion,
    FieldStatus,
    Frame,
    FrameEntry,
    FrameField,
    FrameSpec,
    Project,
    Provenance,
    StateView,
)

__all__ = [
    "SHOWN",
    "UNTRUSTED",
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
    "build_frame",
    "frame_digest",
    "gaps",
    "interchange_digest",
    "is_gap",
    "sent_state",
]
