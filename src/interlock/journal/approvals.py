"""What became of every approval of a run, read from its records.

The records are the only place where approvals are kept: there is no table that could say otherwise. Pure over a view.
Source: journal and safety specification, approvals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

from interlock.errors import ApprovalError, JournalError
from interlock.journal.approval_bodies import BoundCall
from interlock.journal.base import JournalView
from interlock.journal.bodies import ToolCall
from interlock.journal.fields import (
    flag,
    optional_section,
    optional_text,
    optional_whole,
    section,
    text,
    whole,
)
from interlock.journal.records import Body, EventType, Record, read_rows
from interlock.journal.redactions import REDACTED
from interlock.questions import Json

__all__ = [
    "Answer",
    "Approval",
    "ApprovalState",
    "approvals_of",
    "find_approval",
    "follow_approval",
    "moment",
    "own_approval",
]

ApprovalState: TypeAlias = Literal["waiting", "approved", "denied", "used", "expired", "replaced", "ended"]
"""`replaced`: the run asked again; `ended`: the run is over and nobody asks any more."""

_KINDS: Sequence[EventType] = (
    "approval_requested",
    "approval_answered",
    "approval_consumed",
    "approval_expired",
    "run_ended",
)
_SHOWN_MATCHES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a person answered."""

    id: str
    """The hash of its record."""
    approved: bool
    by: str
    """Who answered, or why nobody could."""
    note: str | None
    saw: str | None
    """The text that was shown; None: the request as it is recorded, or nothing."""
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """One request and what became of it."""

    id: str
    """The hash of the request's record."""
    run_id: str
    seq: int
    asked: str
    expires: str
    bound: BoundCall
    binding: str
    """As recorded."""
    base_risk: int | None
    reason: str | None
    judgement: Mapping[str, Json] | None
    """The decision that asks, as it was taken."""
    answer: Answer | None = None
    used: int | None = None
    """The record that used it up."""
    used_at: str | None = None
    ran_out: bool = False
    """True once its expiry is on record."""
    replaced_by: str | None = None
    ended: bool = False

    def state(self, now: datetime) -> ApprovalState:
        """Return how it stands at `now`."""
        if self.used is not None:
            return "used"
        if self.answer is not None and not self.answer.approved:
            return "denied"
        if self.replaced_by is not None:
            return "replaced"
        if self.ran_out or now >= moment(self.expires):
            return "expired"
        if self.ended:
            return "ended"
        return "waiting" if self.answer is None else "approved"


def approvals_of(view: JournalView, run_id: str) -> tuple[Approval, ...]:
    """Return every approval of a run, in the order in which they were asked for.

    Raises:
        JournalError: a record cannot be read; it is named.
    """
    found: dict[str, Approval] = {}
    for record in read_rows(view.rows(run_id, _KINDS)):
        try:
            follow_approval(found, record)
        except JournalError as cause:
            raise JournalError(f"run `{run_id}` row {record.seq}: {cause}; run `interlock verify`") from cause
    return tuple(found.values())


def find_approval(view: JournalView, named: str) -> Approval:
    """Return the approval that `named` means: its id, or the beginning of one id only.

    A run whose records cannot be read has none.

    Raises:
        ApprovalError: no approval, or more than one, is meant.
    """
    found = (approval for run_id in view.run_ids() for approval in _readable(view, run_id))
    matches = [approval for approval in found if named and approval.id.startswith(named)]
    if len(matches) == 1:
        return matches[0]
    if not matches:
        raise ApprovalError("unknown", f"no approval `{named}`; `interlock approvals list` names those that wait")
    shown = ", ".join(f"`{approval.id[:16]}`" for approval in matches[:_SHOWN_MATCHES])
    raise ApprovalError("unknown", f"`{named}` begins more than one approval: {shown}; write more of one")


def own_approval(view: JournalView, run_id: str, named: str) -> Approval:
    """Return an approval of one run by its whole id.

    Raises:
        ApprovalError: it is of another run, or of none.
        JournalError: a record of the run cannot be read; it is named.
    """
    for approval in approvals_of(view, run_id):
        if approval.id == named:
            return approval
    other = find_approval(view, named)
    raise ApprovalError("other-run", f"approval `{named[:16]}`: is of run `{other.run_id}`, not of `{run_id}`")


def moment(ts: str) -> datetime:
    """Return a recorded time.

    Raises:
        JournalError: it is none.
    """
    try:
        found = datetime.fromisoformat(ts)
    except ValueError as cause:
        raise JournalError(f"`{ts}` is not a time") from cause
    if found.tzinfo is None:
        raise JournalError(f"`{ts}` is a time without a zone")
    return found


def _readable(view: JournalView, run_id: str) -> tuple[Approval, ...]:
    try:
        return approvals_of(view, run_id)
    except JournalError:  # a damaged run is `verify`'s to name, and must not hide the approvals of others
        return ()


def follow_approval(found: dict[str, Approval], record: Record) -> None:
    """Put into `found` what one record says of the approvals of its run, which `found` holds up to it.

    Raises:
        JournalError: the record cannot be read, or does not follow from those before it.
    """
    match record.type:
        case "approval_requested":
            for id_, earlier in found.items():
                if earlier.used is None and earlier.replaced_by is None:
                    found[id_] = replace(earlier, replaced_by=record.hash)
            found[record.hash] = _asked(record)
        case "run_ended":
            for id_, earlier in found.items():
                found[id_] = replace(earlier, ended=True)
        case _:
            named = text(record.body, "request")
            if named not in found:
                raise JournalError(f"`request` names no approval of this run before it: `{named}`")
            found[named] = _after(found[named], record)


def _asked(record: Record) -> Approval:
    body = record.body
    expires = text(body, "expires")
    moment(expires)
    bound = _bound(body)
    if bound.cwd != REDACTED and bound.binding != text(body, "binding"):
        raise JournalError("`binding` is not that of the call")
    return Approval(
        id=record.hash,
        run_id=record.run_id,
        seq=record.seq,
        asked=record.ts,
        expires=expires,
        bound=bound,
        binding=text(body, "binding"),
        base_risk=optional_whole(body, "base_risk"),
        reason=optional_text(body, "reason"),
        judgement=optional_section(body, "judgement"),
    )


def _bound(body: Body) -> BoundCall:
    call = ToolCall(
        step=whole(body, "step"),
        tool=text(body, "tool"),
        input=text(body, "input"),
        arguments=section(body, "arguments"),
    )
    return BoundCall(
        call=call,
        cwd=text(body, "cwd"),
        contract_digest=text(body, "contract_digest"),
        frame_digest=optional_text(body, "frame_digest"),
    )


def _after(approval: Approval, record: Record) -> Approval:
    """Return an approval after what a record says of it; the first answer stands, and it is used once."""
    body = record.body
    if text(body, "binding") != approval.binding:
        raise JournalError("`binding` is not that of the request")
    if record.type == "approval_expired":
        return replace(approval, ran_out=True)
    if record.type == "approval_consumed":
        if approval.answer is None or not approval.answer.approved or approval.used is not None:
            raise JournalError("an approval was used that was not given, or was used before")
        return replace(approval, used=record.seq, used_at=record.ts)
    if approval.answer is not None:
        raise JournalError("the request was answered before")
    answer = Answer(
        id=record.hash,
        approved=flag(body, "approved"),
        by=text(body, "by"),
        note=optional_text(body, "note"),
        saw=optional_text(body, "saw"),
        at=record.ts,
    )
    return replace(approval, answer=answer)
