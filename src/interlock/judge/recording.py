"""What a judge was asked and what it replied, kept so that it can be replied again without the judge.

Knows nothing of files or journals.
Source: backends specification, section 6.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from interlock._canonical import compact_json, pairs
from interlock.errors import QuestionError
from interlock.judge.base import Caps, Judge, JudgeReply, QuestionId, Reading
from interlock.judge.readings import Identity, digest_of, same_reading
from interlock.models.closing import close
from interlock.questions import Content, Question, as_json

__all__ = ["Recorded", "Recording", "ReplayJudge", "Write"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One request with its reply."""

    frame_state: Content
    questions: Mapping[QuestionId, Question]
    """The questions whose readings are in the reply."""
    reply: JudgeReply


Write: TypeAlias = Callable[[Recorded], None]


class Recording:
    """Tells `write` of every reply of the judge inside."""

    def __init__(self, inner: Judge, *, write: Write) -> None:
        self._inner = inner
        self._write = write

    @property
    def caps(self) -> Caps:
        """What one request may hold."""
        return self._inner.caps

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return the reply once it is written."""
        reply = await self._inner.answer(frame_state, questions)
        self._write(Recorded(frame_state=frame_state, questions=questions, reply=reply))
        return reply

    async def aclose(self) -> None:
        """Close the judge inside."""
        await close(self._inner)


class ReplayJudge:
    """Replies what was recorded for an equal request, in the order recorded; anything else was not asked."""

    def __init__(self, recorded: Iterable[Recorded], *, judge: str) -> None:
        self.id = judge
        self._left: dict[str, deque[_Reply]] = {}
        self._identities: dict[tuple[str, str, str | None], Identity] = {}
        for item in recorded:
            self._add(item)

    @property
    def caps(self) -> Caps:
        """Anything that was recorded."""
        return _ANY

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return the next recording of an equal request, `not_asked/no-recording` for every question without one."""
        if not questions:
            raise QuestionError("questions: is empty; ask at least one")
        digests = [digest_of(identity, frame_state, questions) for identity in self._identities.values()]
        for digest in digests:
            left = self._left.get(digest)
            if left:
                found = left.popleft()
                readings = same_reading(questions, "no-recording", self.id) | _matched(found.readings, questions)
                return replace(found.reply, readings=readings, request_digest=digest, elapsed_s=0.0)
        return self._unknown(questions, digests[0] if digests else "")

    def _add(self, item: Recorded) -> None:
        """Keep one recording; parts of one request that were recorded apart become one again."""
        reply = item.reply
        if not reply.request_digest:
            return
        identity = Identity(judge=self.id, model=reply.requested_model, wire=reply.wire, readout=reply.readout)
        self._identities[(identity.model, identity.wire, identity.readout)] = identity
        told = [
            (_key(item.questions[id_]), reading) for id_, reading in reply.readings.items() if id_ in item.questions
        ]
        kept = self._left.setdefault(reply.request_digest, deque())
        if kept and kept[-1].keys.isdisjoint(key for key, _ in told):
            kept[-1].readings.extend(told)
        else:
            kept.append(_Reply(reply=reply, readings=told))

    def _unknown(self, questions: Mapping[QuestionId, Question], digest: str) -> JudgeReply:
        return JudgeReply(
            readings=same_reading(questions, "no-recording", self.id),
            failure=None,
            requested_model=self.id,
            served_model=None,
            request_id=None,
            request_digest=digest,
            usage=None,
            attempts=0,
            elapsed_s=0.0,
        )


@dataclass(slots=True, kw_only=True)
class _Reply:
    """One recorded reply, its readings by what was asked: a question's id is not part of the request."""

    reply: JudgeReply
    readings: list[tuple[str, Reading]]

    @property
    def keys(self) -> set[str]:
        return {key for key, _ in self.readings}


_ANY = Caps(basis="scripted")


def _key(question: Question) -> str:
    return compact_json(pairs(as_json(question)))


def _matched(
    recorded: Sequence[tuple[str, Reading]], questions: Mapping[QuestionId, Question]
) -> dict[QuestionId, Reading]:
    """Return the readings of the questions asked; a question asked twice takes the recorded ones in order."""
    left = list(recorded)
    found: dict[QuestionId, Reading] = {}
    for id_, question in questions.items():
        at = next((index for index, (key, _) in enumerate(left) if key == _key(question)), None)
        if at is not None:
            found[id_] = left.pop(at)[1]
    return found
