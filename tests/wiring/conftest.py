"""A small server on this machine that answers System One and chat requests, and counts them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

Reply = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass
class Counted:
    """What the server received."""

    url: str
    bodies: list[dict[str, Any]] = field(default_factory=list)


Serving = Callable[..., AbstractAsyncContextManager[Counted]]


def first_of_everything(body: dict[str, Any]) -> dict[str, Any]:
    """Answer true, the first option, the lowest level."""
    return {
        "model": body["model"],
        "answers": {id_: _first(asked) for id_, asked in body["questions"].items()},
        "usage": {"input_tokens": 5, "output_tokens": 1},
    }


@pytest.fixture
def serving() -> Serving:
    """Return a context manager that serves what `reply` makes of every request."""

    @asynccontextmanager
    async def serve(reply: Reply = first_of_everything) -> AsyncIterator[Counted]:
        counted = Counted(url="")

        async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                while True:
                    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                    size = int(head.partition("content-length:")[2].split("\r\n")[0])
                    counted.bodies.append(json.loads(await reader.readexactly(size)))
                    sent = json.dumps(reply(counted.bodies[-1])).encode()
                    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(sent)}\r\n\r\n"
                    writer.write(head.encode() + sent)
                    await writer.drain()
            except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
                pass
            finally:
                writer.close()

        server = await asyncio.start_server(connection, "127.0.0.1", 0)
        counted.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield counted
        finally:
            server.close()

    return serve


def _first(asked: dict[str, Any]) -> dict[str, Any]:
    criteria: Any = asked.get("criteria")
    match asked["type"]:
        case "noul":
            return {"type": "noul", "noul": 1.0}
        case "choice":
            label = next(iter(criteria))
            spread = {name: float(name == label) for name in criteria}
            return {"type": "choice", "choice": label, "probabilities": spread, "confidence": 1}
        case _:
            return {
                "type": "score",
                "score": 0,
                "probabilities": {str(at): float(at == 0) for at in range(len(criteria))},
            }
