"""A small chat server on this machine that says what it is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

Respond = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Told:
    """What the server received."""

    url: str
    heads: list[str] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    connections: int = 0


Chat = Callable[..., AbstractAsyncContextManager[Told]]


@pytest.fixture
def chat() -> Chat:
    """Return a context manager that serves responses in turn, the last one for ever."""

    @asynccontextmanager
    async def serving(*responses: bytes | Respond) -> AsyncIterator[Told]:
        told = Told(url="")

        async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            told.connections += 1
            try:
                while not writer.is_closing():
                    head = (await reader.readuntil(b"\r\n\r\n")).decode()
                    size = int(head.lower().partition("content-length:")[2].split("\r\n")[0])
                    told.heads.append(head)
                    told.bodies.append(json.loads(await reader.readexactly(size)))
                    item = responses[min(len(told.heads), len(responses)) - 1]
                    if isinstance(item, bytes):
                        writer.write(item)
                        await writer.drain()
                    else:
                        await item(writer)
            except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
                pass
            finally:
                writer.close()

        server = await asyncio.start_server(connection, "127.0.0.1", 0)
        told.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        try:
            yield told
        finally:
            server.close()

    return serving
