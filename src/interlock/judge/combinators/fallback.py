"""Asks the next judge what the one before it could not answer.

Source: backends specification, section 6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from interlock.judge.base import Caps, Judge, JudgeReply, QuestionId, Reading, ReadingKind
from interlock.judge.locks import Locks
from interlock.judge.merge import merge
from interlock.models.closing import close
from interlock.models.patience import Clock
from interlock.questions import Content, Question

__all__ = ["Fallback"]

NO_LOCKS = Locks()
_MOVES_ON: frozenset[ReadingKind] = frozenset({"transport_error", "invalid_response", "unscored"})


class Fallback:
    """Takes each reading from the first leg that answers the question; later legs are degraded unless locked."""

    def __init__(self, legs: Sequence[Judge], *, now: Clock, refusals: bool = False, locks: Locks = NO_LOCKS) -> None:
        """Take the judges in order; with `refusals`, a question that one refused goes to the next too.

        `locks`: the questions that later legs were tried with.
        """
        self._legs = tuple(legs)
        self._now = now
        self._locks = locks
        self._moves_on = _MOVES_ON | {"refused"} if refusals else _MOVES_ON

    @property
    def caps(self) -> Caps:
        """What one request to the first leg may hold."""
        return self._legs[0].caps

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return a reading per question; one that no leg answers keeps the reading of the first."""
        began = self._now()
        first = await self._legs[0].answer(frame_state, questions)
        replies, readings = [first], dict(first.readings)
        for leg in self._legs[1:]:
            left = {id_: questions[id_] for id_, reading in readings.items() if reading.kind in self._moves_on}
            if not left:
                break
            reply = await leg.answer(frame_state, left)
            replies.append(reply)
            readings |= _answered(reply, left, self._locks)
        if len(replies) == 1:
            return first
        rescued = any(reading.answer is not None for reading in readings.values())
        return merge(
            replies,
            readings,
            failure=None if rescued else first.failure,
            request_digest=first.request_digest,
            elapsed_s=self._now() - began,
        )

    async def aclose(self) -> None:
        """Close every leg."""
        await close(*self._legs)


def _answered(reply: JudgeReply, questions: Mapping[QuestionId, Question], locks: Locks) -> dict[QuestionId, Reading]:
    """Return what a later leg answered, marked where it has no lock of its own for the question."""
    found = {}
    for id_, reading in reply.readings.items():
        if reading.kind == "answered" and reading.answer is not None:
            own = locks.holds(questions[id_], model=reply.served_model, basis=reading.answer.basis)
            found[id_] = replace(reading, degraded=reading.degraded or not own)
    return found
