"""Asks the decisions of one run, what may be due next in the same wave, and takes back what turns out not to be.

Which decision is due is never decided here; an answer acts only where the run comes to the very state it was asked on.
Source: reference loop specification, the planner.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import get_args

from interlock.errors import InterlockError
from interlock.journal.decision_body import Planned
from interlock.journal.request_body import judge_reply_body, judge_request_body
from interlock.judge.base import JudgeReply
from interlock.loop.budget import Budgets, exceeded
from interlock.loop.events import Ask, Node
from interlock.loop.setup import Setup
from interlock.loop.speculation import Future, futures
from interlock.loop.state import State, cells
from interlock.pipeline.conclude import conclude
from interlock.pipeline.plan import plan_contract
from interlock.pipeline.prepare import Prepared, prepare
from interlock.pipeline.request import Asking, Request, requests_for
from interlock.pipeline.result import DecisionResult
from interlock.pipeline.wave import Heard, Inquiry, launch
from interlock.policy.degraded import CallFacts

__all__ = ["Asker", "Taken", "step_number"]

_NODES: tuple[Node, ...] = get_args(Node)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """One decision as taken, and how the plan came to ask it."""

    result: DecisionResult
    planned: Planned


@dataclass(frozen=True, slots=True, kw_only=True)
class _InHand:
    """A decision that was asked ahead."""

    future: Future
    left: tuple[State, ...]
    """The states that must still come; none when it is due."""
    inquiry: Inquiry
    wave: int


class Asker:
    """Asks the decisions of one run."""

    def __init__(self, setup: Setup, budgets: Budgets) -> None:
        self._setup = setup
        self._budgets = budgets
        self._plan = plan_contract(setup.contract, setup.judge.caps, name=setup.plan)
        self._in_hand: list[_InHand] = []
        self._cut: list[Inquiry] = []
        """What was due and nobody waits for any more."""

    async def decide(self, state: State, node: Node) -> Taken:
        """Return the decision that is due on `state`, from an answer in hand or from a new wave.

        Raises:
            HostError, FrameError, QuestionError: the decision cannot be asked.
            JournalError: something could not be recorded.
        """
        await self._keep(state)
        due = next((item for item in self._in_hand if not item.left), None)
        if due is not None:
            self._in_hand = [item for item in self._in_hand if item is not due]
            heard = await self._heard(due.inquiry)
            return self._taken(due.future.prepared, heard, wave=due.wave, speculative=True)
        prepared = self._prepare(state, node)
        if not prepared.ask:
            result = conclude(prepared, None)
            return Taken(result=result, planned=Planned(name=self._plan.name))
        inquiry, wave = self._launch(state, node, prepared)
        return self._taken(prepared, await self._heard(inquiry), wave=wave, speculative=False)

    async def settle(self) -> None:
        """Discard whatever is in hand: the loop is about to act, or has ended.

        Raises:
            JournalError: something could not be recorded.
        """
        await self._discard(self._in_hand)
        while self._cut:
            await self._cut.pop().drop()

    async def close(self) -> None:
        """Cancel whatever is still in hand after an error."""
        left = [*self._cut, *(item.inquiry for item in self._in_hand)]
        for inquiry in left:
            inquiry.cancel()
        for inquiry in left:
            with suppress(Exception):
                await inquiry.drop()

    async def _heard(self, inquiry: Inquiry) -> Heard:
        """Wait for an answer; the time that a person needs for it is none of the run's."""
        ledger = self._setup.ledger
        began = ledger.now()
        try:
            heard = await inquiry.heard()
        except BaseException:
            self._cut.append(inquiry)
            raise
        if self._setup.judge.caps.basis == "person" or _is_persons(heard.reply):
            ledger.waited_for_a_person(ledger.now() - began)
        return heard

    async def _keep(self, state: State) -> None:
        """Keep what was asked on the way that the run takes, and discard the rest."""
        await self._discard([item for item in self._in_hand if item.left[0] != state])
        self._in_hand = [replace(item, left=item.left[1:]) for item in self._in_hand]

    async def _discard(self, lost: Sequence[_InHand]) -> None:
        for item in lost:
            item.inquiry.cancel()
        for item in tuple(lost):
            heard = await item.inquiry.drop()
            self._in_hand = [one for one in self._in_hand if one is not item]
            self._setup.ledger.discarded += 1
            if heard is not None:
                self._record_discarded(item, heard)

    def _record_discarded(self, item: _InHand, heard: Heard) -> None:
        taken = self._taken(item.future.prepared, heard, wave=item.wave, speculative=True)
        self._setup.recorder.decision(
            taken.result,
            step=step_number(item.future.state, item.future.node),
            plan=replace(taken.planned, discarded=True),
            cells=cells(item.future.state),
        )

    def _taken(self, prepared: Prepared, heard: Heard, *, wave: int, speculative: bool) -> Taken:
        planned = Planned(name=self._plan.name, wave=wave, fused_with=heard.fused_with, speculative=speculative)
        return Taken(result=conclude(prepared, heard.reply, elapsed_s=heard.elapsed_s), planned=planned)

    def _prepare(self, state: State, node: Node) -> Prepared:
        return prepare(
            self._setup.contract,
            node,
            cells(state),
            host=self._setup.host,
            caps=self._setup.judge.caps,
            gating=self._setup.gating,
            call_facts=_call_facts(state),
        )

    def _foresee(self, state: State, node: Node) -> Prepared | None:
        """Prepare a decision that may never be due: code that answers is not run, and an error is none yet."""
        if self._setup.contract.decisions[node].frame is None:
            return None
        try:
            return self._prepare(state, node)
        except InterlockError:
            return None

    def _launch(self, state: State, node: Node, prepared: Prepared) -> tuple[Inquiry, int]:
        """Send a wave; return the inquiry of the decision that is due, and the wave's number."""
        ahead = futures(state, node, prepared, allowed=self._allowed(node), prepare=self._foresee)
        items = [(prepared, cells(state)), *((one.prepared, cells(one.state)) for one in ahead)]
        asking = [Asking(cells=view, prepared=one) for one, view in items]
        requests = requests_for(asking, self._plan)[: self._most_requests()]
        self._setup.ledger.waves += 1
        wave = self._setup.ledger.waves
        inquiries = launch(requests, self._setup.judge, _Clerk(self._setup, wave))
        by_prepared = {id(inquiry.prepared): inquiry for inquiry in inquiries}
        self._in_hand += [
            _InHand(future=one, left=one.path, inquiry=by_prepared[id(one.prepared)], wave=wave)
            for one in ahead
            if id(one.prepared) in by_prepared
        ]
        return by_prepared[id(prepared)], wave

    def _allowed(self, node: Node) -> tuple[str, ...]:
        """Return the decisions that may be asked ahead: of the plan, those that no budget forbids already."""
        spent = self._setup.ledger.spent()
        nodes = [one for one in _NODES if one in self._plan.ahead[node]]
        return tuple(one for one in nodes if exceeded(self._budgets, spent, Ask(decision=one)) is None)

    def _most_requests(self) -> int:
        """Return how many requests the next wave may hold; what is due is always asked."""
        if self._plan.name in ("sequential", "fused"):
            return 1
        return max(1, self._budgets.max_judge_calls - self._setup.ledger.requests)


class _Clerk:
    """Counts and records the requests of one wave."""

    def __init__(self, setup: Setup, wave: int) -> None:
        self._setup = setup
        self._wave = wave

    def asked(self, request: Request) -> int:
        """Record a request that is about to be sent."""
        ledger = self._setup.ledger
        number = ledger.asked(len(request.questions))
        self._setup.recorder.record("judge_request", judge_request_body(request, number=number, wave=self._wave))
        return number

    def replied(self, number: int, request: Request, reply: JudgeReply | None) -> None:
        """Record what came back, or that the request was cancelled."""
        self._setup.ledger.replied(reply)
        self._setup.recorder.record("judge_reply", judge_reply_body(request, reply, number=number))


def step_number(state: State, node: Node) -> int:
    """Return the step that a decision belongs to: the finished one it looks back at, else the one it leads to."""
    looks_back = node in ("step_ok", "is_done", "can_deliver")
    return len(state.finished) + (0 if looks_back else 1)


def _is_persons(reply: JudgeReply) -> bool:
    return any(reading.answer is not None and reading.answer.basis == "person" for reading in reply.readings.values())


def _call_facts(state: State) -> CallFacts | None:
    """Return what the tool table says of the pending call; None when no call is pending."""
    if state.pending is None:
        return None
    tool = state.pending.tool
    return CallFacts(base_risk=tool.base_risk, leaves_root=tool.leaves_root)
