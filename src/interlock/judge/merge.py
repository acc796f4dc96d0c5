"""Several replies about one request, made one.

Knows nothing of why there were several.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import TypeVar

from interlock.judge.base import Failure, JudgeReply, QuestionId, Reading, Usage

__all__ = ["merge"]

N = TypeVar("N", int, Decimal)


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
    """Return the sums; a call that did not fail and reports nothing makes the whole unknown."""
    known = [reply.usage for reply in replies if reply.usage is not None]
    silent = any(reply.usage is None and reply.failure is None for reply in replies)
    if silent or not known:
        return None
    return Usage(
        input_tokens=_sum(known, lambda usage: usage.input_tokens),
        output_tokens=_sum(known, lambda usage: usage.output_tokens),
        cached_input_tokens=_sum(known, lambda usage: usage.cached_input_tokens),
        cost_usd=_sum(known, lambda usage: usage.cost_usd),
    )


def _sum(usages: Sequence[Usage], read: Callable[[Usage], N | None]) -> N | None:
    """Return the sum, None when one of the numbers is unknown."""
    total: N | None = None
    for usage in usages:
        value = read(usage)
        if value is None:
            return None
        total = value if total is None else total + value
    return total
