"""The official chat SDK against a server on this machine: replies, streams, and every fault as a value."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import pytest

from interlock.loop.writer import WriteRequest
from interlock.messages import Message
from interlock.models.base import Delta, Done, Failure, TextReply, TextRequest, TokenLogprob, Usage
from interlock.models.closing import close
from interlock.models.openai_compatible import OpenAIChat
from interlock.models.secret import Secret
from interlock.wiring import make_writer

pytestmark = [pytest.mark.anyio, pytest.mark.enable_socket]

CANARY = "Canary-9Q"
REQUEST = TextRequest(messages=(Message(role="system", content="s"), Message(role="user", content=CANARY)))


class Told(Protocol):
    url: str
    heads: list[str]
    bodies: list[dict[str, Any]]
    connections: int


Chat = Callable[..., AbstractAsyncContextManager[Told]]


def http(status: int, body: bytes, *headers: str, kind: str = "application/json") -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"content-type: {kind}", f"content-length: {len(body)}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def completion(content: str | None = "hello", finish: str = "stop", **message: Any) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}
    usage = {
        "prompt_tokens": 7,
        "completion_tokens": 2,
        "total_tokens": 9,
        "prompt_tokens_details": {"cached_tokens": 5},
    }
    whole = {"id": "chat-1", "object": "chat.completion", "created": 1, "model": "m-7", "choices": [choice]}
    return http(200, json.dumps(whole | {"usage": usage}).encode())


def chunk(content: str | None, finish: str | None = None, **changes: Any) -> bytes:
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": finish}
    whole = {"id": "chat-2", "object": "chat.completion.chunk", "created": 1, "model": "m-8", "choices": [choice]}
    return b"data: " + json.dumps(whole | changes).encode() + b"\n\n"


LAST = chunk(None, choices=[], usage={"prompt_tokens": 4, "completion_tokens": 3, "total_tokens": 7})
DONE = b"data: [DONE]\n\n"


def events(*parts: bytes) -> bytes:
    return http(200, b"".join(parts), kind="text/event-stream")


def model(url: str, *, key: str | None = "k-1", budget_s: float = 5.0) -> OpenAIChat:
    return OpenAIChat(
        model="m",
        base=url,
        key=None if key is None else Secret(key),
        budget_s=budget_s,
        now=time.monotonic,
        wall=lambda: 0.0,
    )


async def generate(url: str, request: TextRequest = REQUEST, **given: Any) -> TextReply:
    asked = model(url, **given)
    try:
        return await asked.generate(request)
    finally:
        await close(asked)


async def stream(url: str, **given: Any) -> tuple[list[str], TextReply]:
    asked = model(url, **given)
    try:
        found = [event async for event in asked.stream(REQUEST)]
    finally:
        await close(asked)
    assert isinstance(found[-1], Done)
    assert all(isinstance(event, Delta) for event in found[:-1])
    return [event.text for event in found[:-1] if isinstance(event, Delta)], found[-1].reply


async def test_a_reply_carries_text_usage_and_who_served_it(chat: Chat) -> None:
    async with chat(completion()) as server:
        reply = await generate(server.url)
    assert (reply.text, reply.finish, reply.failure) == ("hello", "stop", None)
    assert reply.usage == Usage(input_tokens=7, output_tokens=2, cached_input_tokens=5)
    assert (reply.requested_model, reply.served_model, reply.request_id) == ("m", "m-7", "chat-1")
    assert server.bodies[0]["messages"] == [{"role": "system", "content": "s"}, {"role": "user", "content": CANARY}]
    assert "response_format" not in server.bodies[0]
    assert "authorization: Bearer k-1" in server.heads[0]


async def test_without_a_key_no_key_is_sent(chat: Chat) -> None:
    async with chat(completion()) as server:
        await generate(server.url, key=None)
    assert "authorization" not in server.heads[0].lower()


async def test_a_schema_is_asked_for(chat: Chat) -> None:
    async with chat(completion("{}")) as server:
        await generate(server.url, TextRequest(messages=REQUEST.messages, schema={"type": "object"}))
    assert server.bodies[0]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": {"type": "object"}},
    }


@pytest.mark.parametrize(
    ("sent", "finish", "text"),
    [
        pytest.param(completion("cut o", "length"), "length", "cut o", id="length"),
        pytest.param(completion(None, "content_filter"), "filtered", "", id="filtered"),
        pytest.param(completion(None, "stop", refusal="no"), "refusal", "", id="refusal"),
        pytest.param(completion("", "stop"), "stop", "", id="an-empty-answer"),
        pytest.param(completion("x", "strange"), "error", "x", id="an-unknown-reason"),
        pytest.param(completion("a\ud800b"), "stop", "a�b", id="a-lone-surrogate-is-replaced"),
    ],
)
async def test_why_a_reply_ended_is_told_apart(chat: Chat, sent: bytes, finish: str, text: str) -> None:
    async with chat(sent) as server:
        reply = await generate(server.url)
    assert (reply.finish, reply.text, reply.failure) == (finish, text, None)


@pytest.mark.parametrize(
    ("sent", "failure"),
    [
        pytest.param(http(401, b"{}"), Failure(reason="auth", status=401), id="401"),
        pytest.param(
            http(400, b'{"error": {"message": "x", "type": "invalid_request_error"}}'),
            Failure(reason="bad-request", status=400, error_type="invalid_request_error"),
            id="400-with-a-type",
        ),
        pytest.param(
            http(500, b"oops", kind="text/plain"), Failure(reason="server", status=500, retryable=True), id="500"
        ),
        pytest.param(
            http(429, b"{}", "retry-after: 3"),
            Failure(reason="busy", status=429, retryable=True, retry_after_s=3.0),
            id="429",
        ),
        pytest.param(http(529, b"{}"), Failure(reason="busy", status=529, retryable=True), id="529"),
        pytest.param(http(302, b"", "location: /elsewhere"), Failure(reason="redirect", status=302), id="redirect"),
        pytest.param(http(200, b"<html>", kind="text/html"), Failure(reason="not-json"), id="not-json"),
        pytest.param(http(200, b'{"choices": [{"mess'), Failure(reason="not-json"), id="a-cut-body"),
        pytest.param(http(200, b"{}"), Failure(reason="envelope"), id="no-choices"),
        pytest.param(http(200, b'{"choices": [{}]}'), Failure(reason="envelope"), id="no-message"),
    ],
)
async def test_a_fault_is_a_value_and_is_asked_once(chat: Chat, sent: bytes, failure: Failure) -> None:
    """The SDK's own retries would multiply with ours, so they are off."""
    async with chat(sent) as server:
        reply = await generate(server.url)
        assert len(server.heads) == 1
    assert (reply.failure, reply.text, reply.finish) == (failure, "", "error")


async def test_a_server_that_is_not_there_reads_connect() -> None:
    assert (await generate("http://127.0.0.1:9/v1")).failure == Failure(reason="connect", retryable=True)


def after(seconds: float, sent: bytes) -> Callable[[asyncio.StreamWriter], Awaitable[None]]:
    async def late(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(seconds)
        writer.write(sent)

    return late


async def test_a_reply_after_the_budget_reads_deadline(chat: Chat) -> None:
    async with chat(after(1.0, completion())) as server:
        reply = await generate(server.url, budget_s=0.1)
    assert reply.failure is not None
    assert reply.failure.reason in {"deadline", "timeout"}


async def test_a_stream_brings_pieces_then_the_whole_with_usage(chat: Chat) -> None:
    async with chat(events(chunk("hel"), chunk("lo"), chunk(None, "stop"), LAST, DONE)) as server:
        pieces, reply = await stream(server.url)
    assert pieces == ["hel", "lo"]
    assert (reply.text, reply.finish, reply.failure) == ("hello", "stop", None)
    assert reply.usage == Usage(input_tokens=4, output_tokens=3)
    assert (reply.served_model, reply.request_id) == ("m-8", "chat-2")
    assert server.bodies[0]["stream_options"] == {"include_usage": True}


async def drop(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    part = chunk("half a sen")
    writer.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
    await writer.drain()
    writer.close()


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(drop, id="the-connection-drops"),
        pytest.param(events(chunk("half a sen")), id="it-ends-without-a-reason"),
        pytest.param(events(chunk("half a sen"), DONE), id="it-says-done-without-a-reason"),
    ],
)
async def test_a_cut_stream_keeps_its_text_and_says_so(chat: Chat, sent: Any) -> None:
    async with chat(sent) as server:
        pieces, reply = await stream(server.url)
    assert pieces == ["half a sen"]
    assert (reply.text, reply.finish, reply.usage) == ("half a sen", "error", None)
    assert reply.failure == Failure(reason="connect", retryable=True)


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        pytest.param(http(401, b"{}"), "auth", id="401"),
        pytest.param(http(500, b"{}"), "server", id="500"),
        pytest.param(events(b'data: {"error": {"message": "x"}}\n\n'), "server", id="an-error-inside"),
        pytest.param(events(chunk("a"), b"data: {oops\n\n"), "not-json", id="a-broken-event"),
    ],
)
async def test_a_stream_that_fails_ends_with_the_reason(chat: Chat, sent: bytes, reason: str) -> None:
    async with chat(sent) as server:
        _, reply = await stream(server.url)
    assert reply.failure is not None
    assert (reply.failure.reason, reply.finish) == (reason, "error")


async def test_a_stream_that_stalls_is_given_up(chat: Chat) -> None:
    async def stall(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        await asyncio.sleep(1)
        writer.close()

    async with chat(stall) as server:
        pieces, reply = await stream(server.url, budget_s=0.1)
    assert pieces == []
    assert reply.failure is not None
    assert reply.failure.reason in {"deadline", "timeout"}


async def test_a_reader_may_stop_a_stream_early(chat: Chat) -> None:
    async with chat(events(chunk("a"), chunk("b"), chunk(None, "stop"), DONE)) as server:
        asked = model(server.url)
        pieces = asked.stream(REQUEST)
        assert await anext(pieces) == Delta(text="a")
        await pieces.aclose()  # type: ignore[attr-defined] # an async generator behind the protocol
        await close(asked)


async def test_nothing_of_request_key_or_server_reaches_a_failure_or_our_logs(
    chat: Chat, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="interlock")
    error = json.dumps({"error": {"message": CANARY, "type": CANARY, "code": CANARY}, "id": CANARY}).encode()
    for sent in (http(400, error), http(200, f"<{CANARY}>".encode(), kind="text/html")):
        async with chat(sent) as server:
            reply = await generate(server.url, key=f"k-{CANARY}")
        assert CANARY not in repr(reply)
    assert CANARY not in "".join(
        record.getMessage() for record in caplog.records if record.name.startswith("interlock")
    )


async def test_connections_are_reused(chat: Chat) -> None:
    async with chat(completion()) as server:
        asked = model(server.url)
        for _ in range(3):
            await asked.generate(REQUEST)
        await close(asked)
        assert server.connections == 1


def test_one_model_serves_several_event_loops(chat: Chat) -> None:
    """The blocking doors run one loop per call; a client of a loop that ended is never used again."""
    asked: list[OpenAIChat] = []

    async def once() -> str:
        async with chat(completion()) as server:
            if not asked:
                asked.append(model(server.url))
            asked[0]._base = server.url
            reply = await asked[0].generate(REQUEST)
            await close(asked[0])
            return reply.text

    assert [asyncio.run(once()) for _ in range(2)] == ["hello", "hello"]


async def test_the_writer_of_an_id_retries_a_busy_endpoint(chat: Chat) -> None:
    async with chat(http(503, b"{}", "retry-after-ms: 1"), completion("done")) as server:
        writer = make_writer("openai:m", environ={"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": server.url})
        request = WriteRequest(system="be brief", task="t", earlier="", evidence=(), facts=(), halt="agent_done")
        draft = await writer.write(request)
        await close(writer)
        assert len(server.heads) == 2
    assert (writer.id, draft.text, draft.failure) == ("openai:m", "done", None)
    assert draft.usage == Usage(input_tokens=7, output_tokens=2, cached_input_tokens=5)


FIRST = {
    "token": "B",
    "logprob": -0.1,
    "bytes": [66],
    "top_logprobs": [
        {"token": " A", "logprob": -2.5, "bytes": None},
        {"token": "B", "logprob": -0.1, "bytes": [66]},
    ],
}


@pytest.mark.parametrize(
    ("logprobs", "wanted"),
    [
        pytest.param(
            {"content": [FIRST, FIRST | {"top_logprobs": []}], "refusal": None},
            (TokenLogprob(token="B", logprob=-0.1), TokenLogprob(token=" A", logprob=-2.5)),
            id="most-probable-first",
        ),
        pytest.param(None, None, id="null"),
        pytest.param({"content": None, "refusal": None}, None, id="no-content"),
        pytest.param({"content": [], "refusal": None}, None, id="no-token"),
        pytest.param({"content": [FIRST | {"top_logprobs": []}], "refusal": None}, None, id="no-candidates"),
    ],
)
async def test_the_candidates_of_the_first_token_are_kept(
    chat: Chat, logprobs: object, wanted: tuple[TokenLogprob, ...] | None
) -> None:
    whole = json.loads(completion("B").partition(b"\r\n\r\n")[2])
    whole["choices"][0]["logprobs"] = logprobs
    asked = TextRequest(
        messages=REQUEST.messages,
        schema={"type": "object"},
        strict=True,
        max_tokens=1,
        temperature=0.0,
        top_logprobs=20,
    )
    async with chat(http(200, json.dumps(whole).encode())) as server:
        reply = await generate(server.url, asked)
        sent = server.bodies[0]
    assert reply.first_token == wanted
    assert {key: sent[key] for key in ("max_tokens", "temperature", "logprobs", "top_logprobs")} == {
        "max_tokens": 1,
        "temperature": 0.0,
        "logprobs": True,
        "top_logprobs": 20,
    }
    assert sent["response_format"]["json_schema"]["strict"] is True


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "streamed"])
async def test_where_a_reply_ends_and_the_seed_are_sent(chat: Chat, *, streams: bool) -> None:
    asked = TextRequest(messages=REQUEST.messages, stop=("\n\n", "END"), seed=7)
    async with chat(completion("hello")) as server:
        if streams:
            model = OpenAIChat(model="m", base=server.url, key=None, budget_s=5, now=time.monotonic, wall=time.time)
            _ = [event async for event in model.stream(asked)]
            await model.aclose()
        else:
            await generate(server.url, asked)
        assert (server.bodies[0]["stop"], server.bodies[0]["seed"]) == (["\n\n", "END"], 7)


async def test_what_was_not_asked_for_is_not_sent(chat: Chat) -> None:
    async with chat(completion("hello")) as server:
        await generate(server.url)
        assert server.bodies[0].keys() == {"model", "messages"}
