"""Performs what the reducer says is due, and hands back what it came to as an event.

Which effect is due is never decided here.
Source: reference loop specification, one turn.
"""

from __future__ import annotations

import logging
from typing import assert_never

from interlock.loop.asking import Asker, step_number
from interlock.loop.authoring import Author
from interlock.loop.budget import Budgets
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
from interlock.pipeline.result import DecisionResult

__all__ = ["Performer"]

log = logging.getLogger("interlock")


class Performer:
    """Performs the effects of one run."""

    def __init__(self, setup: Setup, budgets: Budgets) -> None:
        self._setup = setup
        self._asker = Asker(setup, budgets)
        self._author = Author(setup)
        self._caller = Caller(setup)

    async def perform(self, state: State, effect: Effect) -> Event | None:
        """Return what `effect` came to; None when the run is over.

        Raises:
            JournalError: something could not be recorded; what was about to happen did not.
        """
        event: Event | None
        if not isinstance(effect, Ask):
            await self._asker.settle()
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

    async def settle(self) -> None:
        """Give up every question that is still open.

        Raises:
            JournalError: something could not be recorded.
        """
        await self._asker.settle()

    async def close(self) -> None:
        """Let go of what an error has left open."""
        await self._asker.close()

    async def _decide(self, state: State, node: Node) -> Event:
        """Ask one decision on `state`; every question of the loop goes through here."""
        setup = self._setup
        taken = await self._asker.decide(state, node)
        result = taken.result
        setup.ledger.decided(result)
        setup.recorder.decision(result, step=step_number(state, node), plan=taken.planned, cells=cells(state))
        if node == "grade_risk":
            self._caller.graded(result)
        log.log(logging.WARNING if result.warnings else logging.INFO, "%s: %s%s", node, result.action, _noted(result))
        return decided(node, result)


def _noted(result: DecisionResult) -> str:
    """Return how many warnings there are; what they say may quote the state, so it stands in the journal only."""
    return f", {len(result.warnings)} warnings on record" if result.warnings else ""
