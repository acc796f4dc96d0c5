"""What a remote decision costs here, beside the official client and beside pydantic-ai where it is installed.

One local server answers at once; the clients take turns, with the same limits of connections.
`ours by the library` is our judge as it reaches a server with TLS or behind a proxy, by httpx2 as the others do.

    python bench/judges.py [--runs 20] [--stream 10000]

Ends with 1 when our judge costs more than the limits.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import platform
import resource
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

import httpx2
import typesafe_sdk

from interlock.models.closing import close
from interlock.questions import Choice, Noul, NoulCriteria, Question, Score
from interlock.wiring import make_judge

IN_FLIGHT = {1: 60, 16: 320, 256: 1024}
"""Requests in flight → requests of one run."""
LIMITS = httpx2.Limits(max_connections=100, max_keepalive_connections=100, keepalive_expiry=30.0)
GOALS = {"typesafe-sdk": 0.95, "pydantic-ai": 1.05}
"""Client → the most that our judge may cost, as a share of it."""
OURS = ("ours", "ours by the library")
MODEL = "jev-1.13.0"
STATE = {
    "task": "copy totalOf into a new file",
    "already_done": "list_dir .; read_file src/alpha.ts",
    "last": "x" * 600,
}
QUESTIONS: dict[str, Question] = {
    "needs_tool": Noul(instructions="Is there work left?", criteria=NoulCriteria(true="yes", false="no")),
    "tool": Choice(instructions="Which tool?", criteria={"read_file": "content is needed", "done": "nothing is left"}),
    "risk": Score(instructions="How risky?", criteria=["read-only", "reversible", "irreversible"]),
}
ANSWERS = {
    "needs_tool": {"type": "noul", "noul": 0.9},
    "tool": {"type": "choice", "choice": "done", "probabilities": {"read_file": 0.2, "done": 0.8}, "confidence": 0.6},
    "risk": {
        "type": "score",
        "score": 0.3,
        "probabilities": {"0": 0.7, "1": 0.3, "2": 0.0},
        "legend": {"0": "read-only", "1": "reversible", "2": "irreversible"},
        "confidence": 0.5,
    },
}

Ask = Callable[[], Awaitable[object]]


def serve(pipe: Connection) -> None:
    """Answer every request with the same reply; tell the port, and later how many connections there were."""
    body = json.dumps({"model": MODEL, "answers": ANSWERS, "usage": {"input_tokens": 9, "output_tokens": 3}}).encode()
    reply = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
    connections = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
                await reader.readexactly(size)
                writer.write(reply)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=512)
        pipe.send(server.sockets[0].getsockname()[1])
        while await asyncio.to_thread(pipe.recv):
            pipe.send(connections)

    asyncio.run(run())


def ours(base: str, *, by_library: bool = False) -> tuple[Ask, object]:
    """Return one decision by the whole chain that wiring builds."""
    environ = {"TYPESAFE_API_KEY": "k", "TYPESAFE_BASE_URL": base}
    if by_library:
        environ["ALL_PROXY"] = "named, so that the library is asked; it reads its own environment and finds none"
    judge = make_judge(f"typesafe:{MODEL}", environ=environ, tools={})
    return lambda: judge.answer(STATE, QUESTIONS), judge


def official(base: str) -> tuple[Ask, object]:
    """Return one decision by the official client."""
    client = typesafe_sdk.AsyncTypeSafeClient(
        api_key="k", base_url=base, model=MODEL, compression=False, http_client=httpx2.AsyncClient(limits=LIMITS)
    )
    questions: dict[str, Any] = {
        "needs_tool": typesafe_sdk.Noul(
            instructions="Is there work left?", criteria=typesafe_sdk.NoulCriteria(true="yes", false="no")
        ),
        "tool": typesafe_sdk.Choice(
            instructions="Which tool?", criteria={"read_file": "content is needed", "done": "nothing is left"}
        ),
        "risk": typesafe_sdk.Score(instructions="How risky?", criteria=["read-only", "reversible", "irreversible"]),
    }
    return lambda: client.system_one(state=STATE, questions=questions), client


def neighbour(base: str) -> tuple[Ask, object] | None:
    """Return one decision by pydantic-ai's model, None where it is not installed."""
    try:
        models, providers = (import_module(f"pydantic_ai.{room}.system_one") for room in ("models", "providers"))
        decisions = import_module("pydantic_ai.models.decision")
    except ModuleNotFoundError:
        return None
    provider = providers.SystemOneProvider(
        base_url=f"{base}/v1", api_key="k", http_client=httpx2.AsyncClient(limits=LIMITS)
    )
    model = models.SystemOneModel(MODEL, provider=provider)
    request = decisions.DecisionRequest(
        state=STATE,
        questions={
            "needs_tool": decisions.NoulQuestion(
                instructions="Is there work left?", criteria=decisions.NoulCriteria(true="yes", false="no")
            ),
            "tool": decisions.ChoiceQuestion(
                instructions="Which tool?", criteria={"read_file": "content is needed", "done": "nothing is left"}
            ),
            "risk": decisions.ScoreQuestion(
                instructions="How risky?", criteria=["read-only", "reversible", "irreversible"]
            ),
        },
    )
    return lambda: model.decide(request, {}), provider


async def timed(ask: Ask, in_flight: int, requests: int) -> float:
    """Return the seconds per request."""
    slots = asyncio.Semaphore(in_flight)

    async def one() -> None:
        async with slots:
            await ask()

    started = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(requests)))
    return (time.perf_counter() - started) / requests


async def compare(clients: dict[str, Ask], runs: int) -> bool:
    """Print the median of alternating runs for each number of requests in flight; tell whether ours keep the goals."""
    others = [name for name in clients if name not in OURS]
    pairs = [(mine, name) for mine in OURS for name in others]
    titles = [f"{name}, ms" for name in clients] + [f"{mine} / {name}" for mine, name in pairs]
    print(f"| in flight | {' | '.join(titles)} |")
    print("|---" * (1 + len(titles)) + "|")
    is_kept = True
    for in_flight, requests in IN_FLIGHT.items():
        medians = await _medians(clients, in_flight, requests, runs)
        ratios = {pair: medians[pair[0]] / medians[pair[1]] for pair in pairs}
        is_kept &= all(ratios["ours", name] <= GOALS[name] for name in others)
        told = [f"{value * 1000:.2f}" for value in medians.values()] + [f"{ratio:.2f}" for ratio in ratios.values()]
        print(f"| {in_flight} | {' | '.join(told)} |")
    return is_kept


async def _medians(clients: dict[str, Ask], in_flight: int, requests: int, runs: int) -> dict[str, float]:
    taken: dict[str, list[float]] = {name: [] for name in clients}
    for ask in clients.values():
        await timed(ask, in_flight, in_flight)
    for _ in range(runs):
        for name, ask in clients.items():
            taken[name].append(await timed(ask, in_flight, requests))
    return {name: statistics.median(values) for name, values in taken.items()}


async def stream(ask: Ask, count: int) -> None:
    """Print how much memory a long stream of decisions adds."""
    await timed(ask, 16, 500)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(count // 500):
        await timed(ask, 16, 500)
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"\n{count} decisions streamed: peak memory grew by {grown_kib / 1024:.1f} MiB")


async def measure(base: str, runs: int, count: int, pipe: Connection) -> bool:
    """Print the comparison, then what a long stream costs; tell whether the goals are kept."""
    made = {"ours": ours(base), "ours by the library": ours(base, by_library=True), "typesafe-sdk": official(base)}
    other = neighbour(base)
    if other is None:
        print("pydantic-ai is not installed, so it is left out: pip install pydantic-ai-slim\n")
    else:
        made["pydantic-ai"] = other
    is_kept = await compare({name: ask for name, (ask, _) in made.items()}, runs)
    pipe.send(True)
    before = await asyncio.to_thread(pipe.recv)
    await stream(made["ours"][0], count)
    pipe.send(True)
    print(f"{await asyncio.to_thread(pipe.recv) - before} new connections for them")
    await close(*(held for _, held in made.values()))
    return is_kept


def main() -> int:
    """Start the server and measure against it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--stream", type=int, default=10_000)
    asked = parser.parse_args()
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    server.start()
    base = f"http://127.0.0.1:{here.recv()}"
    print(f"Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}, medians of {asked.runs} runs in turns\n")
    is_kept = asyncio.run(measure(base, asked.runs, asked.stream, here))
    server.kill()
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
