"""Takes the only candidate without asking, and asks nothing where there is none.

Source: backends specification, section 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from interlock.judge.base import Caps, Judge, JudgeReply, QuestionId, Reading
from interlock.judge.readings import Identity, digest_of, same_reading
from interlock.models.closing import close
from interlock.questions import Choice, ChoiceAnswer, Content, Question

__all__ = ["SingleCandidate"]


class SingleCandidate:
    """Answers choices with fewer than two options itself; such an answer says nothing about the judge."""

    def __init__(self, inner: Judge, *, identity: Identity) -> None:
        self._inner = inner
        self._identity = identity

    @property
    def id(self) -> str:
        """Such as `typesafe:jev-1.13.0`."""
        return self._identity.judge

    @property
    def caps(self) -> Caps:
        """What one request may hold."""
        return self._inner.caps

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return the judge's readings beside those that needed no judge."""
        taken = {id_: self._take(id_, asked) for id_, asked in questions.items() if _is_settled(asked)}
        left = {id_: asked for id_, asked in questions.items() if id_ not in taken}
        if not taken:
            return await self._inner.answer(frame_state, questions)
        digest = digest_of(self._identity, frame_state, questions)
        if not left:
            return self._unasked(taken, digest)
        reply = await self._inner.answer(frame_state, left)
        both = {**reply.readings, **taken}
        return replace(reply, readings={id_: both[id_] for id_ in questions}, failure=None, request_digest=digest)

    async def aclose(self) -> None:
        """Close the judge inside."""
        await close(self._inner)

    def _take(self, id_: QuestionId, question: Question) -> Reading:
        label = next(iter(question.criteria), None) if isinstance(question, Choice) else None
        if label is None:
            return same_reading([id_], "no-options", self._identity.judge)[id_]
        answer = ChoiceAnswer(choice=label, probabilities={label: 1.0}, basis="single")
        return Reading(kind="not_asked", reason="single-option", answer=answer, judge=self._identity.judge)

    def _unasked(self, taken: Mapping[QuestionId, Reading], digest: str) -> JudgeReply:
        return JudgeReply(
            readings=taken,
            failure=None,
            requested_model=self._identity.model,
            served_model=None,
            request_id=None,
            request_digest=digest,
            usage=None,
            attempts=0,
            elapsed_s=0.0,
            wire=self._identity.wire,
            readout=self._identity.readout,
        )


def _is_settled(question: Question) -> bool:
    return isinstance(question, Choice) and len(question.criteria) < 2
