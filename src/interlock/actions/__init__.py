"""Positions and what each action of the reference host means; the action space of the engine and its decisions."""

from interlock.actions.decision import ActionDecision, Deliberate, FailedAttempt, Observation, Tolerance, call_key
from interlock.actions.meaning import ACTIONS, POSITIONS, ActionMeaning
from interlock.actions.space import (
    ASK_USER,
    FINISH,
    REPLAN,
    STANDARD_SPACE,
    TOOL_CALL,
    ActionSpace,
    SpaceAction,
    ToolSpec,
    check_tools,
)

__all__ = [
    "ACTIONS",
    "ASK_USER",
    "FINISH",
    "POSITIONS",
    "REPLAN",
    "STANDARD_SPACE",
    "TOOL_CALL",
    "ActionDecision",
    "ActionMeaning",
    "ActionSpace",
    "Deliberate",
    "FailedAttempt",
    "Observation",
    "SpaceAction",
    "Tolerance",
    "ToolSpec",
    "call_key",
    "check_tools",
]
