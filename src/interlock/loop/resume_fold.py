"""The records of an interrupted run → the state it was in, by the same reducer that made it.

Every record must be what the run would do next: one that is not was not written by this loop, and is refused.
Pure over records. Source: journal and safety specification, resume.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from interlock.errors import JournalError
from interlock.journal.decision_read import read_decision
from interlock.journal.fields import flag, optional_text, text
from interlock.journal.records import Body, Record, decode_body
from interlock.loop.calling import call_of, returned
from interlock.loop.events import (
    Answered,
    Ask,
    Begun,
    Call,
    CheckFacts,
    Drafted,
    Effect,
    Event,
    FactsChecked,
    Generate,
    InputProvided,
    Provide,
    RequestApproval,
    Stopped,
    Unapproved,
)
from interlock.loop.permission import refused_by
from interlock.loop.resume_flight import stopped_by
from interlock.loop.state import State
from interlock.loop.step import Next, step
from interlock.loop.verdict import decided
from interlock.pipeline.result import DecisionResult
from interlock.questions import Json

__all__ = ["Folded", "fold"]

E = TypeVar("E")

_SAYS_NOTHING = frozenset(
    (
        "run_started",
        "approval_consumed",
        "approval_expired",
        "judge_request",
        "judge_reply",
        "node_started",
        "node_ended",
    )
)
"""Records that the reducer has no event for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """Where a run was when its process ended."""

    following: Next
    """Its state, and the effect that was due."""
    graded: DecisionResult | None = None
    """How the pending call was graded."""
    approval: str | None = None
    """The id of the request that was made for the pending call."""
    in_flight: Record | None = None
    """The record that the pending call was about to run, when its result is not known."""


def fold(state: State, records: Iterable[Record]) -> Folded:
    """Return where the run was after `records`; `state` is its first state.

    Raises:
        JournalError: a record cannot be read, or does not follow from those before it; it is named.
    """
    folded = Folded(following=step(state, Begun()))
    for record in records:
        try:
            folded = _after(folded, record)
        except JournalError as cause:
            raise JournalError(f"run `{record.run_id}` row {record.seq}: {cause}") from cause
    return folded


def _after(folded: Folded, record: Record) -> Folded:
    body = record.body
    match record.type:
        case "decision":
            folded = _decision(folded, body)
        case "generation":
            folded = _moved(folded, _generated(folded, body))
        case "approval_requested":
            _due(folded, RequestApproval)
            folded = replace(folded, approval=record.hash)
        case "approval_answered":
            folded = _moved(folded, _answered(folded, body))
        case "tool_about_to_run":
            _due(folded, Call)
            folded = replace(folded, in_flight=record)
        case "tool_result":
            folded = _result(folded, body)
        case "budget":
            folded = _moved(folded, Stopped(halt=text(body, "budget")))
        case "error" | "audit":
            folded = _noted(folded, body)
        case _:
            if record.type not in _SAYS_NOTHING:
                raise JournalError(f"`{record.type}`: a run with such a record cannot go on")
    return folded


def _decision(folded: Folded, body: Body) -> Folded:
    recorded = read_decision(body)
    if recorded.plan.discarded:
        return folded
    result = recorded.result
    if isinstance(_effect(folded), CheckFacts):  # what was found is asked for again before the next look at a draft
        folded = _moved(folded, FactsChecked(facts=()))
    due = _due(folded, Ask).decision
    if due != result.decision:
        raise JournalError(f"`{result.decision}` was decided where `{due}` was due")
    folded = _moved(folded, decided(due, result))
    return replace(folded, graded=result, approval=None) if due == "grade_risk" else folded


def _generated(folded: Folded, body: Body) -> Event:
    written, failure = optional_text(body, "text"), optional_text(body, "failure")
    if text(body, "purpose") == "input":
        _due(folded, Provide)
        return InputProvided(arguments=None if written is None else _arguments(written), reason=failure)
    _due(folded, Generate)
    who = None if failure is None else f"writer `{text(body, 'writer')}`: {failure}"
    return Drafted(text=written or "", failure=who, cut=flag(body, "truncated"))


def _arguments(written: str) -> Mapping[str, Json]:
    try:
        return decode_body(written)
    except JournalError as cause:
        raise JournalError("`text` is not the JSON of an input") from cause


def _answered(folded: Folded, body: Body) -> Event:
    _due(folded, RequestApproval)
    if text(body, "request") != folded.approval:
        raise JournalError("`request` is not the one that the run waits for")
    if flag(body, "approved"):
        return Answered(approved=True)
    state = folded.following.state
    call = call_of(state, _due(folded, RequestApproval).call)
    return Answered(approved=False, reason=refused_by(call, text(body, "by")))


def _result(folded: Folded, body: Body) -> Folded:
    effect = _effect(folded)
    if not isinstance(effect, Call | RequestApproval):
        raise JournalError("a tool has returned where no call was due")
    call = call_of(folded.following.state, effect.call)
    if (call.tool, call.input) != (text(body, "tool"), text(body, "input")):
        raise JournalError(f"`{text(body, 'tool')}` has returned where `{call.tool}` was called on another input")
    event = returned(effect.call.tool, call, text(body, "result"), failed=flag(body, "failed"))
    return replace(_moved(folded, event), in_flight=None, approval=None)


def _noted(folded: Folded, body: Body) -> Folded:
    """Take in what was noted: an approval that could not be used, or that a person stopped an uncertain call."""
    if body.get("in_flight") == "stop":
        call = call_of(folded.following.state, _due(folded, Call).call)
        event: Event = Answered(approved=False, reason=stopped_by(call, text(body, "by")))
        return replace(_moved(folded, event), in_flight=None)
    if body.get("where") != "approval":
        return folded
    if flag(body, "asks_again"):
        return replace(_moved(folded, Unapproved()), approval=None, in_flight=None)
    pending = folded.following.state.pending
    name = "" if pending is None else pending.tool.name
    return _moved(folded, Answered(approved=False, reason=f"`{name}` did not run: {text(body, 'message')}"))


def _moved(folded: Folded, event: Event) -> Folded:
    return replace(folded, following=step(folded.following.state, event))


def _effect(folded: Folded) -> Effect:
    (effect,) = folded.following.effects
    return effect


def _due(folded: Folded, kind: type[E]) -> E:
    """Return the effect that is due, which must be of one kind."""
    effect = _effect(folded)
    if not isinstance(effect, kind):
        raise JournalError(f"does not follow from the records before it: `{type(effect).__name__.lower()}` was due")
    return effect
