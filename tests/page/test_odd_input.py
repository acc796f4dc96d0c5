"""What nobody would write by hand: numbers that nothing has, and records that somebody else made up."""

from __future__ import annotations

import json
import logging
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from interlock.journal.chain import Head, link
from interlock.journal.place import open_journal
from interlock.journal.records import Body, EventType, Record, read_rows
from interlock.judge.rules import RuleJudge
from interlock.loop.extractive import ExtractiveWriter
from interlock.loop.run import run
from interlock.questions import Json
from interlock.server.site.runs import MAX_ROWS
from interlock.tools.table import reference_table

Serve = Callable[..., str]

RUN = "made-up"
HUGE = 10**400


def restore(journal: str, rows: Sequence[tuple[EventType, Mapping[str, Json]]]) -> None:
    """Take in a run as somebody else wrote it."""
    head: Head | None = None
    records: list[Record] = []
    for kind, body in rows:
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        ts = "2026-01-02T03:04:05.000000Z"
        records.append(link(head, run_id=RUN, ts=ts, kind=kind, body=body, text=text))
        head = Head(seq=records[-1].seq, hash=records[-1].hash)
    with closing(open_journal(journal)) as store:
        store.restore(records)


@pytest.fixture
def begun(journal: str, shop: Path) -> Body:
    """Return what the first record of a run says, as this release writes it."""
    parts = {"judge": RuleJudge(reference_table()), "writer": ExtractiveWriter()}
    with ThreadPoolExecutor(1) as pool, closing(open_journal(journal)) as store:
        pool.submit(lambda: run("Look around", cwd=shop, journal=store, **parts)).result()  # type: ignore[arg-type]
        with store.snapshot() as view:
            return next(read_rows(view.rows(view.run_ids()[0]))).body


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        pytest.param({"record": "{place}"}, "judging.record: the run names a file", id="writes-a-recording"),
        pytest.param({"cache": "{place}"}, "judging.cache: the run names a file", id="writes-answers"),
        pytest.param({"locks": "{place}"}, "judging.locks: the run names a file", id="reads-locks"),
        pytest.param({"profiles": "{place}"}, "judging.profiles: the run names a file", id="reads-profiles"),
        pytest.param({"cwd": "."}, "directory: the run names it without its beginning", id="relative-directory"),
        pytest.param({"cwd": "/"}, "directory: lies outside", id="directory-outside"),
        pytest.param({"judge": "hash"}, "judge: this server does not offer", id="another-judge"),
    ],
)
def test_a_run_that_was_taken_in_opens_nothing_that_the_server_was_not_given(
    serve: Serve, journal: str, begun: Body, changed: Mapping[str, str], says: str
) -> None:
    place = Path(str(begun["cwd"])).parent / "elsewhere" / "file"
    place.parent.mkdir()
    given = {key: value.replace("{place}", str(place)) for key, value in changed.items()}
    judging: Json = {key: value for key, value in given.items() if key not in ("cwd", "judge")}
    wired: Json = {"judge": given.get("judge", "rules"), "writer": "extractive", "judging": judging}
    restore(journal, [("run_started", {**begun, "cwd": given.get("cwd", begun["cwd"]), "wired": wired})])
    address = serve()
    answers = [httpx2.post(f"{address}/runs/{RUN}/resume"), httpx2.post(f"{address}/api/v1/runs/{RUN}/resume", json={})]

    assert [answer.status_code for answer in answers] == [409, 409]
    assert all(says in answer.text for answer in answers)
    assert list(place.parent.iterdir()) == []


@pytest.mark.parametrize("number", ["9" * 30, "9" * 5000, "-1", "1.5", "%D9%A1", "%C2%B2", "%00"])
def test_a_number_that_nothing_has_is_not_found_and_breaks_nothing(serve: Serve, journal: str, number: str) -> None:
    restore(journal, [("run_started", {"task": "Look around"})])
    address = serve()
    paths = (f"/runs/{RUN}/decisions/{number}", f"/experiments/{number}", f"/runs/{RUN}/events?after={number}")

    assert [httpx2.get(address + path).status_code for path in paths] == [404, 404, 400]
    assert httpx2.get(f"{address}/runs?page={number}").status_code == 200
    assert httpx2.get(f"{address}/what-if?page={number}").status_code == 200


def test_a_run_whose_records_are_made_up_is_shown_as_far_as_it_goes(serve: Serve, journal: str) -> None:
    rows: list[tuple[EventType, Mapping[str, Json]]] = [
        ("run_started", {"task": ["no", "text"], "contract_digest": HUGE, "judge": [], "cwd": {}}),
        ("judge_request", {"request": [], "decisions": [{}], "wave": "first"}),
        ("judge_reply", {"request": {"a": []}}),
        ("decision", {"decision": "d", "action": "use", "outcome": {"value": HUGE}, "plan": {"wave": HUGE}}),
        ("generation", {"purpose": "answer", "text": "It is done.", "failure": None, "elapsed_s": HUGE}),
        ("tool_result", {"tool": "t", "result": "r", "failed": False, "elapsed_s": -HUGE}),
        ("error", {"message": "the last one"}),
    ]
    restore(journal, rows)
    address = serve()
    pages = {piece: httpx2.get(f"{address}/runs/{RUN}{piece}") for piece in ("", "/head", "/answer", "/waves")}

    assert {piece: page.status_code for piece, page in pages.items()} == dict.fromkeys(pages, 200)
    assert pages[""].text.count("cannot be shown; run interlock verify") == 3
    assert "the last one" in pages[""].text


def test_of_a_very_long_run_the_last_part_is_shown_and_the_rest_is_named(serve: Serve, journal: str) -> None:
    count = MAX_ROWS + 50
    errors: list[tuple[EventType, Mapping[str, Json]]] = [("error", {"message": f"no. {n}."}) for n in range(count)]
    restore(journal, [("run_started", {"task": "Look around"}), *errors])
    page = httpx2.get(f"{serve()}/runs/{RUN}", timeout=30).text

    assert page.count('<li class="item') == MAX_ROWS
    assert (f"no. {count - 1}." in page, "no. 1." in page) == (True, False)
    assert f"/api/v1/runs/{RUN}/records" in page


def test_one_who_goes_away_in_the_middle_of_a_form_is_no_fault(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    address = serve()
    found = urlsplit(address)
    head = f"POST /start HTTP/1.1\r\nhost: {found.netloc}\r\ncontent-type: application/x-www-form-urlencoded\r\n"
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            with closing(socket.create_connection((found.hostname or "", found.port or 0), timeout=10)) as gone:
                gone.sendall(f"{head}content-length: 100\r\n\r\ntask=".encode())
                time.sleep(0.05)
        time.sleep(0.2)
        assert httpx2.get(f"{address}/health").text == "ok\n"

    assert [record.getMessage() for record in caplog.records] == []
