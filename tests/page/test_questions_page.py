"""A run asks a person on its page, and goes on by what the person answers."""

from __future__ import annotations

from collections.abc import Callable

import httpx2
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from interlock.journal import read_journal
from interlock.journal.decision_read import read_decision
from interlock.journal.records import read_rows
from interlock.pipeline.result import DecisionResult
from interlock.questions import NoulAnswer

Look = Callable[..., Page]
Serve = Callable[..., str]


def start(page: Page, judge: str) -> None:
    page.get_by_label("Task").fill("Say hello")
    page.get_by_label("Judge").select_option(judge)
    page.get_by_role("button", name="Start").click()


def answer(page: Page, title: str, pick: str) -> None:
    form = page.locator("form.asked", has=page.locator("h2 code", has_text=title))
    form.get_by_role("button", name=pick).click()
    expect(form).to_have_count(0)


def decisions(journal: str) -> list[DecisionResult]:
    with read_journal(journal) as view:
        (run_id,) = view.run_ids()
        return [read_decision(record.body).result for record in read_rows(view.rows(run_id, ["decision"]))]


def test_a_person_answers_until_the_run_ends(serve: Serve, look: Look, journal: str) -> None:
    page = look(f"{serve(judges=('rules', 'human'))}/start")
    start(page, "human")

    asked = page.locator("form.asked")
    expect(asked.locator(".instructions")).to_contain_text("still has work to do")
    expect(asked.locator(".frame")).to_contain_text("Say hello")
    found = Axe().run(page).response["violations"]
    assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []
    page.get_by_label("Your name").fill("艾达")
    answer(page, "needs_tool", "false every action")
    expect(page.get_by_label("Your name").first).to_have_value("艾达")
    answer(page, "pick_tool", "done")
    answer(page, "can_deliver.deliverable", "true")
    answer(page, "can_deliver.unsupported", "false")
    expect(page.locator(".badge.delivered")).to_be_visible()

    first = next(result for result in decisions(journal) if result.decision == "needs_tool")
    (reading,) = first.readings.values()
    assert reading.judge == "human:艾达"
    assert reading.answer == NoulAnswer(noul=0.0, basis="person")


def test_a_person_who_cannot_say_leaves_no_answer(serve: Serve, look: Look, journal: str) -> None:
    page = look(f"{serve(judges=('human',))}/start")
    start(page, "human")
    page.get_by_label("Your name").fill("Ada")
    for title in ("needs_tool", "pick_tool", "can_deliver.deliverable", "can_deliver.unsupported"):
        answer(page, title, "I cannot say")
    expect(page.locator(".badge.undelivered")).to_be_visible()

    found = [reading for result in decisions(journal) for reading in result.readings.values()]
    assert {(reading.kind, reading.reason) for reading in found} == {("unscored", "abstained")}


def test_a_question_is_found_and_goes_when_its_run_is_stopped(serve: Serve, look: Look) -> None:
    page = look(f"{serve(judges=('human',))}/start")
    start(page, "human")
    other = look(page.url.partition("/runs/")[0] + "/approvals")
    other.locator(".notice a").click()
    expect(other.locator("form.asked")).to_be_visible()
    page.get_by_role("button", name="Stop").click()

    expect(other.locator("form.asked")).to_have_count(0)


def test_somebody_without_a_name_and_a_late_answer_are_refused(serve: Serve, look: Look) -> None:
    page = look(f"{serve(judges=('human',))}/start")
    start(page, "human")
    place = page.locator("form.asked").get_attribute("action")
    assert place is not None
    base = page.url.partition("/runs/")[0]
    with httpx2.Client(base_url=base, headers={"origin": base}) as client:
        assert client.post(place, data={"pick": "0"}).status_code == 422
        assert client.post(place, data={"pick": "9", "by": "Ada"}).status_code == 422
        assert client.post(place, data={"pick": "1", "by": "Ada\u202e"}).status_code == 422
        assert client.post(place, data={"pick": "1", "by": "Ada"}).status_code == 303
        late = client.post(place, data={"pick": "0", "by": "Eve"})
    assert (late.status_code, "nobody waits for that answer" in late.text) == (409, True)


@pytest.mark.parametrize("width", [360, 1920])
def test_a_question_fits_the_window(serve: Serve, look: Look, width: int) -> None:
    page = look(f"{serve(judges=('human',))}/start", viewport={"width": width, "height": 800})
    start(page, "human")
    expect(page.locator("form.asked")).to_be_visible()

    assert page.evaluate("document.documentElement.scrollWidth") <= width
