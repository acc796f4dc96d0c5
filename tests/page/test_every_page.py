"""Every page, light and dark, narrow and wide: nothing that an accessibility checker finds serious, and a picture.

`INTERLOCK_UPDATE_SNAPSHOTS=1` puts the pictures into docs/screenshots.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page
from starlette.applications import Starlette

from interlock.cli._page import functions_of
from interlock.experiments import report_json
from interlock.journal import SqliteJournal
from interlock.journal.approvals import approvals_of
from interlock.judge.rules import RuleJudge
from interlock.loop.extractive import ExtractiveWriter
from interlock.loop.run import run
from interlock.registry import open_registry
from interlock.server.site.app import page_app
from interlock.server.site.desk import Desk
from interlock.settings import load_settings
from interlock.tools.table import reference_table

REPO = Path(__file__).resolve().parents[2]
SHOP = REPO / "examples" / "shop"
PICTURES = REPO / "docs" / "screenshots"
PATHS = {
    "runs": "/runs",
    "run": "/runs/{delivered}",
    "run-waiting": "/runs/{waits}",
    "run-contract": "/runs/{delivered}/contract",
    "run-verified": "/runs/{delivered}/verify",
    "start": "/start",
    "approvals": "/approvals",
    "approval": "/approvals/{approval}",
    "contracts": "/contracts",
    "contract": "/contracts/shipped",
    "contract-editor": "/contract-editor?name=shipped",
    "what-if": "/what-if?run={delivered}",
    "functions": "/functions",
    "function": "/functions/review",
    "prompts": "/prompts",
    "prompt": "/prompts/clerk",
    "prompt-difference": "/prompts/clerk/diff?from=1.0&to=1.1",
    "prompt-publish": "/prompts/-/publish?name=clerk",
    "experiments": "/experiments",
    "experiment": "/experiments/1",
    "api": "/api",
}
"""Name of a page → its path, with what the gallery holds."""


class Gallery(NamedTuple):
    """A page server with something of everything."""

    address: str
    ids: Mapping[str, str]

    def url(self, name: str) -> str:
        """Return the address of a page."""
        return self.address + PATHS[name].format(**self.ids)


@pytest.fixture(scope="module")
def gallery(serve_all: Callable[[Starlette], str]) -> Iterator[Gallery]:
    """Serve a journal with a delivered run and one that waits, functions, prompts and a report."""
    with TemporaryDirectory(prefix="interlock-") as directory:
        yield _gallery(Path(directory), serve_all)


def _gallery(place: Path, serve_all: Callable[[Starlette], str]) -> Gallery:
    shop = Path(shutil.copytree(SHOP, place / "shop"))
    with ThreadPoolExecutor(1) as apart:
        ids = apart.submit(_recorded, place / "journal.db", shop).result()
        report = apart.submit(_report, place).result()
    desk = Desk(
        journal=str(place / "journal.db"),
        settings=load_settings(directory=shop, environ={}, flags={"journal": str(place / "journal.db")}),
        roots=(shop,),
        judges=("rules", "human"),
        writers=("extractive",),
        contracts={"shipped": None},
        functions=functions_of([str(REPO / "examples" / "page_functions.py")]),
        prompts=_prompts(place),
        reports=(report,),
        key=None,
        hosts=frozenset(),
        clock=lambda: datetime.now(UTC),
        environ={},
    )
    return Gallery(serve_all(page_app(desk)), ids)


def _recorded(journal: Path, shop: Path) -> Mapping[str, str]:
    with closing(SqliteJournal(journal)) as store:
        judge = RuleJudge(reference_table())
        start = partial(run, judge=judge, writer=ExtractiveWriter(), cwd=shop, journal=store)
        delivered = start("Which function does src/alpha.ts export?").run_id
        waits = start("Delete src/alpha.ts", can_delete=True, can_write=True, park=True).run_id
        start("What is the name of the loyalty programme?")
        with store.snapshot() as view:
            return {"delivered": delivered, "waits": waits, "approval": approvals_of(view, waits)[0].id}


def _prompts(place: Path) -> str:
    registry = open_registry(str(place / "prompts"))
    registry.publish(
        "clerk", "1.0", text="You work at a desk.\nAnswer in two sentences.\n", layer="role", label="production"
    )
    second = "You work at a desk.\nAnswer in three sentences.\nName your source.\n"
    registry.publish("clerk", "1.1", text=second, label="canary", share=10)
    return str(place / "prompts")


def _report(place: Path) -> Path:
    """Return the report of the experiment of the examples."""
    spec = importlib.util.spec_from_file_location("example_ab", REPO / "examples" / "07_ab.py")
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    path = place / "exact role.json"
    path.write_text(json.dumps(report_json(asyncio.run(example.measured(example.compared())))), encoding="utf-8")
    return path


@pytest.fixture
def shown(browser: Browser, gallery: Gallery) -> Callable[..., Page]:
    """Return a function that opens a page of the gallery."""

    def show(name: str, *, theme: str, width: int = 1280, language: str = "en-GB") -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=theme,  # type: ignore[arg-type]  # one of the two
            locale=language,
            reduced_motion="reduce",
        )
        page = context.new_page()
        response = page.goto(gallery.url(name))
        assert response is not None
        assert response.status == 200, gallery.url(name)
        page.wait_for_load_state("networkidle" if not name.startswith("run-waiting") else "load")
        return page

    return show


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", PATHS)
def test_a_page_has_no_serious_fault_of_access_and_is_pictured(
    shown: Callable[..., Page], tmp_path: Path, name: str, theme: str
) -> None:
    page = shown(name, theme=theme)
    if name == "run":
        page.locator("#trace details[data-src] summary").nth(1).click()
        page.locator("#trace .detail .decision").wait_for()
    found = Axe().run(page).response["violations"]
    serious = [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in found
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]
    keeps = os.environ.get("INTERLOCK_UPDATE_SNAPSHOTS") == "1"
    picture = (PICTURES if keeps else tmp_path) / f"{name}-{theme}.png"
    page.screenshot(path=picture)
    page.context.close()

    assert serious == []
    assert picture.stat().st_size > 8_000


@pytest.mark.parametrize(("width", "language"), [(360, "zh-CN"), (360, "en-GB"), (1920, "en-GB")])
@pytest.mark.parametrize("name", PATHS)
def test_a_page_fits_its_window(shown: Callable[..., Page], name: str, width: int, language: str) -> None:
    page = shown(name, theme="light", width=width, language=language)
    across = page.evaluate("document.documentElement.scrollWidth")
    heading = page.locator("h1").count()
    page.context.close()

    assert across <= width
    assert heading == 1
