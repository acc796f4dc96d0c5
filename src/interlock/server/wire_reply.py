"""Writes a judge's reply as a System One response, or as the error that it comes to.

Pure. The wire has no failure per question, and an answer is never invented.
Source: backends specification, section 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import assert_never

from interlock.judge.base import JudgeReply, Reading, Usage
from interlock.questions import (
    Answer,
    Choice,
    ChoiceAnswer,
    Json,
    NoulAnswer,
    Question,
    Score,
    ScoreAnswer,
    confidence,
)
from interlock.server.wire_request import WireRequest

__all__ = ["BUSY_RETRY_MS", "Response", "error_response", "reply_response"]

BUSY_RETRY_MS = 1000
"""What a client is asked to wait when the judge did not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """One answer over HTTP."""

    status: int
    body: Mapping[str, Json]
    headers: Mapping[str, str] = field(default_factory=dict)


def error_response(status: int, error_type: str, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return an error; `message` is a fixed sentence that quotes nothing of the request."""
    return Response(
        status=status, body={"detail": {"error_type": error_type, "message": message}}, headers=headers or {}
    )


def reply_response(request: WireRequest, reply: JudgeReply) -> Response:
    """Return the response to a request that a judge has answered or failed to answer."""
    failed = [reading for reading in reply.readings.values() if reading.answer is None]
    upstream = next((item for item in failed if item.kind in ("transport_error", "invalid_response")), None)
    if upstream is not None:
        return _upstream(upstream, reply)
    unanswered = {id_: f"{item.kind}/{item.reason}" for id_, item in reply.readings.items() if not _speaks(item)}
    if unanswered:
        detail: Json = {
            "error_type": "question_not_answered",
            "message": "a question has no answer",
            "questions": unanswered,
        }
        return Response(status=400, body={"detail": detail})
    answers = {id_: _answer(request.questions[id_], reply.readings[id_]) for id_ in request.questions}
    usage = reply.usage or Usage()
    body: dict[str, Json] = {
        "model": reply.served_model or reply.requested_model,
        "answers": answers,
        "usage": {"input_tokens": usage.input_tokens or 0, "output_tokens": usage.output_tokens or 0},
        "x_judge": next(iter(reply.readings.values())).judge,
        "x_degraded": any(item.degraded for item in reply.readings.values()),
        "x_request_digest": reply.request_digest,
    }
    if usage.input_tokens is None:
        body["x_usage_known"] = False
    return Response(status=200, body=body)


def _speaks(reading: Reading) -> bool:
    """True when the reading holds an answer with numbers, which is what the wire carries."""
    answer = reading.answer
    return answer is not None and not (isinstance(answer, ChoiceAnswer) and answer.probabilities is None)


def _upstream(reading: Reading, reply: JudgeReply) -> Response:
    if reading.reason == "busy":
        after_s = None if reply.failure is None else reply.failure.retry_after_s
        wait_ms = BUSY_RETRY_MS if after_s is None else int(after_s * 1000)
        return error_response(529, "overloaded_error", "the judge is busy", {"retry-after-ms": str(wait_ms)})
    if reading.reason in ("deadline", "timeout"):
        return error_response(504, "upstream_timeout", "the judge did not answer in time")
    return error_response(502, "upstream_error", f"the judge failed: {reading.kind}/{reading.reason}")


def _answer(question: Question, reading: Reading) -> Json:
    answer = reading.answer
    if answer is None:
        raise AssertionError("an unanswered question is an error response")
    spelt = _spelt(question, answer)
    spelt |= {"x_basis": answer.basis, "x_option_mass": answer.option_mass, "x_reading": reading.kind}
    return spelt


def _spelt(question: Question, answer: Answer) -> dict[str, Json]:
    match answer:
        case NoulAnswer():
            return {"type": "noul", "noul": answer.noul}
        case ChoiceAnswer():
            given = answer.probabilities or {}
            labels = list(question.criteria) if isinstance(question, Choice) else []
            told = {label: given[label] for label in labels}
            picked = max(labels, key=lambda label: told[label])
            return {"type": "choice", "choice": picked, "probabilities": told, "confidence": confidence(answer)}
        case ScoreAnswer():
            levels = list(question.criteria) if isinstance(question, Score) else []
            return {
                "type": "score",
                "score": answer.score,
                "probabilities": {str(at): p for at, p in enumerate(answer.probabilities)},
                "legend": {str(at): level for at, level in enumerate(levels)},
                "confidence": confidence(answer),
            }
        case _:
            assert_never(answer)
