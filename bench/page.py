"""What the page costs: how soon a long run is drawn, and how much a run is slowed by those who watch it.

The run that is watched works in the server's own process, as one that was started on the page does, and takes 50 ms
per decision; watchers are processes of their own. Medians of alternating rounds. `--check` ends with 1 when a target
is missed; without Chromium the browser's figures are left out, and it says so.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import httpx2
import uvicorn
from playwright.sync_api import Browser, sync_playwright

from interlock.journal import Body, Journal, Recorder, SqliteJournal, run_started_body
from interlock.judge.base import Caps, JudgeReply
from interlock.judge.hashed import HashJudge
from interlock.loop.reference import reference_host, shipped_contract
from interlock.pipeline import Host, adecide
from interlock.questions import Content, Question
from interlock.server.site.app import page_app
from interlock.server.site.desk import Desk
from interlock.settings import load_settings

__all__ = ["LONG", "record_long_run"]

SHOP = Path(__file__).parents[1] / "examples" / "shop"
LONG = "20260102T030405.000Z-00000001"
"""The id of the long run."""
DECISIONS = 2_000
WATCHERS = 20
PER_DECISION_S = 0.05
WATCHED = 60
"""Decisions of the run that is watched."""
ROUNDS = 5
DRAWN_S, BY_CLIENTS, BY_BROWSER = 1.0, 1.05, 1.10
"""The targets."""
STATE: Mapping[str, object] = {
    "task": "Which function does src/alpha.ts export?",
    "cwd": "/project",
    "canWrite": False,
    "canDelete": False,
    "files": ["src/alpha.ts", "src/beta.ts"],
    "readFiles": ["src/alpha.ts"],
    "history": [{"step": 1, "tool": "read_file", "input": "src/alpha.ts", "result": "export function totalOf() {}"}],
    "lastTool": "read_file",
    "lastResult": "export function totalOf(order: Order): number {\n" * 12,
    "draft": "",
    "facts": [],
}


class Slow:
    """Answers as a judge with so long a way to it would."""

    def __init__(self, seconds: float) -> None:
        self._judge = HashJudge()
        self._seconds = seconds

    @property
    def caps(self) -> Caps:
        """What the judge behind it takes."""
        return self._judge.caps

    async def answer(self, frame_state: Content, questions: Mapping[str, Question]) -> JudgeReply:
        """Answer after a while."""
        await asyncio.sleep(self._seconds)
        return await self._judge.answer(frame_state, questions)


def begin(journal: Journal, run_id: str, host: Host) -> Recorder:
    """Record that a run has started, so that it can be looked at, and return its pen."""
    recorder = Recorder(journal, run_id, clock=lambda: datetime.now(UTC), contract=shipped_contract())
    recorder.record("run_started", _started(host))
    return recorder


async def decide_on(recorder: Recorder, decisions: int, host: Host, judge: Slow) -> float:
    """Take and record so many decisions, and return how long it took."""
    contract = shipped_contract()
    names = tuple(contract.decisions)
    began = time.perf_counter()
    for index in range(decisions):
        result = await adecide(contract, names[index % len(names)], STATE, judge, host=host)
        recorder.decision(result, step=index // len(names) + 1)
    took = time.perf_counter() - began
    recorder.record("run_ended", {"halt": "task_done", "delivered": True, "answer": "done", "degraded": False})
    return took


def record_long_run(place: str, decisions: int, directory: Path) -> None:
    """Record the long run."""
    host = reference_host(directory)
    with closing(SqliteJournal(Path(place))) as journal:
        _apart(begin(journal, LONG, host), decisions, host, Slow(0))


def _started(host: Host) -> Body:
    contract = shipped_contract()
    return run_started_body(
        task=str(STATE["task"]),
        cwd="/project",
        contract_digest=contract.digest,
        contract_text=contract.text,
        judge="hash",
        writer="extractive",
        plan="sequential",
        budgets={},
        overrides={},
        modes={},
        can_write=False,
        can_delete=False,
        tools={name: tool.base_risk for name, tool in host.tools.items()},
        after=None,
        version="0",
    )


@contextmanager
def _served(journal: str, shop: Path) -> Iterator[str]:
    desk = Desk(
        journal=journal,
        settings=load_settings(directory=shop, environ={}, flags={"journal": journal}),
        roots=(shop,),
        judges=("rules",),
        writers=("extractive",),
        contracts={"shipped": None},
        functions={},
        prompts=None,
        reports=(),
        key=None,
        hosts=frozenset(),
        clock=lambda: datetime.now(UTC),
        environ={},
    )
    server = uvicorn.Server(
        uvicorn.Config(page_app(desk), port=0, log_level="warning", access_log=False, timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


def drawn(address: str, browser: Browser | None) -> Mapping[str, float]:
    """Return how long the long run takes to be sent, to be drawn by a browser, and to be scrolled, in seconds."""
    with httpx2.Client(base_url=address) as client:
        sent = [_timed(partial(client.get, f"/runs/{LONG}")) for _ in range(ROUNDS)]
    found = {"sent": statistics.median(sent)}
    if browser is None:
        return found
    shown, frames = [], []
    for _ in range(ROUNDS):
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(f"{address}/runs/{LONG}")
        shown.append(page.evaluate(_PAINTED) / 1000)
        frames.append(page.evaluate(_SCROLLED) / 1000)
        assert page.locator("#trace > li").count() == DECISIONS
        page.close()
    return {**found, "drawn": statistics.median(shown), "longest frame of a scroll": statistics.median(frames)}


_PAINTED = """async () => {
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now();
}"""
_SCROLLED = """async () => {
  const root = document.documentElement, frame = () => new Promise((done) => requestAnimationFrame(done));
  let last = await frame(), longest = 0;
  for (let step = 1; step <= 40; step += 1) {
    window.scrollTo({ top: root.scrollHeight * step / 40, behavior: "instant" });
    const now = await frame();
    longest = Math.max(longest, now - last);
    last = now;
  }
  return longest;
}"""


def watched(address: str, journal: str, host: Host, browser: Browser | None) -> Mapping[str, float]:
    """Return how long a run takes alone, with clients that follow it, and with a browser that shows it."""
    ways: dict[str, Callable[[str], AbstractContextManager[object]]] = {
        "alone": lambda _: nullcontext(),
        f"{WATCHERS} clients": partial(_followed, address),
    }
    if browser is not None:
        ways["a browser"] = partial(_shown, address, browser)
    took: dict[str, list[float]] = {way: [] for way in ways}
    with closing(SqliteJournal(Path(journal))) as store:
        for round_ in range(ROUNDS):
            for number, (way, watching) in enumerate(ways.items()):
                recorder = begin(store, f"20260103T030405.{round_:03}Z-0000000{number}", host)
                with watching(recorder.run_id):
                    took[way].append(_apart(recorder, WATCHED, host, Slow(PER_DECISION_S)))
    return {way: statistics.median(times) for way, times in took.items()}


def _apart(recorder: Recorder, decisions: int, host: Host, judge: Slow) -> float:
    """Work on a run as the page's server does: in this process, in a thread with an event loop of its own."""
    took: list[float] = []
    work = partial(decide_on, recorder, decisions, host, judge)
    thread = threading.Thread(target=lambda: took.append(asyncio.run(work())))
    thread.start()
    thread.join()
    return took[0]


@contextmanager
def _followed(address: str, run_id: str) -> Iterator[None]:
    command = [sys.executable, __file__, "--follow", f"{address}/runs/{run_id}/events"]
    clients = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert clients.stdout is not None
    clients.stdout.readline()
    yield
    assert clients.wait(30) == 0, "a client did not see the run to its end"


@contextmanager
def _shown(address: str, browser: Browser, run_id: str) -> Iterator[None]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{address}/runs/{run_id}")
    yield
    page.locator(".badge.delivered").wait_for()
    assert page.locator("#trace > li").count() == WATCHED
    page.close()


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


async def follow(url: str, clients: int) -> None:
    """Follow a run with so many clients until it ends, and say when all are there."""
    ready = asyncio.Barrier(clients + 1)

    async def one(client: httpx2.AsyncClient) -> None:
        seen = 0
        async with client.stream("GET", url) as stream:
            await ready.wait()
            async for line in stream.aiter_lines():
                seen += line.count("<li class=")
        if seen != WATCHED:
            raise SystemExit(f"a client saw {seen} of {WATCHED} decisions")

    limits = httpx2.Limits(max_connections=clients)
    async with httpx2.AsyncClient(timeout=60, limits=limits) as client, asyncio.TaskGroup() as group:
        for _ in range(clients):
            group.create_task(one(client))
        await ready.wait()
        print("all are there", flush=True)


@contextmanager
def _chromium() -> Iterator[Browser | None]:
    place = shutil.which("chromium")
    if place is None:
        print("Chromium is not installed: the figures of a browser are left out")
        yield None
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=place, args=["--no-sandbox"])
        yield browser
        browser.close()


def main() -> int:
    """Record, draw, watch, and print two tables; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="end with 1 when a target is missed")
    parser.add_argument("--follow", metavar="URL", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.follow:
        asyncio.run(follow(options.follow, WATCHERS))
        return 0
    with tempfile.TemporaryDirectory() as directory:
        shop = Path(shutil.copytree(SHOP, Path(directory) / "shop"))
        journal = str(Path(directory) / "journal.db")
        record_long_run(journal, DECISIONS, shop)
        with _served(journal, shop) as address, _chromium() as browser:
            took = drawn(address, browser)
            times = watched(address, journal, reference_host(shop), browser)
    print(f"| {DECISIONS} decisions | seconds | at most |", "|---|---|---|", sep="\n")
    for what, seconds in took.items():
        print(f"| {what} | {seconds:.3f} | {DRAWN_S if what == 'drawn' else ''} |")
    print(f"\n| {WATCHED} decisions, watched by | seconds | of alone | at most |", "|---|---|---|---|", sep="\n")
    limits = {f"{WATCHERS} clients": BY_CLIENTS, "a browser": BY_BROWSER}
    for way, seconds in times.items():
        print(f"| {way} | {seconds:.3f} | {seconds / times['alone']:.3f} | {limits.get(way, '')} |")
    missed = took.get("drawn", 0) > DRAWN_S or any(times[way] > limits.get(way, 9) * times["alone"] for way in times)
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
