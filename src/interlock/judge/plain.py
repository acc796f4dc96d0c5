"""The reply of a judge that is code: its readings, and no call to report."""

from __future__ import annotations

from collections.abc import Mapping

from interlock.judge.base import JudgeReply, QuestionId, Reading
from interlock.judge.readings import Identity, digest_of
from interlock.questions import Content, Question

__all__ = ["code_reply"]


def code_reply(
    identity: Identity,
    frame_state: Content,
    questions: Mapping[QuestionId, Question],
    readings: Mapping[QuestionId, Reading],
    *,
    elapsed_s: float = 0.0,
) -> JudgeReply:
    """Return the reply."""
    return JudgeReply(
        readings=readings,
        failure=None,
        requested_model=identity.model,
        served_model=identity.model,
        request_id=None,
        request_digest=digest_of(identity, frame_state, questions),
        usage=None,
        attempts=1,
        elapsed_s=elapsed_s,
        wire=identity.wire,
        readout=identity.readout,
    )
