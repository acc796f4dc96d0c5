"""HTTP/1.1 to a server without TLS and without a proxy: connections that are kept, a reply that is bounded.

The protocol is that of `h11`; this holds the sockets. A local judge answers in less time than a client library needs to
ask it. Knows nothing of judges.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

import h11

__all__ = ["PlainHttp", "PlainReply", "TooLarge"]

MAX_CONNECTIONS = 100
KEPT_S = 30.0
_READ_BYTES = 65_536


class TooLarge(Exception):  # noqa: N818 - a reply, not a fault of ours
    """A reply went beyond the bound; `status` is what it said of itself."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainReply:
    """A whole response."""

    status: int
    headers: Mapping[str, str]
    """Lower-case names."""
    body: bytes


class PlainHttp:
    """The connections of one event loop."""

    def __init__(self, *, timeout_s: float, max_reply_bytes: int) -> None:
        self._timeout_s = timeout_s
        self._max_reply_bytes = max_reply_bytes
        self._slots = asyncio.Semaphore(MAX_CONNECTIONS)
        self._idle: dict[tuple[str, int], deque[_Connection]] = {}

    async def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> PlainReply:
        """Return the response; every step of the exchange has the same time limit.

        Raises:
            TimeoutError: a step took too long.
            OSError: there is no connection, or it broke.
            TooLarge: the reply is larger than it may be.
            h11.ProtocolError: the server does not speak HTTP/1.1.
        """
        parts = urlsplit(url)
        async with self._slots:
            connection = await self._connection(parts)
            try:
                reply = await connection.exchange(_request(method, parts, headers, body), body)
            except BaseException:
                connection.close()
                raise
            self._keep(connection)
            return reply

    async def aclose(self) -> None:
        """Close every connection that is not in use."""
        for kept in self._idle.values():
            while kept:
                kept.pop().close()

    async def _connection(self, parts: SplitResult) -> _Connection:
        place = parts.hostname or "", parts.port or 80
        kept = self._idle.setdefault(place, deque())
        oldest = asyncio.get_running_loop().time() - KEPT_S
        while kept:
            connection = kept.pop()
            if connection.usable and connection.used_at >= oldest:
                return connection
            connection.close()
        async with asyncio.timeout(self._timeout_s):
            reader, writer = await asyncio.open_connection(*place)
        return _Connection(place, reader, writer, self._timeout_s, self._max_reply_bytes)

    def _keep(self, connection: _Connection) -> None:
        if not connection.rewind():
            connection.close()
            return
        connection.used_at = asyncio.get_running_loop().time()
        self._idle[connection.place].append(connection)


class _Connection:
    def __init__(
        self,
        place: tuple[str, int],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        timeout_s: float,
        max_reply_bytes: int,
    ) -> None:
        self.place = place
        self.used_at = 0.0
        self._reader = reader
        self._writer = writer
        self._timeout_s = timeout_s
        self._max_reply_bytes = max_reply_bytes
        self._protocol = h11.Connection(h11.CLIENT)

    @property
    def usable(self) -> bool:
        """False once the server has closed it, or sent what nobody asked for."""
        return not (self._reader.at_eof() or self._writer.is_closing())

    async def exchange(self, request: h11.Request, body: bytes) -> PlainReply:
        """Send one request and return the whole response."""
        send = self._protocol.send
        parts = [send(request), send(h11.Data(data=body)) if body else b"", send(h11.EndOfMessage())]
        self._writer.write(b"".join(part for part in parts if part))
        async with asyncio.timeout(self._timeout_s):
            await self._writer.drain()
        response, received = None, bytearray()
        while True:
            event = await self._event()
            if isinstance(event, h11.Response):
                response = event
            elif isinstance(event, h11.Data) and response is not None:
                received += event.data
                if len(received) > self._max_reply_bytes:
                    raise TooLarge(response.status_code)
            elif isinstance(event, h11.EndOfMessage) and response is not None:
                return PlainReply(status=response.status_code, headers=_headers(response), body=bytes(received))
            elif event is h11.PAUSED or isinstance(event, h11.ConnectionClosed):
                raise ConnectionResetError

    def rewind(self) -> bool:
        """Return whether another request may follow."""
        if self._protocol.our_state is not h11.DONE or self._protocol.their_state is not h11.DONE:
            return False
        self._protocol.start_next_cycle()
        return self._protocol.trailing_data == (b"", False)

    def close(self) -> None:
        """Close the socket, whatever is under way."""
        self._writer.close()

    async def _event(self) -> object:
        while True:
            event = self._protocol.next_event()
            if event is not h11.NEED_DATA:
                return event
            async with asyncio.timeout(self._timeout_s):
                data = await self._reader.read(_READ_BYTES)
            self._protocol.receive_data(data)


def _request(method: str, parts: SplitResult, headers: Mapping[str, str], body: bytes) -> h11.Request:
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    own = [("host", parts.netloc), *headers.items()]
    if body:
        own.append(("content-length", str(len(body))))
    return h11.Request(method=method, target=target, headers=own)


def _headers(response: h11.Response) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name, value in response.headers:
        key, text = name.decode("ascii"), value.decode("iso-8859-1")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found
