"""How a failed call becomes readings: the kind of each reason, the same reading for every question asked."""

from __future__ import annotations

from collections.abc import Iterable

from interlock.judge.base import QuestionId, Reading, ReadingKind

__all__ = ["same_reading"]

_KINDS: dict[str, ReadingKind] = {
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
    "abstained": "unscored",
    "over-caps": "not_asked",
    "no-options": "not_asked",
    "no-recording": "not_asked",
}


def same_reading(ids: Iterable[QuestionId], reason: str, judge: str) -> dict[QuestionId, Reading]:
    """Return one reading without an answer for every id; the kind follows from the reason."""
    reading = Reading(kind=_KINDS[reason], reason=reason, answer=None, judge=judge)
    return dict.fromkeys(ids, reading)
