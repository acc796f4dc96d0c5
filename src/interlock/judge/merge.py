"""Several replies about one request, made one.

Knows nothing of why there were several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from interlock.judge.base import Failure, JudgeReply, QuestionId, Reading, Usage
from interlock.models.usage import total_usage

__all__ = ["merge"]


def merge(
    replies: Sequence[JudgeReply],
    readings: Mapping[QuestionId, Reading],
    *,
    failure: Failure | None,
    request_digest: str,
    elapsed_s: float,
) -> JudgeReply:
    """Return one reply with `readings`; what identifies the request comes from the first of `replies`.

    The served model is None unless every reply that names one names the same.
    """
    first = replies[0]
    served = {reply.served_model for reply in replies if reply.served_model is not None}
    return JudgeReply(
        readings=readings,
        failure=failure,
        requested_model=first.requested_model,
        served_model=served.pop() if len(served) == 1 else None,
        request_id=next((reply.request_id for reply in replies if reply.request_id is not None), None),
        request_digest=request_digest,
        usage=_usage(replies),
        attempts=sum(reply.attempts for reply in replies),
        elapsed_s=elapsed_s,
        wire=first.wire,
        readout=first.readout,
    )


def _usage(replies: Sequence[JudgeReply]) -> Usage | None:
    """Return the sums; a call that failed and reports nothing does not count."""
    return total_usage([reply.usage for reply in replies if reply.usage is not None or reply.failure is None])
