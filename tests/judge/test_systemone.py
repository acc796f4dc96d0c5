"""The System One judge against servers that fail in every way a server can."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import pytest

from interlock.errors import QuestionError
from interlock.judge.base import Caps, JudgeReply
from interlock.judge.profile import Profile
from interlock.judge.readings import Identity
from interlock.judge.remote import RemoteJudge
from interlock.judge.systemone import SystemOneWire
from interlock.judge.transport import Transport
from interlock.models.secret import Secret
from interlock.questions import Choice, ChoiceAnswer, Noul, NoulAnswer, NoulCriteria, Question, Score, ScoreAnswer

pytestmark = [pytest.mark.anyio, pytest.mark.enable_socket]

CANARY = "Canary-7F"
KEY = f"key-{CANARY}"
QUESTIONS: Mapping[str, Question] = {
    "ok": Noul(instructions=f"Is it {CANARY}?", criteria=NoulCriteria(true=CANARY)),
    "pick": Choice(instructions=f"Which {CANARY}?", criteria={f"a {CANARY}": CANARY, "b": None}),
    "risk": Score(instructions=f"How {CANARY}?", criteria=[CANARY, "middle", "high"]),
}
STATE = {"task": CANARY}


class Told(Protocol):
    url: str
    requests: list[tuple[str, bytes]]
    connections: int


Serve = Callable[..., AbstractAsyncContextManager[Told]]
Respond = Callable[..., bytes]


def profile(**changes: Any) -> Profile:
    given: dict[str, Any] = {
        "name": "test",
        "wire": "systemone",
        "base": None,
        "path": "/v1/systemone",
        "key_env": "K",
        "key_required": False,
        "base_env": None,
        "model_env": None,
        "alias": None,
        "bare_label": False,
        "caps": Caps(),
    }
    return Profile(**given | changes)


async def ask(url: str, *, timeout_s: float = 5.0, **changes: Any) -> JudgeReply:
    judge = RemoteJudge(
        identity=Identity(judge="test:m1", model="m1", wire="systemone"),
        profile=profile(**changes),
        wire=SystemOneWire(),
        base=url,
        key=Secret(KEY),
        transport=Transport(timeout_s=timeout_s),
        now=lambda: 0.0,
        wall=lambda: 1_700_000_000.0,
    )
    try:
        return await judge.answer(STATE, QUESTIONS)
    finally:
        await judge.aclose()


def answers(**changes: Any) -> dict[str, Any]:
    good: dict[str, Any] = {
        "ok": {"type": "noul", "noul": 0.9},
        "pick": {
            "type": "choice",
            "choice": "b",
            "probabilities": {f"a {CANARY}": 0.2, "b": 0.8},
            "confidence": 0.6,
        },
        "risk": {
            "type": "score",
            "score": 1.5,
            "probabilities": {"0": 0.1, "1": 0.3, "2": 0.6},
            "legend": {"0": "x", "1": "y", "2": "z"},
            "confidence": 0.4,
        },
    }
    return good | changes


def body(answered: Mapping[str, Any] | None = None, **changes: Any) -> bytes:
    whole = {"model": "m1-build-7", "answers": answers() if answered is None else answered}
    whole["usage"] = {"input_tokens": 12, "output_tokens": 3}
    return json.dumps(whole | changes).encode()


async def test_a_good_reply_keeps_every_number_as_received(serve: Serve, respond: Respond) -> None:
    async with serve(respond(200, body(), "x-request-id: r-1")) as server:
        reply = await ask(server.url)
    assert reply.failure is None
    assert reply.served_model == "m1-build-7"
    assert reply.request_id == "r-1"
    assert reply.usage is not None
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (12, 3)
    assert {id_: reading.answer for id_, reading in reply.readings.items()} == {
        "ok": NoulAnswer(noul=0.9, basis="decision_model"),
        "pick": ChoiceAnswer(
            choice="b",
            probabilities={f"a {CANARY}": 0.2, "b": 0.8},
            basis="decision_model",
            reported_confidence=0.6,
        ),
        "risk": ScoreAnswer(score=1.5, probabilities=(0.1, 0.3, 0.6), basis="decision_model", reported_confidence=0.4),
    }


async def test_the_request_is_compact_utf8_with_questions_in_order(serve: Serve, respond: Respond) -> None:
    async with serve(respond(200, body())) as server:
        await ask(f"{server.url}/v1")
        head, sent = server.requests[0]
    assert head.startswith("POST /v1/systemone HTTP/1.1")
    assert f"authorization: Bearer {KEY}" in head
    assert "content-encoding" not in head.lower()
    assert sent == json.dumps(json.loads(sent), separators=(",", ":"), ensure_ascii=False).encode()
    assert list(json.loads(sent)["questions"]) == ["ok", "pick", "risk"]
    assert json.loads(sent)["questions"]["ok"]["criteria"]["true"] == CANARY


@pytest.mark.parametrize(
    ("status", "headers", "wanted"),
    [
        pytest.param(400, (), ("bad-request", False, None), id="400-bad-request"),
        pytest.param(401, (), ("auth", False, None), id="401-wrong-key"),
        pytest.param(403, (), ("auth", False, None), id="403-no-key"),
        pytest.param(404, (), ("not-found", False, None), id="404"),
        pytest.param(405, (), ("bad-request", False, None), id="405"),
        pytest.param(408, (), ("busy", True, None), id="408"),
        pytest.param(413, (), ("too-large", False, None), id="413"),
        pytest.param(418, (), ("bad-request", False, None), id="any-other-4xx"),
        pytest.param(422, (), ("bad-request", False, None), id="422"),
        pytest.param(429, ("retry-after: 2",), ("busy", True, 2.0), id="429-seconds"),
        pytest.param(429, ("retry-after: 0.25",), ("busy", True, 0.25), id="429-decimals"),
        pytest.param(429, ("retry-after: 9", "retry-after-ms: 40"), ("busy", True, 0.04), id="milliseconds-first"),
        pytest.param(429, ("retry-after: -1",), ("busy", True, None), id="negative-wait-ignored"),
        pytest.param(429, ("retry-after: inf",), ("busy", True, None), id="infinite-wait-ignored"),
        pytest.param(429, ("retry-after: Tue, 14 Nov 2023 22:13:30 GMT",), ("busy", True, 10.0), id="wait-as-a-date"),
        pytest.param(429, ("retry-after: Tue, 14 Nov 2023 22:00:00 GMT",), ("busy", True, None), id="a-date-gone-by"),
        pytest.param(429, ("retry-after: soon",), ("busy", True, None), id="unreadable-wait-ignored"),
        pytest.param(429, ("x-should-retry: false",), ("busy", False, None), id="server-says-do-not-retry"),
        pytest.param(422, ("x-should-retry: true",), ("bad-request", True, None), id="server-says-retry"),
        pytest.param(500, (), ("server", True, None), id="500"),
        pytest.param(501, (), ("not-supported", False, None), id="501-not-a-decision-model"),
        pytest.param(502, (), ("server", True, None), id="502"),
        pytest.param(503, (), ("busy", True, None), id="503"),
        pytest.param(529, (), ("busy", True, None), id="529"),
        pytest.param(302, ("location: http://127.0.0.1:1/",), ("redirect", False, None), id="redirect-not-followed"),
    ],
)
async def test_a_status_becomes_a_transport_error_for_every_question(
    serve: Serve, respond: Respond, status: int, headers: tuple[str, ...], wanted: tuple[str, bool, float | None]
) -> None:
    """`wanted`: reason, whether it may be retried, and the seconds that the server asks to wait."""
    async with serve(respond(status, b"{}", *headers)) as server:
        reply = await ask(server.url)
        assert len(server.requests) == 1
    failure = reply.failure
    assert failure is not None
    assert failure.status == status
    assert (failure.reason, failure.retryable, failure.retry_after_s) == wanted
    assert {(r.kind, r.reason, r.answer) for r in reply.readings.values()} == {("transport_error", wanted[0], None)}


async def test_a_refused_connection_reads_connect() -> None:
    reply = await ask("http://127.0.0.1:9")
    assert reply.failure is not None
    assert (reply.failure.reason, reply.failure.retryable) == ("connect", True)


async def test_a_silent_server_reads_timeout(serve: Serve) -> None:
    async def silent(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(1)
        writer.close()

    async with serve(silent) as server:
        reply = await ask(server.url, timeout_s=0.05)
    assert reply.failure is not None
    assert (reply.failure.reason, reply.failure.retryable) == ("timeout", True)


async def test_a_body_cut_by_the_connection_reads_connect(serve: Serve, respond: Respond) -> None:
    async def cut(writer: asyncio.StreamWriter) -> None:
        writer.write(respond(200, body()[:40], length=4000))
        await writer.drain()
        writer.close()

    async with serve(cut) as server:
        reply = await ask(server.url)
    assert reply.failure is not None
    assert reply.failure.reason == "connect"


async def test_a_reply_over_eight_mebibytes_is_cut_off(serve: Serve) -> None:
    """The server would go on for ever; the client must not."""

    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        while not writer.is_closing():
            writer.write(b"10000\r\n" + b" " * 65536 + b"\r\n")
            await writer.drain()

    async with serve(endless) as server:
        reply = await ask(server.url)
    assert {(r.kind, r.reason) for r in reply.readings.values()} == {("invalid_response", "oversize")}


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        pytest.param(body()[:-9], "not-json", id="cut-body"),
        pytest.param(b"<html>", "not-json", id="wrong-content"),
        pytest.param(b"[1]", "not-json", id="not-an-object"),
        pytest.param(b"\xff\xfe", "not-json", id="not-utf8"),
        pytest.param(b"[" * 100_000, "not-json", id="nested-too-deep"),
        pytest.param(body().replace(b"0.9", b"NaN"), "not-json", id="nan"),
        pytest.param(body().replace(b"0.9", b"-Infinity"), "not-json", id="infinity"),
        pytest.param(body().replace(b'{"type": "noul"', b'{"noul": 1, "type": "noul"'), "not-json", id="duplicate-key"),
        pytest.param(b'{"model": "m"}', "envelope", id="no-answers"),
        pytest.param(body(model=""), "envelope", id="empty-model"),
        pytest.param(body(model=7), "envelope", id="model-is-a-number"),
        pytest.param(body({}), "answer-ids", id="no-answer-at-all"),
        pytest.param(body({"ok": answers()["ok"]}), "answer-ids", id="missing-answers"),
        pytest.param(body(answers(extra={"type": "noul", "noul": 1})), "answer-ids", id="an-answer-too-many"),
    ],
)
async def test_a_broken_envelope_is_an_invalid_response_for_every_question(
    serve: Serve, respond: Respond, sent: bytes, reason: str
) -> None:
    async with serve(respond(200, sent, "content-type: text/html")) as server:
        reply = await ask(server.url)
        assert len(server.requests) == 1
    assert {(r.kind, r.reason, r.answer) for r in reply.readings.values()} == {("invalid_response", reason, None)}
    assert reply.failure is not None
    assert not reply.failure.retryable


async def test_one_broken_answer_does_not_cost_the_others(serve: Serve, respond: Respond) -> None:
    wrong = {"type": "choice", "choice": "c", "probabilities": {f"a {CANARY}": 0.5, "b": 0.5}}
    async with serve(respond(200, body(answers(pick=wrong)))) as server:
        reply = await ask(server.url)
    assert reply.failure is None
    assert [r.reason for r in reply.readings.values()] == ["ok", "not-an-option", "ok"]


async def test_json_under_another_content_type_is_still_json(serve: Serve, respond: Respond) -> None:
    async with serve(respond(200, body(), "content-type: text/plain")) as server:
        assert (await ask(server.url)).failure is None


@pytest.mark.parametrize(
    "usage",
    [None, [], {"input_tokens": -1}, {"input_tokens": True}, {"input_tokens": "12"}, {"cost": "NaN"}, {"cost": "x"}],
)
async def test_malformed_usage_never_costs_an_answer(serve: Serve, respond: Respond, usage: object) -> None:
    async with serve(respond(200, body(usage=usage))) as server:
        reply = await ask(server.url)
    assert reply.usage is None
    assert {r.kind for r in reply.readings.values()} == {"answered"}


async def test_cost_and_cached_tokens_are_kept(serve: Serve, respond: Respond) -> None:
    usage = {"input_tokens": 4, "output_tokens": 1, "input_tokens_details": {"cached_tokens": 3}, "cost": 0.00025}
    async with serve(respond(200, body(usage=usage, id="gen-1"))) as server:
        reply = await ask(server.url)
    assert reply.usage is not None
    assert (reply.usage.cached_input_tokens, str(reply.usage.cost_usd)) == (3, "0.00025")
    assert reply.request_id == "gen-1"


async def test_a_profile_that_allows_it_reads_a_bare_label(serve: Serve, respond: Respond) -> None:
    bare = answers(pick={"type": "choice", "choice": "b"}, risk={"type": "score", "score": 1})
    async with serve(respond(200, body(bare))) as server:
        reply = await ask(server.url, bare_label=True)
    pick, risk = reply.readings["pick"], reply.readings["risk"]
    assert (pick.kind, pick.reason) == ("unscored", "no-probabilities")
    assert pick.answer == ChoiceAnswer(choice="b", probabilities=None, basis="label_only")
    assert (risk.kind, risk.reason, risk.answer) == ("unscored", "no-probabilities", None)


async def test_a_profile_that_knows_refusals_reads_them_apart(serve: Serve, respond: Respond) -> None:
    declined = body(answers(ok={"type": "refusal"}))
    async with serve(respond(200, declined)) as server:
        refused = await ask(server.url, caps=Caps(refusal=True))
        wrong = await ask(server.url)
    assert (refused.readings["ok"].kind, refused.readings["ok"].reason) == ("refused", "refusal")
    assert (wrong.readings["ok"].kind, wrong.readings["ok"].reason) == ("invalid_response", "answer-type")


async def test_connections_are_reused(serve: Serve, respond: Respond) -> None:
    async with serve(respond(200, body())) as server:
        transport = Transport(timeout_s=5)
        for _ in range(5):
            await transport.post(server.url, b"{}", {})
        await transport.aclose()
        await transport.aclose()
        assert (server.connections, len(server.requests)) == (1, 5)


async def test_state_that_cannot_be_sent_never_leaves_the_machine(serve: Serve, respond: Respond) -> None:
    async with serve(respond(200, body())) as server:
        judge = RemoteJudge(
            identity=Identity(judge="t", model="m", wire="systemone"),
            profile=profile(),
            wire=SystemOneWire(),
            base=server.url,
            key=None,
            transport=Transport(timeout_s=1),
            now=lambda: 0.0,
            wall=lambda: 0.0,
        )
        reply = await judge.answer({"x": "\ud800"}, QUESTIONS)
        assert server.requests == []
        with pytest.raises(QuestionError, match="ask at least one"):
            await judge.answer({}, {})
    assert {r.reason for r in reply.readings.values()} == {"bad-request"}


async def test_no_text_of_request_key_or_server_reaches_an_error_or_a_log(
    serve: Serve, respond: Respond, caplog: pytest.LogCaptureFixture
) -> None:
    """A canary stands in the state, instructions, criteria, labels, the key and every text of the server."""
    error = {
        "error": {"message": CANARY, "type": CANARY},
        "detail": [
            {"loc": ["body", "questions", CANARY], "msg": CANARY, "input": CANARY},
            {"loc": ["body", "questions", "risk", "criteria"], "msg": CANARY},
        ],
        "id": CANARY,
    }
    sent = [respond(status, json.dumps(error).encode(), f"x-request-id: <{CANARY}>") for status in (422, 500, 302)]
    sent += [
        respond(502, CANARY.encode()),
        respond(200, f'{{"{CANARY}": 1'.encode()),
        respond(200, json.dumps({CANARY: 1}).encode()),
    ]
    caplog.set_level(logging.DEBUG)
    for item in sent:
        async with serve(item) as server:
            reply = await ask(server.url)
        assert CANARY not in repr(reply)
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("interlock")]
    assert CANARY not in "".join(ours)
    assert KEY not in caplog.text
    assert "test:m1: 422 bad-request at `questions.risk`" in caplog.messages


@pytest.mark.parametrize(
    ("error", "type_"),
    [
        pytest.param({"detail": {"error_type": "api_usage_error"}}, "api_usage_error", id="in-detail"),
        pytest.param({"error_type": "busy_1"}, "busy_1", id="at-the-top"),
        pytest.param({"error": {"type": "invalid_request_error"}}, "invalid_request_error", id="in-error"),
        pytest.param({"error": {"type": "Has Spaces"}}, None, id="not-a-slug"),
        pytest.param(["x"], None, id="not-an-object"),
        pytest.param({"detail": [{"loc": "x"}, 1, {"loc": ["body", "questions", 3]}]}, None, id="odd-places"),
        pytest.param({"detail": "text"}, None, id="plain-text"),
    ],
)
async def test_an_error_type_is_kept_only_as_a_slug(
    serve: Serve, respond: Respond, error: object, type_: str | None
) -> None:
    async with serve(respond(400, json.dumps(error).encode())) as server:
        reply = await ask(server.url)
    assert reply.failure is not None
    assert reply.failure.error_type == type_


@pytest.mark.parametrize(
    ("sent", "names"),
    [
        pytest.param((200, {"models": [{"name": "jev-1.13.0", "description": ""}]}), ("jev-1.13.0",), id="system-one"),
        pytest.param((200, {"data": [{"id": "a"}, {"id": 7}, "x"]}), ("a",), id="as-openai-lists"),
        pytest.param((200, {"models": []}), (), id="none"),
        pytest.param((200, ["a"]), None, id="no-object"),
        pytest.param((404, {}), None, id="not-there"),
    ],
)
async def test_models_are_listed_as_leniently_as_servers_list_them(
    serve: Serve, respond: Respond, sent: tuple[int, object], names: tuple[str, ...] | None
) -> None:
    async with serve(respond(sent[0], json.dumps(sent[1]).encode())) as server:
        for path, wanted in (("/v1/models", names), (None, None)):
            judge = RemoteJudge(
                identity=Identity(judge="t", model="m", wire="systemone"),
                profile=profile(models_path=path),
                wire=SystemOneWire(),
                base=server.url,
                key=Secret(KEY),
                transport=Transport(timeout_s=1),
                now=lambda: 0.0,
                wall=lambda: 0.0,
            )
            assert await judge.models() == wanted
            await judge.aclose()
        (request,) = server.requests
    assert request[0].startswith("GET /v1/models HTTP/1.1")
    assert f"authorization: Bearer {KEY}" in request[0]


async def test_a_state_that_is_not_json_is_a_reading(serve: Serve, respond: Respond) -> None:
    async with serve(respond(200, body())) as server:
        judge = RemoteJudge(
            identity=Identity(judge="t", model="m", wire="systemone"),
            profile=profile(),
            wire=SystemOneWire(),
            base=server.url,
            key=None,
            transport=Transport(timeout_s=1),
            now=lambda: 0.0,
            wall=lambda: 0.0,
        )
        reply = await judge.answer({"n": float("nan")}, QUESTIONS)
        assert server.requests == []
    assert {(r.kind, r.reason) for r in reply.readings.values()} == {("transport_error", "bad-request")}
    assert reply.request_digest == ""
