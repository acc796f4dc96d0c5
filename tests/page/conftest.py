"""A page server on loopback over a journal of its own, and a real browser that looks at it."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright

from interlock.journal.place import open_journal
from interlock.models.secret import Secret
from interlock.server.site.app import page_app
from interlock.server.site.desk import Desk
from interlock.settings import load_settings

SHOP = Path(__file__).resolve().parents[2] / "examples" / "shop"
CHROMIUM = shutil.which("chromium")

Serve = Callable[..., str]


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


@pytest.fixture
def serve(make_desk: Callable[..., Desk]) -> Iterator[Serve]:
    """Return a function that starts a page server and gives its address."""
    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def start(*, key: str | None = None, **given: Any) -> str:
        desk = make_desk(key=None if key is None else Secret(key), **given)
        config = uvicorn.Config(
            page_app(desk), host="127.0.0.1", port=0, log_level="warning", access_log=False, timeout_graceful_shutdown=1
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
