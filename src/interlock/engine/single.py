"""The next action for a state, in both colours.

Source: decision-engine specification, retry.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Mapping, Sequence

from interlock.actions import ActionDecision, Observation
from interlock.engine.decide import EngineRuntime, decide
from interlock.engine.decided import Decided
from interlock.engine.meter import Meter
from interlock.engine.modes import STANDARD_OPTIONS, EngineOptions
from interlock.engine.records import action_body
from interlock.engine.tools import engine_tools
from interlock.engine.turn import Turn
from interlock.engine.waiting import REAL, Waiting
from interlock.errors import JournalError
from interlock.journal.recording import Recorder
from interlock.pipeline.sharedloop import run_anywhere
from interlock.prompts import PromptPack
from interlock.questions import Json

__all__ = ["anext_action", "next_action"]

log = logging.getLogger("interlock.engine")


def next_action(
    state: Mapping[str, Json],
    tools: Sequence[object] | Mapping[str, object],
    *,
    runtime: EngineRuntime,
    pack: PromptPack,
    observation: Observation | Sequence[Observation] | str | None = None,
    max_retries: int = 2,
    options: EngineOptions = STANDARD_OPTIONS,
    recorder: Recorder | None = None,
    waiting: Waiting = REAL,
) -> ActionDecision:
    """Return one legal action for `state`.

    `state`: keys of the loop layer, `goal` at least. `tools`: those available now. `observation`: what was
    observed so far. When no reply is valid after `max_retries` further ones, the action is `ask_user`, marked
    `fallback`. `recorder` writes the decision down with the prompts it came from; a store that fails does not
    break the call.

    Raises:
        TypeError: the runtime has no text model, or an item of `tools` or `observation` is none.
        ValueError: names of tools repeat or are names of actions, or `max_retries` is negative.
        PromptError: the state or the pack is not of its form.
        ModelError: a model call failed as a whole.
    """
    call = functools.partial(
        anext_action,
        state,
        tools,
        runtime=runtime,
        pack=pack,
        observation=observation,
        max_retries=max_retries,
        options=options,
        recorder=recorder,
        waiting=waiting,
    )
    return run_anywhere(call)


async def anext_action(
    state: Mapping[str, Json],
    tools: Sequence[object] | Mapping[str, object],
    *,
    runtime: EngineRuntime,
    pack: PromptPack,
    observation: Observation | Sequence[Observation] | str | None = None,
    max_retries: int = 2,
    options: EngineOptions = STANDARD_OPTIONS,
    recorder: Recorder | None = None,
    waiting: Waiting = REAL,
) -> ActionDecision:
    """The coroutine form of `next_action`."""
    listed = engine_tools(tools, context={}, runtime=runtime)
    turn = Turn(
        state=state,
        tools=tuple(tool.spec for tool in listed),
        pack=pack,
        options=options,
        observations=_observations(observation),
        max_retries=max_retries,
    )
    decided = await decide(turn, runtime, waiting=waiting, meter=Meter())
    if recorder is not None:
        _record(recorder, decided, turn)
    return decided.decision


def _record(recorder: Recorder, decided: Decided, turn: Turn) -> None:
    """Write a decision down; outside of a run no record is worth more than the call."""
    try:
        recorder.record("action", action_body(decided, 0, tuple(item.id for item in turn.observations)))
    except JournalError as error:
        log.warning("journal: a decision was not written: %s", error)


def _observations(given: object) -> tuple[Observation, ...]:
    if given is None:
        return ()
    if isinstance(given, str):
        return (Observation(name="observation", number=1, text=given),)
    several = given if isinstance(given, Sequence) else (given,)
    wrong = next((item for item in several if not isinstance(item, Observation)), None)
    if wrong is not None:
        raise TypeError(f"an observation is text or an Observation of interlock.actions, got {wrong!r}")
    return tuple(several)
