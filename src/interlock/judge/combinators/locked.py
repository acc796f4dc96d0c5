"""Marks answers whose lock is void: the question was tried, but with another model or on another basis.

Source: backends specification, sections 1 and 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from interlock.judge.base import Caps, Judge, JudgeReply, QuestionId, Reading
from interlock.judge.locks import Locks
from interlock.models.closing import close
from interlock.questions import Content, Question

__all__ = ["Locked"]


class Locked:
    """Gives the answers of a judge, degraded where their numbers are not the ones that a threshold was tried with."""

    def __init__(self, inner: Judge, *, locks: Locks) -> None:
        self._inner = inner
        self._locks = locks

    @property
    def caps(self) -> Caps:
        """Those of the judge."""
        return self._inner.caps

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return the judge's reply, answers with a void lock marked."""
        reply = await self._inner.answer(frame_state, questions)
        marked = {
            id_: replace(reading, degraded=True)
            for id_, reading in reply.readings.items()
            if self._is_void(questions[id_], reading, reply)
        }
        return replace(reply, readings={**reply.readings, **marked}) if marked else reply

    async def aclose(self) -> None:
        """Close the judge."""
        await close(self._inner)

    def _is_void(self, question: Question, reading: Reading, reply: JudgeReply) -> bool:
        if reading.kind != "answered" or reading.answer is None:
            return False
        return self._locks.is_void(question, model=reply.served_model, basis=reading.answer.basis)
