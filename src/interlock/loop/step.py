"""The loop as a pure reducer: a state and an event give the next state and the effects that are due.

Knows nothing of who performs an effect; which action leads where is the table of `interlock.actions`.
Source: reference loop specification, one turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from interlock.errors import HostError
from interlock.loop.breaker import tripped
from interlock.loop.candidates import DONE
from interlock.loop.events import (
    Answered,
    Ask,
    Begun,
    Call,
    Cause,
    CheckFacts,
    Decided,
    Drafted,
    Effect,
    Event,
    FactsChecked,
    Finish,
    Generate,
    InputProvided,
    Node,
    Parked,
    Provide,
    RequestApproval,
    Returned,
    Stopped,
    Unapproved,
)
from interlock.loop.state import PendingCall, Phase, State, Step
from interlock.questions import Json
from interlock.tools.table import picked_arguments

__all__ = ["MAX_REVISIONS", "Next", "step"]

MAX_REVISIONS = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Next:
    """What follows from an event."""

    state: State
    effects: tuple[Effect, ...]


def step(state: State, event: Event) -> Next:
    """Return the state after `event` and the effects that are due; an effect's outcome is the next event."""
    match event:
        case Begun():
            following = _ask(state, "needs_tool")
        case Decided():
            following = _decided(state, event)
        case InputProvided():
            following = _input_provided(state, event)
        case Answered():
            following = _answered(state, event)
        case Unapproved() | Parked():
            following = _waiting(state, event)
        case Returned():
            following = _returned(state, event)
        case Drafted():
            following = _drafted(state, event)
        case FactsChecked():
            following = _ask(replace(state, facts=event.facts), "can_deliver")
        case Stopped():
            following = _stopped(state, event)
        case _:
            assert_never(event)
    return following


def _decided(state: State, event: Decided) -> Next:
    match event.action:
        case "use_tool":
            following = _ask(state, "pick_tool")
        case "call":
            following = _picked_tool(state, event)
        case "use":
            following = _picked_input(state, event)
        case "auto" | "auto_audit" | "ask_human":
            following = _graded(state, event)
        case "continue" if event.decision != "is_done":
            following = _ask(state, "is_done")
        case "continue" | "keep_going":
            following = _ask(state, "needs_tool")
        case "answer" | "stop" | "finish":
            following = _halt(state, _ENDINGS[event.action], event.reason)
        case "deliver" | "revise":
            following = _gated(state, event)
        case "escalate":
            following = _escalated(state, event)
        case _:
            raise HostError(f"`{event.decision}`: the reference loop has no action `{event.action}`")
    return following


_ENDINGS: Mapping[str, str] = {"answer": "answered_directly", "stop": "step_failed", "finish": "task_done"}


def _picked_tool(state: State, event: Decided) -> Next:
    if event.picked == DONE:
        return _halt(state, "agent_done", event.reason)
    tool = state.tools.get(event.picked) if event.picked is not None else None
    if tool is None:
        return _halt(state, "unknown_tool", f"no tool `{event.picked}` is in the table")
    picked = replace(state, pending=PendingCall(tool=tool, replaced=state.last_tool), last_tool=tool.name)
    match tool.input_source:
        case "fixed":
            return _with_input(picked, {})
        case "pick":
            return _ask(picked, "pick_input")
        case "provide":
            return _to(picked, "provide_input", Provide(tool=tool))
        case _:
            assert_never(tool.input_source)


def _picked_input(state: State, event: Decided) -> Next:
    if state.pending is None or event.picked is None:
        return _halt(state, "input_unclear", "no input was picked")
    return _with_input(state, picked_arguments(state.pending.tool, event.picked))


def _input_provided(state: State, event: InputProvided) -> Next:
    if event.arguments is None:
        return _halt(state, "input_unclear", event.reason)
    return _with_input(state, event.arguments)


def _with_input(state: State, arguments: Mapping[str, Json]) -> Next:
    pending = replace(_pending(state), arguments=arguments)
    about = Step(step=len(state.history) + 1, tool=pending.tool.name, input=pending.input)
    return _ask(replace(state, pending=pending, history=(*state.history, about)), "grade_risk")


def _graded(state: State, event: Decided) -> Next:
    pending = _pending(state)
    if event.action == "ask_human":
        return _to(replace(state, reason=event.reason), "human", RequestApproval(call=pending))
    return _to(state, "run_tool", Call(call=pending, audit=event.action == "auto_audit"))


def _answered(state: State, event: Answered) -> Next:
    if not event.approved:
        return _halt(state, "denied", event.reason)
    return _to(state, "run_tool", Call(call=_pending(state), audit=False))


def _waiting(state: State, event: Unapproved | Parked) -> Next:
    if isinstance(event, Unapproved):
        return _to(state, "human", RequestApproval(call=_pending(state)))
    parked = replace(state, halt="parked", waits_for=event.approval, reason=event.reason)
    return _to(parked, "parked", Finish())


def _returned(state: State, event: Returned) -> Next:
    newest = replace(state.history[-1], result=event.result, failed=event.failed)
    seen = state.read_files
    if event.read is not None and event.read not in seen:
        seen = (*seen, event.read)
    after = replace(
        state,
        history=(*state.history[:-1], newest),
        last_result=event.result,
        files=state.files if event.listed is None else event.listed,
        read_files=seen,
        pending=None,
        reason=None,
    )
    why = tripped(after.finished)
    if why is not None:
        return _halt(after, f"breaker:{why}", f"`{newest.tool}` was called on the same input again")
    return _ask(after, "step_ok")


def _drafted(state: State, event: Drafted) -> Next:
    if event.failure is not None:
        return _end(replace(state, halt="writer_failed", refused=None, reason=event.failure, failed=True))
    drafted = replace(state, draft=event.text)
    return _revised(drafted, "revise", _CUT) if event.cut else _to(drafted, "check_facts", CheckFacts())


_CUT = "the draft was cut off at the length that its model may write"


def _gated(state: State, event: Decided) -> Next:
    if event.action == "deliver":
        return _end(replace(state, delivered=True, refused=None, reason=None))
    return _revised(state, event.action, event.reason)


def _revised(state: State, action: str, reason: str | None) -> Next:
    """Have the draft written anew, once; a second one that may not go out ends the run."""
    refused = replace(state, refused=action, reason=reason)
    if state.revisions >= MAX_REVISIONS:
        return _end(refused)
    again = replace(refused, revisions=state.revisions + 1)
    return _generate(again, Generate(revision_of=state.draft, reason=reason))


def _escalated(state: State, event: Decided) -> Next:
    if event.decision == "can_deliver":
        return _end(replace(state, refused=event.action, reason=event.reason))
    if event.cause == "judge_down":
        return _halt(state, "judge_down", event.reason)
    named = _NAMED.get((event.decision, event.cause), f"escalated:{event.decision}")
    return _halt(state, named, event.reason)


_NAMED: Mapping[tuple[Node, Cause], str] = {
    ("pick_tool", "policy"): "tool_unclear",
    ("pick_input", "policy"): "input_unclear",
    ("pick_tool", "not_an_option"): "unknown_tool",
}


def _stopped(state: State, event: Stopped) -> Next:
    reason = f"the run reached its limit: {event.halt}"
    if state.halt is None:
        return _halt(state, event.halt, reason)
    if state.phase == "can_deliver":
        return _end(replace(state, refused="escalate", reason=reason))
    if state.revisions:
        return _end(replace(state, reason=reason))
    return _end(replace(state, halt=event.halt, reason=reason))


def _halt(state: State, halt: str, reason: str | None) -> Next:
    """End the tool loop: a call that has not run leaves no trace, and an answer is generated."""
    left = replace(state, halt=halt, halt_reason=None if halt in _COMPLETE else reason, reason=None)
    if state.pending is not None:
        left = replace(left, pending=None, last_tool=state.pending.replaced, history=state.finished)
    return _generate(left, Generate())


_COMPLETE = frozenset(("answered_directly", "agent_done", "task_done"))


def _generate(state: State, effect: Generate) -> Next:
    return _to(state, "generate", effect)


def _ask(state: State, decision: Node) -> Next:
    return _to(state, decision, Ask(decision=decision))


def _to(state: State, phase: Phase, effect: Effect) -> Next:
    return Next(state=replace(state, phase=phase), effects=(effect,))


def _end(state: State) -> Next:
    return _to(state, "end", Finish())


def _pending(state: State) -> PendingCall:
    assert state.pending is not None, f"no call is pending at `{state.phase}`"  # noqa: S101
    return state.pending
