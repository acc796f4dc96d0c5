"""The clock, the sleep and the jitter of the engine, and how long it waits between attempts.

Source: decision-engine specification, retry.
"""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass

from interlock.models.base import TextModel
from interlock.models.patience import Clock, Rng, Sleep
from interlock.models.retry import RetryModel

__all__ = ["REAL", "TRANSPORT_BUDGET_S", "Waiting", "patient", "wait_s"]

FIRST_WAIT_S = 0.4
JITTER = 0.25
"""The most that is added to a wait, as a part of it."""
TRANSPORT_BUDGET_S = 60.0
"""For one model call, its repetitions after transport errors included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Where time and chance come from."""

    now: Clock
    sleep: Sleep
    rng: Rng


REAL = Waiting(now=time.monotonic, sleep=asyncio.sleep, rng=random.random)


def wait_s(attempt: int, rng: Rng) -> float:
    """Return the seconds to wait after the failed `attempt`, 1-based: 0.4, 0.8, 1.6, … plus jitter."""
    return float(FIRST_WAIT_S * 2 ** (attempt - 1) * (1 + JITTER * rng()))


def patient(model: TextModel, waiting: Waiting) -> TextModel:
    """Return a model that repeats a call after transport errors, within their own budget."""
    if isinstance(model, RetryModel):
        return model
    return RetryModel(
        model,
        model="the text model",
        budget_s=TRANSPORT_BUDGET_S,
        now=waiting.now,
        sleep=waiting.sleep,
        rng=waiting.rng,
    )
