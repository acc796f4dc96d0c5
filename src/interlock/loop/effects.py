"""Performs what the reducer says is due, and hands back what it came to as an event.

Which effect is due is never decided here.
Source: reference loop specification, one turn.
"""

from __future__ import annotations

import logging
from typing import assert_never

from interlock.loop.authoring import Author
from interlock.loop.calling import Caller
from interlock.loop.events import (
    Ask,
    Call,
    CheckFacts,
    Effect,
    Event,
    FactsChecked,
    Finish,
    Generate,
    Node,
    Provide,
    RequestApproval,
)
from interlock.loop.setup import Setup
from interlock.loop.state import State, cells
from interlock.loop.verdict import decided
from interlock.pipeline.decide import adecide
from interlock.pipeline.result import DecisionResult
from interlock.policy.degraded import CallFacts

__all__ = ["Performer"]

log = logging.getLogger("interlock")


class Performer:
    """Performs the effects of one run."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._author = Author(setup)
        self._caller = Caller(setup)

    async def perform(self, state: State, effect: Effect) -> Event | None:
        """Return what `effect` came to; None when the run is over.

        Raises:
            JournalError: something could not be recorded; what was about to happen did not.
        """
        event: Event | None
        match effect:
            case Ask():
                event = await self._decide(state, effect.decision)
            case Provide():
                event = await self._author.provide(state, effect.tool)
            case RequestApproval():
                event = await self._caller.request(state, effect.call)
            case Call():
                event = await self._caller.call(state, effect)
            case Generate():
                event = await self._author.write(state, effect)
            case CheckFacts():
                event = FactsChecked(facts=await self._author.facts(state))
            case Finish():
                event = None
            case _:
                assert_never(effect)
        return event

    async def _decide(self, state: State, node: Node) -> Event:
        """Ask one decision on `state`; every question of the loop goes through here."""
        setup, view = self._setup, cells(state)
        result = await adecide(
            setup.contract,
            node,
            view,
            setup.judge,
            host=setup.host,
            gating=setup.gating,
            call_facts=_call_facts(state),
        )
        setup.ledger.decided(result)
        setup.recorder.decision(result, step=_step_number(state, node), cells=view)
        if node == "grade_risk":
            self._caller.graded(result)
        log.log(logging.WARNING if result.warnings else logging.INFO, "%s: %s%s", node, result.action, _noted(result))
        return decided(node, result)


def _noted(result: DecisionResult) -> str:
    """Return how many warnings there are; what they say may quote the state, so it stands in the journal only."""
    return f", {len(result.warnings)} warnings on record" if result.warnings else ""


def _step_number(state: State, node: Node) -> int:
    """Return the step that a decision belongs to: the finished one it looks back at, else the one it leads to."""
    looks_back = node in ("step_ok", "is_done", "can_deliver")
    return len(state.finished) + (0 if looks_back else 1)


def _call_facts(state: State) -> CallFacts | None:
    """Return what the tool table says of the pending call; None when no call is pending."""
    if state.pending is None:
        return None
    tool = state.pending.tool
    return CallFacts(base_risk=tool.base_risk, leaves_root=tool.leaves_root)
