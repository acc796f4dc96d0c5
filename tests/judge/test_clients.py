"""The official clients and ours against one server: they send the same, and they read the same numbers.

If a fake server of these tests said something that no real server says, an official client would not read it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import openai
import pytest
import typesafe_sdk
from openai.types.decision import (
    AnswerAnswerResourceChoice,
    AnswerAnswerResourcePredicate,
    AnswerAnswerResourceRefusal,
    AnswerAnswerResourceScore,
)

from interlock.judge.base import JudgeReply
from interlock.judge.options import JudgeOptions
from interlock.models.closing import close
from interlock.questions import Choice, ChoiceAnswer, Noul, NoulAnswer, NoulCriteria, Question, Score, ScoreAnswer
from interlock.wiring import make_judge

pytestmark = [pytest.mark.anyio, pytest.mark.enable_socket]

STATE: Mapping[str, Any] = {"task": "list the files", "文": "😀"}
QUESTIONS: dict[str, Question] = {
    "ok": Noul(instructions="Is it done?", criteria=NoulCriteria(true="nothing is left", false="something is")),
    "한글 😀": Choice(instructions="Which?", criteria={"read_file": "content is needed", "done": None}),
    "risk": Score(instructions="How risky?", criteria=["low", "middle", "high"]),
}
ENVIRON = {"TYPESAFE_API_KEY": "k", "OPENAI_API_KEY": "k"}


class Told(Protocol):
    url: str
    requests: list[tuple[str, bytes]]


Serve = Callable[..., AbstractAsyncContextManager[Told]]
Respond = Callable[..., bytes]

SYSTEM_ONE = {
    "model": "jev-1.13.0",
    "answers": {
        "ok": {"type": "noul", "noul": 0.83},
        "한글 😀": {
            "type": "choice",
            "choice": "read_file",
            "probabilities": {"read_file": 0.7, "done": 0.3},
            "confidence": 0.4,
        },
        "risk": {
            "type": "score",
            "score": 0.5,
            "probabilities": {"0": 0.6, "1": 0.3, "2": 0.1},
            "legend": {"0": "low", "1": "middle", "2": "high"},
            "confidence": 0.25,
        },
    },
    "usage": {"input_tokens": 80, "output_tokens": 3},
}
DECISIONS = {
    "model": "gpt-6-luna-2026-08-01",
    "answers": [
        {"type": "predicate", "name": "q0", "probability": 0.83},
        {
            "type": "choice",
            "name": "q1",
            "choice": "read_file",
            "confidence": 0.4,
            "probabilities": [{"value": "read_file", "probability": 0.7}, {"value": "done", "probability": 0.3}],
        },
        {"type": "refusal", "name": "q2"},
    ],
    "usage": {
        "input_tokens": 80,
        "input_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 0},
        "output_tokens": 3,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 83,
    },
}


async def ours(id_: str) -> JudgeReply:
    judge = make_judge(id_, environ=ENVIRON, tools={}, options=JudgeOptions(timeout_s=5))
    try:
        return await judge.answer(STATE, QUESTIONS)
    finally:
        await close(judge)


async def test_typesafe_sdk_and_we_send_and_read_the_same(serve: Serve, respond: Respond) -> None:
    reply = respond(
        200, json.dumps(SYSTEM_ONE).encode(), "content-type: application/json", "x-typesafe-request-id: r-7"
    )
    async with serve(reply) as server:
        client = typesafe_sdk.AsyncTypeSafeClient(
            api_key="k", base_url=server.url, model="jev-1.13.0", compression=False
        )
        async with client:
            theirs = await client.system_one(
                state=dict(STATE),
                questions={
                    "ok": typesafe_sdk.Noul(
                        instructions="Is it done?", criteria={"true": "nothing is left", "false": "something is"}
                    ),
                    "한글 😀": typesafe_sdk.Choice(
                        instructions="Which?", criteria={"read_file": "content is needed", "done": None}
                    ),
                    "risk": typesafe_sdk.Score(instructions="How risky?", criteria=["low", "middle", "high"]),
                },
            )
        mine = await ours(f"typesafe:{server.url}#jev-1.13.0")
        (their_head, their_body), (our_head, our_body) = server.requests
    assert json.loads(our_body) == json.loads(their_body)
    assert our_head.split("\r\n")[0] == their_head.split("\r\n")[0]
    ok, pick, risk = (mine.readings[id_].answer for id_ in QUESTIONS)
    assert isinstance(ok, NoulAnswer)
    assert isinstance(pick, ChoiceAnswer)
    assert isinstance(risk, ScoreAnswer)
    assert ok.noul == theirs.nouls["ok"].noul
    assert (pick.choice, pick.probabilities) == (
        theirs.choices["한글 😀"].choice,
        dict(theirs.choices["한글 😀"].probabilities),
    )
    assert (risk.score, dict(enumerate(risk.probabilities))) == (
        theirs.scores["risk"].score,
        {int(level): p for level, p in theirs.scores["risk"].probabilities.items()},
    )
    assert mine.usage is not None
    assert (mine.served_model, mine.usage.input_tokens) == (theirs.model, theirs.usage.input_tokens)
    assert mine.request_id == "r-7"


@pytest.mark.parametrize(
    ("status", "body", "wanted"),
    [
        pytest.param(
            401,
            {"detail": {"error_type": "authentication_error", "message": "no"}},
            (typesafe_sdk.TypeSafeAuthenticationError, "auth"),
            id="401",
        ),
        pytest.param(403, {}, (typesafe_sdk.TypeSafePermissionDeniedError, "auth"), id="403"),
        pytest.param(
            422,
            {"detail": [{"loc": ["body", "questions", "risk"], "msg": "no", "type": "x"}]},
            (typesafe_sdk.TypeSafeUnprocessableEntityError, "bad-request"),
            id="422",
        ),
        pytest.param(429, {}, (typesafe_sdk.TypeSafeRateLimitError, "busy"), id="429"),
        pytest.param(500, {}, (typesafe_sdk.TypeSafeInternalServerError, "server"), id="500"),
        pytest.param(529, {}, (typesafe_sdk.TypeSafeInternalServerError, "busy"), id="529"),
    ],
)
async def test_typesafe_sdk_and_we_tell_the_same_errors_apart(
    serve: Serve, respond: Respond, status: int, body: object, wanted: tuple[type[typesafe_sdk.TypeSafeAPIError], str]
) -> None:
    reply = respond(status, json.dumps(body).encode(), "content-type: application/json", "x-should-retry: false")
    async with serve(reply) as server:
        client = typesafe_sdk.AsyncTypeSafeClient(
            api_key="k", base_url=server.url, retry=typesafe_sdk.RetryPolicy(max_retries=0)
        )
        async with client:
            with pytest.raises(wanted[0]) as caught:
                await client.system_one(state="s", questions={"ok": typesafe_sdk.Noul(instructions="Is it done?")})
        mine = await ours(f"typesafe:{server.url}#m")
    assert caught.value.status == status
    assert {reading.reason for reading in mine.readings.values()} == {wanted[1]}


async def test_the_openai_client_and_we_send_and_read_the_same(serve: Serve, respond: Respond) -> None:
    reply = respond(200, json.dumps(DECISIONS).encode(), "content-type: application/json", "x-request-id: r-8")
    async with serve(reply) as server:
        async with openai.AsyncOpenAI(api_key="k", base_url=server.url, max_retries=0) as client:
            theirs = await client.decisions.create(
                model="gpt-6-luna",
                input=json.dumps(STATE, ensure_ascii=False, separators=(",", ":")),
                questions=[
                    {
                        "type": "predicate",
                        "name": "q0",
                        "instructions": "Is it done?\nCounts as true: nothing is left\nCounts as false: something is",
                    },
                    {
                        "type": "choice",
                        "name": "q1",
                        "instructions": "Which?",
                        "choices": [
                            {"value": "read_file", "description": "content is needed"},
                            {"value": "done"},
                        ],
                    },
                    {
                        "type": "score",
                        "name": "q2",
                        "instructions": "How risky?",
                        "levels": [
                            {"label": "0", "description": "low"},
                            {"label": "1", "description": "middle"},
                            {"label": "2", "description": "high"},
                        ],
                    },
                ],
            )
        mine = await ours(f"openai-decisions:{server.url}#gpt-6-luna")
        (their_head, their_body), (our_head, our_body) = server.requests
    assert json.loads(our_body) == json.loads(their_body)
    assert our_head.split("\r\n")[0] == their_head.split("\r\n")[0] == "POST /decisions HTTP/1.1"
    predicate, choice, refusal = theirs.answers
    assert isinstance(predicate, AnswerAnswerResourcePredicate)
    assert isinstance(choice, AnswerAnswerResourceChoice)
    assert isinstance(refusal, AnswerAnswerResourceRefusal)
    ok, pick, risk = mine.readings.values()
    assert isinstance(ok.answer, NoulAnswer)
    assert isinstance(pick.answer, ChoiceAnswer)
    assert ok.answer.noul == predicate.probability
    assert pick.answer.choice == choice.choice
    assert pick.answer.probabilities == {item.value: item.probability for item in choice.probabilities}
    assert (risk.kind, risk.reason) == ("refused", "refusal")
    assert mine.usage is not None
    assert (mine.served_model, mine.usage.input_tokens, mine.usage.cached_input_tokens) == (
        theirs.model,
        theirs.usage.input_tokens,
        theirs.usage.input_tokens_details.cached_tokens,
    )


async def test_the_openai_client_reads_a_score_as_we_do(serve: Serve, respond: Respond) -> None:
    levels = [{"value": at, "label": str(at), "probability": p} for at, p in enumerate((0.6, 0.3, 0.1))]
    score = {"type": "score", "name": "q0", "score": 0.5, "confidence": 0.2, "probabilities": levels}
    body = json.dumps(DECISIONS | {"answers": [score]}).encode()
    async with serve(respond(200, body, "content-type: application/json")) as server:
        async with openai.AsyncOpenAI(api_key="k", base_url=server.url, max_retries=0) as client:
            theirs = await client.decisions.create(model="m", input="s", questions=[])
        judge = make_judge(f"openai-decisions:{server.url}#m", environ=ENVIRON, tools={})
        mine = (await judge.answer("s", {"risk": QUESTIONS["risk"]})).readings["risk"].answer
        await close(judge)
    (answer,) = theirs.answers
    assert isinstance(answer, AnswerAnswerResourceScore)
    assert isinstance(mine, ScoreAnswer)
    assert (mine.score, list(mine.probabilities)) == (answer.score, [item.probability for item in answer.probabilities])
