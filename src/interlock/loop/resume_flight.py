"""A call whose result was lost with its process: the world says whether it happened, or a person says what to do.

Nothing is guessed: where neither can tell, the run waits.
Source: journal and safety specification, resume.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Literal, TypeAlias

from anyio import to_thread

from interlock.journal.bodies import ToolCall, audit_body, tool_result_body
from interlock.journal.fields import flag, objects, optional_text, optional_whole, text
from interlock.journal.records import Body, Record
from interlock.loop.calling import call_of, returned
from interlock.loop.events import Answered, Call, Parked
from interlock.loop.permission import target_of
from interlock.loop.setup import Setup
from interlock.loop.step import Next, step
from interlock.tools.base import Proof, Target, Tool

__all__ = ["InFlight", "InFlightChoice", "settle", "stopped_by"]

InFlightChoice: TypeAlias = Literal["retry", "skip", "stop"]
"""`retry`: make the call again; `skip`: go on as if it had been made; `stop`: end the tool loop."""

log = logging.getLogger("interlock")


@dataclass(frozen=True, slots=True, kw_only=True)
class InFlight:
    """What a person wants done with a call of which nobody can tell whether it happened."""

    choice: InFlightChoice
    by: str


async def settle(setup: Setup, following: Next, about: Record, wanted: InFlight | None) -> Next:
    """Return how the run goes on from a call in flight; `about` is the record that it was about to run.

    Raises:
        JournalError: the record cannot be read, or what became of the call cannot be recorded.
    """
    (effect,) = following.effects
    assert isinstance(effect, Call)  # noqa: S101 - only a call that was due is in flight
    tool, call = effect.call.tool, call_of(following.state, effect.call)
    proof = await _proof(tool, call, about.body)
    log.info("tool %s was in flight: %s", tool.name, proof)
    if proof == "happened":
        said = f"{RECOVERED} `{tool.name}` took effect before the run was interrupted; its own output is lost"
        return _recovered(setup, following, effect, said)
    if proof == "not_happened" or (tool.proof is None and tool.idempotent):
        return following
    if wanted is None:
        return step(following.state, Parked(approval=None, reason=_uncertain(call)))
    return _chosen(setup, following, effect, wanted)


RECOVERED = "[recovered]"
"""How the result of a call begins whose own output was lost."""


def stopped_by(call: ToolCall, by: str) -> str:
    """Return why the tool loop ended at a call of which nobody can tell whether it happened."""
    return f"whether `{call.tool}` on `{target_of(call)}` took effect is not known; {by} stopped the run"


def _chosen(setup: Setup, following: Next, effect: Call, wanted: InFlight) -> Next:
    """Do what a person chose, once it is on record who did."""
    call = call_of(following.state, effect.call)
    body = audit_body(call, target=target_of(call), rule=f"in flight: {wanted.choice}", value=None)
    setup.recorder.record("audit", {**body, "in_flight": wanted.choice, "by": wanted.by})
    match wanted.choice:
        case "retry":
            return following
        case "skip":
            said = f"{RECOVERED} whether `{call.tool}` took effect is not known; {wanted.by} chose not to repeat it"
            return _recovered(setup, following, effect, said)
        case "stop":
            return step(following.state, Answered(approved=False, reason=stopped_by(call, wanted.by)))


def _recovered(setup: Setup, following: Next, effect: Call, said: str) -> Next:
    tool, call = effect.call.tool, call_of(following.state, effect.call)
    setup.ledger.steps += 1
    setup.recorder.record(
        "tool_result", tool_result_body(call, result=said, failed=False, elapsed_s=0.0, recovered=True)
    )
    return step(following.state, returned(tool, call, said, failed=False))


async def _proof(tool: Tool, call: ToolCall, about: Body) -> Proof:
    """Return what the world says; nothing where the tool cannot tell."""
    if tool.proof is None:
        return "unknown"
    before = [_target(item) for item in objects(about, "targets")]
    try:
        return await to_thread.run_sync(tool.proof, call.arguments, before)
    except Exception as error:  # noqa: BLE001 - foreign code; what it cannot tell a person is asked about
        log.warning("the proof of %s raised %s", tool.name, type(error).__name__)
        return "unknown"


def _target(body: Body) -> Target:
    return Target(
        path=text(body, "path"),
        exists=flag(body, "exists"),
        size_bytes=optional_whole(body, "size_bytes"),
        sha256=optional_text(body, "sha256"),
    )


def _uncertain(call: ToolCall) -> str:
    return (
        f"whether `{call.tool}` on `{target_of(call)}` took effect before the run was interrupted is not known; "
        "look, then choose retry, skip or stop"
    )
