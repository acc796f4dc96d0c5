"""The whole chain behind an id, on real sockets and the real clock: waits, budgets and event loops."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import pytest

from interlock.judge.base import Judge, JudgeReply
from interlock.judge.options import JudgeOptions
from interlock.models.closing import close
from interlock.questions import Noul
from interlock.wiring import make_judge

pytestmark = pytest.mark.enable_socket


class Told(Protocol):
    url: str
    requests: list[tuple[str, bytes]]
    connections: int


Serve = Callable[..., AbstractAsyncContextManager[Told]]
Respond = Callable[..., bytes]

GOOD = json.dumps({"model": "m", "answers": {"q": {"type": "noul", "noul": 0.75}}}).encode()


async def ask(url: str, *, budget_s: float = 5.0) -> JudgeReply:
    judge = make_judge(f"system-one:{url}", environ={}, tools={}, options=JudgeOptions(timeout_s=budget_s))
    try:
        return await judge.answer({"task": "t"}, {"q": Noul(instructions="q")})
    finally:
        await close(judge)


@pytest.mark.anyio
async def test_a_short_wait_is_waited_out(serve: Serve, respond: Respond) -> None:
    async with serve(respond(429, b"{}", "retry-after-ms: 20"), respond(200, GOOD)) as server:
        reply = await ask(server.url)
    assert reply.failure is None
    assert reply.attempts == 2


@pytest.mark.anyio
async def test_a_wait_longer_than_the_budget_is_not_begun(serve: Serve, respond: Respond) -> None:
    began = time.monotonic()
    async with serve(respond(429, b"{}", "retry-after: 600")) as server:
        reply = await ask(server.url)
        assert len(server.requests) == 1
    assert {reading.reason for reading in reply.readings.values()} == {"busy"}
    assert time.monotonic() - began < 2


@pytest.mark.anyio
async def test_a_dropped_connection_is_tried_again(serve: Serve, respond: Respond) -> None:
    async def drop(writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with serve(drop, respond(200, GOOD)) as server:
        reply = await ask(server.url)
    assert (reply.failure, reply.attempts) == (None, 2)


@pytest.mark.anyio
async def test_an_invalid_answer_is_not_asked_for_again(serve: Serve, respond: Respond) -> None:
    async with serve(respond(200, GOOD.replace(b"0.75", b"7.5")), respond(200, GOOD)) as server:
        reply = await ask(server.url)
        assert len(server.requests) == 1
    assert (reply.readings["q"].kind, reply.readings["q"].reason) == ("invalid_response", "noul-range")


@pytest.mark.anyio
async def test_a_dripping_server_is_cut_off_by_the_budget(serve: Serve) -> None:
    """Every byte is in time for a limit per operation; only the whole is late."""

    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
        while not writer.is_closing():
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.03)

    began = time.monotonic()
    async with serve(drip) as server:
        reply = await ask(server.url, budget_s=0.2)
    assert {(r.kind, r.reason, r.answer) for r in reply.readings.values()} == {("transport_error", "deadline", None)}
    assert time.monotonic() - began < 2


@pytest.mark.anyio
async def test_an_answer_after_the_deadline_does_not_count(serve: Serve, respond: Respond) -> None:
    async def late(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.4)
        writer.write(respond(200, GOOD))

    async with serve(late) as server:
        reply = await ask(server.url, budget_s=0.15)
    reading = reply.readings["q"]
    assert (reading.kind, reading.answer) == ("transport_error", None)
    assert reading.reason in {"deadline", "timeout"}


def test_one_judge_serves_several_event_loops(serve: Serve, respond: Respond) -> None:
    """The blocking doors run one loop per call; connections of a loop that ended are never used again."""
    judges: list[Judge] = []

    async def once() -> JudgeReply:
        async with serve(respond(200, GOOD)) as server:
            if not judges:
                judges.append(
                    make_judge(f"system-one:{server.url}", environ={}, tools={}, options=JudgeOptions(timeout_s=1))
                )
            reply = await judges[0].answer("s", {"q": Noul(instructions="q")})
            await close(judges[0])
            return reply

    first, second = asyncio.run(once()), asyncio.run(once())
    assert first.failure is None
    assert second.failure is not None
    assert second.failure.reason == "connect"
