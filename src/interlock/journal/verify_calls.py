"""Whether every call that needed a person was let through by an approval of exactly that call, used before it.

Pure over records in order; a call that no decision put before a person needs none.
Source: journal and safety specification, approvals.
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock.errors import JournalError
from interlock.journal.approvals import Approval, follow_approval
from interlock.journal.binding import call_binding
from interlock.journal.bodies import ToolCall
from interlock.journal.decision_read import RecordedDecision
from interlock.journal.fields import optional_text, section, text, whole
from interlock.journal.records import Body, Record
from interlock.journal.redactions import REDACTED
from interlock.pipeline.result import DecisionResult

__all__ = ["GatedCalls", "call_of_body"]


class GatedCalls:
    """What was asked, answered and used in one run so far, and what its pending call needs."""

    def __init__(self) -> None:
        self._approvals: dict[str, Approval] = {}
        self._graded: dict[str, DecisionResult] = {}
        """Decision before a call → how it was taken last; the pending call needs what any of them asks for."""
        self._spent: set[str] = set()
        """Approvals whose call has returned."""

    def decided(self, recorded: RecordedDecision) -> None:
        """Take a decision: those before a call say whether that call needs a person."""
        if recorded.result.position == "before-call" and not recorded.plan.discarded:
            self._graded[recorded.result.decision] = recorded.result

    def take(self, record: Record) -> list[str]:
        """Return what is wrong with a record of an approval or of a call where it stands."""
        match record.type:
            case "approval_requested" | "approval_answered" | "approval_consumed" | "approval_expired":
                return self._follow(record)
            case "tool_about_to_run":
                return self._call(record.body)
            case "tool_result":
                self._graded.clear()
                self._spent |= {id_ for id_, one in self._approvals.items() if one.used is not None}
        return []

    def _follow(self, record: Record) -> list[str]:
        try:
            follow_approval(self._approvals, record)
        except JournalError as cause:
            return [str(cause)]
        return []

    def _call(self, body: Body) -> list[str]:
        by = optional_text(body, "approved_by")
        asking = [graded for graded in self._graded.values() if graded.action == "ask_human"]
        if not asking and by is None:
            return []
        call = call_of_body(body)
        used = [one for id_, one in self._approvals.items() if one.used is not None and id_ not in self._spent]
        if not used:
            return [f"`{call.tool}` needed an approval, and none was used before it"]
        approval = used[-1]
        wrong = _difference(approval, call, asking)
        if wrong is not None:
            return [f"`{call.tool}` needed an approval, and the one that was used before it {wrong}"]
        given = None if approval.answer is None else approval.answer.by
        return [] if by == given else [f"`approved_by`: is `{by}`, and the approval was given by `{given}`"]


def call_of_body(body: Body) -> ToolCall:
    """Return the call that a record names.

    Raises:
        JournalError: a field is missing or of another type.
    """
    return ToolCall(
        step=whole(body, "step"),
        tool=text(body, "tool"),
        input=text(body, "input"),
        arguments=section(body, "arguments"),
    )


def _difference(approval: Approval, call: ToolCall, asking: Sequence[DecisionResult]) -> str | None:
    """Return what an approval is for instead of this call; None when it is for this one."""
    bound = approval.bound
    same = call_binding(call, cwd=bound.cwd, contract_digest=bound.contract_digest, frame_digest=bound.frame_digest)
    if bound.call.step != call.step:
        found: str | None = f"is for step {bound.call.step}"
    elif bound.call.tool != call.tool:
        found = f"is for `{bound.call.tool}`"
    elif bound.cwd != REDACTED and same != approval.binding:
        found = "is for other arguments"
    elif asking and bound.contract_digest not in {graded.contract_digest for graded in asking}:
        found = "is for another contract"
    elif asking and bound.frame_digest not in {_frame(graded) for graded in asking}:
        found = "is for a call that was graded on another frame"
    else:
        found = None
    return found


def _frame(graded: DecisionResult) -> str | None:
    return None if graded.frame is None else graded.frame.digest
