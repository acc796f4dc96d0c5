"""The fault table: what every fault of a server reads as, and the one line that an operator sees, over every wire.

A canary stands in the state, the instructions, the criteria, the labels, the key and every text of the server; it is
in no reading and in no log.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import pytest

from interlock.judge.base import Caps, Judge, JudgeReply
from interlock.judge.openai_decisions import OpenAIDecisionsWire
from interlock.judge.profile import Profile
from interlock.judge.readings import Identity
from interlock.judge.readout import ReadoutJudge
from interlock.judge.readout_json import JsonReadout
from interlock.judge.remote import RemoteJudge
from interlock.judge.systemone import SystemOneWire
from interlock.judge.transport import Transport
from interlock.models.closing import close
from interlock.models.openai_compatible import OpenAIChat
from interlock.models.secret import Secret
from interlock.questions import Choice, Question, Score

pytestmark = [pytest.mark.anyio, pytest.mark.enable_socket]

CANARY = "Canary-5T"
KEY = f"sk-{CANARY}"
STATE = {"task": CANARY}
LABELS = (f"a {CANARY}", "b", "c")
PICK = Choice(instructions=f"Which {CANARY}?", criteria=dict.fromkeys(LABELS, CANARY))


class Told(Protocol):
    url: str
    requests: list[tuple[str, bytes]]


Serve = Callable[..., AbstractAsyncContextManager[Told]]
Respond = Callable[..., bytes]
Server = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True)
class Wire:
    """One wire with the way its answers are spelt."""

    name: str
    answer: Callable[[Mapping[str, float], str], dict[str, Any]]
    """Label → probability and the pick, as one whole reply."""
    direct: bool = False

    @property
    def id(self) -> str:
        """What a test is told apart by."""
        return f"{self.name}-direct" if self.direct else self.name


def _system_one(spread: Mapping[str, float], pick: str) -> dict[str, Any]:
    answer = {"type": "choice", "choice": pick, "probabilities": dict(spread), "confidence": 0.5}
    return {"model": "m-7", "answers": {"q": answer}}


def _decisions(spread: Mapping[str, float], pick: str) -> dict[str, Any]:
    probabilities = [{"value": label, "probability": p} for label, p in spread.items()]
    answer = {"type": "choice", "name": "q0", "choice": pick, "confidence": 0.5, "probabilities": probabilities}
    return {"model": "m-7", "answers": [answer]}


def _chat(spread: Mapping[str, float], _pick: str) -> dict[str, Any]:
    named = {f"o{at}": p for at, p in enumerate(spread.values(), 1)}
    message = {"role": "assistant", "content": json.dumps(named)}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "c-1", "object": "chat.completion", "created": 1, "model": "m-7", "choices": [choice]}


WIRES = [
    Wire(name="systemone", answer=_system_one),
    Wire(name="systemone", answer=_system_one, direct=True),
    Wire(name="openai-decisions", answer=_decisions),
    Wire(name="chat", answer=_chat),
]


def judge_for(wire: Wire, url: str, timeout_s: float) -> Judge:
    identity = Identity(judge=f"{wire.name}:m", model="m", wire=wire.name)
    if wire.name == "chat":
        chat = OpenAIChat(
            model="m", base=url, key=Secret(KEY), budget_s=timeout_s, now=time.monotonic, wall=lambda: 0.0
        )
        return ReadoutJudge(JsonReadout(chat), identity=identity, now=lambda: 0.0)
    profile = Profile(
        name=wire.name,
        wire=wire.name,
        base=None,
        path="/x",
        key_env="K",
        key_required=True,
        base_env=None,
        model_env=None,
        alias=None,
        bare_label=False,
        caps=Caps(),
    )
    return RemoteJudge(
        identity=identity,
        profile=profile,
        wire=SystemOneWire() if wire.name == "systemone" else OpenAIDecisionsWire(),
        base=url,
        key=Secret(KEY),
        transport=Transport(timeout_s=timeout_s, direct=wire.direct),
        now=lambda: 0.0,
        wall=lambda: 0.0,
    )


async def ask(wire: Wire, url: str, *, timeout_s: float = 5.0, question: Question = PICK) -> JudgeReply:
    judge = judge_for(wire, url, timeout_s)
    try:
        return await judge.answer(STATE, {"q": question})
    finally:
        await close(judge)


def ours(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "interlock.judge"]


def _error(status: int, *headers: str) -> tuple[int, bytes, tuple[str, ...]]:
    body = {"error": {"message": CANARY, "type": CANARY}, "detail": CANARY, "id": CANARY}
    return status, json.dumps(body).encode(), ("content-type: application/json", *headers)


STATUSES = [
    pytest.param(_error(400), "bad-request", "400 bad-request", id="400"),
    pytest.param(_error(401), "auth", "401 auth", id="401-wrong-key"),
    pytest.param(_error(403), "auth", "403 auth", id="403-no-key"),
    pytest.param(_error(404), "not-found", "404 not-found", id="404"),
    pytest.param(_error(413), "too-large", "413 too-large", id="413"),
    pytest.param(_error(422), "bad-request", "422 bad-request", id="422"),
    pytest.param(_error(429, "retry-after-ms: 20"), "busy", "429 busy", id="429-short"),
    pytest.param(_error(429, "retry-after: 600"), "busy", "429 busy", id="429-long"),
    pytest.param(_error(500), "server", "500 server", id="500"),
    pytest.param(_error(529), "busy", "529 busy", id="529"),
    pytest.param((502, f"<html>{CANARY}".encode(), ()), "server", "502 server", id="502-a-page"),
    pytest.param((302, b"", (f"location: http://127.0.0.1:9/{CANARY}",)), "redirect", "302 redirect", id="302"),
]


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.id)
@pytest.mark.parametrize(("told", "reason", "line"), STATUSES)
async def test_a_status_is_a_transport_error_and_one_line(
    serve: Serve,
    respond: Respond,
    caplog: pytest.LogCaptureFixture,
    *,
    wire: Wire,
    told: tuple[int, bytes, tuple[str, ...]],
    reason: str,
    line: str,
) -> None:
    status, body, headers = told
    caplog.set_level(logging.DEBUG)
    async with serve(respond(status, body, *headers)) as server:
        reply = await ask(wire, server.url)
        assert len(server.requests) == 1
    reading = reply.readings["q"]
    assert (reading.kind, reading.reason, reading.answer) == ("transport_error", reason, None)
    assert reply.failure is not None
    assert reply.failure.retryable == (reason in ("busy", "server"))
    (said,) = ours(caplog)
    assert said.startswith(f"{wire.name}:m: ")
    assert line in said
    assert CANARY not in repr(reply)
    assert CANARY not in "".join(ours(caplog))
    assert KEY not in caplog.text


async def _cut(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 4000\r\n\r\n{")
    await writer.drain()
    writer.close()


async def _drop(writer: asyncio.StreamWriter) -> None:
    writer.close()


async def _hang(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(0.6)
    writer.close()


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.id)
@pytest.mark.parametrize(
    ("server", "reasons"),
    [
        pytest.param(_cut, {"connect"}, id="a-body-cut-by-the-connection"),
        pytest.param(_drop, {"connect"}, id="a-connection-dropped"),
        pytest.param(_hang, {"timeout", "deadline"}, id="silence"),
    ],
)
async def test_a_connection_that_fails_reads_as_it_failed(
    serve: Serve, caplog: pytest.LogCaptureFixture, wire: Wire, server: Server, reasons: set[str]
) -> None:
    async with serve(server) as told:
        reply = await ask(wire, told.url, timeout_s=0.25 if server is _hang else 5.0)
    reading = reply.readings["q"]
    assert reading.kind == "transport_error"
    assert reading.reason in reasons
    assert ours(caplog) == [f"{wire.name}:m: {reading.reason}"]


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.id)
async def test_nothing_that_listens_reads_connect(caplog: pytest.LogCaptureFixture, wire: Wire) -> None:
    reply = await ask(wire, "http://127.0.0.1:9")
    assert (reply.readings["q"].kind, reply.readings["q"].reason) == ("transport_error", "connect")
    assert ours(caplog) == [f"{wire.name}:m: connect"]


GOOD = dict(zip(LABELS, (0.7, 0.2, 0.1), strict=True))
OTHER = {f"{CANARY} z": 0.7, "b": 0.2, "c": 0.1}


@pytest.mark.parametrize("wire", WIRES[:3], ids=lambda wire: wire.id)
@pytest.mark.parametrize(
    ("spread", "pick", "reason"),
    [
        pytest.param(GOOD, LABELS[0], "ok", id="sound"),
        pytest.param(dict(zip(LABELS, (0.7, 0.2, 0.09), strict=True)), LABELS[0], "ok", id="sum-0.99"),
        pytest.param(dict(zip(LABELS, (0.7, 0.2, 0.11), strict=True)), LABELS[0], "ok", id="sum-1.01"),
        pytest.param(dict(zip(LABELS, (0.6, 0.2, 0.1), strict=True)), LABELS[0], "sum", id="sum-0.9"),
        pytest.param(dict(zip(LABELS, (0.7, 0.3, 0.1), strict=True)), LABELS[0], "sum", id="sum-1.1"),
        pytest.param(dict(zip(LABELS, (0.0, 0.0, 0.0), strict=True)), "b", "no-mass", id="sum-0"),
        pytest.param(dict(zip(LABELS, (1.7, -0.4, -0.3), strict=True)), LABELS[0], "probability-range", id="range"),
        pytest.param(GOOD, f"{CANARY} z", "not-an-option", id="an-unknown-label-picked"),
        pytest.param(GOOD, "c", "not-argmax", id="another-label-picked"),
        pytest.param(OTHER, f"{CANARY} z", "option-keys", id="an-unknown-label-in-the-distribution"),
        pytest.param({"b": 0.9, "c": 0.1}, "b", "option-keys", id="a-label-missing"),
    ],
)
async def test_an_answer_keeps_every_rule_or_is_none(
    serve: Serve,
    respond: Respond,
    caplog: pytest.LogCaptureFixture,
    *,
    wire: Wire,
    spread: Mapping[str, float],
    pick: str,
    reason: str,
) -> None:
    async with serve(respond(200, json.dumps(wire.answer(spread, pick)).encode())) as server:
        reply = await ask(wire, server.url)
    reading = reply.readings["q"]
    assert (reading.reason, reading.answer is not None) == (reason, reason == "ok")
    assert reading.kind == {"ok": "answered", "no-mass": "unscored"}.get(reason, "invalid_response")
    assert CANARY not in caplog.text


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.id)
@pytest.mark.parametrize(
    ("change", "reasons"),
    [
        pytest.param(lambda body: body[:-9], {"not-json"}, id="a-cut-body"),
        pytest.param(lambda _body: f"<html>{CANARY}".encode(), {"not-json"}, id="a-page"),
        pytest.param(lambda body: body.replace(b"0.7", b"NaN"), {"not-json"}, id="nan"),
        pytest.param(lambda _body: b"{}", {"envelope"}, id="an-empty-object"),
        pytest.param(lambda _body: b'{"model":"m","answers":{}}', {"answer-ids", "envelope"}, id="missing-answers"),
        pytest.param(
            lambda body: body.replace(b'"q"', b'"r"').replace(b'"q0"', b'"q1"').replace(b"o1", b"p1"),
            {"answer-ids", "option-keys"},
            id="wrong-ids",
        ),
    ],
)
async def test_a_reply_that_is_none_is_invalid_and_not_asked_for_again(
    serve: Serve,
    respond: Respond,
    caplog: pytest.LogCaptureFixture,
    *,
    wire: Wire,
    change: Callable[[bytes], bytes],
    reasons: set[str],
) -> None:
    body = change(json.dumps(wire.answer(GOOD, LABELS[0])).encode())
    caplog.set_level(logging.DEBUG)
    async with serve(
        respond(200, body, "content-type: text/html" if b"<" in body else "content-type: application/json")
    ) as server:
        reply = await ask(wire, server.url)
        assert len(server.requests) == 1 or wire.name == "chat"
    reading = reply.readings["q"]
    assert (reading.kind, reading.answer) == ("invalid_response", None)
    assert reading.reason in reasons
    assert CANARY not in repr(reply)
    assert CANARY not in "".join(ours(caplog))


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.id)
async def test_the_largest_menu_in_any_script_is_read(serve: Serve, respond: Respond, wire: Wire) -> None:
    labels = [f"라벨 {at} 😀" for at in range(255)]
    spread = dict.fromkeys(labels, 0.0) | {labels[200]: 1.0}
    question = Choice(instructions="Which?", criteria=dict.fromkeys(labels))
    async with serve(
        respond(200, json.dumps(wire.answer(spread, labels[200])).encode(), "content-type: application/json")
    ) as server:
        reply = await ask(wire, server.url, question=question)
    assert reply.readings["q"].reason == "ok"


@pytest.mark.parametrize("id_", ["한글", "😀.q", "with space", "q.2", '"quoted"', "\\n"])
async def test_an_id_in_any_script_comes_back(serve: Serve, respond: Respond, id_: str) -> None:
    levels = {str(at): 0.1 for at in range(10)}
    body = {"model": "m", "answers": {id_: {"type": "score", "score": 4.5, "probabilities": levels}}}
    question = Score(instructions="How?", criteria=[f"level {at}" for at in range(10)])
    async with serve(respond(200, json.dumps(body).encode())) as server:
        judge = judge_for(WIRES[0], server.url, 5.0)
        reply = await judge.answer("s", {id_: question})
        await close(judge)
    assert reply.readings[id_].reason == "ok"
