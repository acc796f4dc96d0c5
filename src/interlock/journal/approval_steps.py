"""Asking for an approval, answering it and using it up: each one transaction on the chain of its run.

What was read and what is appended belong together: a record that somebody else appended in between starts it over.
Source: journal and safety specification, approvals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

from interlock.errors import HeadMovedError
from interlock.journal.approval_bodies import (
    BoundCall,
    approval_answered_body,
    approval_consumed_body,
    approval_expired_body,
    approval_requested_body,
)
from interlock.journal.approval_checks import require_answerable, require_intact, require_usable
from interlock.journal.approvals import Approval, own_approval
from interlock.journal.chain import Head
from interlock.journal.recording import Recorder
from interlock.journal.records import Body, EventType, timestamp
from interlock.questions import Json

__all__ = ["answer_approval", "consume_approval", "request_approval"]


def request_approval(
    recorder: Recorder,
    bound: BoundCall,
    *,
    ttl: timedelta,
    base_risk: int | None,
    reason: str | None,
    judgement: Mapping[str, Json] | None,
) -> Approval:
    """Put a call before whoever may approve it, and return the request; it replaces one that is still open."""
    body = approval_requested_body(
        bound,
        base_risk=base_risk,
        reason=reason,
        judgement=judgement,
        expires=timestamp(recorder.now() + ttl),
    )
    stored = recorder.record("approval_requested", body)
    return _read(recorder, stored.hash)


def answer_approval(
    recorder: Recorder, named: str, *, approved: bool, by: str, note: str | None = None, saw: str | None = None
) -> Approval:
    """Answer a request of the recorder's run, once, and return it answered; `named` is its whole id.

    Raises:
        ApprovalError: it was answered before, it expired, or it is none of this run; `kind` says why.
        JournalError: the answer could not be recorded.
    """

    def body(approval: Approval) -> Body:
        require_answerable(approval, recorder.now())
        return approval_answered_body(
            request=approval.id, binding=approval.binding, approved=approved, by=by, note=note, saw=saw
        )

    _append(recorder, "approval_answered", named, body)
    return _read(recorder, named)


def consume_approval(recorder: Recorder, named: str, bound: BoundCall) -> Approval:
    """Use up the approval of one call, which may run then, and return it used.

    Of several processes that try, exactly one succeeds.

    Raises:
        ApprovalError: the call may not run by it; `kind` says why.
        JournalError: it could not be recorded, and the call must not run.
    """

    def body(approval: Approval) -> Body:
        require_usable(approval, bound, recorder.now())
        assert approval.answer is not None  # noqa: S101 - required just above
        return approval_consumed_body(request=approval.id, answer=approval.answer.id, binding=approval.binding)

    _append(recorder, "approval_consumed", named, body)
    return _read(recorder, named)


def _append(recorder: Recorder, kind: EventType, named: str, make: Callable[[Approval], Body]) -> None:
    """Append what `make` makes of an approval as it stands; when the run has moved on meanwhile, look again."""
    while True:
        with recorder.journal.snapshot() as view:
            require_intact(view, recorder.run_id)
            head, approval = view.head(recorder.run_id), own_approval(view, recorder.run_id, named)
        try:
            _expire(recorder, approval, head)
            recorder.record(kind, make(approval), expected=head)
        except HeadMovedError:
            continue
        return


def _expire(recorder: Recorder, approval: Approval, head: Head | None) -> None:
    """Put on record, once, that a request has expired; whoever asked is told by the check that follows."""
    if approval.state(recorder.now()) == "expired" and not approval.ran_out:
        body = approval_expired_body(request=approval.id, binding=approval.binding, expires=approval.expires)
        recorder.record("approval_expired", body, expected=head)


def _read(recorder: Recorder, named: str) -> Approval:
    with recorder.journal.snapshot() as view:
        return own_approval(view, recorder.run_id, named)
