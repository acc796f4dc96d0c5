"""HTTP/1.1 to a server without TLS and without a proxy: connections that are kept, a reply that is bounded.

A local judge answers in less time than a client library needs to ask it. A plain response is read here; any other is
left to `h11`. Knows nothing of judges.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import SplitResult, urlsplit

import h11

from interlock.models.patience import remaining_s

__all__ = ["PlainHttp", "PlainReply", "TooLarge"]

MAX_CONNECTIONS = 100
KEPT_S = 30.0
_READ_BYTES = 65_536
_Place: TypeAlias = tuple[str, int]
"""Host and port of a server."""
_HEAD = re.compile(rb"HTTP/1\.1 ([2-9]\d\d)(?: [\t\x20-\x7e]*)?\r\n((?:[A-Za-z0-9-]+:[\t\x20-\x7e]*\r\n)+)\r\n")
"""The head of a response that is final and has nothing unusual in it."""
_UNUSUAL = (b"transfer-encoding", b"connection", b"upgrade")
"""Headers that say more than what a response is."""


class TooLarge(Exception):  # noqa: N818 - a reply, not a fault of ours
    """A reply went beyond the bound; `status` is what it said of itself."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class _GivenUpError(ConnectionResetError):
    """The server closed the connection before it said anything."""


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
        self._idle: dict[_Place, deque[_Connection]] = {}

    async def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> PlainReply:
        """Return the response; every step of the exchange has the same time limit.

        Raises:
            TimeoutError: a step took too long.
            OSError: there is no connection, or it broke.
            TooLarge: the reply is larger than it may be.
            h11.ProtocolError: the server does not speak HTTP/1.1, or a header cannot be sent.
        """
        parts = urlsplit(url)
        place = parts.hostname or "", parts.port or 80
        sent = _Sent(method, parts, headers, body)
        async with self._slots:
            kept = self._kept(place)
            if kept is not None:
                try:
                    return await self._exchange(kept, sent)
                except _GivenUpError:  # between two requests, by a server that had no time to say so
                    pass
            return await self._exchange(await self._opened(place), sent)

    async def aclose(self) -> None:
        """Close every connection that is not in use."""
        left = [connection for kept in self._idle.values() for connection in kept]
        self._idle.clear()
        for connection in left:
            connection.close()
        await asyncio.gather(*(connection.closed() for connection in left), return_exceptions=True)

    async def _exchange(self, connection: _Connection, sent: _Sent) -> PlainReply:
        try:
            reply = await connection.exchange(sent)
        except BaseException:
            connection.close()
            raise
        self._keep(connection)
        return reply

    def _kept(self, place: _Place) -> _Connection | None:
        """Return a connection that waits for a request; None when there is none."""
        kept = self._idle.setdefault(place, deque())
        oldest = asyncio.get_running_loop().time() - KEPT_S
        while kept:
            connection = kept.pop()
            if connection.usable and connection.used_at >= oldest:
                return connection
            connection.close()
        return None

    async def _opened(self, place: _Place) -> _Connection:
        async with asyncio.timeout(self._timeout_s):
            reader, writer = await asyncio.open_connection(*place)
        return _Connection(place, reader, writer, timeout_s=self._timeout_s, max_reply_bytes=self._max_reply_bytes)

    def _keep(self, connection: _Connection) -> None:
        if not connection.usable:
            connection.close()
            return
        connection.used_at = asyncio.get_running_loop().time()
        self._idle[connection.place].append(connection)


class _Sent:
    """One request."""

    def __init__(self, method: str, parts: SplitResult, headers: Mapping[str, str], body: bytes) -> None:
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self.body = body
        self._method = method
        self._target = target
        self._headers = [("host", parts.netloc), *headers.items()]
        if body:
            self._headers.append(("content-length", str(len(body))))

    def encode(self) -> bytes:
        """Return its bytes.

        Raises:
            h11.LocalProtocolError: a header holds what none may.
        """
        head = f"{self._method} {self._target} HTTP/1.1\r\n" + "".join(
            f"{key}: {value}\r\n" for key, value in self._headers
        )
        if not head.isascii() or head.count("\n") != len(self._headers) + 1 or "\0" in head:
            raise h11.LocalProtocolError("a header holds what none may")
        return head.encode("ascii") + b"\r\n" + self.body

    def protocol(self) -> h11.Connection:
        """Return the state of a connection on which it has just been sent."""
        made = h11.Connection(h11.CLIENT)
        made.send(h11.Request(method=self._method, target=self._target, headers=self._headers))
        if self.body:
            made.send(h11.Data(data=self.body))
        made.send(h11.EndOfMessage())
        return made


class _Connection:
    def __init__(
        self,
        place: _Place,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        timeout_s: float,
        max_reply_bytes: int,
    ) -> None:
        self.place = place
        self.used_at = 0.0
        self._reader = reader
        self._writer = writer
        self._timeout_s = timeout_s
        self._max_reply_bytes = max_reply_bytes
        self._ended = False

    @property
    def usable(self) -> bool:
        """False once the server has closed it, or said that it will, or sent what nobody asked for."""
        return not (self._ended or self._reader.at_eof() or self._writer.is_closing())

    async def exchange(self, sent: _Sent) -> PlainReply:
        """Send one request and return the whole response."""
        received = await self._first(sent)
        plain = _plain(received, self._max_reply_bytes)
        return plain if plain is not None else await self._careful(sent, received)

    async def _first(self, sent: _Sent) -> bytes:
        """Send one request and return the first bytes of the response."""
        try:
            self._writer.write(sent.encode())
            if self._writer.transport.get_write_buffer_size():
                async with asyncio.timeout(self._timeout_s):
                    await self._writer.drain()
            received = await self._more()
        except ConnectionError as cause:
            raise _GivenUpError from cause
        if not received:
            raise _GivenUpError
        return received

    def close(self) -> None:
        """Close the socket, whatever is under way."""
        self._writer.close()

    async def closed(self) -> None:
        """Wait until the socket is closed.

        Raises:
            OSError: it broke before.
        """
        await self._writer.wait_closed()

    async def _more(self) -> bytes:
        if remaining_s(time.monotonic) <= self._timeout_s:  # the budget around it ends sooner
            return await self._reader.read(_READ_BYTES)
        async with asyncio.timeout(self._timeout_s):
            return await self._reader.read(_READ_BYTES)

    async def _careful(self, sent: _Sent, first: bytes) -> PlainReply:
        """Read a response that did not come whole, or is unusual."""
        protocol = sent.protocol()
        protocol.receive_data(first)
        response, received = None, bytearray()
        while True:
            event = protocol.next_event()
            if event is h11.NEED_DATA:
                protocol.receive_data(await self._more())
            elif isinstance(event, h11.Response):
                response = event
            elif isinstance(event, h11.Data) and response is not None:
                received += event.data
                if len(received) > self._max_reply_bytes:
                    raise TooLarge(response.status_code)
            elif isinstance(event, h11.EndOfMessage) and response is not None:
                self._ended = protocol.their_state is not h11.DONE or protocol.trailing_data != (b"", False)
                return PlainReply(status=response.status_code, headers=_headers(response), body=bytes(received))
            elif event is h11.PAUSED or isinstance(event, h11.ConnectionClosed):
                raise ConnectionResetError


def _plain(received: bytes, most: int) -> PlainReply | None:
    """Return the response that `received` is from beginning to end; None unless it is whole and has nothing unusual."""
    head = _HEAD.match(received)
    if head is None:
        return None
    headers: dict[str, str] = {}
    for line in head[2].split(b"\r\n")[:-1]:
        name, _, value = line.partition(b":")
        key = name.lower()
        if key in _UNUSUAL or key.decode("ascii") in headers:
            return None
        headers[key.decode("ascii")] = value.strip(b" \t").decode("ascii")
    length = headers.get("content-length", "")
    if head[1] in (b"204", b"304") or not length.isdecimal() or len(received) - head.end() != int(length):
        return None
    if int(length) > most:
        raise TooLarge(int(head[1]))
    return PlainReply(status=int(head[1]), headers=headers, body=received[head.end() :])


def _headers(response: h11.Response) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name, value in response.headers:
        key, text = name.decode("ascii"), value.decode("iso-8859-1")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found
