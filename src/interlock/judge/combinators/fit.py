"""Asks in as many calls as the limits of a judge require.

Source: backends specification, sections 2 and 6.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from interlock._canonical import compact_json
from interlock.judge.base import Caps, Failure, Judge, JudgeReply, QuestionId
from interlock.judge.caps import CallPlan, plan_calls
from interlock.judge.merge import merge
from interlock.judge.readings import Identity, digest_of, failed_reply, same_reading
from interlock.models.closing import close
from interlock.models.patience import Clock
from interlock.questions import Content, Question

__all__ = ["Fit"]

AT_ONCE = 4


class Fit:
    """Splits a request, at most four calls at a time; answers of different models are never mixed."""

    def __init__(self, inner: Judge, *, identity: Identity, now: Clock) -> None:
        self._inner = inner
        self._identity = identity
        self._now = now

    @property
    def caps(self) -> Caps:
        """What one request of the judge inside may hold."""
        return self._inner.caps

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return the answers of all calls; a question over a limit is `not_asked/over-caps`."""
        began = self._now()
        plan = plan_calls(self.caps, questions, envelope_bytes=self._envelope_bytes(frame_state))
        if not plan.over_caps and len(plan.calls) <= 1:
            return await self._inner.answer(frame_state, questions)
        replies = await self._ask(frame_state, plan)
        if not replies:
            none_fits = Failure(reason="over-caps")
            return failed_reply(self._identity, frame_state, questions, none_fits, elapsed_s=0.0, attempts=0)
        return self._merged(frame_state, questions, plan, replies, began)

    async def aclose(self) -> None:
        """Close the judge inside."""
        await close(self._inner)

    def _envelope_bytes(self, frame_state: Content) -> int:
        """Return the size of a body without its questions, 0 where size is no limit."""
        if self.caps.max_body_bytes is None:
            return 0
        text = compact_json({"model": self._identity.model, "state": frame_state, "questions": {}})
        return len(text.encode("utf-8", "surrogatepass"))

    async def _ask(self, frame_state: Content, plan: CallPlan) -> list[JudgeReply]:
        gate = asyncio.Semaphore(AT_ONCE)

        async def ask(questions: Mapping[QuestionId, Question]) -> JudgeReply:
            async with gate:
                return await self._inner.answer(frame_state, questions)

        async with asyncio.TaskGroup() as group:
            calls = [group.create_task(ask(questions)) for questions in plan.calls]
        return [call.result() for call in calls]

    def _merged(
        self,
        frame_state: Content,
        questions: Mapping[QuestionId, Question],
        plan: CallPlan,
        replies: Sequence[JudgeReply],
        began: float,
    ) -> JudgeReply:
        failure = replies[0].failure if all(reply.failure for reply in replies) else None
        found = {id_: reading for reply in replies for id_, reading in reply.readings.items()}
        if len({reply.served_model for reply in replies if reply.served_model is not None}) > 1:
            failure = Failure(reason="model-split")
            found = same_reading(found, failure.reason, self._identity.judge)
        found |= same_reading(plan.over_caps, "over-caps", self._identity.judge)
        return merge(
            replies,
            {id_: found[id_] for id_ in questions},
            failure=failure,
            request_digest=digest_of(self._identity, frame_state, questions),
            elapsed_s=self._now() - began,
        )
