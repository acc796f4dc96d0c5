"""The digest of one request to a judge, by which replies are cached, recorded and replayed.

Knows nothing of frames or contracts: it covers the state as sent.
Source: backends specification, section 6.
"""

from __future__ import annotations

from collections.abc import Mapping

from interlock._canonical import compact_json, pairs, sha256_hex
from interlock.judge.base import QuestionId
from interlock.questions import Content, Question, as_json

__all__ = ["request_digest"]

VERSION = 1


def request_digest(
    frame_state: Content,
    questions: Mapping[QuestionId, Question],
    *,
    model: str,
    wire: str = "code",
    readout: str | None = None,
) -> str:
    """Return 64 hex characters over the version, wire, model, readout, state and the questions in order.

    Question ids do not count, the order of options does.

    Raises:
        ValueError: the state is not JSON, or a number in it is not finite.
    """
    asked = [pairs(as_json(question)) for question in questions.values()]
    return sha256_hex(compact_json([VERSION, wire, model, readout, pairs(frame_state), asked]))
