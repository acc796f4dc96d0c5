"""A model file on this machine, run in this process by llama.cpp.

Works in one thread per model, because its calls block. llama.cpp opens a port on the loopback address: it has a key
that nobody is told.
Source: backends specification, sections 5.3 and 8.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeAlias

import xllamacpp

from interlock.errors import SettingsError
from interlock.models.base import Delta, Done, Failure, TextEvent, TextReply, TextRequest
from interlock.models.gguf_values import Gathered, body_of
from interlock.models.patience import Clock, within

__all__ = ["GgufModel"]

MAGIC = b"GGUF"
CONTEXT_TOKENS = 8192
"""Prompt and reply together."""

Chunk: TypeAlias = Mapping[str, Any]
Put: TypeAlias = Callable[["Chunk | Failure | None"], None]


class GgufModel:
    """Asks one model file; it is loaded by the first request and let go by `aclose`."""

    def __init__(self, path: Path, *, budget_s: float, now: Clock) -> None:
        """Look at the file without loading it.

        Raises:
            SettingsError: it cannot be read, or is no GGUF file.
        """
        _check_file(path)
        self.id = f"gguf:{path.name}"
        self._path = path
        self._budget_s = budget_s
        self._now = now
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="interlock-gguf")
        self._server: xllamacpp.Server | None = None

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

        gathered = Gathered()
        self._thread.submit(self._write, body_of(request), put, stop)
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
        await asyncio.get_running_loop().run_in_executor(self._thread, self._unload)

    def _write(self, body: Mapping[str, Any], put: Put, stop: threading.Event) -> None:
        """Hand over every chunk of one reply, then None; runs in the model's thread."""

        def take(chunk: Chunk) -> bool:
            put(chunk)
            return stop.is_set()

        try:
            if not stop.is_set():
                self._loaded().handle_chat_completions(dict(body), take)
            put(None)
        except (ValueError, RuntimeError):
            loaded = self._server is not None
            put(Failure(reason="bad-request" if loaded else "not-loaded"))

    def _loaded(self) -> xllamacpp.Server:
        if self._server is None:
            self._server = xllamacpp.Server(_params(self._path))
        return self._server

    def _unload(self) -> None:
        self._server = None


async def _next(arrived: asyncio.Queue[Chunk | Failure | None]) -> tuple[Chunk | Failure | None]:
    """Return what arrives next in a tuple of one, so that nothing arriving is told from running out of time."""
    return (await arrived.get(),)


def _check_file(path: Path) -> None:
    try:
        with path.open("rb") as file:
            magic = file.read(len(MAGIC))
    except OSError as error:
        raise SettingsError(f"gguf: `{path}` cannot be read: {error.strerror}") from error
    if magic != MAGIC:
        raise SettingsError(f"gguf: `{path}` is no GGUF file; name a file that ends in .gguf")


def _params(path: Path) -> xllamacpp.CommonParams:
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = _threads()
    params.api_keys = [secrets.token_hex(16)]
    params.endpoint_slots = False
    params.ui = False
    params.warmup = False
    params.verbosity = -1
    return params


def _threads() -> int:
    """Return half of the processors: one thread that has to wait for its processor holds up all the others."""
    return max(1, (os.cpu_count() or 1) // 2)
