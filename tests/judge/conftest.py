"""Servers for the judge tests: one that says what it is told, byte for byte, and a real one."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

import pytest

Respond = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Told:
    """A server that plays one response per request and keeps what it received."""

    url: str
    requests: list[tuple[str, bytes]] = field(default_factory=list)
    connections: int = 0


Serve = Callable[..., AbstractAsyncContextManager[Told]]


def response(status: int, body: bytes, *headers: str, length: int | None = None) -> bytes:
    """Return the bytes of a response; `length` lies about the body's size."""
    size = len(body) if length is None else length
    lines = [f"HTTP/1.1 {status} X", f"content-length: {size}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


@pytest.fixture
def respond() -> Callable[..., bytes]:
    return response


@pytest.fixture
def serve() -> Serve:
    """Return a context manager that serves responses in turn, the last one for ever."""

    @asynccontextmanager
    async def serving(*responses: bytes | Respond) -> AsyncIterator[Told]:
        told = Told(url="")

        async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            told.connections += 1
            try:
                while True:
                    head = (await reader.readuntil(b"\r\n\r\n")).decode()
                    lines = [line.split(":", 1) for line in head.split("\r\n") if ":" in line]
                    size = next((int(value) for name, value in lines if name.lower() == "content-length"), 0)
                    told.requests.append((head, await reader.readexactly(size)))
                    item = responses[min(len(told.requests), len(responses)) - 1]
                    if isinstance(item, bytes):
                        writer.write(item)
                        await writer.drain()
                    else:
                        await item(writer)
                    if writer.is_closing():
                        return
            except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
                pass
            finally:
                writer.close()

        server = await asyncio.start_server(connection, "127.0.0.1", 0)
        told.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield told
        finally:
            server.close()

    return serving


@pytest.fixture(scope="session")
def sparrow() -> Iterator[str]:
    """Return the address of a real System One server on this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "sparrow_decider.cli", "serve", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_until_up(url, process)
        yield url
    finally:
        process.terminate()
        process.wait()


def _wait_until_up(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(200):
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except OSError:
            assert process.poll() is None, "the server ended"
            time.sleep(0.05)
    pytest.fail("the server did not start")
