"""The judge behind a text model: one question per call, its answer read by a readout.

Knows neither prompts nor models.
Source: backends specification, section 5.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from interlock.errors import QuestionError
from interlock.judge.base import Caps, Failure, JudgeReply, QuestionId, Reading
from interlock.judge.merge import merge
from interlock.judge.readings import Identity, digest_of, failed_reply, same_reading
from interlock.judge.validate import check_answer
from interlock.models.base import TextReply
from interlock.models.closing import close
from interlock.models.failures import describe
from interlock.models.patience import Clock
from interlock.models.usage import total_usage
from interlock.questions import ChoiceAnswer, Content, Json, Question, ScoreAnswer

__all__ = ["ReadOut", "Readout", "ReadoutJudge"]

_log = logging.getLogger("interlock.judge")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOut:
    """What became of one question at a text model."""

    replies: tuple[TextReply, ...]
    """Every reply of the model, in order."""
    answer: Json = None
    """In the System One spelling; None with `reason`."""
    reason: str | None = None
    """Why there is no answer: a slug of a reading."""
    option_mass: float | None = None
    reported_sum: float | None = None


class Readout(Protocol):
    """A way to put one question to a text model and to read the answer."""

    @property
    def caps(self) -> Caps:
        """What one call may hold; its basis is that of every answer."""
        ...

    async def ask(self, frame_state: Content, question: Question) -> ReadOut:
        """Return what became of the question.

        Raises:
            ValueError: the state is not JSON.
        """
        ...

    async def aclose(self) -> None:
        """Close the model."""
        ...


class ReadoutJudge:
    """Asks a text model question by question."""

    def __init__(self, readout: Readout, *, identity: Identity, now: Clock, degraded: bool = False) -> None:
        """Take the readout; `degraded` marks every answer, for a model too small to be trusted."""
        self._readout = readout
        self._identity = identity
        self._now = now
        self._degraded = degraded

    @property
    def caps(self) -> Caps:
        """What one call may hold."""
        return self._readout.caps

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return the answers, each checked; anything else is a reading."""
        if not questions:
            raise QuestionError("questions: is empty; ask at least one")
        began = self._now()
        replies = [await self._one(frame_state, id_, question) for id_, question in questions.items()]
        if len(replies) == 1:
            return replies[0]
        failure = replies[0].failure if all(reply.failure for reply in replies) else None
        return merge(
            replies,
            {id_: reading for reply in replies for id_, reading in reply.readings.items()},
            failure=failure,
            request_digest=digest_of(self._identity, frame_state, questions),
            elapsed_s=self._now() - began,
        )

    async def aclose(self) -> None:
        """Close the model."""
        await close(self._readout)

    async def _one(self, frame_state: Content, id_: QuestionId, question: Question) -> JudgeReply:
        began = self._now()
        try:
            found = await self._readout.ask(frame_state, question)
        except ValueError:
            refused = Failure(reason="bad-request")
            return failed_reply(
                self._identity, frame_state, {id_: question}, refused, elapsed_s=self._now() - began, attempts=0
            )
        last = found.replies[-1]
        reading = self._reading(id_, question, found)
        failure = _failure(found, reading)
        if reading.answer is None:
            told = failure or Failure(reason=reading.reason)
            _log.warning("%s", describe(self._identity.judge, told, last.request_id))
        return JudgeReply(
            readings={id_: reading},
            failure=failure,
            requested_model=self._identity.model,
            served_model=last.served_model,
            request_id=last.request_id,
            request_digest=digest_of(self._identity, frame_state, {id_: question}),
            usage=total_usage([reply.usage for reply in found.replies]),
            attempts=len(found.replies),
            elapsed_s=self._now() - began,
            wire=self._identity.wire,
            readout=self._identity.readout,
        )

    def _reading(self, id_: QuestionId, question: Question, found: ReadOut) -> Reading:
        if found.reason is not None:
            return same_reading([id_], found.reason, self._identity.judge)[id_]
        checked = check_answer(found.answer, question, judge=self._identity.judge, basis=self.caps.basis)
        answer = checked.answer
        if answer is None:
            return checked
        if isinstance(answer, ChoiceAnswer | ScoreAnswer):
            answer = replace(answer, reported_sum=found.reported_sum)
        return replace(checked, answer=replace(answer, option_mass=found.option_mass), degraded=self._degraded)


def _failure(found: ReadOut, reading: Reading) -> Failure | None:
    """Return the failure of the call, None where the model answered and only the reading has no answer."""
    last = found.replies[-1]
    if last.failure is not None:
        return replace(last.failure, reason=reading.reason)
    return Failure(reason=reading.reason) if reading.kind == "transport_error" else None
