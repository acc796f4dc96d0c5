"""Drives a state to its end: the reducer says what is due, budgets may forbid it, the performer does it.

Holds no rule of the loop itself.
Source: reference loop specification, budgets and breaker; journal and safety specification.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace

import anyio

from interlock.errors import JournalError
from interlock.journal.bodies import budget_body, error_body, run_ended_body
from interlock.loop.budget import Budgets, Spent, exceeded
from interlock.loop.effects import Performer
from interlock.loop.events import Ask, Effect, Event, Generate, Provide, Stopped
from interlock.loop.setup import Setup
from interlock.loop.state import State
from interlock.loop.step import Next, step

__all__ = ["drive"]

log = logging.getLogger("interlock")


async def drive(setup: Setup, budgets: Budgets, following: Next) -> State:
    """Return the last state of a run that goes on with `following`; its end is on record.

    A cancelled run is recorded as such, and the cancellation goes on. A parked run has not ended.

    Raises:
        JournalError: something could not be recorded; what was about to happen did not.
    """
    performer = Performer(setup, budgets)
    try:
        while (event := await _event(setup, budgets, performer, following)) is not None:
            following = step(following.state, event)
    except (anyio.get_cancelled_exc_class(), KeyboardInterrupt):
        with anyio.CancelScope(shield=True):
            await performer.settle()
        _end(setup, replace(following.state, halt="cancelled", refused=None, reason="the run was cancelled"))
        raise
    except JournalError:
        raise
    except Exception as error:
        kind = type(error).__name__
        body = error_body(where=following.state.phase, kind=kind, message=f"the run stopped on {kind}")
        setup.recorder.record("error", body)
        raise
    finally:
        with anyio.CancelScope(shield=True):
            await performer.close()
    if following.state.phase != "parked":
        _end(setup, following.state)
    return following.state


async def _event(setup: Setup, budgets: Budgets, performer: Performer, following: Next) -> Event | None:
    """Return what the effect that is due came to; a budget may forbid it, or end it while it waits."""
    (effect,) = following.effects
    spent = setup.ledger.spent()
    halt = exceeded(budgets, spent, effect)
    if halt is None:
        with anyio.move_on_after(_patience(setup, budgets, spent, effect)) as limit:
            return await performer.perform(following.state, effect)
        if not limit.cancelled_caught:
            raise RuntimeError(f"`{type(effect).__name__}` was cancelled from inside")
        halt = "budget:seconds"
    used, allowed = _figures(budgets, setup.ledger.spent())[halt]
    setup.recorder.record(
        "budget", budget_body(budget=halt, limit=allowed, used=used, before=type(effect).__name__.lower())
    )
    log.info("%s before %s", halt, type(effect).__name__.lower())
    return Stopped(halt=halt)


def _patience(setup: Setup, budgets: Budgets, spent: Spent, effect: Effect) -> float | None:
    """Return how long an effect may wait; None for one that must not be cut short, and for a person who judges."""
    if isinstance(effect, Ask) and setup.judge.caps.basis == "person":
        return None
    if isinstance(effect, Ask | Provide | Generate):
        return budgets.max_seconds - spent.seconds
    return None


def _figures(budgets: Budgets, spent: Spent) -> Mapping[str, tuple[float, float]]:
    return {
        "max_steps": (spent.steps, budgets.max_steps),
        "budget:seconds": (spent.seconds, budgets.max_seconds),
        "budget:judge_calls": (spent.judge_calls, budgets.max_judge_calls),
        "budget:writer_calls": (spent.writer_calls, budgets.max_writer_calls),
        "budget:tokens": (spent.tokens, budgets.max_tokens or 0),
    }


def _end(setup: Setup, state: State) -> None:
    setup.recorder.record(
        "run_ended",
        run_ended_body(
            halt=state.halt_name,
            delivered=state.delivered,
            answer=state.draft if state.delivered else None,
            draft=state.draft,
            degraded=setup.ledger.degraded,
            steps=len(state.finished),
            reason=state.explanation,
            accounting=setup.ledger.total(),
        ),
    )
