"""How much less a run waits under each plan: the bundled tasks against the gateway over `rules`, each request delayed.

The gateway is `interlock serve` in a process of its own, asked as the hosted service would be; the delay is one more
process before it.
Prints per delay and plan the geometric mean of how much faster than `sequential` the whole run is, and what it asked;
`--check` ends with 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from interlock.loop.extractive import ExtractiveWriter
from interlock.loop.reference import reference_host
from interlock.loop.result import RunResult
from interlock.loop.run import arun
from interlock.models.closing import close
from interlock.pipeline.plan import PLANS, PlanName
from interlock.wiring import make_judge

__all__ = ["TASKS", "main"]

SHOP = Path(__file__).parents[1] / "examples" / "shop"
PROXY = Path(__file__).with_name("slow_proxy.py")
RUNS = 5
DELAYS_MS = (0, 30, 80, 250)
TASKS: Mapping[str, bool] = {
    "List the files in this directory.": False,
    "列出这个目录里的文件。": False,
    "Which function does src/alpha.ts export?": False,
    "src/alpha.ts 导出了哪个函数？": False,
    "Which functions do src/alpha.ts and src/beta.ts export?": False,
    "src/alpha.ts 和 src/beta.ts 各导出了什么函数？": False,
    "Which order was paid twice, says logs/checkout.log?": False,
    "logs/checkout.log 里 reconcile 为什么 failed？": False,
    "What is the last line of logs/checkout.log?": False,
    "What does src/stock.py define?": False,
    "Copy the function taxOf from src/beta.ts into a new file src/tax.ts.": True,
    "把 src/beta.ts 里的 taxOf 函数抄到新文件 src/tax.ts 里。": True,
    "What is the name of the loyalty programme?": False,
    "src/alpha.ts 里的退货期限是多少天？": False,
    "Which function in src/alpha.ts sends the invoice by mail?": False,
}
"""The tasks of the bundled project → whether files may be written."""
TARGET_MS = 250
TARGETS: Mapping[PlanName, tuple[float, float]] = {"next": (1.9, 1.7), "full": (2.6, 2.2)}
"""Plan → times faster at the slowest delay, over tasks with two or more calls and over all."""
MOST_EXTRA_QUESTIONS = 0.45


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One task under one plan."""

    task: str
    plan: PlanName
    wall_s: float
    """Median."""
    result: RunResult


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the tables, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=RUNS, help="runs per task and plan (default: %(default)s)")
    parser.add_argument("--tasks", type=int, default=len(TASKS), help="so many of the tasks (default: %(default)s)")
    parser.add_argument("--delays", type=int, nargs="+", default=DELAYS_MS, metavar="MS", help="delays per request")
    parser.add_argument("--check", action="store_true", help="end with 1 when a target is missed")
    options = parser.parse_args(arguments)
    missed: list[str] = []
    tasks = dict(list(TASKS.items())[: options.tasks])
    with _gateway() as gateway:
        for delay_ms in options.delays:
            with _delayed(gateway, delay_ms) as address:
                measured = asyncio.run(_measure(address, tasks, options.repeats))
            print(f"\n{delay_ms} ms per request, median of {options.repeats} runs of {len(tasks)} tasks\n")
            print(_table(measured))
            if delay_ms == TARGET_MS:
                print(f"\n{_by_task(measured)}")
                missed = _missed(measured)
    print(f"\nload of the machine at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    for line in missed:
        print(line, file=sys.stderr)
    return 1 if missed and options.check else 0


@contextmanager
def _gateway() -> Iterator[int]:
    """Yield the port of a gateway over the rules, in a process of its own."""
    port = _free_port()
    with (
        tempfile.TemporaryDirectory() as place,
        _running(
            [
                *(sys.executable, "-c", "from interlock.cli.main import main; main()"),
                *("serve", "--gateway", "--judge", "rules", "--port", str(port), "--journal", ":memory:"),
            ],
            port,
            place,
        ),
    ):
        yield port


@contextmanager
def _delayed(upstream: int, delay_ms: int) -> Iterator[str]:
    """Yield an address at which the gateway answers, each request so much later."""
    port = _free_port()
    with _running([sys.executable, str(PROXY), str(port), str(upstream), str(delay_ms)], port):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def _running(command: Sequence[str], port: int, cwd: str | None = None) -> Iterator[None]:
    server = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield
    finally:
        server.terminate()
        server.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise SystemExit("the server did not start")


async def _measure(address: str, tasks: Mapping[str, bool], runs: int) -> list[Measured]:
    found = []
    for task, writes in tasks.items():
        for plan in PLANS:
            timed = [await _timed(address, task, plan, writes=writes) for _ in range(runs)]
            middle = statistics.median(wall_s for wall_s, _ in timed)
            found.append(Measured(task=task, plan=plan, wall_s=middle, result=timed[0][1]))
    return found


async def _timed(address: str, task: str, plan: PlanName, *, writes: bool) -> tuple[float, RunResult]:
    environ = {"TYPESAFE_BASE_URL": address, "TYPESAFE_API_KEY": "local"}
    with tempfile.TemporaryDirectory() as place:
        root = Path(shutil.copytree(SHOP, Path(place) / "shop"))
        host = reference_host(root)
        judge = make_judge("typesafe:jev-latest", environ=environ, tools=host.tools)
        try:
            began = time.perf_counter()
            result = await arun(
                task, judge=judge, writer=ExtractiveWriter(), host=host, cwd=root, can_write=writes, plan=plan
            )
            return time.perf_counter() - began, result
        finally:
            await close(judge)


def _table(measured: Sequence[Measured]) -> str:
    head = ("plan", "faster", "faster, 2+ calls", "seconds", "waves", "requests", "questions", "more", "discarded")
    lines = [_line(measured, plan) for plan in PLANS]
    rows = ["| " + " | ".join(row) + " |" for row in (head, *lines)]
    return "\n".join([rows[0], "|" + "---|" * len(head), *rows[1:]])


def _line(measured: Sequence[Measured], plan: PlanName) -> tuple[str, ...]:
    own = [one for one in measured if one.plan == plan]
    accounts = [one.result.accounting for one in own]
    return (
        plan,
        f"{_faster(measured, plan, calls=0):.2f}",
        f"{_faster(measured, plan, calls=2):.2f}",
        f"{sum(one.wall_s for one in own):.2f}",
        str(sum(account.waves for account in accounts)),
        str(sum(account.requests for account in accounts)),
        str(sum(account.questions for account in accounts)),
        f"{_extra(measured, plan):.0%}",
        str(sum(account.discarded for account in accounts)),
    )


def _faster(measured: Sequence[Measured], plan: PlanName, *, calls: int) -> float:
    """Return the geometric mean of how many times faster than `sequential` tasks with so many calls are."""
    base = {one.task: one for one in measured if one.plan == "sequential"}
    ratios = [
        base[one.task].wall_s / one.wall_s
        for one in measured
        if one.plan == plan and len(base[one.task].result.steps) >= calls
    ]
    return math.exp(statistics.fmean(map(math.log, ratios)))


def _extra(measured: Sequence[Measured], plan: PlanName) -> float:
    asked = {
        name: sum(one.result.accounting.questions for one in measured if one.plan == name)
        for name in ("sequential", plan)
    }
    return asked[plan] / asked["sequential"] - 1


def _by_task(measured: Sequence[Measured]) -> str:
    head = ("task", "calls", *(f"{plan}: s / waves" for plan in PLANS), "halt")
    lines = []
    for task in dict.fromkeys(one.task for one in measured):
        own = {one.plan: one for one in measured if one.task == task}
        cells = [f"{own[plan].wall_s:.2f} / {own[plan].result.accounting.waves}" for plan in PLANS]
        halts = dict.fromkeys(own[plan].result.halt for plan in PLANS)
        lines.append((task, str(len(own["sequential"].result.steps)), *cells, ", ".join(halts)))
    rows = ["| " + " | ".join(row) + " |" for row in (head, *lines)]
    return "\n".join([rows[0], "|" + "---|" * len(head), *rows[1:]])


def _missed(measured: Sequence[Measured]) -> list[str]:
    found = []
    for plan, (several, every) in TARGETS.items():
        for calls, target in ((2, several), (0, every)):
            faster = _faster(measured, plan, calls=calls)
            if faster < target:
                found.append(f"`{plan}` is {faster:.2f} times faster on tasks with {calls} or more calls, not {target}")
    if _extra(measured, "next") > MOST_EXTRA_QUESTIONS:
        found.append(f"`next` asks {_extra(measured, 'next'):.0%} more questions")
    return found


if __name__ == "__main__":
    sys.exit(main())
