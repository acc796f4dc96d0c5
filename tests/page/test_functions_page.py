"""A person fills in and calls functions on the page: every control, errors beside fields, a yes before a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from time import sleep as pause
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from interlock.cli._page import functions_of

Look = Callable[..., Page]
Serve = Callable[..., str]
Open = Callable[[str], Page]

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "page_functions.py"


@pytest.fixture(scope="module")
def functions() -> Mapping[str, Callable[..., Any]]:
    """Return the functions of the example."""
    return functions_of([str(EXAMPLE)])


@pytest.fixture
def form(serve: Serve, look: Look, functions: Mapping[str, Callable[..., Any]]) -> Open:
    """Return a function that opens the form of a function."""
    address = serve(functions=functions)
    return lambda name: look(f"{address}/functions/{name}")


def call(page: Page) -> None:
    page.get_by_role("button", name="Call it").click()


def result(page: Page) -> str:
    expect(page.locator("#call .badge.go").first).to_have_text("returned")
    return page.locator("#call section", has=page.get_by_role("heading", name="Result")).inner_text()


def fill_review(page: Page) -> None:
    page.get_by_label("essay (str)").fill("one two\nthree four")
    page.get_by_role("group", name="Values of rubric").get_by_role("button", name="argument").click()
    page.get_by_label("max_score (int)").fill("12")
    page.get_by_role("group", name="show_details (bool)").get_by_text("Yes").click()


def test_every_control_is_filled_in_and_the_result_is_shown(form: Open) -> None:
    page = form("review")
    fill_review(page)
    page.get_by_role("group", name="Values of level").get_by_role("button", name="long").click()
    call(page)

    shown = result(page)
    assert "2.0" in shown
    assert "long, against argument, by the desk" in shown


def test_controls_are_those_of_the_types(form: Open) -> None:
    page = form("review")

    expect(page.locator("textarea")).to_have_count(1)
    expect(page.get_by_label("essay (str)")).to_have_attribute("placeholder", "Paste the essay here")
    expect(page.locator(".chips")).to_have_count(2)
    expect(page.locator("input[type=checkbox]")).to_have_count(0)
    expect(page.get_by_role("radio")).to_have_count(2)
    expect(page.get_by_label("signed_by (str, optional) Whose name stands below")).to_have_count(1)
    assert "required" not in page.locator("form.fields").inner_text().lower()
    assert "points_per_word" not in page.content()


def test_text_beside_chips_is_taken_and_beside_a_closed_list_refused(form: Open) -> None:
    page = form("review")
    fill_review(page)
    page.get_by_label("rubric (str)").fill("my own rubric")
    expect(page.get_by_role("button", name="argument")).to_have_attribute("aria-pressed", "false")
    page.get_by_label("level (Literal").fill("huge")
    call(page)

    expect(page.locator("#e-level")).to_contain_text("must be one of")
    expect(page.locator(".field-error")).to_have_count(1)
    page.get_by_label("level (Literal").fill("short")
    call(page)

    assert "short, against my own rubric, by the desk" in result(page)


def test_what_is_wrong_stands_beside_its_field_and_nothing_is_called(form: Open) -> None:
    page = form("review")
    page.get_by_label("max_score (int)").fill("12abc")
    call(page)

    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("nothing was called")
    expect(page.locator("#e-max_score")).to_contain_text("valid integer")
    expect(page.locator("#e-essay")).to_have_text("is required")
    expect(page.locator("#e-show_details")).to_have_text("is required")
    expect(page.locator("#e-signed_by")).to_have_count(0)
    expect(page.get_by_label("max_score (int)")).to_have_value("12abc")
    expect(page.get_by_label("max_score (int)")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("Earlier calls")).to_have_count(0)


def test_tab_takes_over_a_default_that_is_shown(form: Open) -> None:
    page = form("convert")
    rate = page.get_by_label("rate (float, optional)")
    expect(rate).to_have_attribute("placeholder", "1.25")
    page.get_by_label("amount (float)").fill("8")
    page.get_by_label("amount (float)").press("Tab")
    expect(rate).to_be_focused()
    rate.press("Tab")

    expect(rate).to_have_value("1.25")
    expect(rate).to_be_focused()
    rate.press("Tab")
    expect(rate).not_to_be_focused()
    call(page)
    assert "10.0" in result(page)


def test_tab_passes_a_field_whose_default_is_not_shown(serve: Serve, look: Look) -> None:
    def greet(name: str = "_nobody", word: str | None = None, hint: int = 3) -> str:
        """Greet somebody."""
        return f"{word or 'hello'} {name} {hint}"

    greet.input_meta = {"hint": {"placeholder": "how often"}}  # type: ignore[attr-defined]
    page = look(f"{serve(functions={'greet': greet})}/functions/greet")
    for name in ("name", "word", "hint"):
        page.locator(f"#f-{name}").focus()
        page.keyboard.press("Tab")

        expect(page.locator(f"#f-{name}")).to_have_value("")
        expect(page.locator(f"#f-{name}")).not_to_be_focused()
    call(page)
    assert "hello _nobody 3" in result(page)


def test_a_select_offers_functions_that_work_on_no_functions(form: Open) -> None:
    page = form("explain")
    offered = page.get_by_label("function (str)").locator("option").all_inner_texts()
    assert offered == ["–", "refund", "settle", "convert", "review"]

    page.get_by_label("function (str)").select_option("convert")
    call(page)
    assert "rate (float, optional)" in result(page)


def test_the_form_is_filled_in_by_keyboard_alone(form: Open) -> None:
    page = form("review")
    page.get_by_label("essay (str)").focus()
    keys = page.keyboard
    keys.type("five words are in this")
    for key in ("Tab", "Tab", "Enter", "Tab", "Tab"):
        keys.press(key)
    keys.type("3")
    keys.press("Tab")
    keys.press("Space")
    keys.press("ArrowRight")
    keys.press("Enter")

    assert "2.5" in result(page)
    expect(page.locator("#call")).not_to_contain_text("by the desk")


def test_a_call_that_requires_an_approval_shows_its_arguments_first(form: Open) -> None:
    page = form("refund")
    page.get_by_label("order (str)").fill("A-17")
    page.get_by_label("amount (int)").fill("20")
    call(page)

    asks = page.get_by_role("region", name="It asks before it runs")
    expect(asks).to_contain_text("A-17")
    expect(asks).to_contain_text("20")
    page.get_by_role("button", name="Yes, run it").click()
    assert "paid 20 for A-17" in result(page)


def test_a_call_within_a_call_asks_too_and_no_is_no(form: Open) -> None:
    page = form("settle")
    page.get_by_label("order (str)").fill("B-2")
    call(page)
    expect(page.get_by_role("region", name="It asks before it runs")).to_contain_text("refund")
    page.get_by_role("button", name="No", exact=True).click()

    expect(page.get_by_role("alert")).to_contain_text("`refund` was not approved")
    expect(page.locator("svg.tree g.function.error")).to_have_count(2)
    nested = page.locator("ol.session > li > ol > li")
    expect(nested).to_contain_text("refund")
    nested.locator("summary").first.click()
    expect(nested).to_contain_text('"amount": 20')


def test_a_form_that_is_sent_twice_and_a_page_that_is_loaded_again_call_once(serve: Serve, look: Look) -> None:
    ran: list[int] = []

    def count() -> int:
        """Count the calls."""
        ran.append(1)
        return len(ran)

    page = look(f"{serve(functions={'count': count})}/functions/count")
    once = page.locator("[name=once]").input_value()
    call(page)
    expect(page.locator("#call .badge.go")).to_be_visible()
    page.reload()
    answered = page.request.post(page.url.partition("/functions")[0] + "/functions/count", form={"once": once})

    assert answered.url == page.url
    assert ran == [1]


def test_a_failure_is_read_without_a_traceback(serve: Serve, look: Look) -> None:
    def stumble() -> None:
        """Fail."""
        raise LookupError("nothing of that kind\u202e")

    page = look(f"{serve(functions={'stumble': stumble})}/functions/stumble")
    call(page)

    expect(page.get_by_role("alert")).to_have_text("LookupError: nothing of that kind\\u202e")
    assert "Traceback" not in page.content()


def test_a_call_that_goes_on_is_watched_until_it_ends(serve: Serve, look: Look) -> None:
    gate: list[bool] = []

    def wait() -> str:
        """Wait for a gate."""
        while not gate:
            pause(0.02)
        return "through"

    page = look(f"{serve(functions={'wait': wait})}/functions/wait")
    call(page)
    expect(page.locator("#call")).to_contain_text("It is still running")
    gate.append(True)
    assert "through" in result(page)


def test_only_what_the_server_was_given_is_listed_and_called(form: Open) -> None:
    page = form("review")
    page.goto(page.url.partition("/functions")[0] + "/functions")

    names = page.locator(".catalogue a").all_inner_texts()
    assert names == ["refund", "settle", "convert", "explain", "review"]
    for name in ("form_model", "main", "Review", "__import__", "eval"):
        base = page.url
        assert page.request.post(f"{base}/{name}", form={"arg-x": "1"}).status == 404
