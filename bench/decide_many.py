"""How much of a server's capacity `decide_many` uses: states through one decision against a local, paced server.

Compares with a bare load generator that sends the same bodies over the same number of connections, and watches the
memory; `--check` ends with 1 when less than nine tenths are reached or memory grows.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from interlock.judge.wire import encode_request
from interlock.loop.many import adecide_many
from interlock.loop.reference import reference_host, shipped_contract
from interlock.models.closing import close
from interlock.pipeline import ENFORCE, prepare
from interlock.wiring import make_judge

__all__ = ["main"]

STATES = 10_000
CAPACITIES = (400, 640, 1280)
CONCURRENCY = 64
DECISION = "step_ok"
LEAST = 0.9
MOST_GROWTH_MB = 8.0
"""Between a fifth and the end of the stream."""
REPLY = json.dumps(
    {
        "model": "m",
        "answers": {DECISION: {"type": "noul", "noul": 0.9}},
        "usage": {"input_tokens": 90, "output_tokens": 1},
    }
).encode()
RESPONSE = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(REPLY) + REPLY


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One capacity."""

    capacity: int
    bare: float
    """Replies per second of the load generator."""
    many: float
    growth_mb: float
    """Of the resident memory, between a fifth of the stream and its end."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=STATES, help="states per capacity (default: %(default)s)")
    parser.add_argument(
        "--capacities", type=int, nargs="+", default=CAPACITIES, metavar="N", help="requests per second"
    )
    parser.add_argument("--check", action="store_true", help="end with 1 when a target is missed")
    parser.add_argument("--serve", nargs=2, metavar=("PORT", "N"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.serve is not None:
        asyncio.run(_serve(*map(int, options.serve)))
        return 0
    found = []
    for capacity in options.capacities:
        with _server(capacity) as port:
            found.append(asyncio.run(_measure(port, capacity, options.states)))
    print(_table(found))
    print(f"\nload of the machine at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    missed = [one for one in found if one.many < LEAST * one.bare or one.growth_mb > MOST_GROWTH_MB]
    return 1 if missed and options.check else 0


def states(count: int) -> Iterator[Mapping[str, object]]:
    """Yield states after a tool has returned, each with another result."""
    for index in range(count):
        result = f"export function f{index}() {{ return {index} }}\n" * 4
        step = {"step": 1, "tool": "read_file", "input": f"src/f{index}.ts", "result": result}
        yield {
            "task": f"What does src/f{index}.ts export?",
            "cwd": "/project",
            "canWrite": False,
            "canDelete": False,
            "files": [f"src/f{index}.ts"],
            "readFiles": [f"src/f{index}.ts"],
            "history": [step],
            "lastTool": "read_file",
            "lastResult": result,
        }


async def _measure(port: int, capacity: int, count: int) -> Measured:
    host, contract = reference_host(Path(__file__).parent), shipped_contract()
    environ = {"TYPESAFE_BASE_URL": f"http://127.0.0.1:{port}", "TYPESAFE_API_KEY": "local"}
    judge = make_judge("typesafe:m", environ=environ, tools=host.tools)
    bodies = []
    for state in states(min(count, 200)):
        prepared = prepare(contract, DECISION, state, host=host, caps=judge.caps, gating=ENFORCE)
        assert prepared.frame is not None
        bodies.append(encode_request("m", prepared.frame.sent, prepared.ask))
    bare = await _bare(port, bodies, count)
    try:
        began, early, done = time.perf_counter(), 0.0, 0
        async for one in adecide_many(contract, DECISION, states(count), judge, host=host, concurrency=CONCURRENCY):
            assert one.results[DECISION].action == "continue"
            done += 1
            if done == count // 5:
                early = _resident_mb()
        wall_s = time.perf_counter() - began
    finally:
        await close(judge)
    return Measured(capacity=capacity, bare=bare, many=done / wall_s, growth_mb=_resident_mb() - early)


async def _bare(port: int, bodies: Sequence[bytes], count: int) -> float:
    """Return the replies per second of one request after another on each connection."""
    left = iter(range(count))

    async def connection() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for index in left:
            body = bodies[index % len(bodies)]
            writer.write(b"POST /v1/systemone HTTP/1.1\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
            await reader.readexactly(len(RESPONSE))
        writer.close()

    began = time.perf_counter()
    await asyncio.gather(*(connection() for _ in range(CONCURRENCY)))
    return count / (time.perf_counter() - began)


def _resident_mb() -> float:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 2**20


class _Paced(asyncio.Protocol):
    """Replies to so many requests per second, in the order in which they came."""

    due = 0.0

    def __init__(self, capacity: int) -> None:
        self._every_s = 1 / capacity
        self._received = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            head = bytes(self._received[:end]).lower()
            size = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
            if len(self._received) < end + 4 + size:
                return
            del self._received[: end + 4 + size]
            loop = asyncio.get_running_loop()
            _Paced.due = max(_Paced.due + self._every_s, loop.time())
            loop.call_at(_Paced.due, self._transport.write, RESPONSE)


async def _serve(port: int, capacity: int) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: _Paced(capacity), "127.0.0.1", port, backlog=256)
    await server.serve_forever()


@contextmanager
def _server(capacity: int) -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    server = subprocess.Popen([sys.executable, __file__, "--serve", str(port), str(capacity)])
    try:
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield port
    finally:
        server.terminate()
        server.wait()


def _table(found: Sequence[Measured]) -> str:
    head = ("capacity per s", "bare load generator per s", "decide_many per s", "share", "memory grows by MB")
    lines = [
        (
            str(one.capacity),
            f"{one.bare:.0f}",
            f"{one.many:.0f}",
            f"{one.many / one.bare:.1%}",
            f"{one.growth_mb:.1f}",
        )
        for one in found
    ]
    rows = ["| " + " | ".join(row) + " |" for row in (head, *lines)]
    return "\n".join([rows[0], "|" + "---|" * len(head), *rows[1:]])


if __name__ == "__main__":
    sys.exit(main())
