"""Whether the pending call may run: a person is asked, and what was approved is held against the call once more.

The call itself is made elsewhere.
Source: journal and safety specification, approvals.
"""

from __future__ import annotations

import logging

from interlock.errors import ApprovalError
from interlock.journal.approval_bodies import BoundCall, judgement_json
from interlock.journal.approval_checks import require_covered, require_intact
from interlock.journal.approval_steps import answer_approval, consume_approval, request_approval
from interlock.journal.approvals import Approval, own_approval
from interlock.journal.bodies import ToolCall, refusal_body
from interlock.loop.approval import ApprovalAnswer, request_of
from interlock.loop.events import Answered, Event, Parked, Unapproved
from interlock.loop.setup import Setup
from interlock.loop.state import State
from interlock.pipeline.result import DecisionResult
from interlock.policy.rules import Outcome
from interlock.tools.base import Tool

__all__ = ["MAX_ASKED", "Permission", "refused_by", "target_of"]

MAX_ASKED = 3
"""A call is put before a person this often at most; an approval that cannot be used asks again."""

log = logging.getLogger("interlock")


class Permission:
    """What was settled about the pending call of one run."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._graded = setup.taken_up.graded
        self._approval = setup.taken_up.approval
        self._asked = 0
        self._why: str | None = None
        self.by: str | None = None
        """Who let the call run; None when no one was asked."""

    @property
    def outcome(self) -> Outcome | None:
        """How the policy graded the call."""
        return None if self._graded is None else self._graded.outcome

    def graded(self, result: DecisionResult) -> None:
        """Begin with another call."""
        self._graded = result
        self._approval = self._why = self.by = None
        self._asked = 0

    async def ask(self, state: State, tool: Tool, call: ToolCall) -> Event:
        """Return what a person says of the call; what was already asked and answered is not asked again.

        Raises:
            JournalError: it could not be recorded.
        """
        bound = self._bound(state, call)
        try:
            self._approval = approval = self._open(bound) or self._request(state, tool, bound)
            if approval.answer is None:
                given = await self._answer(approval)
                if given.by is None and self._setup.terms.park:
                    return Parked(approval=approval.id, reason=_waits(approval, given))
                self._approval = approval = self._give(approval, given)
        except ApprovalError as error:
            return self._refused(call, error)
        assert approval.answer is not None  # noqa: S101 - just given
        if approval.answer.approved:
            return Answered(approved=True)
        return Answered(approved=False, reason=refused_by(call, approval.answer.by))

    def use(self, state: State, call: ToolCall) -> Event | None:
        """Use up the approval of a call that needs one; return why the call may not run, None when it may.

        Raises:
            JournalError: it could not be recorded, and the call must not run.
        """
        if self._graded is None or self._graded.action != "ask_human":
            return None
        try:
            self.by = self._used(self._bound(state, call))
        except ApprovalError as error:
            return self._refused(call, error)
        return None

    def _used(self, bound: BoundCall) -> str:
        if self._approval is None:
            raise ApprovalError("unanswered", "nobody was asked")
        recorder = self._setup.recorder
        if self._approval.used is None:
            self._approval = consume_approval(recorder, self._approval.id, bound)
        else:  # used up for this very call by a process that died before the call had an effect
            with recorder.journal.snapshot() as view:
                require_intact(view, recorder.run_id)
                self._approval = own_approval(view, recorder.run_id, self._approval.id)
            require_covered(self._approval, bound, recorder.now())
        assert self._approval.answer is not None  # noqa: S101 - it was used
        return self._approval.answer.by

    def _open(self, bound: BoundCall) -> Approval | None:
        """Return the request that is already open for this call; an unanswered one must still cover it."""
        if self._approval is not None and self._approval.answer is None:
            require_covered(self._approval, bound, self._setup.recorder.now())
        return self._approval

    def _request(self, state: State, tool: Tool, bound: BoundCall) -> Approval:
        why = [part for part in (state.reason, None if self._why is None else f"asked again: {self._why}") if part]
        return request_approval(
            self._setup.recorder,
            bound,
            ttl=self._setup.terms.ttl,
            base_risk=tool.base_risk,
            reason="; ".join(why) or None,
            judgement=None if self._graded is None else judgement_json(self._graded),
        )

    def _give(self, approval: Approval, given: ApprovalAnswer) -> Approval:
        """Record an answer; one that came first from elsewhere stands."""
        recorder = self._setup.recorder
        try:
            return answer_approval(
                recorder,
                approval.id,
                approved=given.approved and given.by is not None,
                by=_by(given),
                note=given.note,
                saw=given.saw,
            )
        except ApprovalError as error:
            if error.kind != "answered":
                raise
        with recorder.journal.snapshot() as view:
            return own_approval(view, recorder.run_id, approval.id)

    async def _answer(self, approval: Approval) -> ApprovalAnswer:
        approver, ledger = self._setup.approver, self._setup.ledger
        if approver is None:
            return ApprovalAnswer(approved=False, by=None, note="no approver is configured")
        began = ledger.now()
        try:
            return _taken(await approver(request_of(approval)))
        except Exception as error:  # noqa: BLE001 - foreign code; whatever it raises approves nothing
            log.warning("the approver raised %s", type(error).__name__)
            return ApprovalAnswer(approved=False, by=None, note=f"the approver raised {type(error).__name__}")
        finally:
            ledger.waited_for_a_person(ledger.now() - began)

    def _refused(self, call: ToolCall, error: ApprovalError) -> Event:
        """Return that a person is asked again, or after enough of it that the call is refused."""
        self._asked += 1
        again = self._asked < MAX_ASKED
        body = refusal_body(
            request=None if self._approval is None else self._approval.id,
            kind=error.kind,
            message=str(error),
            asks_again=again,
        )
        self._setup.recorder.record("error", body)
        self._approval, self._why = None, str(error)
        return Unapproved() if again else Answered(approved=False, reason=f"`{call.tool}` did not run: {error}")

    def _bound(self, state: State, call: ToolCall) -> BoundCall:
        frame = None if self._graded is None else self._graded.frame
        return BoundCall(
            call=call,
            cwd=state.cwd,
            contract_digest=self._setup.contract.digest,
            frame_digest=None if frame is None else frame.digest,
        )


def refused_by(call: ToolCall, by: str) -> str:
    """Return why a call that a person refused did not run."""
    return f"`{call.tool}` on `{target_of(call)}` was refused by {by}"


def target_of(call: ToolCall) -> str:
    """Return the first line of the input: a path, a pattern, `SOURCE -> TARGET`."""
    return call.input.partition("\n")[0]


def _taken(given: object) -> ApprovalAnswer:
    """Return an answer as it may be taken: whatever is not a plain yes of somebody approves nothing."""
    if not isinstance(given, ApprovalAnswer):
        return ApprovalAnswer(approved=False, by=None, note="the approver gave no `ApprovalAnswer`")
    approved: object = given.approved
    by: object = given.by
    if not isinstance(approved, bool):
        return ApprovalAnswer(approved=False, by=None, note="the approver's `approved` is neither true nor false")
    if by is not None and not (isinstance(by, str) and by.strip()):
        return ApprovalAnswer(approved=False, by=None, note="the approver did not say who answered")
    return given


def _by(answer: ApprovalAnswer) -> str:
    """Return who answered, or that nobody could and why."""
    return answer.by if answer.by is not None else f"default, nobody could be asked: {answer.note}"


def _waits(approval: Approval, answer: ApprovalAnswer) -> str:
    call = approval.bound.call
    what = f"`{call.tool}` on `{target_of(call)}` waits for approval `{approval.id[:16]}` until {approval.expires}"
    return what if answer.note is None else f"{what} ({answer.note})"
