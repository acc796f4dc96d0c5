"""What the loop knows between two events, and the cells that frames are built from.

Knows nothing of judges, clocks or files.
Source: reference loop specification, state cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from interlock.questions import Json
from interlock.tools.base import Tool, ToolTable

__all__ = ["PendingCall", "Phase", "State", "Step", "cells"]

Phase: TypeAlias = Literal[
    "start",
    "needs_tool",
    "pick_tool",
    "pick_input",
    "provide_input",
    "grade_risk",
    "human",
    "run_tool",
    "step_ok",
    "is_done",
    "generate",
    "check_facts",
    "can_deliver",
    "parked",
    "end",
]
"""What the loop waits for; the names of the decisions are their ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call of a tool; it is pending while `result` is None."""

    step: int
    tool: str
    input: str
    result: str | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingCall:
    """A picked tool on its way to being run."""

    tool: Tool
    arguments: Mapping[str, Json] | None = None
    """None until the input is known."""
    replaced: str | None = None
    """The `last_tool` before this one was picked; a call that does not run puts it back."""

    @property
    def input(self) -> str:
        """The step's input text; empty until the arguments are known."""
        return "" if self.arguments is None else self.tool.input_text(self.arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The loop's whole state; only `step` makes a new one."""

    task: str
    cwd: str
    tools: ToolTable
    can_write: bool = False
    can_delete: bool = False
    earlier: str = ""
    files: tuple[str, ...] | None = None
    """None until a listing has come back."""
    read_files: tuple[str, ...] = ()
    history: tuple[Step, ...] = ()
    last_tool: str | None = None
    last_result: str | None = None
    draft: str | None = None
    facts: tuple[str, ...] | None = None
    pending: PendingCall | None = None
    revisions: int = 0
    halt: str | None = None
    """Why the tool loop ended; None while it runs."""
    refused: str | None = None
    """The delivery gate's action when it refused the draft for good."""
    halt_reason: str | None = None
    """Why the tool loop was cut short; None when it ended because its work was done."""
    reason: str | None = None
    """Why the newest event came to what it did; None where nothing is to be explained."""
    waits_for: str | None = None
    """The id of the approval that a parked run waits for."""
    delivered: bool = False
    failed: bool = False
    """True when the run ended in an error."""
    phase: Phase = "start"

    @property
    def finished(self) -> tuple[Step, ...]:
        """The steps that have a result."""
        return tuple(step for step in self.history if step.result is not None)

    @property
    def explanation(self) -> str | None:
        """What kept the run from its end; None when nothing did."""
        parts = dict.fromkeys(part for part in (self.halt_reason, self.reason) if part is not None)
        return "; ".join(parts) or None

    @property
    def halt_name(self) -> str:
        """The halt as reported: `task_done`, or `task_done+revise` when delivery was refused."""
        base = self.halt or "cancelled"
        return base if self.refused is None else f"{base}+{self.refused}"


def cells(state: State) -> Mapping[str, object]:
    """Return the host's cells; a cell that is not known yet is not a key."""
    known: dict[str, object] = {
        "task": state.task,
        "cwd": state.cwd,
        "canWrite": state.can_write,
        "canDelete": state.can_delete,
        "readFiles": list(state.read_files),
        "history": [_row(step) for step in state.history],
    }
    later: dict[str, object | None] = {
        "earlier": state.earlier or None,
        "files": None if state.files is None else list(state.files),
        "lastTool": state.last_tool,
        "lastResult": state.last_result,
        "draft": state.draft,
        "facts": None if state.facts is None else list(state.facts),
    }
    known.update((name, value) for name, value in later.items() if value is not None)
    return MappingProxyType(known)


def _row(step: Step) -> dict[str, object]:
    return {"step": step.step, "tool": step.tool, "input": step.input, "result": step.result}
