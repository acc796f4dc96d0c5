"""The one way a judge reaches a server: JSON over pooled connections, the reply bounded in size.

Follows no redirect, takes no credentials from the machine, and keeps no text of a server in a failure.
Source: backends specification, section 3.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import lru_cache

import h11
import httpx2

from interlock.judge.base import Failure
from interlock.judge.plain_http import PlainHttp, TooLarge
from interlock.judge.sending import HttpReply
from interlock.models.certificates import is_certificate_error
from interlock.models.perloop import PerLoop

__all__ = ["Transport"]

MAX_REPLY_BYTES = 8 * 1024 * 1024
MAX_CONNECTIONS = 100
_LIMITS = httpx2.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=30.0)


class _Pool:
    """The connections of one event loop, each with a client of its own.

    The library looks at every connection of a client for every request, so a client with one is the quickest; a
    request waits here for a free one and never in a client's own queue.
    """

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._slots = asyncio.Semaphore(MAX_CONNECTIONS)
        self._clients: list[httpx2.AsyncClient] = []
        self._free: list[httpx2.AsyncClient] = []

    @asynccontextmanager
    async def client(self) -> AsyncIterator[httpx2.AsyncClient]:
        """Give a client that has a free connection, the one used last if there are several."""
        async with self._slots:
            client = self._free.pop() if self._free else self._made()
            try:
                yield client
            finally:
                self._free.append(client)

    async def aclose(self) -> None:
        """Close every connection."""
        for client in self._clients:
            await client.aclose()

    def _made(self) -> httpx2.AsyncClient:
        client = httpx2.AsyncClient(
            limits=_LIMITS, timeout=self._timeout_s, follow_redirects=False, verify=_certificates()
        )
        self._clients.append(client)
        return client


class Transport:
    """Keeps connections open between calls of one event loop.

    `direct`: neither TLS nor a proxy is between here and the server.
    """

    def __init__(self, *, timeout_s: float, direct: bool = False) -> None:
        self._direct = direct
        self._plain = PerLoop(lambda: PlainHttp(timeout_s=timeout_s, max_reply_bytes=MAX_REPLY_BYTES), PlainHttp.aclose)
        self._pools = PerLoop(lambda: _Pool(timeout_s), _Pool.aclose)
        self._extensions = {"timeout": httpx2.Timeout(timeout_s).as_dict()}
        """A request that is built here carries its own time limits."""

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> HttpReply | Failure:
        """Return the response, or why there is none; every step of the exchange has the same time limit."""
        return await self._tried("POST", url, body, headers)

    async def get(self, url: str, headers: Mapping[str, str]) -> HttpReply | Failure:
        """Return what is at an address, or why there is nothing."""
        return await self._tried("GET", url, None, headers)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._pools.aclose()
        await self._plain.aclose()

    async def _tried(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]
    ) -> HttpReply | Failure:
        if self._direct:
            return await self._sent(method, url, body or b"", headers)
        try:
            return await self._exchange(method, url, body, headers)
        except httpx2.TimeoutException:
            return Failure(reason="timeout", retryable=True)
        except httpx2.TransportError as error:
            return Failure(reason="connect", retryable=not is_certificate_error(error))

    async def _sent(self, method: str, url: str, body: bytes, headers: Mapping[str, str]) -> HttpReply | Failure:
        try:
            reply = await self._plain.get().send(method, url, headers, body)
        except TooLarge as bound:
            return Failure(reason="oversize", status=bound.status)
        except TimeoutError:
            return Failure(reason="timeout", retryable=True)
        except (OSError, h11.ProtocolError):
            return Failure(reason="connect", retryable=True)
        return HttpReply(status=reply.status, headers=reply.headers, body=reply.body)

    async def _exchange(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]
    ) -> HttpReply | Failure:
        request = httpx2.Request(method, _parsed(url), headers=dict(headers), content=body, extensions=self._extensions)
        async with self._pools.get().client() as client:
            response = await client.send(request, auth=None, stream=True)
            try:
                return await _read(response)
            finally:
                await response.aclose()


async def _read(response: httpx2.Response) -> HttpReply | Failure:
    received = bytearray()
    async for chunk in response.aiter_raw():
        received += chunk
        if len(received) > MAX_REPLY_BYTES:
            return Failure(reason="oversize", status=response.status_code)
    return HttpReply(status=response.status_code, headers=dict(response.headers), body=bytes(received))


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """Return what the library verifies servers by, read once: it takes longer than many a reply."""
    return httpx2.create_ssl_context()


@lru_cache(maxsize=64)
def _parsed(url: str) -> httpx2.URL:
    return httpx2.URL(url)
