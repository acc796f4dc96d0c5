"""Answers to calls that wait, as requests: what is taken, once, and what is refused with its own reason."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest

from interlock.journal import read_journal
from interlock.journal.approval_desk import approve
from interlock.journal.approvals import find_approval
from interlock.journal.place import open_journal

Serve = Callable[..., str]
Park = Callable[..., tuple[str, str]]

LOCK = {"path": "build.lock"}


def client(base: str) -> httpx2.Client:
    return httpx2.Client(base_url=base, headers={"origin": base}, timeout=30)


def seen(page: httpx2.Response) -> str:
    found = re.search(r'name="seen" value="([0-9a-f]{64})"', page.text)
    assert found is not None, page.text
    return found[1]


def given(page: httpx2.Response, **other: str) -> Mapping[str, str]:
    return {"verdict": "approve", "by": "Ada", "seen": seen(page), **other}


def test_of_many_who_answer_at_once_one_is_taken(serve: Serve, park: Park, journal: str) -> None:
    named, _ = park("delete_file", LOCK)
    with client(serve()) as web:
        fields = given(web.get(f"/approvals/{named}"))

        def send(at: int) -> int:
            verdict = "approve" if at % 2 else "deny"
            sent = {**fields, "by": f"p{at}", "verdict": verdict}
            return web.post(f"/approvals/{named}/answer", data=sent).status_code

        with ThreadPoolExecutor(6) as pool:
            codes = list(pool.map(send, range(6)))
    assert sorted(codes) == [303, 409, 409, 409, 409, 409]
    with read_journal(journal) as view:
        answer = find_approval(view, named).answer
    assert answer is not None
    assert answer.by == f"p{codes.index(303)}"


def test_an_answer_from_another_process_stands(serve: Serve, park: Park, journal: str) -> None:
    named, _ = park("delete_file", LOCK)
    with client(serve()) as web:
        fields = given(web.get(f"/approvals/{named}"))
        with closing(open_journal(journal)) as store:
            approve(store, named, by="Eve")
        refused = web.post(f"/approvals/{named}/answer", data=fields)

    assert refused.status_code == 409
    assert "Somebody answered before" in refused.text
    assert "was approved by `Eve`" in refused.text


def test_an_answer_that_comes_too_late_is_refused(serve: Serve, park: Park, journal: str) -> None:
    now = [datetime.now(UTC)]
    named, _ = park("delete_file", LOCK, approval_ttl=timedelta(minutes=1))
    with client(serve(clock=lambda: now[0])) as web:
        fields = given(web.get(f"/approvals/{named}"))
        now[0] += timedelta(hours=1)
        refused = web.post(f"/approvals/{named}/answer", data=fields)

    assert (refused.status_code, "It has expired." in refused.text) == (409, True)
    with read_journal(journal) as view:
        assert find_approval(view, named).answer is None


@pytest.mark.parametrize(
    ("fields", "status", "says"),
    [
        pytest.param({"by": ""}, 422, "name: is empty", id="nobody"),
        pytest.param({"by": "x" * 101}, 422, "name: is longer", id="long-name"),
        pytest.param({"by": "Ada\u202e"}, 422, "character that is not shown", id="name-that-steers"),
        pytest.param({"note": "x" * 2_001}, 422, "note: is longer", id="long-note"),
        pytest.param({"verdict": "maybe"}, 400, "neither", id="no-verdict"),
        pytest.param({"seen": ""}, 409, "not what was shown", id="nothing-seen"),
        pytest.param({"seen": "0" * 64}, 409, "not what was shown", id="something-else-seen"),
    ],
)
def test_what_is_no_answer_is_refused_and_not_recorded(
    *, serve: Serve, park: Park, journal: str, fields: Mapping[str, str], status: int, says: str
) -> None:
    named, _ = park("delete_file", LOCK)
    with client(serve()) as web:
        refused = web.post(f"/approvals/{named}/answer", data={**given(web.get(f"/approvals/{named}")), **fields})

    assert (refused.status_code, says in refused.text) == (status, True)
    with read_journal(journal) as view:
        assert find_approval(view, named).answer is None


def test_what_stands_where_an_answer_is_wanted_is_remembered_and_escaped(serve: Serve, park: Park) -> None:
    named, _ = park("delete_file", LOCK)
    with client(serve()) as web:
        refused = web.post(
            f"/approvals/{named}/answer",
            data={**given(web.get(f"/approvals/{named}")), "by": '"><b>艾达', "note": "x" * 3_000},
        )
        later = web.get(f"/approvals/{named}")

    assert "&#34;&gt;&lt;b&gt;艾达" in refused.text
    assert "&#34;&gt;&lt;b&gt;艾达" in later.text


def test_an_answer_stays_on_record_when_the_run_cannot_go_on_here(serve: Serve, park: Park, journal: str) -> None:
    named, _ = park("delete_file", LOCK)
    with client(serve()) as web:
        shown = web.post(f"/approvals/{named}/answer", data=given(web.get(f"/approvals/{named}"), go_on="on"))

    assert shown.status_code == 200
    assert "The answer is on record." in shown.text
    assert "does not offer" in shown.text
    assert "`interlock runs resume " in shown.text
    with read_journal(journal) as view:
        assert find_approval(view, named).state(datetime.now(UTC)) == "approved"


def test_the_trace_tells_of_the_answer_in_the_language_of_the_page(serve: Serve, park: Park) -> None:
    named, run_id = park("delete_file", LOCK)
    with client(serve()) as web:
        web.post(f"/approvals/{named}/answer", data=given(web.get(f"/approvals/{named}")))
        told = web.get(f"/runs/{run_id}", headers={"accept-language": "zh"}).text

    assert "答复 已批准" in told


def test_a_directory_that_the_server_was_not_given_is_not_shown(serve: Serve, park: Park, tmp_path: Path) -> None:
    named, _ = park("delete_file", LOCK)
    with client(serve(roots=(tmp_path / "judge.json",))) as web:
        page = web.get(f"/approvals/{named}")

    assert "not one that this server was given" in page.text
    assert "pid 4242" not in page.text


def test_a_forged_record_is_not_answered(serve: Serve, park: Park, journal: str) -> None:
    named, _ = park("delete_file", LOCK)
    base = serve()
    with client(base) as web:
        fields = given(web.get(f"/approvals/{named}"))
        damage(journal)
        assert "The record of the run does not hold." in web.get(f"/approvals/{named}").text
        refused = web.post(f"/approvals/{named}/answer", data=fields)

    assert refused.status_code == 409


def damage(journal: str) -> None:
    with closing(sqlite3.connect(journal)) as rows:
        rows.execute("UPDATE events SET body = replace(body, 'delete_file', 'delete_fine') WHERE seq = 1")
        rows.commit()


def test_huge_arguments_are_cut_and_said(serve: Serve, park: Park) -> None:
    content = "<script>\u202e" + "y" * 190_000
    named, _ = park("write_file", {"path": "n.txt", "content": content})
    with client(serve()) as web:
        page = web.get(f"/approvals/{named}")

    assert page.status_code == 200
    assert "<script>\\" not in page.text
    assert "\u202e" not in page.text
    assert "&lt;script&gt;\\u202e" in page.text
    assert f"[{len(content) - 2000} more characters, below as JSON]" in page.text
    assert len(page.text) < 300_000


@pytest.mark.parametrize(
    ("path", "status"),
    [
        pytest.param("/approvals/none", 404, id="unknown"),
        pytest.param("/approvals?run=none", 404, id="unknown-run"),
        pytest.param("/approvals?all=1", 200, id="all"),
        pytest.param("/approvals", 200, id="open"),
    ],
)
def test_a_place_answers(serve: Serve, path: str, status: int) -> None:
    with client(serve()) as web:
        assert web.get(path).status_code == status


def test_the_list_is_that_of_one_run_when_it_is_named(serve: Serve, park: Park) -> None:
    _, run_id = park("delete_file", LOCK)
    named, other = park("move_file", {"source": "package.json", "target": "p.json"})
    with client(serve()) as web:
        one, both = web.get(f"/approvals?run={other}").text, web.get("/approvals").text

    assert ("package.json -&gt; p.json" in one, run_id in one) == (True, False)
    assert run_id in both
    assert both.index(named) < both.index(run_id)
