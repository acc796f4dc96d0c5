"""A judge whose answers are derived from what it is shown: always the same, and without any meaning.

For conformance runs and load tests only. An answer depends on the state, the instructions and the text of the
options, never on ids, on the other questions of a request, or on the order of options.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping

from interlock._canonical import compact_json, pairs
from interlock.errors import QuestionError
from interlock.judge.base import Caps, JudgeReply, QuestionId, Reading
from interlock.judge.offered import offered, spelt
from interlock.judge.plain import code_reply
from interlock.judge.readings import Identity, same_reading
from interlock.judge.validate import check_answer
from interlock.questions import Content, Question, as_json

__all__ = ["HashJudge"]

_SPREAD = 3.0
"""Logits lie in [-3, 3], so that no answer is certain."""


class HashJudge:
    """Answers every question that can be written as JSON."""

    def __init__(self, judge: str = "hash") -> None:
        self.id = judge
        self._identity = Identity(judge=judge, model=judge)
        self._caps = Caps(basis="scripted")

    @property
    def caps(self) -> Caps:
        """No limits."""
        return self._caps

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return an answer per question."""
        if not questions:
            raise QuestionError("questions: is empty; ask at least one")
        readings = {id_: self._reading(id_, frame_state, question) for id_, question in questions.items()}
        return code_reply(self._identity, frame_state, questions, readings)

    def _reading(self, id_: QuestionId, frame_state: Content, question: Question) -> Reading:
        try:
            told = as_json(question)
            shown = compact_json([pairs(frame_state), told["type"], pairs(told["instructions"])])
        except (TypeError, ValueError, RecursionError):
            return same_reading([id_], "bad-request", self.id)[id_]
        logits = [_logit(shown, outcome.name, outcome.text) for outcome in offered(question)]
        if not logits:
            return same_reading([id_], "no-options", self.id)[id_]
        weights = [math.exp(logit) for logit in logits]
        probabilities = [weight / math.fsum(weights) for weight in weights]
        return check_answer(spelt(question, probabilities), question, judge=self.id, basis="scripted")


def _logit(shown: str, name: str, text: str | None) -> float:
    digest = hashlib.sha256(f"{shown}\n{compact_json([name, text])}".encode("utf-8", "surrogatepass")).digest()
    return (int.from_bytes(digest[:8]) / 2**64 * 2 - 1) * _SPREAD
