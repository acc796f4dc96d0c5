"""A page server on loopback over a journal of its own, and a real browser that looks at it."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import pytest
import uvicorn
from playwright.sync_api import Browser, Page, expect, sync_playwright
from starlette.applications import Starlette

from interlock.journal.place import open_journal
from interlock.judge.base import Caps, JudgeReply
from interlock.judge.rules import RuleJudge
from interlock.judge.scripted import ScriptedJudge
from interlock.loop.run import run
from interlock.loop.scripted import ScriptedWriter
from interlock.models.secret import Secret
from interlock.questions import Content, Json, Question
from interlock.server.gateway import Gateway, gateway_app
from interlock.server.site.app import page_app
from interlock.server.site.desk import Desk
from interlock.settings import load_settings
from interlock.tools.table import reference_table

SHOP = Path(__file__).resolve().parents[2] / "examples" / "shop"
CHROMIUM = shutil.which("chromium")

Serve = Callable[..., str]
Park = Callable[..., tuple[str, str]]

ENDS: Mapping[str, float | str] = {
    "needs_tool": 0.9,
    "grade_risk.risk": 3.0,
    "grade_risk.needs_auth": 0.9,
    "step_ok": 0.9,
    "is_done": 0.9,
    "can_deliver.deliverable": 0.9,
    "can_deliver.unsupported": 0.1,
}
"""Answers that take a run to one call that waits, and to its end after it."""

expect.set_options(timeout=20_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test here talks to a server on loopback."""
    for item in items:
        item.add_marker(pytest.mark.enable_socket)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return a copy of the bundled project, to work in."""
    return Path(shutil.copytree(SHOP, tmp_path / "shop"))


@pytest.fixture
def journal(tmp_path: Path) -> str:
    """Return the place of an empty journal."""
    place = str(tmp_path / "journal.db")
    with closing(open_journal(place)):
        return place


@pytest.fixture
def make_desk(journal: str, shop: Path) -> Callable[..., Desk]:
    """Return a function that makes a desk; what it is given replaces what the tests usually need."""

    def make(**given: Any) -> Desk:
        usual: dict[str, Any] = {
            "journal": journal,
            "settings": load_settings(directory=shop, environ={}, flags={"journal": journal}),
            "roots": (shop,),
            "judges": ("rules",),
            "writers": ("extractive",),
            "contracts": {"shipped": None},
            "functions": {},
            "prompts": None,
            "reports": (),
            "key": None,
            "hosts": frozenset(),
            "clock": lambda: datetime.now(UTC),
            "environ": {},
        }
        return Desk(**{**usual, **given})

    return make


@contextmanager
def serving() -> Iterator[Callable[[Starlette], str]]:
    """Yield a function that serves an application and gives its address."""
    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def start(app: Starlette) -> str:
        config = uvicorn.Config(
            app, host="127.0.0.1", port=0, log_level="warning", access_log=False, timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        running.append((server, thread))
        return f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"

    yield start
    for server, thread in running:
        server.should_exit = True
        thread.join(10)


@pytest.fixture
def serving_page() -> Callable[[], AbstractContextManager[Callable[[Starlette], str]]]:
    """Return what serves applications until it is left."""
    return serving


@pytest.fixture(scope="module")
def serve_all() -> Iterator[Callable[[Starlette], str]]:
    """Return a function that serves an application to all tests of a file."""
    with serving() as start:
        yield start


@pytest.fixture
def serve(make_desk: Callable[..., Desk]) -> Iterator[Serve]:
    """Return a function that starts a page server and gives its address."""
    with serving() as start:
        yield lambda *, key=None, **given: start(page_app(make_desk(key=None if key is None else Secret(key), **given)))


class SlowJudge:
    """Answers by rules, after a while."""

    def __init__(self, seconds: float) -> None:
        self._judge = RuleJudge(reference_table())
        self._seconds = seconds

    @property
    def caps(self) -> Caps:
        """What the judge behind it takes."""
        return self._judge.caps

    async def answer(self, frame_state: Content, questions: Mapping[str, Question]) -> JudgeReply:
        """Answer after a while."""
        await anyio.sleep(self._seconds)
        return await self._judge.answer(frame_state, questions)


@pytest.fixture
def slow_judge() -> Iterator[Callable[[float], Mapping[str, Any]]]:
    """Return a function that serves a slow judge, and gives what a desk needs to ask it."""
    with serving() as start:

        def make(seconds: float) -> Mapping[str, Any]:
            gateway = Gateway(
                judge=SlowJudge(seconds),
                judge_id="slow",
                key=None,
                models=(("jev-latest", "slow", "1970-01-01"),),
                make_id=lambda: "req_1",
            )
            environ = {"TYPESAFE_BASE_URL": start(gateway_app(gateway)), "TYPESAFE_API_KEY": "local"}
            return {"judges": ("typesafe:jev-latest",), "environ": environ}

        yield make


@pytest.fixture
def park(journal: str, shop: Path, tmp_path: Path) -> Park:
    """Return a function that lets a run come to a call that waits, and gives the ids of the approval and the run."""

    def go(tool: str, arguments: Mapping[str, Json], **given: Any) -> tuple[str, str]:
        script, drafts = tmp_path / "judge.json", tmp_path / "writer.json"
        script.write_text(json.dumps({**ENDS, "pick_tool": tool}), encoding="utf-8")
        drafts.write_text(json.dumps(["It is done."]), encoding="utf-8")
        with closing(open_journal(journal)) as store:
            result = run(
                f"Use {tool}",
                judge=ScriptedJudge({**ENDS, "pick_tool": tool}),
                writer=ScriptedWriter(["It is done."], [arguments]),
                cwd=shop,
                can_write=True,
                can_delete=True,
                journal=store,
                park=True,
                wired={"judge": f"scripted:{script}", "writer": f"scripted:{drafts}"},
                **given,
            )
        assert result.waits_for is not None, result
        return result.waits_for, result.run_id

    def parked(tool: str, arguments: Mapping[str, Json], **given: Any) -> tuple[str, str]:
        """Work in a thread: that of the tests has an event loop, the browser's."""
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(go, tool, arguments, **given).result()

    return parked


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return a headless Chromium."""
    if CHROMIUM is None:
        if os.environ.get("INTERLOCK_TEST_ALL") == "1":
            pytest.fail("Chromium is not installed; .ci/run installs it")
        pytest.skip("needs Chromium: install Debian's `chromium`")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def look(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Return a function that opens a page in a fresh profile; an error in its console fails the test."""
    opened, said = [], []

    def open_page(url: str, **options: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        opened.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(url)
        return page

    yield open_page
    for context in opened:
        context.close()
    assert [text for text in said if "Failed to load resource" not in text] == []


def wait_until(true: Callable[[], object], *, seconds: float = 15.0) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            raise AssertionError("it did not come to hold in time")
        time.sleep(0.05)
