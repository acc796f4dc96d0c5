"""The seam to a person who may let a call run.

Knows nothing of terminals, pages or stores.
Source: journal and safety specification, approvals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from interlock.questions import Json

__all__ = ["ApprovalAnswer", "ApprovalRequest", "Approver"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """One call that waits for a person; exactly this call is approved and no other."""

    run_id: str
    step: int
    tool: str
    arguments: Mapping[str, Json]
    input: str
    """The step's input text: what a person reads."""
    base_risk: int | None
    """None: the tool declares no risk."""
    cwd: str
    reason: str | None
    """The rule that asks with the value compared, or why no rule decided."""
    binding: str
    """SHA-256 over tool, arguments, working directory, contract digest and frame digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalAnswer:
    """What a person answered."""

    approved: bool
    by: str | None
    """Who answered; None when nobody could, which approves nothing; then `note` says why."""
    note: str | None = None


class Approver(Protocol):
    """Asks a person."""

    async def __call__(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Return the answer to `request`."""
        ...
