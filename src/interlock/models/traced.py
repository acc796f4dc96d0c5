"""Tells each call of a text model as one OpenTelemetry span, its content only when that is asked for.

Source: backends specification, section 10.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from opentelemetry import trace
from opentelemetry.trace import Span, Status, StatusCode, Tracer

from interlock._canonical import compact_json
from interlock.models.base import Done, TextEvent, TextModel, TextReply, TextRequest
from interlock.models.closing import close

__all__ = ["TracedModel"]


class TracedModel:
    """Wraps a text model."""

    def __init__(
        self,
        model: TextModel,
        *,
        name: str,
        provider: str,
        tells_inputs: bool,
        tells_outputs: bool,
        tracer: Tracer | None = None,
    ) -> None:
        """Take the model; `name` is what it is asked for by."""
        self._model = model
        self._name = name
        self._provider = provider
        self._tells_inputs = tells_inputs
        self._tells_outputs = tells_outputs
        self._tracer = trace.get_tracer("interlock") if tracer is None else tracer

    async def generate(self, request: TextRequest) -> TextReply:
        """Return what the model writes."""
        with self._tracer.start_as_current_span(
            f"chat {self._name}", record_exception=False, set_status_on_exception=False
        ) as span:
            span.set_attributes(dict(self._asked(request)))
            try:
                reply = await self._model.generate(request)
            except BaseException as error:
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(Status(StatusCode.ERROR))
                raise
            self._tell(span, reply)
        return reply

    async def stream(self, request: TextRequest) -> AsyncIterator[TextEvent]:
        """Yield what the model writes; the span ends with the reply."""
        span = self._tracer.start_span(f"chat {self._name}")
        span.set_attributes(dict(self._asked(request)))
        try:
            async for event in self._model.stream(request):
                if isinstance(event, Done):
                    self._tell(span, event.reply)
                yield event
        finally:
            span.end()

    async def aclose(self) -> None:
        """Close the model."""
        await close(self._model)

    def _asked(self, request: TextRequest) -> Iterator[tuple[str, str]]:
        yield "openinference.span.kind", "LLM"
        yield "gen_ai.operation.name", "chat"
        yield "gen_ai.provider.name", self._provider
        yield "gen_ai.request.model", self._name
        if self._tells_inputs:
            said = [{"role": message.role, "content": str(message.content)} for message in request.messages]
            yield "input.value", compact_json(said)
            yield "input.mime_type", "application/json"

    def _tell(self, span: Span, reply: TextReply) -> None:
        told = {
            "gen_ai.response.model": reply.served_model,
            "gen_ai.response.id": reply.request_id,
            "gen_ai.usage.input_tokens": None if reply.usage is None else reply.usage.input_tokens,
            "gen_ai.usage.output_tokens": None if reply.usage is None else reply.usage.output_tokens,
            "output.value": reply.text if self._tells_outputs else None,
            "output.mime_type": "text/plain" if self._tells_outputs else None,
        }
        span.set_attributes({key: value for key, value in told.items() if value is not None})
        if reply.failure is not None:
            span.set_attribute("error.type", reply.failure.reason)
            span.set_status(Status(StatusCode.ERROR))
