"""One decision with its account: picked or written, checked, asked for again, and never outside the space.

Source: decision-engine specification, retry and modes.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from interlock.actions import ActionDecision, FailedAttempt, check_tools
from interlock.engine.asking import Asking, Lacking, fallback
from interlock.engine.judged import Judged, judge_turn
from interlock.engine.limits import Used
from interlock.engine.meter import Meter
from interlock.engine.modes import CHAINS, Mode
from interlock.engine.turn import Turn
from interlock.engine.waiting import Waiting, patient
from interlock.judge.base import Judge
from interlock.models.base import TextModel, TextReply
from interlock.prompts import Layer, LayerRef
from interlock.questions import Json

__all__ = ["Decided", "EngineRuntime", "Fell", "decide"]

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Fell:
    """A mode that the provider does not have."""

    mode: Mode
    reason: str
    """The provider's, such as `bad-request`, or `ignored` when no reply called a function."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """One decision, with everything needed to account for it and to trace it to its prompts."""

    decision: ActionDecision
    mode: Mode
    """The mode that was used in the end."""
    fell: tuple[Fell, ...]
    """The modes that were tried before it."""
    loop: Mapping[str, Json]
    """The state as it was shown."""
    layers: Mapping[Layer, LayerRef]
    experiment: str | None
    used: Used
    requested_model: str | None
    """None when no text model was asked."""
    served_model: str | None
    elapsed_s: float

    @property
    def valid_at_first(self) -> bool:
        """True when the first reply passed every check."""
        return not self.decision.fallback and not self.decision.attempts


async def decide(turn: Turn, runtime: EngineRuntime, *, waiting: Waiting, meter: Meter) -> Decided:
    """Return one decision with its account; what it used is also added to `meter`.

    Raises:
        TypeError: the runtime has no text model.
        ValueError: names of tools repeat or are names of actions, or there is a negative number of retries.
        PromptError: the state or the pack is not of its form.
        LimitReached: tokens or cost are used up.
        ModelError: a model call failed as a whole.
    """
    if runtime.model is None:
        raise TypeError("this runtime has no text model, which the engine needs to write; pass Runtime(model)")
    if turn.max_retries < 0:
        raise ValueError(f"max_retries is {turn.max_retries}; write 0 or more")
    check_tools(turn.tools, turn.options.space)
    return await _Deciding(turn, patient(runtime.model, waiting), runtime.judge, waiting, meter).decided()


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
