"""What a judge does about servers that are broken or hostile: a reading in bounded time, and no key elsewhere."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import pytest
from backports import zstd

from interlock.judge.base import JudgeReply
from interlock.judge.options import JudgeOptions
from interlock.models.closing import close
from interlock.questions import Noul
from interlock.wiring import make_judge

pytestmark = [pytest.mark.anyio, pytest.mark.enable_socket]

KEY = "sk-canary-0815"
CANARY = "canary-4711"
BUDGET_S = 1.0
ANSWER = json.dumps({"model": "m", "answers": {"q": {"type": "noul", "noul": 0.5}}}).encode()
OPTIONS = JudgeOptions(readout="json", timeout_s=BUDGET_S)


class Told(Protocol):
    url: str
    requests: list[tuple[str, bytes]]
    connections: int


Serve = Callable[..., AbstractAsyncContextManager[Told]]
Write = Callable[[asyncio.StreamWriter], Awaitable[None]]

WAYS: Mapping[str, Mapping[str, str]] = {
    "typesafe": {"TYPESAFE_API_KEY": KEY},
    "typesafe-by-the-library": {"TYPESAFE_API_KEY": KEY, "ALL_PROXY": "named only here"},
    "openai-decisions": {"OPENAI_API_KEY": KEY},
    "openai": {"OPENAI_API_KEY": KEY},
}


async def ask(way: str, url: str) -> JudgeReply:
    provider = way.partition("-by-")[0]
    judge = make_judge(f"{provider}:{url}#m", environ=WAYS[way], tools={}, options=OPTIONS)
    try:
        return await judge.answer({"note": CANARY}, {"q": Noul(instructions=f"{CANARY}?")})
    finally:
        await close(judge)


def endless(head: bytes, piece: bytes, pause_s: float = 0.0) -> Write:
    """Return what sends pieces until nobody listens any more."""

    async def write(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while not writer.is_closing():
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause_s)

    return write


JSON_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
PACKED = gzip.compress(b'{"a":"' + b" " * 60_000_000 + b'"}', 9)
PACKED_ZSTD = zstd.compress(b'{"a":"' + b" " * 60_000_000 + b'"}')


def packed(body: bytes, encoding: bytes) -> bytes:
    return JSON_HEAD + b"content-encoding: %b\r\ncontent-length: %d\r\n\r\n%b" % (encoding, len(body), body)


FAULTS: Mapping[str, bytes | Write] = {
    "a-byte-at-a-time": endless(JSON_HEAD + b"content-length: 4000\r\n\r\n{", b" ", 0.05),
    "a-head-without-end": endless(b"HTTP/1.1 200 OK\r\n", b"x-a: " + b"y" * 1000 + b"\r\n"),
    "a-body-without-end": endless(JSON_HEAD + b"\r\n", b" " * 65_536),
    "chunks-without-end": endless(
        JSON_HEAD + b"transfer-encoding: chunked\r\n\r\n", b"10000\r\n" + b" " * 65_536 + b"\r\n"
    ),
    "interim-responses-without-end": endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.001),
    "a-length-beyond-all-bounds": endless(JSON_HEAD + b"content-length: 99999999999999\r\n\r\n", b" " * 65_536),
    "a-gzip-bomb": packed(PACKED, b"gzip"),
    "a-zstd-bomb": packed(PACKED_ZSTD, b"zstd"),
    "deep-json": JSON_HEAD + b"content-length: 1000000\r\n\r\n" + b"[" * 1_000_000,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_hostile_server_is_a_reading_in_bounded_time(
    serve: Serve, caplog: pytest.LogCaptureFixture, way: str, fault: str
) -> None:
    caplog.set_level(logging.DEBUG, logger="interlock")
    async with serve(FAULTS[fault]) as server:
        began = time.monotonic()
        reading = (await ask(way, server.url)).readings["q"]
        took_s = time.monotonic() - began
    assert reading.answer is None
    assert reading.kind in ("transport_error", "invalid_response")
    assert took_s < BUDGET_S + 2
    assert KEY not in caplog.text
    assert CANARY not in caplog.text


@pytest.mark.parametrize("way", WAYS)
async def test_a_redirect_takes_the_key_nowhere(
    serve: Serve, respond: Callable[..., bytes], caplog: pytest.LogCaptureFixture, way: str
) -> None:
    caplog.set_level(logging.DEBUG, logger="interlock")
    async with (
        serve(respond(200, ANSWER)) as other,
        serve(respond(307, b"", f"location: {other.url}/{KEY}")) as server,
    ):
        reading = (await ask(way, server.url)).readings["q"]
        assert (other.connections, len(server.requests)) == (0, 1)
    assert (reading.kind, reading.reason) == ("transport_error", "redirect")
    assert KEY not in caplog.text


@pytest.mark.parametrize("way", WAYS)
async def test_a_server_that_repeats_the_key_is_not_repeated(
    serve: Serve, respond: Callable[..., bytes], caplog: pytest.LogCaptureFixture, way: str
) -> None:
    caplog.set_level(logging.DEBUG, logger="interlock")
    body: dict[str, Any] = {"error": {"message": KEY, "type": KEY}, "detail": KEY, "id": KEY}
    async with serve(respond(401, json.dumps(body).encode(), f"x-request-id: {KEY} {CANARY}")) as server:
        reply = await ask(way, server.url)
    assert reply.readings["q"].reason == "auth"
    assert KEY not in repr(reply)
    assert KEY not in caplog.text


async def test_hostile_servers_take_no_connection_from_later_requests(
    serve: Serve, respond: Callable[..., bytes]
) -> None:
    bad = [FAULTS["a-head-without-end"], FAULTS["deep-json"], FAULTS["a-body-without-end"]]
    async with serve(*bad, respond(200, ANSWER)) as server:
        environ = {**WAYS["typesafe"], "TYPESAFE_BASE_URL": server.url}
        judge = make_judge("typesafe:m", environ=environ, tools={}, options=JudgeOptions(timeout_s=3.0))
        kinds = [(await judge.answer("s", {"q": Noul(instructions="?")})).readings["q"].kind for _ in range(4)]
        await close(judge)
    assert kinds[-1] == "answered"
