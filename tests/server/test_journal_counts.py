"""`GET /metrics`: the counts of the journal beside those of the process, without reading it whole each time."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from interlock.journal import SqliteJournal
from interlock.server.journal_counts import ScrapedJournal

Serve = Callable[..., str]
TS = "2026-01-02T03:04:05.000006Z"


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    with closing(SqliteJournal(tmp_path / "journal.db")) as opened:
        yield opened


def _call(journal: SqliteJournal, run_id: str = "r") -> None:
    journal.append(run_id, "tool_result", {"tool": "read_file", "failed": False}, ts=TS)


@pytest.mark.enable_socket
def test_a_scrape_has_the_counts_of_the_process_and_of_the_journal(serve: Serve, journal: SqliteJournal) -> None:
    url = serve(journal_counts=ScrapedJournal(journal.snapshot))
    for count in (1, 2):
        _call(journal)
        scraped = httpx2.get(f"{url}/metrics")
        assert scraped.headers["content-type"].startswith("text/plain; version=0.0.4")
        lines = scraped.text.splitlines()
        assert f'interlock_tool_calls_total{{tool="read_file",failed="false"}} {count}' in lines
        assert "interlock_journal_up 1" in lines
        described = [line.split()[2] for line in lines if line.startswith("# TYPE")]
        assert len(described) == len(set(described)), "a metric was described twice"
    assert 'interlock_gateway_requests_total{route="/metrics",status="200"} 1' in lines
    names = {re.split("[{ ]", line)[0] for line in lines if not line.startswith("#")}
    assert names
    for name in names:
        assert any(name == metric or name.startswith(f"{metric}_") for metric in described), name


def test_a_long_journal_is_caught_up_with_over_several_scrapes(journal: SqliteJournal) -> None:
    for number in range(30):
        _call(journal, f"r{number % 3}")
    scrape = ScrapedJournal(journal.snapshot, rows_per_scrape=12)
    left = [next(line for line in scrape() if line.startswith("interlock_uncounted_rows ")) for _ in range(3)]
    assert left == ["interlock_uncounted_rows 18", "interlock_uncounted_rows 6", "interlock_uncounted_rows 0"]
    assert 'interlock_tool_calls_total{tool="read_file",failed="false"} 30' in scrape()


def test_a_journal_that_cannot_be_read_keeps_its_counts_and_says_so(tmp_path: Path, journal: SqliteJournal) -> None:
    _call(journal)
    scrape = ScrapedJournal(journal.snapshot)
    assert "interlock_journal_up 1" in scrape()
    with sqlite3.connect(tmp_path / "journal.db") as other:
        other.execute("PRAGMA user_version = 99")
    lines = scrape()
    assert "interlock_journal_up 0" in lines
    assert 'interlock_tool_calls_total{tool="read_file",failed="false"} 1' in lines
