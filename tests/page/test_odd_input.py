"""What nobody would write by hand: numbers that nothing has, and records that somebody else made up."""

from __future__ import annotations

import json
import logging
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from urllib.parse import urlsplit

import httpx2
import pytest

from interlock.journal.chain import Head, link
from interlock.journal.place import open_journal
from interlock.journal.records import EventType, Record
from interlock.questions import Json
from interlock.server.site.runs import MAX_ITEMS

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
    count = MAX_ITEMS + 50
    errors: list[tuple[EventType, Mapping[str, Json]]] = [("error", {"message": f"no. {n}."}) for n in range(count)]
    restore(journal, [("run_started", {"task": "Look around"}), *errors])
    page = httpx2.get(f"{serve()}/runs/{RUN}", timeout=30).text

    assert page.count('<li class="item') == MAX_ITEMS
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
