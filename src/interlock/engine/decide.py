"""One decision with its account: picked or written, checked, asked for again, and never outside the space.

Source: decision-engine specification, retry and modes.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from interlock.actions import ActionDecision, FailedAttempt, check_tools
from interlock.engine.asking import Asking, Lacking, fallback
from interlock.engine.decided import Decided, Fell
from interlock.engine.graph import decided_in_graph
from interlock.engine.judged import Judged, judge_turn
from interlock.engine.meter import Meter
from interlock.engine.modes import CHAINS, Mode
from interlock.engine.turn import Turn
from interlock.engine.waiting import Waiting, patient
from interlock.judge.base import Judge
from interlock.models.base import TextModel, TextReply

__all__ = ["EngineRuntime", "decide"]

log = logging.getLogger("interlock.engine")


class EngineRuntime(Protocol):
    """What the engine runs on; a `Runtime` is one."""

    @property
    def model(self) -> TextModel | None:
        """What writes."""
        ...

    @property
    def judge(self) -> Judge | None:
        """What picks; None leaves the pick to the text model."""
        ...


async def decide(turn: Turn, runtime: EngineRuntime, *, waiting: Waiting, meter: Meter) -> Decided:
    """Return one decision with its account; what it used is also added to `meter`.

    A runtime that keeps a session graph gets a node for it.

    Raises:
        TypeError: the runtime has no text model.
        ValueError: names of tools repeat or are names of actions, or there is a negative number of retries.
        PromptError: the state or the pack is not of its form.
        LimitReached: tokens or cost are used up.
        ModelError: a model call failed as a whole.
    """
    if not hasattr(runtime, "model"):
        raise TypeError(f"runtime is a Runtime, or anything with a `model` and a `judge`, got {runtime!r}")
    if runtime.model is None:
        raise TypeError("this runtime has no text model, which the engine needs to write; pass Runtime(model)")
    if turn.max_retries < 0:
        raise ValueError(f"max_retries is {turn.max_retries}; write 0 or more")
    check_tools(turn.tools, turn.options.space)
    deciding = _Deciding(turn, patient(runtime.model, waiting), runtime.judge, waiting, meter)
    return await decided_in_graph(turn, runtime, deciding.decided)


class _Deciding:
    """One decision while it is made."""

    def __init__(self, turn: Turn, model: TextModel, judge: Judge | None, waiting: Waiting, meter: Meter) -> None:
        self._turn = turn
        self._model = model
        self._judge = judge
        self._waiting = waiting
        self._meter = meter
        self._mode: Mode = turn.options.mode
        self._fell: list[Fell] = []
        self._last: TextReply | None = None

    async def decided(self) -> Decided:
        started, before = self._waiting.now(), self._meter.used
        decision = await (self._by_text(self._turn) if self._judge is None else self._by_judge(self._judge))
        return Decided(
            decision=decision,
            mode=self._mode,
            fell=tuple(self._fell),
            loop=self._turn.loop(),
            layers=self._turn.pack.refs(),
            experiment=self._turn.pack.experiment,
            used=self._meter.used.since(before),
            requested_model=None if self._last is None else self._last.requested_model,
            served_model=None if self._last is None else self._last.served_model,
            elapsed_s=self._waiting.now() - started,
        )

    async def _by_judge(self, judge: Judge) -> ActionDecision:
        judged = await judge_turn(self._turn, judge, self._waiting)
        if not isinstance(judged, Judged):
            return fallback((judged,))
        decision = judged.decision or await self._by_text(judged.turn)
        return replace(decision, picked_by="judge", probabilities=judged.pick.probabilities)

    async def _by_text(self, turn: Turn) -> ActionDecision:
        chain, before = CHAINS[self._mode], list[FailedAttempt]()
        for mode, then in zip(chain, (*chain[1:], None), strict=True):
            self._mode = mode
            asking = Asking(turn, mode, self._model, self._waiting, self._meter)
            try:
                decision = await asking.decision()
                return replace(decision, attempts=_after(before, decision.attempts)) if before else decision
            except Lacking as lacking:
                self._fell.append(Fell(mode=mode, reason=lacking.reason))
                before += lacking.attempts
                log.warning("the provider lacks the mode `%s` (%s); going on in `%s`", mode, lacking.reason, then)
            finally:
                self._last = asking.replies[-1] if asking.replies else self._last
        raise AssertionError("the last mode of a chain is never lacking")


def _after(before: Sequence[FailedAttempt], attempts: Sequence[FailedAttempt]) -> tuple[FailedAttempt, ...]:
    """Return the attempts of two modes in one count."""
    return tuple(replace(attempt, number=number) for number, attempt in enumerate((*before, *attempts), start=1))
