"""System One, the wire format: questions and answers as JSON, and the strict reader of replies.

Knows nothing of HTTP.
Source: backends specification, section 3.1.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NoReturn, assert_never

from interlock._canonical import compact_json
from interlock.judge.base import QuestionId
from interlock.questions import (
    Answer,
    ChoiceAnswer,
    Content,
    Json,
    NoulAnswer,
    Question,
    ScoreAnswer,
    as_json,
)

__all__ = ["encode_answer", "encode_request", "parse_json"]


def encode_request(model: str, frame_state: Content, questions: Mapping[QuestionId, Question]) -> bytes:
    """Return the body of one request: compact UTF-8 JSON, non-ASCII unescaped, questions in order.

    Raises:
        ValueError: the state is not JSON, holds a number that is not finite or a lone surrogate.
    """
    asked = {id_: as_json(question) for id_, question in questions.items()}
    return compact_json({"model": model, "state": frame_state, "questions": asked}).encode()


def encode_answer(answer: Answer) -> dict[str, Json]:
    """Return one answer as the wire spells it; levels are string keys."""
    match answer:
        case NoulAnswer():
            return {"type": "noul", "noul": answer.noul}
        case ChoiceAnswer():
            told: dict[str, Json] = {"type": "choice", "choice": answer.choice}
            if answer.probabilities is not None:
                told["probabilities"] = dict(answer.probabilities)
            return told | {"confidence": answer.reported_confidence}
        case ScoreAnswer():
            return {
                "type": "score",
                "score": answer.score,
                "probabilities": {str(level): p for level, p in enumerate(answer.probabilities)},
                "confidence": answer.reported_confidence,
            }
        case _:
            assert_never(answer)


def parse_json(body: str | bytes) -> Json:
    """Return the JSON value of `body`.

    Raises:
        ValueError: it is not JSON in UTF-8, repeats a key, holds NaN, Infinity or a lone surrogate, or is nested
            too deep.
    """
    text = body if isinstance(body, str) else body.decode("utf-8")
    try:
        value: Json = _DECODER.decode(text)
    except RecursionError as error:
        raise ValueError("json: nested too deep") from error
    if "\\u" in text and _has_lone_surrogate(value):
        raise ValueError("json: holds a lone surrogate")
    return value


def _unique(items: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(items)
    if len(found) != len(items):
        raise ValueError("json: a key is repeated")
    return found


def _has_lone_surrogate(value: Json) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _refuse(_constant: str) -> NoReturn:
    raise ValueError("json: a number is not finite")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse)
