"""The one way a judge reaches a server: a POST of JSON over pooled connections, the reply bounded in size.

Follows no redirect, takes no credentials from the machine, and keeps no text of a server in a failure.
Source: backends specification, section 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import httpx2

from interlock.judge.base import Failure
from interlock.models.certificates import is_certificate_error
from interlock.models.perloop import PerLoop

__all__ = ["HttpReply", "Transport"]

MAX_REPLY_BYTES = 8 * 1024 * 1024
_LIMITS = httpx2.Limits(max_connections=100, max_keepalive_connections=100, keepalive_expiry=30.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReply:
    """A whole response, whatever its status."""

    status: int
    headers: Mapping[str, str]
    """Lower-case names."""
    body: bytes


class Transport:
    """Keeps connections open between calls of one event loop."""

    def __init__(self, *, timeout_s: float) -> None:
        self._clients = PerLoop(
            lambda: httpx2.AsyncClient(limits=_LIMITS, timeout=timeout_s, follow_redirects=False),
            httpx2.AsyncClient.aclose,
        )

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> HttpReply | Failure:
        """Return the response, or why there is none; every step of the exchange has the same time limit."""
        try:
            return await self._exchange(url, body, headers)
        except httpx2.TimeoutException:
            return Failure(reason="timeout", retryable=True)
        except httpx2.TransportError as error:
            return Failure(reason="connect", retryable=not is_certificate_error(error))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._clients.aclose()

    async def _exchange(self, url: str, body: bytes, headers: Mapping[str, str]) -> HttpReply | Failure:
        stream = self._clients.get().stream("POST", url, content=body, headers=headers, auth=None)
        async with stream as response:
            received = bytearray()
            async for chunk in response.aiter_raw():
                received += chunk
                if len(received) > MAX_REPLY_BYTES:
                    return Failure(reason="oversize", status=response.status_code)
            return HttpReply(status=response.status_code, headers=dict(response.headers), body=bytes(received))
