"""A person reads prompts on the page, compares versions, publishes one and rolls it back, each time seeing it first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from interlock.registry import open_registry

Look = Callable[..., Page]
Serve = Callable[..., str]

FIRST = "You work at a desk.\nAnswer in two sentences.\n"
SECOND = "You work at a desk.\nAnswer in three sentences.\nName your source.\n"


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the place of a registry with two versions of one prompt."""
    where = str(tmp_path / getattr(request, "param", "prompts"))
    registry = open_registry(where)
    registry.publish("clerk", "1.0", text=FIRST, layer="role", label="production")
    registry.publish("clerk", "1.1", text=SECOND, label="canary", share=10)
    return where


@pytest.fixture
def publishing(place: str, serve: Serve, look: Look) -> Page:
    """Return the page on which a version is published."""
    return look(f"{serve(prompts=place)}/prompts/-/publish?name=clerk")


def test_two_versions_stand_beside_each_other(place: str, serve: Serve, look: Look) -> None:
    page = look(f"{serve(prompts=place)}/prompts")
    row = page.get_by_role("row", name="clerk")
    expect(row).to_contain_text("canary → 1.1 · 10 %")
    row.get_by_role("link", name="clerk").click()
    page.get_by_role("button", name="Show the difference").click()

    changed = page.locator("table.beside tr.changed")
    expect(changed).to_have_count(1)
    expect(changed.locator("mark").first).to_have_text("two")
    expect(changed.locator("mark").last).to_have_text("three")
    expect(page.locator("table.beside tr.added")).to_contain_text("Name your source.")


@pytest.mark.parametrize("place", ["prompts", "prompts.db"], indirect=True)
def test_a_version_is_published_after_one_has_seen_what_changes(place: str, serve: Serve, look: Look) -> None:
    page = look(f"{serve(prompts=place)}/prompts/clerk")
    page.get_by_role("link", name="Publish a new version").click()
    expect(page.get_by_label("Version")).to_have_value("1.2")
    page.get_by_label("Text").fill(SECOND + "Be kind.\n")
    page.get_by_label("Label").fill("production")
    page.get_by_label("Your name").fill("Ada")
    page.get_by_role("button", name="See what it would change").click()

    expect(page.get_by_role("heading", name="Before it is done")).to_be_visible()
    expect(page.locator("main")).to_contain_text("1.0 → 1.2")
    expect(page.locator("table.beside tr.added").last).to_contain_text("Be kind.")
    assert open_registry(place).index().entry("clerk").current()["production"].version == "1.0"
    page.get_by_role("button", name="Do it").click()

    expect(page.get_by_role("status")).to_contain_text("It is done")
    expect(page.locator(".badge", has_text="production → 1.2")).to_be_visible()
    assert open_registry(place).get("clerk").text == SECOND + "Be kind.\n"


def test_a_label_is_rolled_back_after_one_has_seen_where_to(place: str, serve: Serve, look: Look) -> None:
    open_registry(place).publish("clerk", "1.1", label="production")
    page = look(f"{serve(prompts=place)}/prompts/clerk")
    page.get_by_label("Your name").fill("Ada")
    page.get_by_role("button", name="See what it would change").click()
    expect(page.locator("main")).to_contain_text("1.1 → 1.0")
    page.get_by_role("button", name="Do it").click()

    expect(page.locator(".badge", has_text="production → 1.0")).to_be_visible()
    assert open_registry(place).get("clerk").version == "1.0"


def test_what_was_changed_meanwhile_is_shown_again_and_not_done(place: str, publishing: Page) -> None:
    page = publishing
    page.get_by_label("Text").fill("")
    page.get_by_label("Version").fill("1.1")
    page.get_by_label("Label").fill("production")
    page.get_by_label("Your name").fill("Ada")
    page.get_by_role("button", name="See what it would change").click()
    open_registry(place).publish("clerk", "1.2", text="Another.\n", label="production")
    page.get_by_role("button", name="Do it").click()

    expect(page.get_by_role("alert")).to_contain_text("changed this prompt meanwhile")
    expect(page.locator("main")).to_contain_text("1.2 → 1.1")
    assert open_registry(place).get("clerk").version == "1.2"


@pytest.mark.parametrize(
    ("field", "text", "told"),
    [
        pytest.param("Version", "1.1", "give it a new number", id="a-version-that-is-published"),
        pytest.param("Version", "one", "the version is a number", id="no-version"),
        pytest.param("Share in percent", "ten", "is no number", id="no-share"),
        pytest.param("Label", "No Label", "is lower-case letters", id="no-label"),
        pytest.param("Your name", " ", "say who", id="no-name"),
    ],
)
def test_a_wrong_field_keeps_what_was_written(field: str, text: str, told: str, place: str, publishing: Page) -> None:
    page = publishing
    page.get_by_label("Text").fill("A new text.\n")
    page.get_by_label("Label").fill("production")
    page.get_by_label("Your name").fill("Ada")
    page.get_by_label(field).fill(text)
    page.get_by_role("button", name="See what it would change").click()

    expect(page.get_by_role("alert")).to_contain_text(told)
    expect(page.get_by_label("Text")).to_have_value("A new text.\n")
    assert open_registry(place).index().entry("clerk").current()["production"].version == "1.0"


def test_the_shipped_prompts_are_read_only(serve: Serve, look: Look) -> None:
    address = serve()
    page = look(f"{address}/prompts/decision_engine/diff?from=1.0&to=1.1")
    expect(page.locator("table.beside tr.changed").first).to_be_visible()
    page.goto(f"{address}/prompts/decision_engine")
    expect(page.locator(".facts")).to_contain_text("read-only")
    expect(page.get_by_role("link", name="Publish")).to_have_count(0)

    form: dict[str, str | float | bool] = {
        "name": "decision_engine",
        "version": "1.2",
        "text": "x",
        "by": "Ada",
        "confirmed": "yes",
    }
    assert page.request.post(f"{address}/prompts/-/publish", form=form).status == 409
    assert page.request.post(f"{address}/prompts/-/rollback", form={**form, "label": "production"}).status == 409
