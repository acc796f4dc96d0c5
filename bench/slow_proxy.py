"""Stands before a local HTTP server and holds every request back for a while, as the way to a distant one would.

Usage: `python bench/slow_proxy.py PORT UPSTREAM_PORT MILLISECONDS`. A request whose client has gone is not passed on.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress

__all__ = ["main"]

_HOST = "127.0.0.1"
_MOST_BYTES = 2**24


def main() -> None:
    """Serve until ended."""
    port, upstream, delay_ms = map(int, sys.argv[1:])
    asyncio.run(_serve(port, upstream, delay_ms / 1000))


async def _serve(port: int, upstream: int, delay_s: float) -> None:
    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            await _pass_on(reader, writer, upstream, delay_s)
        writer.close()

    server = await asyncio.start_server(connection, _HOST, port, limit=_MOST_BYTES, backlog=256)
    await server.serve_forever()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, upstream: int, delay_s: float) -> None:
    there, back = None, None
    try:
        while True:
            request = await _message(reader)
            await asyncio.sleep(delay_s)
            if reader.at_eof():
                return
            if there is None or back is None:
                back, there = await asyncio.open_connection(_HOST, upstream, limit=_MOST_BYTES)
            there.write(request)
            writer.write(await _message(back))
            await writer.drain()
    finally:
        if there is not None:
            there.close()


async def _message(reader: asyncio.StreamReader) -> bytes:
    """Return one request or response that says how long its body is."""
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    size = next((int(line.partition(b":")[2]) for line in lines if line.startswith(b"content-length:")), 0)
    return head + await reader.readexactly(size)


if __name__ == "__main__":
    main()
