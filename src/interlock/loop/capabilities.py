"""What the reference host declares: its cells, projections, providers, positions, safe defaults and floors.

Data only; the functions behind the names stand in the modules that own them.
Source: reference loop specification, state cells and projections.
"""

from __future__ import annotations

from interlock.actions.meaning import POSITIONS
from interlock.contract.capabilities import Capabilities, Cell, FloorSpec, ProjectionSpec, ProviderSpec

__all__ = ["REFERENCE"]

REFERENCE = Capabilities(
    cells={
        "task": Cell(type="text", provenance="caller"),
        "earlier": Cell(type="text", provenance="caller"),
        "cwd": Cell(type="text", provenance="host"),
        "canWrite": Cell(type="bool", provenance="host"),
        "canDelete": Cell(type="bool", provenance="host"),
        "files": Cell(type="list", provenance="tool"),
        "readFiles": Cell(type="list", provenance="tool"),
        "history": Cell(type="list", provenance="tool"),
        "lastTool": Cell(type="text", provenance="host"),
        "lastResult": Cell(type="text", provenance="tool"),
        "draft": Cell(type="text", provenance="model"),
        "facts": Cell(type="list", provenance="host", extension=True),
    },
    projections={
        "earlierMaybe": ProjectionSpec(cell="earlier", shape="text", default=""),
        "resultMaybe": ProjectionSpec(cell="lastResult", shape="text", default=""),
        "draftMaybe": ProjectionSpec(cell="draft", shape="text", default=""),
        "toolOrEmpty": ProjectionSpec(cell="lastTool", shape="text", default=""),
        "filesMaybe": ProjectionSpec(cell="files", shape="list", default=()),
        "readMaybe": ProjectionSpec(cell="readFiles", shape="list", default=()),
        "lastOrNone": ProjectionSpec(cell="lastResult", shape="text", default="none yet"),
        "toolOrUnknown": ProjectionSpec(cell="lastTool", shape="text", default="unknown"),
        "describeDone": ProjectionSpec(cell="history", shape="text", default="nothing yet"),
        "lastInput": ProjectionSpec(cell="history", shape="text", default=""),
        "readCount": ProjectionSpec(cell="readFiles", shape="number", default=0),
        "recentSteps": ProjectionSpec(cell="history", shape="list", default=()),
        "writeEvidence": ProjectionSpec(cell="history", shape="text", default="no tool was called"),
        "localToolRisk": ProjectionSpec(cell="lastTool", shape="number", absent=True),
        "hostFacts": ProjectionSpec(cell="facts", shape="list", default=()),
    },
    providers={
        "toolsFor": ProviderSpec(reads=("history", "files", "readFiles", "canWrite", "canDelete")),
        "fileOptions": ProviderSpec(reads=("files", "readFiles")),
    },
    positions=POSITIONS,
    safe_defaults={
        "needs_tool": "use_tool",
        "grade_risk": "ask_human",
        "step_ok": "continue",
        "is_done": "keep_going",
        "can_deliver": "escalate",
    },
    floors={"grade_risk.risk": FloorSpec(projection="localToolRisk", absent=2)},
)
"""The reference host's declaration; it answers no `kind: rule` decision and brings no frames of its own."""
