"""A judge that answers what it was told to and remembers what it was shown.

For tests, examples and demonstrations; its answers pass the same checks as those of a server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

from interlock.errors import QuestionError
from interlock.judge.base import Caps, Failure, JudgeReply, QuestionId, Reading
from interlock.judge.digest import request_digest
from interlock.judge.readings import same_reading
from interlock.judge.validate import check_answer
from interlock.judge.wire import encode_answer
from interlock.questions import (
    Answer,
    Choice,
    ChoiceAnswer,
    Content,
    Json,
    Noul,
    NoulAnswer,
    Question,
    Score,
    ScoreAnswer,
)

__all__ = ["Script", "Scripted", "ScriptedJudge", "Seen"]

Scripted: TypeAlias = float | str | Mapping[str, float] | Answer | Reading | None
"""What a question is answered with, read by its kind.

noul: the probability of true. choice: the label picked, or label → probability. score: the expected level, or
level as text → probability. An answer or a reading stands for itself; None abstains.
"""
Script: TypeAlias = (
    Mapping[QuestionId, Scripted | Sequence[Scripted]]
    | Callable[[Content, QuestionId, Question], Scripted]
    | Sequence[Mapping[QuestionId, Scripted] | Failure]
)
"""By question id (a list holds successive answers), a function of what is asked, or one item per call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request as the judge saw it."""

    frame_state: Content
    questions: Mapping[QuestionId, Question]


class ScriptedJudge:
    """Answers from a script; a question the script does not cover reads `not_asked/no-recording`."""

    def __init__(
        self, script: Script, *, judge: str = "scripted", caps: Caps | None = None, degraded: bool = False
    ) -> None:
        self.id = judge
        self.seen: list[Seen] = []
        """Every request, in order."""
        self._script = script
        self._caps = Caps(basis="scripted") if caps is None else caps
        self._degraded = degraded
        self._asked: dict[QuestionId, int] = {}

    @property
    def caps(self) -> Caps:
        """What one request may hold."""
        return self._caps

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return what the script says."""
        if not questions:
            raise QuestionError("questions: is empty; ask at least one")
        call = len(self.seen)
        self.seen.append(Seen(frame_state=frame_state, questions=dict(questions)))
        failure = self._failure(call)
        if failure is not None:
            readings = same_reading(questions, failure.reason, self.id)
        else:
            readings = {id_: self._reading(call, frame_state, id_, asked) for id_, asked in questions.items()}
        return JudgeReply(
            readings=readings,
            failure=failure,
            requested_model=self.id,
            served_model=None if failure else self.id,
            request_id=None,
            request_digest=request_digest(frame_state, questions, model=self.id),
            usage=None,
            attempts=1,
            elapsed_s=0.0,
        )

    def _failure(self, call: int) -> Failure | None:
        if isinstance(self._script, Mapping) or callable(self._script) or call >= len(self._script):
            return None
        item = self._script[call]
        return item if isinstance(item, Failure) else None

    def _reading(self, call: int, frame_state: Content, id_: QuestionId, question: Question) -> Reading:
        script = self._script
        if isinstance(script, Mapping):
            return self._successive(script, id_, question)
        if callable(script):
            return self._read(script(frame_state, id_, question), question)
        item = script[call] if call < len(script) else {}
        if isinstance(item, Failure) or id_ not in item:
            return same_reading([id_], "no-recording", self.id)[id_]
        return self._read(item[id_], question)

    def _successive(
        self, script: Mapping[QuestionId, Scripted | Sequence[Scripted]], id_: QuestionId, question: Question
    ) -> Reading:
        given = script.get(id_, [])
        if given is None or isinstance(
            given, float | int | str | Mapping | NoulAnswer | ChoiceAnswer | ScoreAnswer | Reading
        ):
            return self._read(given, question)
        at = self._asked.get(id_, 0)
        self._asked[id_] = at + 1
        if at >= len(given):
            return same_reading([id_], "no-recording", self.id)[id_]
        return self._read(given[at], question)

    def _read(self, given: Scripted, question: Question) -> Reading:
        if isinstance(given, Reading):
            return given
        if given is None:
            return same_reading(["_"], "abstained", self.id)["_"]
        if isinstance(given, NoulAnswer | ChoiceAnswer | ScoreAnswer):
            checked = self._check(encode_answer(given), question)
            return checked if checked.answer is None else replace(checked, answer=given)
        return self._check(_spell(given, question), question)

    def _check(self, raw: Json, question: Question) -> Reading:
        checked = check_answer(raw, question, judge=self.id, basis="scripted", bare_label=True)
        return replace(checked, degraded=self._degraded)


def _spell(given: float | str | Mapping[str, float], question: Question) -> Json:
    """Return the script's short form as an answer on the wire."""
    match question:
        case Noul():
            return {"type": "noul", "noul": float(given) if isinstance(given, bool) else given}
        case Choice():
            return _spell_choice(given, question)
        case Score():
            return _spell_score(given, question)
        case _:
            assert_never(question)


def _spell_choice(given: float | str | Mapping[str, float], question: Choice) -> Json:
    if isinstance(given, Mapping):
        picked = max(given, key=lambda label: given[label], default="")
        return {"type": "choice", "choice": picked, "probabilities": given}
    first = next(iter(question.criteria), "")
    sure = given if given in question.criteria else first
    return {
        "type": "choice",
        "choice": given,
        "probabilities": {label: float(label == sure) for label in question.criteria},
    }


def _spell_score(given: float | str | Mapping[str, float], question: Score) -> Json:
    if isinstance(given, Mapping):
        mean = sum(int(level) * p for level, p in given.items() if level.isdecimal())
        return {"type": "score", "score": mean, "probabilities": given}
    last = len(question.criteria) - 1
    at = given if isinstance(given, int | float) and 0 <= given <= last else 0
    low = int(at)
    spread = {str(level): 0.0 for level in range(last + 1)} | {str(low): 1 - (at - low)}
    if at > low:
        spread[str(low + 1)] = at - low
    return {"type": "score", "score": given, "probabilities": spread}
