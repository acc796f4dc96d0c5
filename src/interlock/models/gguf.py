"""A model file on this machine that writes, run in this process by llama.cpp.

Source: backends specification, sections 5.3 and 8.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from interlock.models.base import Delta, Done, Failure, TextEvent, TextReply, TextRequest
from interlock.models.gguf_server import GgufServer, Loaded
from interlock.models.gguf_values import Gathered, body_of
from interlock.models.patience import Clock, within

__all__ = ["GgufModel"]

Chunk: TypeAlias = Mapping[str, Any]
Put: TypeAlias = Callable[["Chunk | Failure | None"], None]


class GgufModel:
    """Asks one model file; it is loaded by the first request and let go by `aclose`."""

    def __init__(self, path: Path, *, budget_s: float, now: Clock) -> None:
        """Look at the file without loading it.

        Raises:
            SettingsError: it cannot be read, or is no GGUF file.
        """
        self._server = GgufServer(path)
        self.id = self._server.id
        self._budget_s = budget_s
        self._now = now

    async def generate(self, request: TextRequest) -> TextReply:
        """Return the whole reply."""
        async for event in self.stream(request):
            if isinstance(event, Done):
                return event.reply
        raise AssertionError("a stream ends with its reply")

    async def stream(self, request: TextRequest) -> AsyncIterator[TextEvent]:
        """Yield pieces as they are written, then the whole reply; whoever stops listening stops the writing."""
        loop, arrived = asyncio.get_running_loop(), asyncio.Queue[Chunk | Failure | None]()
        stop, ends = threading.Event(), self._now() + self._budget_s

        def put(item: Chunk | Failure | None) -> None:
            try:
                loop.call_soon_threadsafe(arrived.put_nowait, item)
            except RuntimeError:  # the loop is closed, so nobody listens
                stop.set()

        gathered, body = Gathered(), body_of(request)
        writing = asyncio.ensure_future(self._server.run(lambda loaded: _write(loaded, body, put, stop)))
        writing.add_done_callback(lambda done: put(_failed(done)))
        try:
            while not gathered.ended:
                item = await within(ends - self._now(), self._now, _next(arrived))
                piece = gathered.add(Failure(reason="deadline") if item is None else item[0])
                if piece:
                    yield Delta(text=piece)
        finally:
            stop.set()
        yield Done(reply=gathered.reply(self.id))

    async def aclose(self) -> None:
        """Let go of the model; a later request loads it again."""
        await self._server.aclose()


def _write(loaded: Loaded, body: Mapping[str, Any], put: Put, stop: threading.Event) -> None:
    """Hand over every chunk of one reply; runs in the model's thread."""

    def take(chunk: Chunk) -> bool:
        put(chunk)
        return stop.is_set()

    if not stop.is_set():
        loaded.server.handle_chat_completions(dict(body), take)


def _failed(done: asyncio.Future[Failure | None]) -> Failure | None:
    """Return why nothing was written, None for a reply that came to its end or that nobody waits for."""
    return None if done.cancelled() else done.result()


async def _next(arrived: asyncio.Queue[Chunk | Failure | None]) -> tuple[Chunk | Failure | None]:
    """Return what arrives next in a tuple of one, so that nothing arriving is told from running out of time."""
    return (await arrived.get(),)
