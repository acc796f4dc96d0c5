"""Tries again what may pass the next time, while the budget around it allows the wait.

An answer that breaks a rule is never asked for again, and a refusal neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from interlock.judge.base import Caps, Judge, JudgeReply, QuestionId
from interlock.models.closing import close
from interlock.models.patience import Clock, Rng, Sleep, backoff_s, remaining_s
from interlock.questions import Content, Question

__all__ = ["Retry"]

MAX_RETRIES = 2


class Retry:
    """Repeats a call whose failure says that it may be repeated."""

    def __init__(self, inner: Judge, *, now: Clock, sleep: Sleep, rng: Rng) -> None:
        self._inner = inner
        self._now = now
        self._sleep = sleep
        self._rng = rng

    @property
    def caps(self) -> Caps:
        """What one request may hold."""
        return self._inner.caps

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return the first reply that is not worth another try; `attempts` counts all of them."""
        began = self._now()
        reply = await self._inner.answer(frame_state, questions)
        attempts = reply.attempts
        for retries in range(MAX_RETRIES):
            if reply.failure is None or not reply.failure.retryable:
                break
            wait_s = backoff_s(retries, self._rng, reply.failure.retry_after_s)
            if wait_s >= remaining_s(self._now):
                break
            await self._sleep(wait_s)
            reply = await self._inner.answer(frame_state, questions)
            attempts += reply.attempts
        return reply if attempts == reply.attempts else replace(reply, attempts=attempts, elapsed_s=self._now() - began)

    async def aclose(self) -> None:
        """Close the judge inside."""
        await close(self._inner)
