"""Endpoints of approvals: what waits, one with what it would change, and the answer."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from interlock.errors import ApprovalError, JournalError
from interlock.questions import Json
from interlock.server.site.api.endpoint import Closed, Endpoint, Failed, Given
from interlock.server.site.api.models import Body, Name
from interlock.server.site.approval_view import ApprovalLine
from interlock.server.site.approvals import Answering, answer, list_approvals, look_into
from interlock.server.site.desk import Desk
from interlock.server.site.forms import Form
from interlock.server.site.names import named_in

__all__ = ["endpoints"]

_MAX_LISTED = 500


class ApprovalQuery(Closed):
    run: str = Field(default="", max_length=300, description="Those of one run only.")
    every: bool = Field(default=False, description="Also those about which nothing can be done any more.")


class ApprovalAnswer(Closed):
    approved: bool
    by: str
    note: str | None
    at: str


class ApprovalShort(Closed):
    id: str
    run_id: str
    record: int = Field(description="The number of the record that asks.")
    state: str = Field(description="One of `waiting`, `approved`, `denied`, `used`, `expired`, `replaced`, `ended`.")
    is_open: bool
    step: int
    tool: str
    input: str
    base_risk: int | None
    reason: str | None
    asked: str
    expires: str
    answer: ApprovalAnswer | None


class ApprovalList(Closed):
    approvals: list[ApprovalShort] = Field(description="Newest first.")
    more: int = Field(description="How many older ones are not listed.")


class ThisApproval(Closed):
    approval_id: Name = Field(description="Its id, or the beginning of one id only.")


class ApprovalDetail(Closed):
    approval: ApprovalShort
    arguments: Body
    directory: str
    contract_digest: str | None
    saw: str = Field(description="The text that whoever answers is taken to have seen: the call and what it changes.")
    seen: str = Field(description="The digest of `saw`; an answer names it.")
    judgement: Body | None = Field(description="The decision that asks, as it was taken.")


class NewAnswer(ThisApproval):
    approved: bool = Field(description="Whether the call may be made.")
    by: str = Field(min_length=1, max_length=100, description="Who answers.")
    note: str = Field(default="", max_length=2000, description="Why.")
    seen: str = Field(pattern="^[0-9a-f]{64}$", description="The digest of what was shown.")


def endpoints(desk: Desk) -> Sequence[Endpoint]:
    """Return the endpoints."""
    room = _Room(desk)
    one = "/api/v1/approvals/{approval_id}"
    return [
        Endpoint(
            method="GET", path="/api/v1/approvals", name="listApprovals", says="Lists what waits for a person.",
            tag="approvals", takes=ApprovalQuery, gives=ApprovalList, handle=room.listed, refusals=(404,),
        ),
        Endpoint(
            method="GET", path=one, name="getApproval", says="Shows a call with what it would change now.",
            tag="approvals", takes=ThisApproval, gives=ApprovalDetail, handle=room.one,
        ),
        Endpoint(
            method="POST", path=one, name="answerApproval", says="Approves or denies a call, once.", tag="approvals",
            takes=NewAnswer, gives=ApprovalShort, handle=room.answer, refusals=(409,),
        ),
    ]  # fmt: skip


class _Room:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def listed(self, asked: ApprovalQuery) -> Given:
        try:
            lines = list_approvals(self._desk, run=asked.run, every=asked.every)
        except JournalError as problem:
            raise Failed(404, str(problem)) from problem
        return {"approvals": [_line(line) for line in lines[:_MAX_LISTED]], "more": max(0, len(lines) - _MAX_LISTED)}

    def one(self, asked: ThisApproval) -> Given:
        try:
            shown = look_into(self._desk, asked.approval_id)
        except ApprovalError as problem:
            raise Failed(404, str(problem)) from problem
        approval = shown.line.approval
        return {
            "approval": _line(shown.line),
            "arguments": dict(approval.bound.call.arguments),
            "directory": approval.bound.cwd,
            "contract_digest": approval.bound.contract_digest,
            "saw": shown.saw,
            "seen": shown.seen,
            "judgement": None if approval.judgement is None else dict(approval.judgement),
        }

    def answer(self, asked: NewAnswer) -> Given:
        given = Answering(
            approved=asked.approved,
            by=named_in(Form({"by": asked.by})),
            note=asked.note.strip() or None,
            seen=asked.seen,
        )
        try:
            approval = answer(self._desk, asked.approval_id, given)
        except ApprovalError as problem:
            raise Failed(404 if problem.kind == "unknown" else 409, str(problem)) from problem
        return _line(look_into(self._desk, approval.id).line)


def _line(line: ApprovalLine) -> dict[str, Json]:
    approval, said = line.approval, line.approval.answer
    call = approval.bound.call
    return {
        "id": approval.id,
        "run_id": approval.run_id,
        "record": approval.seq,
        "state": line.state,
        "is_open": line.is_open,
        "step": call.step,
        "tool": call.tool,
        "input": call.input,
        "base_risk": approval.base_risk,
        "reason": approval.reason,
        "asked": approval.asked,
        "expires": approval.expires,
        "answer": None
        if said is None
        else {"approved": said.approved, "by": said.by, "note": said.note, "at": said.at},
    }
