"""What a span tells of a text model's call, and what it keeps to itself."""

from __future__ import annotations

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from interlock.messages import Message
from interlock.models.base import Failure, TextReply, TextRequest
from interlock.models.closing import close
from interlock.models.scripted import ScriptedModel
from interlock.models.traced import TracedModel

pytestmark = pytest.mark.anyio

CANARY = "canary-0815"
REQUEST = TextRequest(messages=(Message(role="user", content=f"{CANARY} asked"),))


async def span_of(model: ScriptedModel, *, is_told: bool = False, streams: bool = False) -> ReadableSpan:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    traced = TracedModel(
        model,
        name="gpt",
        provider="openai",
        tells_inputs=is_told,
        tells_outputs=is_told,
        tracer=provider.get_tracer("t"),
    )
    if streams:
        _ = [event async for event in traced.stream(REQUEST)]
    else:
        await traced.generate(REQUEST)
    await close(traced)
    (span,) = exporter.get_finished_spans()
    return span


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "streamed"])
async def test_a_call_is_one_span_without_its_text(*, streams: bool) -> None:
    span = await span_of(ScriptedModel([f"{CANARY} written"]), streams=streams)
    told = dict(span.attributes or {})
    assert span.name == "chat gpt"
    assert (told["openinference.span.kind"], told["gen_ai.operation.name"]) == ("LLM", "chat")
    assert (told["gen_ai.provider.name"], told["gen_ai.request.model"]) == ("openai", "gpt")
    assert CANARY not in span.to_json()


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "streamed"])
async def test_text_is_told_only_when_it_is_asked_for(*, streams: bool) -> None:
    told = dict((await span_of(ScriptedModel([f"{CANARY} written"]), is_told=True, streams=streams)).attributes or {})
    assert f"{CANARY} asked" in str(told["input.value"])
    assert told["output.value"] == f"{CANARY} written"


async def test_a_failure_and_an_exception_name_what_they_are_and_no_more() -> None:
    class Failing(ScriptedModel):
        async def generate(self, request: TextRequest) -> TextReply:
            return TextReply(
                text="",
                finish="error",
                usage=None,
                requested_model="gpt",
                served_model=None,
                request_id=None,
                failure=Failure(reason="busy"),
            )

    class Raising(ScriptedModel):
        async def generate(self, request: TextRequest) -> TextReply:
            raise LookupError(CANARY)

    span = await span_of(Failing([]))
    assert dict(span.attributes or {})["error.type"] == "busy"
    assert not span.status.is_ok
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("t")
    raising = TracedModel(
        Raising([]), name="gpt", provider="openai", tells_inputs=False, tells_outputs=False, tracer=tracer
    )
    with pytest.raises(LookupError, match=CANARY):
        await raising.generate(REQUEST)
    (span,) = exporter.get_finished_spans()
    assert dict(span.attributes or {})["error.type"] == "LookupError"
    assert CANARY not in span.to_json()
