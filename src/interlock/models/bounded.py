"""Keeps the responses of a server within bounds, for a client library that reads them whole.

A compressed response is refused: what it would become is known only once it is there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

__all__ = ["MAX_REPLY_BYTES", "TooLargeError", "bound"]

MAX_REPLY_BYTES = 8 * 1024 * 1024


class TooLargeError(httpx2.TransportError):
    """A response went beyond the bound, or came compressed."""


async def bound(response: httpx2.Response) -> None:
    """Make a response that is too large an error while it is read; an event hook."""
    if response.headers.get("content-encoding", "identity").lower() not in ("", "identity"):
        raise TooLargeError("compressed")
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MAX_REPLY_BYTES
        async for chunk in self._inner:
            left -= len(chunk)
            if left < 0:
                raise TooLargeError("too large")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()
