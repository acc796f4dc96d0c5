"""The seam to a person who may let a call run.

Knows nothing of terminals, pages or stores.
Source: journal and safety specification, approvals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from interlock.journal.approvals import Approval
from interlock.journal.bodies import APPROVAL_TTL_S
from interlock.questions import Json

__all__ = ["DEFAULT_TTL", "ApprovalAnswer", "ApprovalRequest", "ApprovalTerms", "Approver", "request_of"]


DEFAULT_TTL = timedelta(seconds=APPROVAL_TTL_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """One call that waits for a person; exactly this call is approved and no other."""

    id: str
    """The hash of the request's record: names it in every process."""
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
    """The rule that asks with the value compared, or why no rule decided; and why it is asked again, if it is."""
    binding: str
    """SHA-256 over tool, arguments, working directory, contract digest and frame digest."""
    expires: str
    """Until when it may be answered and the call may run, such as `2026-01-02T03:04:05.000006Z`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalAnswer:
    """What a person answered."""

    approved: bool
    by: str | None
    """Who answered; None when nobody could, which approves nothing; then `note` says why."""
    note: str | None = None
    saw: str | None = None
    """The text that was shown to whoever answered, for the record; None: the request itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalTerms:
    """How long a run's approvals hold, and what becomes of a call that nobody can be asked about at once."""

    ttl: timedelta = DEFAULT_TTL
    """From the moment it is asked for until the call runs."""
    park: bool = False
    """True: the call waits and the run can be resumed; False: it is refused."""


class Approver(Protocol):
    """Asks a person."""

    async def __call__(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Return the answer to `request`."""
        ...


def request_of(approval: Approval) -> ApprovalRequest:
    """Return what a person is shown of a recorded request."""
    call = approval.bound.call
    return ApprovalRequest(
        id=approval.id,
        run_id=approval.run_id,
        step=call.step,
        tool=call.tool,
        arguments=call.arguments,
        input=call.input,
        base_risk=approval.base_risk,
        cwd=approval.bound.cwd,
        reason=approval.reason,
        binding=approval.binding,
        expires=approval.expires,
    )
