"""One decision from state to action, asked of one judge.

`prepare` and `conclude` do the work; between them stands the only wait.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from interlock.contract.compiled import Contract
from interlock.judge.base import Judge, JudgeReply
from interlock.pipeline.blocking import run_blocking
from interlock.pipeline.conclude import conclude
from interlock.pipeline.gating import ENFORCE, Gating
from interlock.pipeline.host import Cells, Host
from interlock.pipeline.plan import Plan, plan_contract
from interlock.pipeline.prepare import Prepared, prepare
from interlock.pipeline.request import Asking, alone, requests_for
from interlock.pipeline.result import DecisionResult
from interlock.pipeline.wave import Heard, Witness, launch, put
from interlock.policy.degraded import CallFacts

__all__ = ["OnDecision", "WaveResult", "adecide", "ask", "decide", "decide_wave"]

_log = logging.getLogger("interlock.pipeline")


@dataclass(frozen=True, slots=True, kw_only=True)
class WaveResult:
    """One decision of a wave."""

    result: DecisionResult
    fused_with: tuple[str, ...] = ()
    """The other decisions of the request that answered it."""


OnDecision: TypeAlias = Callable[[DecisionResult], object]
"""Called once with the decision as taken, before it is returned; what it returns is not read."""


async def adecide(
    contract: Contract,
    decision_id: str,
    state: Cells,
    judge: Judge,
    *,
    host: Host,
    gating: Gating = ENFORCE,
    call_facts: CallFacts | None = None,
    on_event: OnDecision | None = None,
) -> DecisionResult:
    """Return one decision of `contract` on `state`, taken by its policy from what `judge` answers.

    `call_facts` says what the tool table knows of the call about to run; without it no degraded answer may let a
    call run. A judge that fails is a reading without an answer: it never approves.

    Raises:
        HostError: contract, decision, mode and host do not fit together.
        SettingsError: `gating` names a decision that the contract does not have.
        FrameError: the frame cannot be built as declared.
    """
    started = time.perf_counter()
    prepared = prepare(contract, decision_id, state, host=host, caps=judge.caps, gating=gating, call_facts=call_facts)
    reply = await ask(prepared, judge)
    result = conclude(prepared, reply, elapsed_s=_since(started))
    _log.debug("decision %s at %s: %s", result.decision, result.position, result.action)
    if on_event is not None:
        on_event(result)
    return result


def decide(
    contract: Contract,
    decision_id: str,
    state: Cells,
    judge: Judge,
    *,
    host: Host,
    gating: Gating = ENFORCE,
    call_facts: CallFacts | None = None,
    on_event: OnDecision | None = None,
) -> DecisionResult:
    """Return what `adecide` returns, from plain code.

    Raises:
        HostError: as `adecide`, or an event loop is already running in this thread.
        SettingsError: as `adecide`.
        FrameError: as `adecide`.
    """
    call = partial(
        adecide,
        contract,
        decision_id,
        state,
        judge,
        host=host,
        gating=gating,
        call_facts=call_facts,
        on_event=on_event,
    )
    return run_blocking(call, name="decide", instead="adecide")


async def decide_wave(
    contract: Contract,
    decision_ids: Sequence[str],
    state: Cells,
    judge: Judge,
    *,
    host: Host,
    gating: Gating = ENFORCE,
    call_facts: CallFacts | None = None,
    plan: Plan | None = None,
    witness: Witness | None = None,
) -> Mapping[str, WaveResult]:
    """Return several decisions of `contract` on one state, asked at once: together where their frames allow it.

    `plan` is that of the contract for this judge; None makes one. `witness` is told of every request.

    Raises:
        HostError, SettingsError, FrameError: as `adecide`, of any of the decisions.
    """
    made = plan_contract(contract, judge.caps, name="fused") if plan is None else plan
    prepared = {
        name: prepare(contract, name, state, host=host, caps=judge.caps, gating=gating, call_facts=call_facts)
        for name in decision_ids
    }
    asking = [Asking(cells=state, prepared=one) for one in prepared.values() if one.ask]
    inquiries = launch(requests_for(asking, made), judge, witness)
    try:
        heard = {inquiry.prepared.decision.id: await inquiry.heard() for inquiry in inquiries}
    except BaseException:
        for inquiry in inquiries:
            inquiry.cancel()
        await asyncio.gather(*(inquiry.drop() for inquiry in inquiries), return_exceptions=True)
        raise
    return {name: _taken(one, heard.get(name)) for name, one in prepared.items()}


def _taken(prepared: Prepared, heard: Heard | None) -> WaveResult:
    if heard is None:
        return WaveResult(result=conclude(prepared, None))
    result = conclude(prepared, heard.reply, elapsed_s=heard.elapsed_s)
    return WaveResult(result=result, fused_with=heard.fused_with)


async def ask(prepared: Prepared, judge: Judge) -> JudgeReply | None:
    """Return the judge's reply on one prepared decision, None when there is nothing to ask.

    A judge that raises, or returns something else than a reply, has failed: no question has an answer.

    Raises:
        QuestionError: the judge refused to be asked like that.
    """
    return await put(alone(prepared), judge) if prepared.ask else None


def _since(started: float) -> float:
    return time.perf_counter() - started
