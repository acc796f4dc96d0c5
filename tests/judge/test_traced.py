"""What a span tells of a decision, and what it keeps to itself."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from interlock.judge.base import Failure, JudgeReply
from interlock.judge.readings import Identity, failed_reply
from interlock.judge.scripted import Script, ScriptedJudge
from interlock.judge.traced import Capture, Traced
from interlock.questions import Choice, Content, Noul, Question

CANARY = "canary-0815"
QUESTIONS: dict[str, Question] = {
    "q": Noul(instructions=f"{CANARY} asked"),
    "pick": Choice(instructions=CANARY, criteria={f"{CANARY}-a": None, "b": CANARY}),
}
IDENTITY = Identity(judge="typesafe:jev-1.13.0", model="jev-1.13.0", wire="systemone")

pytestmark = pytest.mark.anyio


async def _span(script: Script, capture: Capture) -> ReadableSpan:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    judge = Traced(
        ScriptedJudge(script), identity=IDENTITY, provider="typesafe", capture=capture, tracer=provider.get_tracer("t")
    )
    await judge.answer({"text": CANARY}, QUESTIONS)
    (span,) = exporter.get_finished_spans()
    return span


async def test_a_decision_is_one_span_with_its_numbers_and_no_text() -> None:
    span = await _span({"q": 0.8, "pick": {f"{CANARY}-a": 0.3, "b": 0.7}}, Capture())
    told = dict(span.attributes or {})

    assert span.name == "decide jev-1.13.0"
    assert told["openinference.span.kind"] == "DECISION"
    assert told["decision.system"] == "typesafe"
    assert told["gen_ai.operation.name"] == "decide"
    assert json.loads(str(told["interlock.readings"])) == {"q": "answered/ok", "pick": "answered/ok"}
    assert json.loads(str(told["interlock.probabilities"])) == [[0.8], [0.3, 0.7]]
    assert not any(key.startswith("llm.") for key in told)
    assert CANARY not in span.to_json()


async def test_content_is_told_only_when_it_is_asked_for() -> None:
    span = await _span({"q": 0.8, "pick": "b"}, Capture(inputs=True, outputs=True))
    told = dict(span.attributes or {})

    assert CANARY in str(told["input.value"])
    assert json.loads(str(told["output.value"]))["q"] == [0.8]


async def test_a_state_that_is_not_json_is_still_a_reading() -> None:
    class Refusing(ScriptedJudge):
        async def answer(self, frame_state: Content, questions: Mapping[str, Question]) -> JudgeReply:
            return failed_reply(IDENTITY, frame_state, questions, Failure(reason="bad-request"), elapsed_s=0.0)

    judge = Traced(
        Refusing({}),
        identity=IDENTITY,
        provider="typesafe",
        capture=Capture(inputs=True),
        tracer=TracerProvider().get_tracer("t"),
    )
    reply = await judge.answer({"n": float("nan")}, {"q": QUESTIONS["q"]})
    assert reply.readings["q"].reason == "bad-request"


async def test_an_exception_is_told_by_its_type() -> None:
    class Raising(ScriptedJudge):
        async def answer(self, frame_state: Content, questions: Mapping[str, Question]) -> JudgeReply:
            raise LookupError(CANARY)

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("t")
    judge = Traced(Raising({}), identity=IDENTITY, provider="typesafe", capture=Capture(), tracer=tracer)
    with pytest.raises(LookupError, match=CANARY):
        await judge.answer("s", QUESTIONS)
    (span,) = exporter.get_finished_spans()
    assert dict(span.attributes or {})["error.type"] == "LookupError"
    assert CANARY not in span.to_json()


async def test_a_failure_names_its_reason() -> None:
    span = await _span([Failure(reason="timeout", retryable=True)], Capture())

    assert dict(span.attributes or {})["error.type"] == "timeout"
    assert not span.status.is_ok
