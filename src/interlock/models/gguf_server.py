"""One model file loaded by llama.cpp in this process, with the thread in which its blocking calls are made.

llama.cpp opens a port on the loopback address: it has a key that nobody is told.
Source: backends specification, section 5.3.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.request import ProxyHandler, Request, build_opener

import xllamacpp

from interlock.errors import SettingsError
from interlock.models.base import Failure

__all__ = ["GgufServer", "Loaded"]

MAGIC = b"GGUF"
CONTEXT_TOKENS = 8192
"""Prompt and reply together."""
KEPT_MIB = 512
"""Most memory for evaluated prompts that another one has replaced, so that turns between states stay cheap."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A loaded model; its methods block and belong into the model's thread."""

    server: xllamacpp.Server
    key: str

    def complete(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return llama.cpp's reply to one completion, which may be an error."""
        reply: Mapping[str, Any] = self.server.handle_completions(dict(body))
        return reply

    def decide(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return llama.cpp's reply to one System One request; an error for a model that is no decision model."""
        reply: Mapping[str, Any] = self.server.handle_systemone(dict(body))
        return reply

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of a text, nothing added before it."""
        body = json.dumps({"content": text, "add_special": False}).encode()
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        request = Request(f"{self.server.listening_address}/tokenize", data=body, headers=headers)  # noqa: S310 -- loopback
        with build_opener(ProxyHandler({})).open(request) as response:
            tokens: list[int] = json.load(response)["tokens"]
        return tokens


class GgufServer:
    """Loads the file with the first call, and lets it go with `aclose`."""

    def __init__(self, path: Path) -> None:
        """Look at the file without loading it.

        Raises:
            SettingsError: it cannot be read, or is no GGUF file.
        """
        _check_file(path)
        self.id = f"gguf:{path.name}"
        self._path = path
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="interlock-gguf")
        self._loaded: Loaded | None = None

    async def run(self, work: Callable[[Loaded], T]) -> T | Failure:
        """Return what `work` returns; it runs in the model's thread, one at a time."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._run, work)

    async def aclose(self) -> None:
        """Let go of the model; a later call loads it again."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._unload)

    def _run(self, work: Callable[[Loaded], T]) -> T | Failure:
        if self._loaded is None:
            key = secrets.token_hex(16)
            try:
                self._loaded = Loaded(server=xllamacpp.Server(_params(self._path, key)), key=key)
            except (ValueError, RuntimeError):
                return Failure(reason="not-loaded")
        try:
            return work(self._loaded)
        except (ValueError, RuntimeError):
            return Failure(reason="bad-request")
        except OSError:
            return Failure(reason="server")

    def _unload(self) -> None:
        self._loaded = None


def _check_file(path: Path) -> None:
    try:
        with path.open("rb") as file:
            magic = file.read(len(MAGIC))
    except OSError as error:
        raise SettingsError(f"gguf: `{path}` cannot be read: {error.strerror}") from error
    if magic != MAGIC:
        raise SettingsError(f"gguf: `{path}` is no GGUF file; name a file that ends in .gguf")


def _params(path: Path, key: str) -> xllamacpp.CommonParams:
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.cache_ram_mib = KEPT_MIB
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = _threads()
    params.api_keys = [key]
    params.endpoint_slots = False
    params.ui = False
    params.warmup = False
    params.verbosity = -1
    return params


def _threads() -> int:
    """Return half of the processors: one thread that has to wait for its processor holds up all the others."""
    return max(1, (os.cpu_count() or 1) // 2)
