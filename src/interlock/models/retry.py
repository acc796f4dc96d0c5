"""Asks a text model again after a failure that may pass, within one time budget."""

from __future__ import annotations

from collections.abc import AsyncIterator

from interlock.models.base import Failure, TextEvent, TextModel, TextReply, TextRequest
from interlock.models.closing import close
from interlock.models.patience import Clock, Rng, Sleep, backoff_s, remaining_s, within

__all__ = ["RetryModel"]

MAX_RETRIES = 2


class RetryModel:
    """Repeats what may be repeated; a stream is never repeated, since pieces of it were already seen."""

    def __init__(self, inner: TextModel, *, model: str, budget_s: float, now: Clock, sleep: Sleep, rng: Rng) -> None:
        self._inner = inner
        self._model = model
        self._budget_s = budget_s
        self._now = now
        self._sleep = sleep
        self._rng = rng

    async def generate(self, request: TextRequest) -> TextReply:
        """Return the first reply that is not worth another try."""
        reply = await within(self._budget_s, self._now, self._tries(request))
        return self._late() if reply is None else reply

    def stream(self, request: TextRequest) -> AsyncIterator[TextEvent]:
        """Yield what the model inside yields."""
        return self._inner.stream(request)

    async def aclose(self) -> None:
        """Close the model inside."""
        await close(self._inner)

    async def _tries(self, request: TextRequest) -> TextReply:
        reply = await self._inner.generate(request)
        for retries in range(MAX_RETRIES):
            if reply.failure is None or not reply.failure.retryable:
                break
            wait_s = backoff_s(retries, self._rng, reply.failure.retry_after_s)
            if wait_s >= remaining_s(self._now):
                break
            await self._sleep(wait_s)
            reply = await self._inner.generate(request)
        return reply

    def _late(self) -> TextReply:
        return TextReply(
            text="",
            finish="error",
            usage=None,
            requested_model=self._model,
            served_model=None,
            request_id=None,
            failure=Failure(reason="deadline"),
        )
