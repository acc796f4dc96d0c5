"""A person looks at a call that waits, approves or denies it, and sees what becomes of the run."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from interlock.journal import read_journal
from interlock.journal.approvals import Approval, find_approval

Look = Callable[..., Page]
Serve = Callable[..., str]
Park = Callable[..., tuple[str, str]]

LOCK = {"path": "build.lock"}


@pytest.fixture
def serve_run(serve: Serve, tmp_path: Path) -> Callable[[], str]:
    """Return a function that serves a page which may go on with the runs that `park` has parked."""
    return lambda: serve(
        judges=(f"scripted:{tmp_path / 'judge.json'}",), writers=(f"scripted:{tmp_path / 'writer.json'}",)
    )


def recorded(journal: str, named: str) -> Approval:
    with read_journal(journal) as view:
        return find_approval(view, named)


def serious(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [each["id"] for each in found if each["impact"] in ("serious", "critical")]


def test_a_call_is_approved_and_the_run_ends_with_the_file_gone(
    serve_run: Callable[[], str], look: Look, park: Park, shop: Path, journal: str
) -> None:
    named, run_id = park("delete_file", LOCK)
    page = look(f"{serve_run()}/approvals")
    page.get_by_role("link", name="delete_file build.lock").click()

    expect(page.locator(".diff .removed").first).to_contain_text("pid 4242")
    expect(page.locator("#why ~ .decision").first).to_contain_text("How risky is this tool call?")
    assert serious(page) == []
    page.get_by_label("Your name").fill("Ada")
    page.get_by_label("Note").fill("it is stale")
    page.get_by_role("button", name="Approve").click()

    expect(page).to_have_url(re.compile(f"/runs/{run_id}$"))
    expect(page.locator(".badge.delivered")).to_be_visible()
    assert not (shop / "build.lock").exists()
    answer = recorded(journal, named).answer
    assert answer is not None
    assert (answer.approved, answer.by, answer.note) == (True, "Ada", "it is stale")
    assert "build.lock: file, 38 bytes, sha256 " in (answer.saw or "")
    page.goto(page.url.replace(f"/runs/{run_id}", f"/approvals/{named}"))
    expect(page.locator(".badge.used")).to_be_visible()
    expect(page.locator("main")).to_contain_text("Approved by Ada")


def test_a_file_is_written_as_its_difference_showed(
    serve_run: Callable[[], str], look: Look, park: Park, shop: Path
) -> None:
    before = (shop / "package.json").read_text(encoding="utf-8")
    after = before.replace("{\n", '{\n  "private": true,\n', 1)
    named, _ = park("write_file", {"path": "package.json", "content": after})
    page = look(f"{serve_run()}/approvals/{named}")

    expect(page.locator(".diff .added")).to_have_count(1)
    expect(page.locator(".diff .added")).to_contain_text('"private": true,')
    expect(page.locator(".diff .removed")).to_have_count(0)
    page.get_by_label("Your name").fill("Ada")
    page.get_by_role("button", name="Approve").click()

    expect(page.locator(".badge.delivered")).to_be_visible()
    assert (shop / "package.json").read_text(encoding="utf-8") == after


def test_a_denied_call_has_no_effect_and_the_run_goes_on_to_say_so(
    serve_run: Callable[[], str], look: Look, park: Park, shop: Path, journal: str
) -> None:
    named, run_id = park("delete_file", LOCK)
    page = look(f"{serve_run()}/approvals/{named}")
    page.get_by_label("Your name").fill("Eve")
    page.get_by_role("button", name="Deny").click()

    expect(page).to_have_url(re.compile(f"/runs/{run_id}$"))
    expect(page.locator("#head")).to_contain_text("denied")
    expect(page.locator("#head")).to_contain_text("refused by Eve")
    assert (shop / "build.lock").exists()
    assert recorded(journal, named).used is None


def test_an_answer_can_wait_for_somebody_else_to_go_on(
    serve_run: Callable[[], str], look: Look, park: Park, shop: Path
) -> None:
    named, run_id = park("delete_file", LOCK)
    page = look(f"{serve_run()}/approvals/{named}")
    page.get_by_label("Your name").fill("Ada")
    page.get_by_label("Go on with the run").uncheck()
    page.get_by_role("button", name="Approve").click()

    expect(page.locator(".badge.approved")).to_be_visible()
    assert (shop / "build.lock").exists()
    page.get_by_role("button", name="Go on with the run").click()
    expect(page).to_have_url(re.compile(f"/runs/{run_id}$"))
    expect(page.locator(".badge.delivered")).to_be_visible()
    assert not (shop / "build.lock").exists()


def test_an_expired_call_says_so_and_asks_nobody(serve_run: Callable[[], str], look: Look, park: Park) -> None:
    named, _ = park("delete_file", LOCK, approval_ttl=timedelta(milliseconds=1))
    page = look(f"{serve_run()}/approvals/{named}")

    expect(page.locator(".badge.expired")).to_be_visible()
    expect(page.locator("main")).to_contain_text("It has expired. Nothing was approved")
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    page.goto(page.url.replace(f"/{named}", ""))
    expect(page.locator("main")).to_contain_text("Nothing waits for an answer")


def test_what_changed_since_it_was_shown_is_shown_again_before_it_is_approved(
    serve_run: Callable[[], str], look: Look, park: Park, shop: Path, journal: str
) -> None:
    named, _ = park("delete_file", LOCK)
    page = look(f"{serve_run()}/approvals/{named}")
    (shop / "build.lock").write_text("pid 1\n", encoding="utf-8")
    page.get_by_label("Your name").fill("Ada")
    page.get_by_role("button", name="Approve").click()

    expect(page.get_by_role("alert")).to_contain_text("not what was shown to you")
    expect(page.locator("main")).to_contain_text("This file was changed after the call was asked for.")
    expect(page.locator(".diff")).to_contain_text("pid 1")
    assert recorded(journal, named).answer is None
    page.get_by_role("button", name="Approve").click()
    expect(page.locator(".badge.delivered")).to_be_visible()


def test_of_two_browsers_one_answers(serve_run: Callable[[], str], look: Look, park: Park, journal: str) -> None:
    named, _ = park("delete_file", LOCK)
    url = f"{serve_run()}/approvals/{named}"
    first, second = look(url), look(url)
    for page, name in ((first, "Ada"), (second, "Eve")):
        page.get_by_label("Your name").fill(name)
        page.get_by_label("Go on with the run").uncheck()
    first.get_by_role("button", name="Approve").click()
    expect(first.locator(".badge.approved")).to_be_visible()
    second.get_by_role("button", name="Deny").click()

    expect(second.get_by_role("alert")).to_contain_text("Somebody answered before")
    expect(second.locator(".badge.approved")).to_be_visible()
    answer = recorded(journal, named).answer
    assert answer is not None
    assert answer.by == "Ada"


def test_enter_in_a_field_answers_nothing(serve_run: Callable[[], str], look: Look, park: Park, journal: str) -> None:
    named, _ = park("delete_file", LOCK)
    page = look(f"{serve_run()}/approvals/{named}")
    page.get_by_label("Your name").fill("Ada")
    page.get_by_label("Your name").press("Enter")

    expect(page.locator(".badge.waiting")).to_be_visible()
    assert recorded(journal, named).answer is None


def test_a_language_can_be_chosen_where_an_answer_leads(serve: Serve, look: Look, park: Park) -> None:
    named, _ = park("delete_file", LOCK)
    page = look(f"{serve()}/approvals/{named}")
    page.get_by_label("Your name").fill("Ada")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_role("alert")).to_contain_text("does not go on here")
    page.get_by_label("Language").select_option("zh")

    expect(page).to_have_url(re.compile(f"/approvals/{named}$"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("delete_file")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_can_be_used_on_a_telephone(serve_run: Callable[[], str], look: Look, park: Park, theme: str) -> None:
    named, _ = park("write_file", {"path": "n.txt", "content": "safe \u202e\x1b[2J\n" + "x" * 5000 + "\n"})
    page = look(f"{serve_run()}/approvals/{named}", viewport={"width": 360, "height": 740}, color_scheme=theme)

    expect(page.locator(".diff")).to_contain_text("[4600 more characters]")
    expect(page.locator(".diff")).to_contain_text(r"safe \u202e\x1b[2J")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert serious(page) == []
    page.goto(page.url.replace(f"/{named}", ""))
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert serious(page) == []
