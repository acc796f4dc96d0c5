"""The wire format of OpenAI Decisions: an array of questions in, answers in the same order out.

Our question ids are never sent; answers are matched by position and by the name given to each position.
Source: backends specification, section 3.2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import assert_never

from interlock._canonical import compact_json
from interlock.judge.base import QuestionId
from interlock.judge.envelope import Envelope, usage_of
from interlock.judge.wire import parse_json
from interlock.questions import Choice, Content, Json, Noul, Question, Score

__all__ = ["OpenAIDecisionsWire"]

_INDEX = re.compile(r"questions[.\[](\d{1,4})\b")


class OpenAIDecisionsWire:
    """Questions by position."""

    busy: frozenset[int] = frozenset({409})

    def encode(self, model: str, frame_state: Content, questions: Mapping[QuestionId, Question]) -> bytes:
        """Return the body of one request; a state that is not text is sent as its JSON text."""
        asked = [{"name": f"q{at}", **_question(question)} for at, question in enumerate(questions.values())]
        return compact_json({"model": model, "input": _text(frame_state), "questions": asked}).encode()

    def read(self, body: bytes, questions: Mapping[QuestionId, Question]) -> Envelope | str:
        """Return the envelope, or the slug of the first rule that the reply as a whole breaks."""
        try:
            reply = parse_json(body)
        except ValueError:
            return "not-json"
        if not isinstance(reply, Mapping):
            return "not-json"
        model, answers = reply.get("model"), reply.get("answers")
        if not isinstance(model, str) or not model or not isinstance(answers, list):
            return "envelope"
        names = [answer.get("name") if isinstance(answer, Mapping) else None for answer in answers]
        if names != [f"q{at}" for at in range(len(questions))]:
            return "answer-ids"
        return Envelope(
            model=model,
            answers={id_: _spelt(answer) for id_, answer in zip(questions, answers, strict=True)},
            usage=usage_of(reply.get("usage")),
            id=reply.get("id"),
        )

    def place(self, error: Json, questions: Mapping[QuestionId, Question]) -> str | None:
        """Return `questions.ID` when `error.param` leads to the position of a question that was asked."""
        said = error.get("error") if isinstance(error, Mapping) else None
        param = said.get("param") if isinstance(said, Mapping) else None
        found = _INDEX.match(param) if isinstance(param, str) else None
        ids = list(questions)
        return f"questions.{ids[int(found[1])]}" if found is not None and int(found[1]) < len(ids) else None


def _question(question: Question) -> dict[str, Json]:
    match question:
        case Noul():
            return {"type": "predicate", "instructions": _statement(question)}
        case Choice():
            choices = [_described("value", label, text) for label, text in question.criteria.items()]
            return {"type": "choice", "instructions": _text(question.instructions), "choices": choices}
        case Score():
            levels = [_described("label", str(at), text) for at, text in enumerate(question.criteria)]
            return {"type": "score", "instructions": _text(question.instructions), "levels": levels}
        case _:
            assert_never(question)


def _statement(question: Noul) -> str:
    """Return the instructions with what counts as true and as false below them: a predicate has no criteria."""
    lines = [_text(question.instructions)]
    criteria = question.criteria
    if criteria is not None and criteria.true is not None:
        lines.append(f"Counts as true: {_text(criteria.true)}")
    if criteria is not None and criteria.false is not None:
        lines.append(f"Counts as false: {_text(criteria.false)}")
    return "\n".join(lines)


def _described(key: str, name: str, text: Content | None) -> dict[str, Json]:
    return {key: name} if text is None else {key: name, "description": _text(text)}


def _text(content: Content) -> str:
    return content if isinstance(content, str) else compact_json(content)


def _spelt(answer: Mapping[str, Json]) -> Json:
    """Return one answer in the System One spelling; what does not fit stays as it is and fails the checks."""
    match answer.get("type"):
        case "predicate":
            return {"type": "noul", "noul": answer.get("probability")}
        case "choice":
            spread = _spread(answer.get("probabilities"), str)
            return {**answer, "probabilities": spread}
        case "score":
            spread = _spread(answer.get("probabilities"), int)
            return {**answer, "probabilities": spread}
        case _:
            return answer


def _spread(given: Json, kind: type) -> Json:
    """Return value → probability; None when a value is of another type or stands twice, which no check accepts."""
    if not isinstance(given, Sequence) or isinstance(given, str):
        return None
    found: dict[str, Json] = {}
    for item in given:
        value = item.get("value") if isinstance(item, Mapping) else None
        if type(value) is not kind or str(value) in found or not isinstance(item, Mapping):
            return None
        found[str(value)] = item.get("probability")
    return found
