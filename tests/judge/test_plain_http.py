"""HTTP without TLS: a plain response is read at once, an unusual one with care, and a broken one is an error."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import h11
import pytest

from interlock.judge.plain_http import PlainHttp, PlainReply, TooLarge

pytestmark = [pytest.mark.anyio, pytest.mark.enable_socket]

Respond = Callable[..., bytes]
BODY = b'{"a":1}'
MOST = 4096


async def told(serve: Callable[..., object], *responses: object, times: int = 1) -> tuple[list[PlainReply], object]:
    client = PlainHttp(timeout_s=2.0, max_reply_bytes=MOST)
    async with serve(*responses) as server:  # type: ignore[attr-defined]
        replies = [await client.send("POST", f"{server.url}/v1?q=1", {"x-key": "k"}, b"{}") for _ in range(times)]
        await client.aclose()
        return replies, server


def piece_by_piece(data: bytes) -> Callable[[asyncio.StreamWriter], object]:
    async def write(writer: asyncio.StreamWriter) -> None:
        for at in range(0, len(data), 3):
            writer.write(data[at : at + 3])
            await writer.drain()
            await asyncio.sleep(0)

    return write


def then_close(data: bytes) -> Callable[[asyncio.StreamWriter], object]:
    async def write(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()
        writer.close()

    return write


PLAIN = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n" + BODY
UPGRADE = b"HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"
CHUNKED = (
    b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\n"
    + BODY[:3]
    + b"\r\n4\r\n"
    + BODY[3:]
    + b"\r\n0\r\n\r\n"
)


@pytest.mark.parametrize(
    ("response", "connections"),
    [
        pytest.param(PLAIN, 1, id="plain"),
        pytest.param(piece_by_piece(PLAIN), 1, id="in-pieces"),
        pytest.param(CHUNKED, 1, id="chunked"),
        pytest.param(b"HTTP/1.1 100 Continue\r\n\r\n" + PLAIN, 1, id="after-an-interim-response"),
        pytest.param(PLAIN.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n"), 2, id="closed-by-word"),
        pytest.param(then_close(PLAIN), 2, id="closed"),
        pytest.param(then_close(b"HTTP/1.1 200 OK\r\n\r\n" + BODY), 2, id="until-the-end"),
        pytest.param(PLAIN + b"HTTP/1.1 500 X\r\ncontent-length: 0\r\n\r\n", 2, id="more-than-was-asked-for"),
        pytest.param(PLAIN.replace(b"OK", b""), 1, id="no-reason"),
        pytest.param(PLAIN.replace(b"json", b"json\r\nx-a: 1\r\nx-a: 2"), 1, id="a-header-twice"),
        pytest.param(then_close(PLAIN.replace(b"1.1", b"1.0")), 2, id="the-older-protocol"),
        pytest.param(PLAIN.replace(b"/json", b"/json;\r\n charset=utf-8"), 1, id="a-folded-header"),
        pytest.param(CHUNKED.replace(b"transfer", b"content-length: 3\r\ntransfer"), 1, id="chunks-and-a-length"),
        pytest.param(PLAIN.replace(b"Content-L", b"content-length: 7\r\nContent-L"), 1, id="the-same-length-twice"),
        pytest.param(PLAIN.replace(b"json", b"json\r\nx-a: \xe4"), 1, id="a-header-beyond-ascii"),
    ],
)
async def test_a_whole_response_is_a_reply_and_the_connection_is_kept_if_it_may(
    serve: Callable[..., object], response: object, connections: int
) -> None:
    replies, server = await told(serve, response, times=2)
    assert [(reply.status, reply.body) for reply in replies] == [(200, BODY)] * 2
    assert server.connections == connections  # type: ignore[attr-defined]


async def test_headers_are_lower_case_and_several_of_one_name_are_joined(serve: Callable[..., object]) -> None:
    (reply,), _ = await told(serve, PLAIN.replace(b"json\r\n", b"json\r\nX-A: 1\r\nx-a:  2 \r\n"))
    assert reply.headers == {"content-type": "application/json", "x-a": "1, 2", "content-length": "7"}


async def test_the_request_is_what_was_given(serve: Callable[..., object]) -> None:
    _, server = await told(serve, PLAIN)
    ((head, body),) = server.requests  # type: ignore[attr-defined]
    lines = head.split("\r\n")
    assert lines[0] == "POST /v1?q=1 HTTP/1.1"
    assert lines[1:4] == [f"host: {server.url.removeprefix('http://')}", "x-key: k", "content-length: 2"]  # type: ignore[attr-defined]
    assert body == b"{}"


@pytest.mark.parametrize(
    ("response", "error"),
    [
        pytest.param(b"SSH-2.0-x\r\n\r\n", h11.ProtocolError, id="another-protocol"),
        pytest.param(then_close(PLAIN[:-2]), (h11.ProtocolError, OSError), id="cut"),
        pytest.param(then_close(b""), (h11.ProtocolError, OSError), id="nothing"),
        pytest.param(PLAIN.replace(b"h: 7", b"h: -7"), h11.ProtocolError, id="no-length"),
        pytest.param(UPGRADE, h11.ProtocolError, id="upgrade"),
        pytest.param(then_close(PLAIN[:40]), (h11.ProtocolError, OSError), id="cut-in-the-head"),
        pytest.param(then_close(CHUNKED[:-7]), (h11.ProtocolError, OSError), id="cut-in-the-chunks"),
        pytest.param(PLAIN.replace(b"json", b"json\r\nx: " + b"y" * 70_000), h11.ProtocolError, id="a-long-header"),
        pytest.param(PLAIN.replace(b"json", b"json" + b"\r\nx: y" * 20_000), h11.ProtocolError, id="many-headers"),
        pytest.param(
            PLAIN.replace(b"Content-L", b"content-length: 8\r\nContent-L"), h11.ProtocolError, id="two-lengths"
        ),
        pytest.param(PLAIN.replace(b"h: 7", b"h: 7, 8"), h11.ProtocolError, id="a-list-of-lengths"),
        pytest.param(PLAIN.replace(b"h: 7", b"h: \xb2"), h11.ProtocolError, id="a-length-that-is-no-number"),
        pytest.param(PLAIN.replace(b"Content-T", b"Content T"), h11.ProtocolError, id="a-name-with-a-space"),
        pytest.param(CHUNKED.replace(b"\r\n3\r\n", b"\r\nx\r\n"), h11.ProtocolError, id="a-broken-chunk"),
        pytest.param(CHUNKED.replace(b"chunked", b"gzip, chunked"), h11.ProtocolError, id="another-coding"),
        pytest.param(PLAIN.replace(b"7\r\n\r\n" + BODY, b"5000\r\n\r\n" + b"x" * 5000), TooLarge, id="too-large"),
        pytest.param(PLAIN.replace(b"7\r\n\r\n" + BODY, b"9\r\n\r\n" + BODY), TimeoutError, id="never-whole"),
    ],
)
async def test_anything_else_is_an_error(
    serve: Callable[..., object], response: object, error: type[Exception] | tuple[type[Exception], ...]
) -> None:
    client = PlainHttp(timeout_s=0.2, max_reply_bytes=MOST)
    async with serve(response) as server:  # type: ignore[attr-defined]
        with pytest.raises(error):
            await client.send("POST", server.url, {}, b"{}")
    await client.aclose()


@pytest.mark.parametrize("broken", [b"SSH-2.0-x\r\n\r\n", PLAIN.replace(b"h: 7", b"h: -7"), UPGRADE])
async def test_after_an_error_the_next_request_has_a_connection_of_its_own(
    serve: Callable[..., object], broken: bytes
) -> None:
    client = PlainHttp(timeout_s=2.0, max_reply_bytes=MOST)
    async with serve(PLAIN, broken, PLAIN) as server:  # type: ignore[attr-defined]
        assert (await client.send("POST", server.url, {}, b"{}")).body == BODY
        with pytest.raises(h11.ProtocolError):
            await client.send("POST", server.url, {}, b"{}")
        for _ in range(2):
            assert (await client.send("POST", server.url, {}, b"{}")).body == BODY
        assert server.connections == 2
    await client.aclose()


@pytest.mark.parametrize("value", ["a\r\nx: y", "a\nb", "a\0b", "ä"])
async def test_a_header_cannot_hold_another_one(serve: Callable[..., object], value: str) -> None:
    client = PlainHttp(timeout_s=0.2, max_reply_bytes=MOST)
    async with serve(PLAIN) as server:  # type: ignore[attr-defined]
        with pytest.raises(h11.LocalProtocolError, match="holds what none may"):
            await client.send("POST", server.url, {"x": value}, b"{}")
        assert server.requests == []
    await client.aclose()


async def test_a_connection_that_the_server_gave_up_is_not_used_again(serve: Callable[..., object]) -> None:
    client = PlainHttp(timeout_s=2.0, max_reply_bytes=MOST)
    async with serve(then_close(PLAIN), PLAIN) as server:  # type: ignore[attr-defined]
        for _ in range(3):
            assert (await client.send("POST", server.url, {}, b"{}")).status == 200
            await asyncio.sleep(0.02)
        assert server.connections == 2
    await client.aclose()


async def test_a_request_that_is_cancelled_gives_its_connection_up(serve: Callable[..., object]) -> None:
    client = PlainHttp(timeout_s=5.0, max_reply_bytes=MOST)

    async def silent(_: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.2)

    async with serve(silent, PLAIN) as server:  # type: ignore[attr-defined]
        task = asyncio.create_task(client.send("POST", server.url, {}, b"{}"))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await client.send("POST", server.url, {}, b"{}")).body == BODY
        assert server.connections == 2
    await client.aclose()
