"""A person starts a run on the page, watches it, looks into a decision, and stops one."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest
from bench.page import LONG, record_long_run
from playwright.sync_api import Page, expect
from starlette.applications import Starlette

from interlock.journal import Recorder, read_journal
from interlock.journal.place import open_journal
from interlock.journal.summary import summarize
from interlock.loop.many_record import ALL_DECIDED
from interlock.server.site.app import page_app
from interlock.server.site.desk import Desk

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
    page.get_by_role("link", name="Move its thresholds").click()
    expect(page).to_have_url(re.compile("/what-if[?]run="))
    expect(page.locator("main")).to_contain_text("become another one")


def test_the_list_is_narrowed_as_one_types(serve: Serve, look: Look) -> None:
    page = look(f"{serve()}/start")
    page.get_by_label("Task").fill("Which function does src/alpha.ts export?")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".badge.delivered")).to_be_visible()
    page.get_by_role("link", name="Runs").click()
    expect(page.locator("table.list tbody tr")).to_have_count(1)

    page.get_by_label("Search").fill("nothing like it")
    expect(page.locator("#rows")).to_contain_text("No run is like that.")


def test_a_directory_outside_the_roots_is_refused(serve: Serve, look: Look, tmp_path: Path) -> None:
    page = look(f"{serve()}/start")
    page.get_by_label("Task").fill("Look around")
    page.get_by_label("Directory").fill(str(tmp_path))
    page.get_by_role("button", name="Start").click()

    expect(page.get_by_role("alert")).to_contain_text("name one inside")
    expect(page.get_by_label("Task")).to_have_value("Look around")


def test_a_run_is_seen_while_it_goes_on_and_can_be_stopped(
    serve: Serve, look: Look, slow_judge: Callable[[float], Mapping[str, Any]]
) -> None:
    address = serve(**slow_judge(1.5))
    page = look(f"{address}/start")
    page.get_by_label("Task").fill("Which function does src/alpha.ts export?")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#trace > li").nth(2)).to_be_visible()
    other = look(page.url)
    expect(other.locator("#trace > li").nth(3)).to_be_visible()
    page.get_by_role("button", name="Stop").click()

    expect(page.locator(".badge.undelivered")).to_be_visible()
    expect(page.locator("#head")).to_contain_text("the run was cancelled")
    expect(other.locator("#head")).to_contain_text("the run was cancelled")
    assert page.locator("#trace > li").count() < 15


def test_a_run_of_another_process_is_followed(serve: Serve, look: Look, journal: str, shop: Path) -> None:
    address = serve()
    with closing(open_journal(journal)) as store:
        recorder = Recorder(store, "20260102T030405.000Z-00000001", clock=lambda: datetime.now(UTC))
        recorder.record("run_started", {"task": "Look around", "cwd": str(shop)})
        page = look(f"{address}/runs/{recorder.run_id}")
        expect(page.locator("#draft")).to_contain_text("Nothing is written yet.")
        recorder.record("error", {"message": "the first <b>thing</b> went wrong"})
        expect(page.locator("#trace > li")).to_contain_text("the first <b>thing</b> went wrong")
        draft = {"purpose": "answer", "failure": None, "text": "it is \u202eblue", "degraded": False, "elapsed_s": 0.1}
        recorder.record("generation", draft)
        expect(page.locator("#draft .is-draft")).to_have_text(r"it is \u202eblue")
        recorder.record("run_ended", {"halt": "task_done", "delivered": True, "answer": "it is blue"})

    expect(page.locator("#answer h2")).to_have_text("Answer")
    expect(page.locator(".badge.delivered")).to_be_visible()


def test_a_run_of_two_thousand_decisions_is_shown_whole(serve: Serve, look: Look, journal: str, shop: Path) -> None:
    record_long_run(journal, 2000, shop)
    page = look(f"{serve()}/runs/{LONG}")

    assert page.locator("#trace > li").count() == 2000
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.locator("#trace .detail .decision").wait_for()
    assert "What the judge saw" in page.locator("#trace > li").nth(1).inner_text()
    page.locator("#trace > li").last.scroll_into_view_if_needed()
    expect(page.locator("#trace > li").last).to_be_in_viewport()


@pytest.mark.parametrize("path", ["/runs/nothing", "/runs/nothing/events", "/runs/nothing/decisions/3", "/nowhere"])
def test_what_is_not_there_is_said(serve: Serve, path: str) -> None:
    assert httpx2.get(serve() + path).status_code == 404


def test_an_address_that_leads_nowhere_is_named(serve: Serve) -> None:
    base = serve()
    assert "there is nothing at `/nowhere`" in httpx2.get(f"{base}/nowhere").text
    assert httpx2.get(f"{base}/api/v1/x").json()["error"].startswith("there is nothing at `/api/v1/x`")
    assert httpx2.delete(f"{base}/runs").status_code == 405
    assert "takes no DELETE" in httpx2.delete(f"{base}/runs").text


def test_the_counts_of_the_journal_can_be_scraped(serve: Serve, journal: str, shop: Path) -> None:
    record_long_run(journal, 20, shop)

    assert "interlock_decisions_total{" in httpx2.get(f"{serve()}/metrics").text


def test_a_damaged_run_is_told_of_and_does_not_break_the_list(serve: Serve, look: Look, journal: str) -> None:
    address = serve()
    with closing(open_journal(journal)) as store:
        for number in (1, 2):
            recorder = Recorder(store, f"20260102T030405.000Z-0000000{number}", clock=lambda: datetime.now(UTC))
            recorder.record("run_started", {"task": f"Task {number}"})
    with closing(sqlite3.connect(journal)) as connection, connection:
        connection.execute("UPDATE events SET body = '{' WHERE run_id LIKE '%-00000001'")
    page = look(f"{address}/runs")
    expect(page.locator("table.list tbody tr")).to_have_count(2)

    assert httpx2.get(f"{address}/runs/20260102T030405.000Z-00000001").status_code == 422


def test_the_page_speaks_chinese_and_keeps_the_colours_that_were_chosen(serve: Serve, look: Look) -> None:
    page = look(f"{serve()}/runs", locale="zh-CN")
    expect(page.locator("h1")).to_have_text("运行")
    page.get_by_label("语言").select_option("en")
    expect(page.locator("h1")).to_have_text("Runs")
    page.get_by_label("Colours").select_option("dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_role("link", name="Start", exact=True).click()

    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_the_key_is_asked_for_and_remembered(serve: Serve, look: Look) -> None:
    page = look(f"{serve(key='open sesame')}/runs")
    page.get_by_label("The key of this server").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("not known")
    page.get_by_label("The key of this server").fill("open sesame")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("h1")).to_have_text("Runs")
    page.get_by_role("button", name="Sign out").click()

    expect(page.locator("h1")).to_have_text("Sign in")


def test_a_server_that_stops_ends_its_runs_on_record(
    make_desk: Callable[..., Desk],
    serving_page: Callable[[], AbstractContextManager[Callable[[Starlette], str]]],
    shop: Path,
    journal: str,
    slow_judge: Callable[[float], Mapping[str, Any]],
) -> None:
    with serving_page() as start:
        address = start(page_app(make_desk(**slow_judge(2.0))))
        form = {"task": "Look around", "cwd": str(shop), "contract": "shipped"}
        form |= {"judge": "typesafe:jev-latest", "writer": "extractive"}
        response = httpx2.post(f"{address}/start", data=form)
        assert response.status_code == 303
    with read_journal(journal) as view:
        summary = summarize(view, response.headers["location"].rpartition("/")[2])

    assert summary.halt == "cancelled"


def test_times_stand_below_each_other_and_nothing_is_cut_off_on_a_telephone(
    serve: Serve, look: Look, park: Callable[..., tuple[str, str]]
) -> None:
    _, run_id = park("delete_file", {"path": "build.lock"})
    base = serve()
    wide = look(f"{base}/runs/{run_id}")
    ends = wide.locator(".item .time").evaluate_all(
        "all => all.map(one => Math.round(one.getBoundingClientRect().right))"
    )
    assert max(ends) - min(ends) <= 2, ends

    narrow = look(f"{base}/runs/{run_id}", viewport={"width": 360, "height": 740})
    asked = narrow.locator(".item .button")
    assert asked.evaluate("one => one.getBoundingClientRect().width >= one.scrollWidth")
    expect(narrow.locator("#waves li").first).to_contain_text("wave 1")
    expect(narrow.locator("#waves .wave").first).to_be_visible()


def test_a_run_is_verified_on_the_page_and_a_changed_row_is_named(
    serve: Serve, look: Look, journal: str, shop: Path
) -> None:
    record_long_run(journal, 5, shop)
    page = look(f"{serve()}/runs/{LONG}")
    page.get_by_role("link", name="Verify").click()
    expect(page.locator("h1 + .badge")).to_have_text("verified")
    with closing(sqlite3.connect(journal)) as connection, connection:
        connection.execute("UPDATE events SET body = replace(body, '0.', '0.1') WHERE seq = 3")
    page.reload()

    expect(page.locator("h1 + .badge")).to_have_text("mismatch")
    expect(page.locator("table.list tbody tr").first).to_contain_text("3")


def test_a_run_that_had_nothing_to_write_is_not_called_undelivered(serve: Serve, look: Look, journal: str) -> None:
    with closing(open_journal(journal)) as store:
        recorder = Recorder(store, LONG, clock=lambda: datetime.now(UTC))
        recorder.record("run_started", {"task": "", "kind": "many"})
        recorder.record("run_ended", {"halt": ALL_DECIDED, "delivered": False})

    expect(look(f"{serve()}/runs").locator("table.list .badge")).to_have_text("ended")
