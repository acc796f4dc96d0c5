"""What one decision of the engine came to, as a value.

Source: decision-engine specification, retry and modes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from interlock.actions import ActionDecision
from interlock.engine.limits import Used
from interlock.engine.modes import Mode
from interlock.prompts import Layer, LayerRef
from interlock.questions import Json

__all__ = ["Decided", "Fell"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fell:
    """A mode that the provider does not have."""

    mode: Mode
    reason: str
    """The provider's, such as `bad-request`, or `ignored` when no reply called a function."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """One decision, with everything needed to account for it and to trace it to its prompts."""

    decision: ActionDecision
    mode: Mode
    """The mode that was used in the end."""
    fell: tuple[Fell, ...]
    """The modes that were tried before it."""
    loop: Mapping[str, Json]
    """The state as it was shown."""
    layers: Mapping[Layer, LayerRef]
    experiment: str | None
    used: Used
    requested_model: str | None
    """None when no text model was asked."""
    served_model: str | None
    elapsed_s: float

    @property
    def valid_at_first(self) -> bool:
        """True when the first reply passed every check."""
        return not self.decision.fallback and not self.decision.attempts
