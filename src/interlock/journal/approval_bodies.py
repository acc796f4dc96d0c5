"""What the four records of an approval say: asked, answered, used, expired.

A request is known by the hash of its own record, which covers the run, the place in it and all that it says; so an
answer names exactly one request of one run.

Pure; knows nothing of stores or loops.
Source: journal and safety specification, approvals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from interlock.journal.binding import call_binding
from interlock.journal.bodies import ToolCall
from interlock.journal.decision_body import decision_body
from interlock.pipeline.result import DecisionResult
from interlock.questions import Json

__all__ = [
    "BoundCall",
    "approval_answered_body",
    "approval_consumed_body",
    "approval_expired_body",
    "approval_requested_body",
    "judgement_json",
]

_JUDGEMENT = ("decision", "action", "would_be", "degraded", "outcome", "readings", "floors", "call")


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundCall:
    """One call and everything that an approval of it is tied to."""

    call: ToolCall
    cwd: str
    contract_digest: str
    frame_digest: str | None
    """Of the frame on which the call was graded; None when it was graded without one."""

    @property
    def binding(self) -> str:
        """SHA-256 over tool, canonical arguments, working directory, contract digest and frame digest."""
        return call_binding(
            self.call, cwd=self.cwd, contract_digest=self.contract_digest, frame_digest=self.frame_digest
        )


def approval_requested_body(
    bound: BoundCall,
    *,
    base_risk: int | None,
    reason: str | None,
    judgement: Mapping[str, Json] | None,
    expires: str,
) -> dict[str, Json]:
    """Return the body of `approval_requested`: what a person is asked about, and the digest it is bound to.

    `judgement` is the decision that asks, as it was taken; it is not taken again. `expires` is a time as in `ts`.
    """
    call = bound.call
    return {
        "step": call.step,
        "tool": call.tool,
        "input": call.input,
        "arguments": dict(call.arguments),
        "base_risk": base_risk,
        "cwd": bound.cwd,
        "contract_digest": bound.contract_digest,
        "frame_digest": bound.frame_digest,
        "binding": bound.binding,
        "reason": reason,
        "judgement": None if judgement is None else dict(judgement),
        "expires": expires,
    }


def judgement_json(result: DecisionResult) -> dict[str, Json]:
    """Return a decision as a request holds it: answers, rule, value, threshold and action."""
    whole = decision_body(result, policy=None)
    return {key: whole[key] for key in _JUDGEMENT}


def approval_answered_body(
    *, request: str, binding: str, approved: bool, by: str, note: str | None, saw: str | None
) -> dict[str, Json]:
    """Return the body of `approval_answered`; `by` names the person, or says why nobody could answer.

    `saw` is the text that was shown to whoever answered; None: the request as it is recorded, or nothing.
    """
    return {"request": request, "binding": binding, "approved": approved, "by": by, "note": note, "saw": saw}


def approval_consumed_body(*, request: str, answer: str, binding: str) -> dict[str, Json]:
    """Return the body of `approval_consumed`: the request and the answer, each by the hash of its record."""
    return {"request": request, "answer": answer, "binding": binding}


def approval_expired_body(*, request: str, binding: str, expires: str) -> dict[str, Json]:
    """Return the body of `approval_expired`: nobody used it in time."""
    return {"request": request, "binding": binding, "expires": expires}
