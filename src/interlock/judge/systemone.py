"""The wire format of System One servers, hosted or local.

Knows nothing of HTTP or of providers.
Source: backends specification, section 3.1.
"""

from __future__ import annotations

from collections.abc import Mapping

from interlock.judge.base import QuestionId
from interlock.judge.envelope import Envelope, question_at, read_envelope
from interlock.judge.wire import encode_request
from interlock.questions import Content, Json, Question

__all__ = ["SystemOneWire"]


class SystemOneWire:
    """Questions and answers by id."""

    busy: frozenset[int] = frozenset()

    def encode(self, model: str, frame_state: Content, questions: Mapping[QuestionId, Question]) -> bytes:
        """Return the body of one request."""
        return encode_request(model, frame_state, questions)

    def read(self, body: bytes, questions: Mapping[QuestionId, Question]) -> Envelope | str:
        """Return the envelope, or the slug of the first rule that the reply as a whole breaks."""
        return read_envelope(body, questions.keys())

    def place(self, error: Json, questions: Mapping[QuestionId, Question]) -> str | None:
        """Return `questions.ID` when `detail[].loc` leads to a question that was asked."""
        return question_at(error, questions.keys())
