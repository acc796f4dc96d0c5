"""A journal in a real PostgreSQL: several processes share it, connections are lost, and no address is ever shown."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

from interlock.errors import HeadMovedError, JournalError
from interlock.journal import Head, Journal, open_journal, read_journal
from interlock.journal.store_postgres import PostgresJournal
from interlock.journal.verify import verify_run
from interlock.postgres import shown_address

pytestmark = pytest.mark.needs_system

WriteRun = Callable[..., str]
TS = "2026-01-02T03:04:05.000006Z"
WRITER = """
import sys
from interlock.journal import open_journal
place, run_id, count = sys.argv[1:]
journal = open_journal(place)
for number in range(int(count)):
    body = {"number": number, "text": "x" * 2000}
    journal.append(run_id, "audit", body, ts="2026-01-02T03:04:05.000006Z", durable=number % 3 == 0)
    print(number, flush=True)
"""
HOLDER = """
import sys
from interlock.journal import open_journal
with open_journal(sys.argv[1]).hold("r"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def journal(postgres_url: str) -> Iterator[PostgresJournal]:
    with closing(PostgresJournal(postgres_url, lock_timeout_s=0.2)) as opened:
        yield opened


def _process(code: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _admin(url: str) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(url, autocommit=True)


def _end_others(url: str) -> None:
    with _admin(url) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_two_processes_append_to_one_journal_without_a_lost_or_forked_chain(postgres_url: str) -> None:
    writers = [_process(WRITER, postgres_url, run_id, "120") for run_id in ("run-a", "run-b", "run-a")]
    for writer in writers:
        writer.communicate(timeout=60)
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    with read_journal(postgres_url) as view:
        assert {run_id: view.count(run_id, "audit") for run_id in view.run_ids()} == {"run-a": 240, "run-b": 120}
        assert {verify_run(view, run_id).verdict for run_id in view.run_ids()} == {"verified"}


def test_a_killed_writer_leaves_a_valid_chain_with_everything_it_had_confirmed(postgres_url: str) -> None:
    writer = _process(WRITER, postgres_url, "run-1", "100000")
    assert writer.stdout is not None
    for _ in range(9):
        confirmed = int(writer.stdout.readline())
    os.kill(writer.pid, signal.SIGKILL)
    writer.communicate(timeout=30)
    with closing(open_journal(postgres_url)) as journal:
        head = journal.append("run-1", "error", {}, ts=TS)
    with read_journal(postgres_url) as view:
        check = verify_run(view, "run-1")
    assert (check.verdict, check.records) == ("verified", head.seq)
    assert check.records > confirmed + 1


def test_a_run_of_every_kind_of_record_reads_the_same_as_from_a_file(
    journal: PostgresJournal, write_run: WriteRun, decisions: object
) -> None:
    write_run(journal, "run-1", record_state=True)
    with journal.snapshot() as view:
        check = verify_run(view, "run-1")
    assert check.counts["mismatch"] == 0
    assert check.decisions == 11


def test_a_record_that_was_to_follow_another_is_refused(journal: PostgresJournal) -> None:
    first = journal.append("r", "run_started", {}, ts=TS)
    journal.append("r", "audit", {}, ts=TS)
    with pytest.raises(HeadMovedError, match="is at record 2, not at record 1"):
        journal.append("r", "audit", {}, ts=TS, expected=Head(seq=1, hash=first.hash))
    assert journal.append("r", "audit", {}, ts=TS).seq == 3


def test_a_run_is_held_by_one_process_until_its_end(postgres_url: str, journal: PostgresJournal) -> None:
    holder = _process(HOLDER, postgres_url)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(JournalError, match="run `r`: another process works on it"), journal.hold("r"):
        pass
    with journal.hold("other"):
        assert journal.append("r", "audit", {}, ts=TS).seq == 1
    os.kill(holder.pid, signal.SIGKILL)
    holder.communicate(timeout=30)
    with journal.hold("r"), pytest.raises(JournalError, match="works on it"), journal.hold("r"):
        pass


def test_a_connection_that_the_server_ended_is_made_anew(journal: PostgresJournal, postgres_url: str) -> None:
    journal.append("r", "run_started", {}, ts=TS)
    _end_others(postgres_url)
    with pytest.raises(JournalError, match=r"is shutting down or starting|cannot be reached"):
        journal.append("r", "audit", {}, ts=TS)
    assert journal.append("r", "audit", {}, ts=TS).seq == 2
    _end_others(postgres_url)
    with pytest.raises(JournalError, match=r"is shutting down or starting|cannot be reached"):
        journal.head("r")
    assert journal.head("r") is not None


def test_a_run_that_another_transaction_holds_is_refused_after_the_wait(
    journal: PostgresJournal, postgres_url: str
) -> None:
    with _admin(postgres_url) as other:
        other.execute("SELECT pg_advisory_lock(hashtextextended('r', 1))")
        with pytest.raises(JournalError, match="is locked by another process"):
            journal.append("r", "run_started", {}, ts=TS)
    assert journal.append("r", "run_started", {}, ts=TS).seq == 1


def test_text_that_no_column_can_hold_is_refused_and_nothing_is_written(journal: PostgresJournal) -> None:
    journal.append("r", "audit", {"text": "a\0b\ud800"}, ts=TS)
    with pytest.raises(JournalError, match="a value does not fit the store"):
        journal.append("r", "audit", {}, ts="2026\0")
    assert [record.body["text"] for record in journal.records("r")] == ["a\0b\ud800"]


def test_a_closed_journal_says_so(journal: PostgresJournal) -> None:
    journal.close()
    journal.close()
    with pytest.raises(JournalError, match="is closed"):
        journal.append("r", "run_started", {}, ts=TS)


def test_many_runs_are_read_side_by_side(journal: PostgresJournal) -> None:
    for run_id in ("a", "b"):
        for _ in range(3):
            journal.append(run_id, "audit", {}, ts=TS)
    with journal.snapshot() as view:
        pairs = [(one.seq, other.seq) for one, other in zip(view.rows("a"), view.rows("b"), strict=True)]
    assert pairs == [(1, 1), (2, 2), (3, 3)]


def _changed(url: str, **parts: str) -> str:
    split = urlsplit(url)
    authority = split.netloc
    for part, value in parts.items():
        match part:
            case "password":
                authority = re.sub(r":[^:@]*@", f":{value}@", authority)
            case "user":
                authority = re.sub(r"^[^:]*:", f"{value}:", authority)
            case "port":
                authority = re.sub(r":\d+$", f":{value}", authority)
    return split._replace(netloc=authority, path=parts.get("path", split.path), query=parts.get("query", "")).geturl()


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        pytest.param({"password": "canary"}, "refused the login", id="password"),
        pytest.param({"user": "canary"}, "refused the login", id="user"),
        pytest.param({"path": "/nowhere"}, "has no such database", id="database"),
        pytest.param({"port": "1"}, "cannot be reached", id="port"),
        pytest.param({"query": "canary=1"}, "the address is not usable", id="option"),
    ],
)
def test_an_address_that_leads_nowhere_is_explained_and_its_secrets_are_not_shown(
    postgres_url: str, parts: dict[str, str], says: str
) -> None:
    address = _changed(postgres_url, **parts)
    secret = urlsplit(address).password
    for open_place in (open_journal, lambda place: read_journal(place).__enter__()):
        with pytest.raises(JournalError, match=says) as caught:
            open_place(address)
        shown = repr(caught.value) + repr(caught.value.__cause__)
        assert secret is not None
        assert secret not in shown
        assert "canary" not in shown
        assert urlsplit(address).hostname is not None
        assert f"journal `{shown_address(address)}`" in shown


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        pytest.param("SELECT 1", "holds no journal", id="nothing"),
        pytest.param("CREATE SCHEMA interlock", "holds no journal", id="schema-alone"),
        pytest.param(
            "CREATE SCHEMA interlock; CREATE TABLE interlock.journal (version INTEGER); "
            "INSERT INTO interlock.journal VALUES (9)",
            "has schema version 9, this release reads 1",
            id="newer",
        ),
        pytest.param(
            "CREATE SCHEMA interlock; CREATE TABLE interlock.journal (version INTEGER); "
            "INSERT INTO interlock.journal VALUES (1)",
            "holds no journal",
            id="tables-gone",
        ),
        pytest.param(
            "CREATE SCHEMA interlock; CREATE TABLE interlock.journal (version INTEGER); "
            "INSERT INTO interlock.journal VALUES (1); CREATE TABLE interlock.heads (name TEXT)",
            "has not the tables of a journal",
            id="other-tables",
        ),
    ],
)
def test_a_database_that_holds_no_journal_is_named(postgres_url: str, statement: str, says: str) -> None:
    with _admin(postgres_url) as connection:
        connection.execute(sql.SQL(statement))
    with pytest.raises(JournalError, match=says), read_journal(postgres_url) as view:
        list(view.rows("r"))


def test_a_user_who_may_not_write_is_told_so(postgres_url: str, journal: PostgresJournal) -> None:
    journal.append("r", "run_started", {}, ts=TS)
    with _admin(postgres_url) as connection:
        connection.execute("DROP ROLE IF EXISTS reader")
        connection.execute("CREATE ROLE reader LOGIN PASSWORD 'reading'")
        connection.execute("GRANT USAGE ON SCHEMA interlock TO reader")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA interlock TO reader")
    try:
        address = _changed(_changed(postgres_url, user="reader"), password="reading")
        with read_journal(address) as view:
            assert view.run_ids() == ("r",)
        with (
            closing(open_journal(address)) as opened,
            pytest.raises(JournalError, match="may not be used by this user"),
        ):
            opened.append("r", "audit", {}, ts=TS)
    finally:
        with _admin(postgres_url) as connection:
            connection.execute("DROP OWNED BY reader")
            connection.execute("DROP ROLE reader")


def test_a_database_in_another_encoding_is_refused(postgres_url: str) -> None:
    with _admin(postgres_url) as connection:
        connection.execute("DROP DATABASE IF EXISTS latin")
        connection.execute("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1'")
    try:
        with pytest.raises(JournalError, match="the database is not in UTF-8"):
            open_journal(_changed(postgres_url, path="/latin"))
    finally:
        with _admin(postgres_url) as connection:
            connection.execute("DROP DATABASE latin")


def test_a_missing_library_is_named_by_its_extra() -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from interlock.errors import JournalError\n"
        "from interlock.journal import open_journal\n"
        "try: open_journal('postgresql://user:canary@host/db')\n"
        "except JournalError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == 'journal: `psycopg` is not installed: pip install "interlock[postgres]"\n'


def _seam(journal: Journal) -> Journal:
    return journal


def test_it_stands_behind_the_seam(journal: PostgresJournal) -> None:
    assert _seam(journal).place == journal.place
