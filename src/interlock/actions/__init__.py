"""Positions, and what each action of the reference host means."""

from interlock.actions.meaning import ACTIONS, POSITIONS, ActionMeaning

__all__ = ["ACTIONS", "POSITIONS", "ActionMeaning"]
