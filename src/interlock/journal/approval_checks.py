"""Why an approval may not be answered, or a call not made by it; each reason has its own kind and message.

Pure.
Source: journal and safety specification, approvals.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from interlock.errors import ApprovalError
from interlock.journal.approval_bodies import BoundCall
from interlock.journal.approvals import Approval, moment
from interlock.journal.base import JournalView
from interlock.journal.verify_chain import chain_problem

__all__ = ["CLOCK_SKEW", "require_answerable", "require_covered", "require_intact", "require_usable"]

CLOCK_SKEW = timedelta(minutes=5)
"""How far the clocks of two machines that share a journal may be apart."""


def require_intact(view: JournalView, run_id: str) -> None:
    """Refuse every approval of a run whose chain does not hold: one that was put in by hand is in none.

    Raises:
        ApprovalError: `forged`; the row is named.
    """
    problem = chain_problem(view, run_id)
    if problem is not None:
        raise ApprovalError(
            "forged", f"run `{run_id}`: its record does not hold: {problem}; no approval in it is taken"
        )


def require_answerable(approval: Approval, now: datetime) -> None:
    """Refuse to answer what is answered or over.

    Raises:
        ApprovalError: it may not be answered; `kind` says why.
    """
    said = approval.answer
    if said is not None:
        verdict = "approved" if said.approved else "denied"
        raise ApprovalError("answered", f"approval `{approval.id[:16]}`: was {verdict} by `{said.by}` at {said.at}")
    if approval.replaced_by is not None:
        raise ApprovalError(
            "replaced", f"approval `{approval.id[:16]}`: the run asked again, as `{approval.replaced_by[:16]}`"
        )
    if approval.ended:
        raise ApprovalError("ended", f"approval `{approval.id[:16]}`: run `{approval.run_id}` has ended")
    _require_in_time(approval, now)


def require_usable(approval: Approval, bound: BoundCall, now: datetime) -> None:
    """Refuse to make a call by an approval that does not cover it, or does not cover it now.

    Raises:
        ApprovalError: it may not be used; `kind` says why.
    """
    short = approval.id[:16]
    if approval.answer is None:
        raise ApprovalError("unanswered", f"approval `{short}`: nobody has answered")
    if not approval.answer.approved:
        raise ApprovalError("denied", f"approval `{short}`: was denied by `{approval.answer.by}`")
    if approval.used is not None:
        raise ApprovalError("used", f"approval `{short}`: was used by record {approval.used}; it covers one call, once")
    require_covered(approval, bound, now)


def require_covered(approval: Approval, bound: BoundCall, now: datetime) -> None:
    """Refuse what has changed since a request was made: the call, its place, its contract, the time, the run.

    Raises:
        ApprovalError: `kind` says what.
    """
    short = approval.id[:16]
    if approval.replaced_by is not None:
        raise ApprovalError("replaced", f"approval `{short}`: the run asked again, as `{approval.replaced_by[:16]}`")
    if approval.ended:
        raise ApprovalError("ended", f"approval `{short}`: run `{approval.run_id}` has ended")
    _require_in_time(approval, now)
    _require_same(approval, bound)


def _require_in_time(approval: Approval, now: datetime) -> None:
    short = approval.id[:16]
    if approval.ran_out or now >= moment(approval.expires):
        raise ApprovalError("expired", f"approval `{short}`: expired at {approval.expires}")
    if now < moment(approval.asked) - CLOCK_SKEW:
        raise ApprovalError(
            "clock", f"approval `{short}`: the clock stands before {approval.asked}, when it was asked for"
        )


def _require_same(approval: Approval, bound: BoundCall) -> None:
    """Refuse any other call than the one that was approved, and name the first thing that differs."""
    was, short = approval.bound, approval.id[:16]
    differs = {
        "tool": (was.call.tool != bound.call.tool, f"is for `{was.call.tool}`, not for `{bound.call.tool}`"),
        "directory": (was.cwd != bound.cwd, f"is for the directory `{was.cwd}`, not for `{bound.cwd}`"),
        "contract": (was.contract_digest != bound.contract_digest, "is for another contract"),
        "frame": (was.frame_digest != bound.frame_digest, "is for a call that was graded on another frame"),
        "arguments": (was.binding != bound.binding, "is for other arguments"),
    }
    for kind, (different, says) in differs.items():
        if different:
            raise ApprovalError(kind, f"approval `{short}`: {says}")
