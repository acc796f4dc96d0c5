"""One time budget around everything a judge does for one request."""

from __future__ import annotations

from collections.abc import Mapping

from interlock.judge.base import Caps, Failure, Judge, JudgeReply, QuestionId
from interlock.judge.readings import Identity, failed_reply
from interlock.models.closing import close
from interlock.models.patience import Clock, within
from interlock.questions import Content, Question

__all__ = ["Deadline"]


class Deadline:
    """Answers `transport_error/deadline` when the judge inside takes longer than its budget."""

    def __init__(self, inner: Judge, *, identity: Identity, budget_s: float, now: Clock) -> None:
        self._inner = inner
        self._identity = identity
        self._budget_s = budget_s
        self._now = now

    @property
    def caps(self) -> Caps:
        """What one request may hold."""
        return self._inner.caps

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return the reply when it is in time."""
        began = self._now()
        reply = await within(self._budget_s, self._now, self._inner.answer(frame_state, questions))
        if reply is not None:
            return reply
        late = Failure(reason="deadline")
        return failed_reply(self._identity, frame_state, questions, late, elapsed_s=self._now() - began)

    async def aclose(self) -> None:
        """Close the judge inside."""
        await close(self._inner)
