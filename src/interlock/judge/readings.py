"""How a call that brought no answers becomes a reply: one reading per question asked, its kind fixed by the reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from interlock.judge.base import Failure, JudgeReply, QuestionId, Reading, ReadingKind
from interlock.judge.digest import request_digest
from interlock.models.base import NOT_TEXT
from interlock.questions import Content, Question

__all__ = ["Identity", "digest_of", "failed_reply", "model_reason", "same_reading"]

_KINDS: Mapping[str, ReadingKind] = {
    "auth": "transport_error",
    "bad-request": "transport_error",
    "not-found": "transport_error",
    "not-supported": "transport_error",
    "too-large": "transport_error",
    "busy": "transport_error",
    "server": "transport_error",
    "redirect": "transport_error",
    "connect": "transport_error",
    "timeout": "transport_error",
    "deadline": "transport_error",
    "not-json": "invalid_response",
    "envelope": "invalid_response",
    "answer-ids": "invalid_response",
    "model-split": "invalid_response",
    "oversize": "invalid_response",
    "option-keys": "invalid_response",
    "probability-range": "invalid_response",
    "refusal": "refused",
    "abstained": "unscored",
    "bad-sum": "unscored",
    "low-mass": "unscored",
    "no-logprobs": "unscored",
    "order-flip": "unscored",
    "over-caps": "not_asked",
    "no-options": "not_asked",
    "no-recording": "not_asked",
}

_MODEL_REASONS: Mapping[str, str] = {NOT_TEXT: "not-json", "not-loaded": "not-supported"}
"""What only text models fail by → what a reading says of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who answers, as readings and digests name it."""

    judge: str
    model: str
    wire: str = "code"
    readout: str | None = None


def digest_of(identity: Identity, frame_state: Content, questions: Mapping[QuestionId, Question]) -> str:
    """Return the digest of a request to this judge; empty for a request without a JSON form, which is never sent."""
    try:
        return request_digest(
            frame_state, questions, model=identity.model, wire=identity.wire, readout=identity.readout
        )
    except (TypeError, ValueError, RecursionError):
        return ""


def model_reason(reason: str) -> str:
    """Return the reason of a reading for the failure of a text model."""
    return reason if reason in _KINDS else _MODEL_REASONS.get(reason, "server")


def same_reading(ids: Iterable[QuestionId], reason: str, judge: str) -> dict[QuestionId, Reading]:
    """Return one reading without an answer for every id; the kind follows from the reason."""
    reading = Reading(kind=_KINDS[reason], reason=reason, answer=None, judge=judge)
    return dict.fromkeys(ids, reading)


def failed_reply(
    identity: Identity,
    frame_state: Content,
    questions: Mapping[QuestionId, Question],
    failure: Failure,
    *,
    elapsed_s: float,
    request_id: str | None = None,
    attempts: int = 1,
) -> JudgeReply:
    """Return the reply to a call that failed as a whole."""
    return JudgeReply(
        readings=same_reading(questions, failure.reason, identity.judge),
        failure=failure,
        requested_model=identity.model,
        served_model=None,
        request_id=request_id,
        request_digest=digest_of(identity, frame_state, questions),
        usage=None,
        attempts=attempts,
        elapsed_s=elapsed_s,
        wire=identity.wire,
        readout=identity.readout,
    )
