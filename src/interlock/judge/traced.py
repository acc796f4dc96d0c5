"""A judge that tells what a judge did, as one OpenTelemetry span per call.

No text of a request or reply is told unless it is asked for.
Source: backends specification, section 10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from opentelemetry import trace
from opentelemetry.trace import Span, Status, StatusCode, Tracer

from interlock._canonical import compact_json
from interlock.judge.base import Caps, Judge, JudgeReply, QuestionId, Reading
from interlock.judge.readings import Identity
from interlock.models.closing import close
from interlock.questions import ChoiceAnswer, Content, NoulAnswer, Question, as_json

__all__ = ["Capture", "Traced"]

_SYSTEMS = {"systemone": "typesafe", "openai-decisions": "openai"}
"""Wire → the system whose shape the request has; a readout has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """Whether requests and replies are told in full."""

    inputs: bool = False
    outputs: bool = False


class Traced:
    """Wraps the judge that makes one call."""

    def __init__(
        self, judge: Judge, *, identity: Identity, provider: str, capture: Capture, tracer: Tracer | None = None
    ) -> None:
        self._judge = judge
        self._identity = identity
        self._provider = provider
        self._capture = capture
        self._name = f"decide {identity.model}"
        self._tracer = trace.get_tracer("interlock") if tracer is None else tracer

    @property
    def caps(self) -> Caps:
        """What one request to the wrapped judge may hold."""
        return self._judge.caps

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return what the wrapped judge answers; an exception is told by its type only."""
        started = self._tracer.start_span(self._name)
        if started is trace.INVALID_SPAN:  # nobody traces
            return await self._judge.answer(frame_state, questions)
        with trace.use_span(started, end_on_exit=True, record_exception=False, set_status_on_exception=False) as span:
            recording = span.is_recording()
            if recording:
                span.set_attributes(dict(self._asked(frame_state, questions)))
            try:
                reply = await self._judge.answer(frame_state, questions)
            except BaseException as error:
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(Status(StatusCode.ERROR))
                raise
            if recording:
                self._tell(span, reply)
        return reply

    async def aclose(self) -> None:
        """Close the wrapped judge."""
        await close(self._judge)

    def _asked(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> Iterator[tuple[str, str]]:
        yield "openinference.span.kind", "DECISION"
        yield "gen_ai.operation.name", "decide"
        yield "gen_ai.provider.name", self._provider
        yield "gen_ai.request.model", self._identity.model
        yield "decision.request.model_name", self._identity.model
        yield "decision.provider", self._provider
        if self._identity.wire in _SYSTEMS and self._identity.readout is None:
            yield "decision.system", _SYSTEMS[self._identity.wire]
        if self._capture.inputs:
            yield "input.value", _request_text(frame_state, questions)
            yield "input.mime_type", "application/json"

    def _tell(self, span: Span, reply: JudgeReply) -> None:
        span.set_attribute("decision.model_name", reply.served_model or reply.requested_model)
        if reply.served_model is not None:
            span.set_attribute("decision.response.model_name", reply.served_model)
            span.set_attribute("gen_ai.response.model", reply.served_model)
        if reply.request_id is not None:
            span.set_attribute("gen_ai.response.id", reply.request_id)
        span.set_attributes(dict(_tokens(reply)))
        span.set_attribute("interlock.request_digest", reply.request_digest)
        span.set_attribute("interlock.attempts", reply.attempts)
        span.set_attribute("interlock.degraded", any(item.degraded for item in reply.readings.values()))
        span.set_attribute(
            "interlock.readings", compact_json({id_: f"{r.kind}/{r.reason}" for id_, r in reply.readings.items()})
        )
        span.set_attribute(
            "interlock.probabilities", compact_json([_numbers(reading) for reading in reply.readings.values()])
        )
        failed = next((item for item in reply.readings.values() if item.answer is None), None)
        if failed is not None:
            span.set_attribute("error.type", failed.reason)
            span.set_status(Status(StatusCode.ERROR))
        if self._capture.outputs:
            span.set_attribute("output.value", compact_json({id_: _numbers(r) for id_, r in reply.readings.items()}))
            span.set_attribute("output.mime_type", "application/json")


def _request_text(frame_state: Content, questions: Mapping[QuestionId, Question]) -> str:
    """Return the request as JSON; empty when it has no JSON form, and is never sent."""
    asked = {id_: as_json(question) for id_, question in questions.items()}
    try:
        return compact_json({"state": frame_state, "questions": asked})
    except (TypeError, ValueError, RecursionError):
        return ""


def _tokens(reply: JudgeReply) -> Iterator[tuple[str, int]]:
    usage = reply.usage
    if usage is None:
        return
    if usage.input_tokens is not None:
        yield "decision.token_count.input", usage.input_tokens
        yield "gen_ai.usage.input_tokens", usage.input_tokens
    if usage.output_tokens is not None:
        yield "decision.token_count.output", usage.output_tokens
        yield "gen_ai.usage.output_tokens", usage.output_tokens


def _numbers(reading: Reading) -> list[float]:
    """Return the probabilities in option order, without labels; empty when there are none."""
    answer = reading.answer
    if answer is None:
        return []
    if isinstance(answer, NoulAnswer):
        return [answer.noul]
    if isinstance(answer, ChoiceAnswer):
        return [] if answer.probabilities is None else list(answer.probabilities.values())
    return list(answer.probabilities)
