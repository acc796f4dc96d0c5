"""One table: where an action may happen and what follows from it.

Knows nothing of contracts or loops; both read it.
Source: decision-contract/v1, positions and actions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["ACTIONS", "ANYWHERE", "POSITIONS", "ActionMeaning"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionMeaning:
    """What follows from one action."""

    next: tuple[str, ...]
    """The nodes that may follow, in the order in which they apply."""
    ends_loop: bool
    """True when no further tool is called; the run still generates an answer."""
    needs_evidence: bool
    retries: int


ANYWHERE: tuple[str, ...] = ("escalate",)
"""Actions handled at every position."""

POSITIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "step-start": ("use_tool", "answer"),
        "tool-choice": ("call",),
        "input-choice": ("use",),
        "before-call": ("auto", "auto_audit", "ask_human"),
        "after-tool": ("continue", "stop", "finish", "keep_going"),
        "after-generate": ("deliver", "revise"),
    }
)
"""The reference host's positions and the actions that each handles, besides `ANYWHERE`."""


def _meaning(*following: str, ends_loop: bool = False, needs_evidence: bool = False, retries: int = 0) -> ActionMeaning:
    return ActionMeaning(next=following, ends_loop=ends_loop, needs_evidence=needs_evidence, retries=retries)


ACTIONS: Mapping[str, ActionMeaning] = MappingProxyType(
    {
        "use_tool": _meaning("pick_tool"),
        "answer": _meaning("generate", ends_loop=True),
        "call": _meaning("pick_input", "grade_risk", "generate"),
        "use": _meaning("grade_risk"),
        "auto": _meaning("run_tool"),
        "auto_audit": _meaning("run_tool"),
        "ask_human": _meaning("human"),
        "continue": _meaning("is_done"),
        "keep_going": _meaning("next_step"),
        "stop": _meaning("generate", ends_loop=True),
        "finish": _meaning("generate", ends_loop=True),
        "deliver": _meaning("end", ends_loop=True, needs_evidence=True),
        "revise": _meaning("regenerate", ends_loop=True, needs_evidence=True, retries=1),
        "escalate": _meaning("generate", "end", ends_loop=True),
    }
)
