"""A person starts a run on the page, watches it, looks into a decision, and stops one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

Look = Callable[..., Page]
Serve = Callable[..., str]


def test_a_run_is_started_watched_to_its_end_and_looked_into(serve: Serve, look: Look) -> None:
    page = look(f"{serve()}/start")
    page.get_by_label("Task").fill("Which function does src/alpha.ts export?")
    page.get_by_role("button", name="Start").click()

    expect(page.locator(".badge.delivered")).to_be_visible()
    expect(page.locator("#answer h2")).to_have_text("Answer")
    expect(page.locator("#draft")).to_contain_text("totalOf")
    page.locator("#trace details[data-src] summary", has_text="pick_tool").first.click()
    expect(page.locator(".detail .outcomes").first).to_contain_text("list_dir")
    expect(page.locator("#trace details[open] .detail")).to_contain_text("What the judge saw")
    expect(page.locator("#waves li").first).to_contain_text("wave 1")


def test_the_list_is_narrowed_as_one_types(serve: Serve, look: Look) -> None:
    page = look(f"{serve()}/start")
    page.get_by_label("Task").fill("Which function does src/alpha.ts export?")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".badge.delivered")).to_be_visible()
    page.get_by_role("link", name="Runs").click()
    expect(page.locator("table.list tbody tr")).to_have_count(1)

    page.get_by_label("Holds").fill("nothing like it")
    expect(page.locator("#rows")).to_contain_text("No run is like that.")


def test_a_directory_outside_the_roots_is_refused(serve: Serve, look: Look, tmp_path: Path) -> None:
    page = look(f"{serve()}/start")
    page.get_by_label("Task").fill("Look around")
    page.get_by_label("Directory").fill(str(tmp_path))
    page.get_by_role("button", name="Start").click()

    expect(page.get_by_role("alert")).to_contain_text("lies outside the directories")
    expect(page.get_by_label("Task")).to_have_value("Look around")
