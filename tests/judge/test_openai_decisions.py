"""The judge behind OpenAI Decisions: what is sent, what is read, and every fault of a reply."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import pytest

from interlock.judge.base import Caps, JudgeReply
from interlock.judge.openai_decisions import OpenAIDecisionsWire
from interlock.judge.profile import Profile
from interlock.judge.readings import Identity
from interlock.judge.remote import RemoteJudge
from interlock.judge.transport import Transport
from interlock.models.secret import Secret
from interlock.questions import (
    Choice,
    ChoiceAnswer,
    Content,
    Noul,
    NoulAnswer,
    NoulCriteria,
    Question,
    Score,
    ScoreAnswer,
)

pytestmark = [pytest.mark.anyio, pytest.mark.enable_socket]

CANARY = "Canary-3D"
KEY = f"key-{CANARY}"
QUESTIONS: Mapping[str, Question] = {
    f"ok {CANARY}": Noul(instructions=f"Is it {CANARY}?", criteria=NoulCriteria(true="yes", false={"a": 1})),
    "한글 😀": Choice(instructions={"ask": CANARY}, criteria={"true": None, "b": [1]}),
    "risk": Score(instructions="How?", criteria=["low", "middle", "high"]),
}
STATE = {"task": CANARY}
PROFILE = Profile(
    name="openai-decisions",
    wire="openai-decisions",
    base=None,
    path="/decisions",
    key_env="K",
    key_required=True,
    base_env=None,
    model_env=None,
    alias=None,
    bare_label=False,
    caps=Caps(refusal=True),
)
GOOD: list[dict[str, Any]] = [
    {"type": "predicate", "name": "q0", "probability": 0.9},
    {
        "type": "choice",
        "name": "q1",
        "choice": "b",
        "confidence": 0.6,
        "probabilities": [{"value": "true", "probability": 0.2}, {"value": "b", "probability": 0.8}],
    },
    {
        "type": "score",
        "name": "q2",
        "score": 1.5,
        "confidence": 0.4,
        "probabilities": [{"value": at, "label": str(at), "probability": p} for at, p in enumerate((0.1, 0.3, 0.6))],
    },
]


class Told(Protocol):
    url: str
    requests: list[tuple[str, bytes]]


Serve = Callable[..., AbstractAsyncContextManager[Told]]
Respond = Callable[..., bytes]


async def ask(url: str, *, state: Content = STATE, questions: Mapping[str, Question] = QUESTIONS) -> JudgeReply:
    judge = RemoteJudge(
        identity=Identity(judge="openai-decisions:m", model="m", wire="openai-decisions"),
        profile=PROFILE,
        wire=OpenAIDecisionsWire(),
        base=url,
        key=Secret(KEY),
        transport=Transport(timeout_s=5.0),
        now=lambda: 0.0,
        wall=lambda: 0.0,
    )
    try:
        return await judge.answer(state, questions)
    finally:
        await judge.aclose()


def body(answers: object = None, **changes: Any) -> bytes:
    usage = {"input_tokens": 12, "input_tokens_details": {"cached_tokens": 8}, "output_tokens": 3, "total_tokens": 15}
    whole = {"model": "m-build-7", "answers": GOOD if answers is None else answers, "usage": usage}
    return json.dumps(whole | changes).encode()


def with_answer(at: int, **changes: Any) -> list[dict[str, Any]]:
    return [answer | changes if index == at else answer for index, answer in enumerate(GOOD)]


async def test_every_kind_of_answer_is_kept_as_received(serve: Serve, respond: Respond) -> None:
    async with serve(respond(200, body(), "x-request-id: r-1")) as server:
        reply = await ask(server.url)
    assert reply.usage is not None
    assert (reply.usage.input_tokens, reply.usage.cached_input_tokens, reply.usage.output_tokens) == (12, 8, 3)
    assert (reply.served_model, reply.request_id, reply.wire) == ("m-build-7", "r-1", "openai-decisions")
    assert [reading.answer for reading in reply.readings.values()] == [
        NoulAnswer(noul=0.9, basis="decision_model"),
        ChoiceAnswer(
            choice="b", probabilities={"true": 0.2, "b": 0.8}, basis="decision_model", reported_confidence=0.6
        ),
        ScoreAnswer(score=1.5, probabilities=(0.1, 0.3, 0.6), basis="decision_model", reported_confidence=0.4),
    ]


async def test_the_request_is_theirs_and_our_ids_stay_here(serve: Serve, respond: Respond) -> None:
    async with serve(respond(200, body())) as server:
        await ask(server.url)
        head, sent = server.requests[0]
    assert head.startswith("POST /decisions HTTP/1.1")
    assert f"authorization: Bearer {KEY}" in head
    assert json.loads(sent) == {
        "model": "m",
        "input": f'{{"task":"{CANARY}"}}',
        "questions": [
            {
                "name": "q0",
                "type": "predicate",
                "instructions": f'Is it {CANARY}?\nCounts as true: yes\nCounts as false: {{"a":1}}',
            },
            {
                "name": "q1",
                "type": "choice",
                "instructions": f'{{"ask":"{CANARY}"}}',
                "choices": [{"value": "true"}, {"value": "b", "description": "[1]"}],
            },
            {
                "name": "q2",
                "type": "score",
                "instructions": "How?",
                "levels": [
                    {"label": str(at), "description": text} for at, text in enumerate(("low", "middle", "high"))
                ],
            },
        ],
    }


async def test_a_state_that_is_text_is_sent_as_it_is(serve: Serve, respond: Respond) -> None:
    async with serve(respond(200, body())) as server:
        await ask(server.url, state="plain 文")
        assert json.loads(server.requests[0][1])["input"] == "plain 文"


async def test_a_refusal_of_one_question_leaves_the_others(serve: Serve, respond: Respond) -> None:
    declined = [GOOD[0], {"type": "refusal", "name": "q1"}, GOOD[2]]
    async with serve(respond(200, body(declined))) as server:
        reply = await ask(server.url)
    assert [(r.kind, r.reason) for r in reply.readings.values()] == [
        ("answered", "ok"),
        ("refused", "refusal"),
        ("answered", "ok"),
    ]


TWICE = [{"value": "b", "probability": 0.5}, {"value": "b", "probability": 0.5}]
BOOLEAN = [{"value": True, "probability": 0.2}, {"value": "b", "probability": 0.8}]


@pytest.mark.parametrize(
    ("at", "changes", "reason"),
    [
        pytest.param(0, {"probability": 1.1}, "noul-range", id="probability-above-one"),
        pytest.param(0, {"probability": True}, "noul-range", id="probability-is-a-boolean"),
        pytest.param(0, {"type": "choice"}, "answer-type", id="another-type"),
        pytest.param(0, {"type": "poem"}, "answer-type", id="an-unknown-type"),
        pytest.param(1, {"choice": "c"}, "not-an-option", id="a-label-not-offered"),
        pytest.param(1, {"choice": "true"}, "not-argmax", id="not-the-most-probable"),
        pytest.param(1, {"choice": True, "probabilities": BOOLEAN}, "option-keys", id="a-boolean-is-no-text"),
        pytest.param(1, {"probabilities": TWICE}, "option-keys", id="an-option-twice"),
        pytest.param(1, {"probabilities": TWICE[:1]}, "option-keys", id="an-option-missing"),
        pytest.param(1, {"probabilities": None}, "option-keys", id="no-probabilities"),
        pytest.param(1, {"probabilities": "no list"}, "option-keys", id="probabilities-are-text"),
        pytest.param(2, {"probabilities": [1, 2, 3]}, "level-keys", id="levels-are-numbers"),
        pytest.param(2, {"score": 2.5}, "score-range", id="score-above-the-levels"),
        pytest.param(2, {"score": 0.2}, "score-mean", id="score-is-not-the-mean"),
    ],
)
async def test_one_broken_answer_does_not_cost_the_others(
    serve: Serve, respond: Respond, at: int, changes: Mapping[str, Any], reason: str
) -> None:
    async with serve(respond(200, body(with_answer(at, **changes)))) as server:
        reply = await ask(server.url)
    reasons = [reading.reason for reading in reply.readings.values()]
    assert reasons == ["ok" if index != at else reason for index in range(3)]


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        pytest.param(body()[:-7], "not-json", id="cut-body"),
        pytest.param(b"<html>", "not-json", id="wrong-content"),
        pytest.param(b"7", "not-json", id="not-an-object"),
        pytest.param(body().replace(b"0.9", b"NaN"), "not-json", id="nan"),
        pytest.param(body({}), "envelope", id="answers-by-id"),
        pytest.param(body(model=None), "envelope", id="no-model"),
        pytest.param(body(GOOD[:2]), "answer-ids", id="missing-answer"),
        pytest.param(body([*GOOD, GOOD[0]]), "answer-ids", id="an-answer-too-many"),
        pytest.param(body([GOOD[1], GOOD[0], GOOD[2]]), "answer-ids", id="another-order"),
        pytest.param(body(with_answer(0, name=None)), "answer-ids", id="a-name-missing"),
        pytest.param(body(["x", "y", "z"]), "answer-ids", id="answers-are-texts"),
    ],
)
async def test_a_broken_envelope_is_an_invalid_response_for_every_question(
    serve: Serve, respond: Respond, sent: bytes, reason: str
) -> None:
    async with serve(respond(200, sent)) as server:
        reply = await ask(server.url)
    assert {(r.kind, r.reason, r.answer) for r in reply.readings.values()} == {("invalid_response", reason, None)}


@pytest.mark.parametrize(
    ("status", "headers", "wanted"),
    [
        pytest.param(400, (), ("bad-request", False, None), id="400"),
        pytest.param(401, (), ("auth", False, None), id="401"),
        pytest.param(403, (), ("auth", False, None), id="403"),
        pytest.param(404, (), ("not-found", False, None), id="404"),
        pytest.param(409, (), ("busy", True, None), id="409-only-here"),
        pytest.param(409, ("x-should-retry: false",), ("busy", False, None), id="server-says-do-not-retry"),
        pytest.param(422, (), ("bad-request", False, None), id="422"),
        pytest.param(429, ("retry-after: 0.5",), ("busy", True, 0.5), id="429-short"),
        pytest.param(429, ("retry-after: 600",), ("busy", True, 600.0), id="429-long"),
        pytest.param(500, (), ("server", True, None), id="500"),
        pytest.param(529, (), ("busy", True, None), id="529"),
    ],
)
async def test_a_status_becomes_a_transport_error_for_every_question(
    serve: Serve, respond: Respond, status: int, headers: tuple[str, ...], wanted: tuple[str, bool, float | None]
) -> None:
    async with serve(respond(status, b"{}", *headers)) as server:
        reply = await ask(server.url)
    assert reply.failure is not None
    assert (reply.failure.reason, reply.failure.retryable, reply.failure.retry_after_s) == wanted
    assert {(r.kind, r.reason) for r in reply.readings.values()} == {("transport_error", wanted[0])}


async def test_the_largest_request_they_allow_is_read(serve: Serve, respond: Respond) -> None:
    labels = [f"label {at} 가😀" for at in range(255)]
    asked: dict[str, Question] = {
        "wide": Choice(instructions="Which?", criteria=dict.fromkeys(labels)),
        "deep": Score(instructions="How?", criteria=[f"level {at}" for at in range(10)]),
    }
    spread = [{"value": label, "probability": 1.0 if label == labels[-1] else 0.0} for label in labels]
    levels = [{"value": at, "label": str(at), "probability": 0.1} for at in range(10)]
    answered = [
        {"type": "choice", "name": "q0", "choice": labels[-1], "confidence": 1, "probabilities": spread},
        {"type": "score", "name": "q1", "score": 4.5, "confidence": 0, "probabilities": levels},
    ]
    async with serve(respond(200, body(answered))) as server:
        reply = await ask(server.url, questions=asked)
    assert [reading.reason for reading in reply.readings.values()] == ["ok", "ok"]


async def test_no_text_of_request_key_or_server_reaches_an_error_or_a_log(
    serve: Serve, respond: Respond, caplog: pytest.LogCaptureFixture
) -> None:
    """A canary stands in the state, instructions, one id, the key and every text of the server."""
    error = {"error": {"message": CANARY, "type": CANARY, "param": "questions[2].instructions", "code": CANARY}}
    odd = {"error": {"message": CANARY, "param": f"questions[9].{CANARY}"}}
    sent = [respond(422, json.dumps(error).encode()), respond(422, json.dumps(odd).encode())]
    sent += [respond(500, CANARY.encode()), respond(200, json.dumps({CANARY: 1}).encode())]
    caplog.set_level(logging.DEBUG)
    for item in sent:
        async with serve(item) as server:
            reply = await ask(server.url)
        assert CANARY not in repr(reply.failure)
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("interlock")]
    assert CANARY not in "".join(ours)
    assert KEY not in caplog.text
    assert "openai-decisions:m: 422 bad-request at `questions.risk`" in caplog.messages
