"""Every store keeps one chain per run; the file store also survives what happens to files."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from interlock.errors import HeadMovedError, JournalError
from interlock.journal import Head, Journal, MemoryJournal, SqliteJournal, open_journal, read_journal
from interlock.journal.base import Store
from interlock.journal.chain import GENESIS

TS = "2026-01-02T03:04:05.000006Z"


@pytest.fixture
def journal(any_store: Store) -> Store:
    return any_store


def test_a_run_is_one_chain_from_the_first_record(journal: Journal) -> None:
    first = journal.append("r1", "run_started", {"task": "a"}, ts=TS)
    journal.append("r2", "run_started", {"task": "b"}, ts=TS)
    second = journal.append("r1", "run_ended", {"halt": "done"}, ts=TS, durable=True)
    assert (first.seq, first.prev_hash) == (1, GENESIS)
    assert (second.seq, second.prev_hash) == (2, first.hash)
    assert journal.head("r1") == Head(seq=2, hash=second.hash)
    assert list(journal.records("r1")) == [first, second]


def test_a_run_that_does_not_exist_has_no_records_and_no_head(journal: Journal) -> None:
    assert list(journal.records("none")) == []
    assert journal.head("none") is None


def test_a_snapshot_lists_runs_oldest_first_and_does_not_grow(journal: Journal) -> None:
    journal.append("z", "run_started", {}, ts=TS)
    journal.append("a", "run_started", {}, ts=TS)
    journal.append("z", "decision", {"decision": "d"}, ts=TS)
    with journal.snapshot() as view:
        journal.append("z", "decision", {}, ts=TS)
        journal.append("b", "run_started", {}, ts=TS)
        assert view.run_ids() == ("z", "a")
        assert view.count("z", "decision") == 1
        assert [row.type for row in view.rows("z")] == ["run_started", "decision"]
        assert [row.seq for row in view.rows("z", ["decision"])] == [2]
        assert view.head("z") == Head(seq=2, hash=list(view.rows("z"))[-1].hash)


def test_a_record_that_must_follow_another_is_refused_when_one_came_between(journal: Journal) -> None:
    first = journal.append("r", "run_started", {}, ts=TS)
    head = Head(seq=1, hash=first.hash)
    assert journal.append("r", "decision", {}, ts=TS, expected=head).seq == 2
    with pytest.raises(HeadMovedError, match="run `r`: is at record 2, not at record 1"):
        journal.append("r", "approval_consumed", {}, ts=TS, durable=True, expected=head)
    with pytest.raises(HeadMovedError, match="run `s`: has no record"):
        journal.append("s", "approval_consumed", {}, ts=TS, expected=head)
    assert journal.append("r", "run_ended", {}, ts=TS).seq == 3
    assert journal.head("s") is None


def test_a_run_is_worked_on_by_one_at_a_time(journal: Journal) -> None:
    with journal.hold("r"):
        with journal.hold("s"):
            journal.append("r", "run_started", {}, ts=TS)
        with pytest.raises(JournalError, match="run `r`: another process works on it"), journal.hold("r"):
            pytest.fail("the run was held twice")
        assert journal.append("r", "run_ended", {}, ts=TS).seq == 2, "whoever holds nothing may still append"
    with journal.hold("r"), pytest.raises(JournalError, match="works on it"), journal.hold("r"):
        pytest.fail("the run was held twice")


def test_a_run_that_was_let_go_is_held_by_the_next_at_once(journal: Journal) -> None:
    for _ in range(40):
        with journal.hold("r"):
            pass


@pytest.mark.parametrize("run_id", ["", "a b", "a\nb", "-x", "é", "x" * 129])
def test_a_run_id_is_one_word(journal: Journal, run_id: str) -> None:
    with pytest.raises(JournalError, match="is not one word"):
        journal.append(run_id, "run_started", {}, ts=TS)


def test_a_refused_body_writes_nothing_and_the_chain_goes_on(journal: Journal) -> None:
    journal.append("r", "run_started", {}, ts=TS)
    with pytest.raises(JournalError, match="cannot be written as JSON"):
        journal.append("r", "decision", {"p": float("nan")}, ts=TS)
    assert journal.append("r", "run_ended", {}, ts=TS).seq == 2


def test_the_file_and_its_directory_are_for_their_owner_only(tmp_path: Path) -> None:
    place = tmp_path / "share" / "interlock" / "journal.db"
    journal = SqliteJournal(place)
    journal.append("r", "run_started", {}, ts=TS)
    assert place.stat().st_mode & 0o777 == 0o600
    assert place.parent.stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o077 == 0 for path in place.parent.iterdir())
    journal.close()


def test_what_one_process_closed_another_opens(tmp_path: Path) -> None:
    place = str(tmp_path / "journal.db")
    for seq in (1, 2, 3):
        journal = open_journal(place)
        assert journal.append("r", "decision", {}, ts=TS).seq == seq
        journal.close()
        journal.close()


def test_reading_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="there is none"), read_journal(str(tmp_path / "none.db")):
        pass
    assert list(tmp_path.iterdir()) == []


def _directory(path: Path) -> None:
    path.mkdir()


def _other_database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE people (name TEXT)")
    connection.close()


def _newer(path: Path) -> None:
    SqliteJournal(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 9")
    connection.close()


def _text(path: Path) -> None:
    path.write_text("this is not a database, it is a text of some length\n" * 40)


def _lost_link(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere") / "journal.db")


def _damaged(path: Path) -> None:
    journal = SqliteJournal(path)
    for _ in range(50):
        journal.append("r", "decision", {"text": "x" * 500}, ts=TS)
    journal.close()
    content = bytearray(path.read_bytes())
    content[4096:] = bytes(len(content) - 4096)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        pytest.param(_directory, "is a directory", id="directory"),
        pytest.param(os.mkfifo, "is a device or a pipe", id="pipe"),
        pytest.param(_lost_link, "is a link that leads nowhere", id="lost-link"),
        pytest.param(_other_database, "is a database of something else", id="database-of-something-else"),
        pytest.param(_newer, "has schema version 9, this release reads 1", id="newer-schema"),
        pytest.param(_text, "is not a journal", id="text-file"),
        pytest.param(_damaged, "is damaged", id="damaged-pages"),
    ],
)
def test_a_place_that_holds_no_journal_is_named_for_writing_and_reading(
    tmp_path: Path, spoil: Callable[[Path], None], says: str
) -> None:
    place = tmp_path / "journal.db"
    spoil(place)
    with pytest.raises(JournalError, match=says):
        open_journal(str(place)).append("r", "run_started", {}, ts=TS)
    with pytest.raises(JournalError, match=says), read_journal(str(place)) as view:
        list(view.rows("r"))


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(JournalError, match="what should be its directory is a file; give a place"):
        open_journal(str(tmp_path / "file" / "journal.db"))


@pytest.mark.parametrize(
    ("place", "says"),
    [
        pytest.param("mysql://user:secret@host/db", "a `mysql` store is not known", id="scheme"),
        pytest.param("", "is empty", id="empty"),
        pytest.param("a\0b", "holds a NUL", id="nul"),
    ],
)
def test_a_place_that_names_no_store_is_refused_without_its_secrets(place: str, says: str) -> None:
    with pytest.raises(JournalError, match=says) as caught:
        open_journal(place)
    assert "secret" not in str(caught.value)


def test_a_full_disk_writes_nothing_and_loses_nothing(tmp_path: Path) -> None:
    place = tmp_path / "journal.db"
    journal = SqliteJournal(place)
    journal.append("r", "run_started", {}, ts=TS)
    journal._connection.execute("PRAGMA max_page_count = 8")
    with pytest.raises(JournalError, match="the disk is full"):
        journal.append("r", "tool_about_to_run", {"text": "x" * 100_000}, ts=TS, durable=True)
    assert [record.type for record in journal.records("r")] == ["run_started"]
    assert journal.append("r", "error", {}, ts=TS).seq == 2
    journal.close()


def test_a_locked_journal_is_refused_after_the_wait(tmp_path: Path) -> None:
    place = tmp_path / "journal.db"
    journal = SqliteJournal(place, busy_timeout_s=0.05)
    other = sqlite3.connect(place, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(JournalError, match="is locked by another process"):
        journal.append("r", "run_started", {}, ts=TS)
    other.execute("COMMIT")
    other.close()
    assert journal.append("r", "run_started", {}, ts=TS).seq == 1
    journal.close()


def test_a_closed_journal_says_so(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "journal.db")
    journal.close()
    with pytest.raises(JournalError, match="closed"):
        journal.append("r", "run_started", {}, ts=TS)


def test_a_run_is_restored_as_it_was_and_goes_on_from_there(journal: Store) -> None:
    other = MemoryJournal()
    for kind in ("run_started", "decision"):
        other.append("r", kind, {"text": "a\ud800"}, ts=TS)
    records = list(other.records("r"))
    journal.restore(records)
    assert list(journal.records("r")) == records
    assert journal.append("r", "run_ended", {}, ts=TS).prev_hash == records[-1].hash
    with pytest.raises(JournalError, match="run `r`: is in the journal already; it was not restored"):
        journal.restore(records)
    journal.restore([])


def test_a_redacted_row_keeps_its_hash_and_a_record_is_appended(journal: Store) -> None:
    first = journal.append("r", "run_started", {"task": "secret"}, ts=TS)
    head = Head(seq=1, hash=first.hash)
    told = journal.redact("r", {1: '{"task":"x"}'}, {"rows": []}, ts=TS, expected=head)
    stored = list(journal.records("r"))
    assert (stored[0].body, stored[0].text, stored[0].hash) == ({"task": "x"}, '{"task":"x"}', first.hash)
    assert stored[1] == told
    assert (told.type, told.prev_hash) == ("redacted", first.hash)
    with pytest.raises(HeadMovedError, match="is at record 2, not at record 1"):
        journal.redact("r", {1: "{}"}, {}, ts=TS, expected=head)
    assert next(journal.records("r")).text == '{"task":"x"}'


def test_a_pruned_run_is_gone_and_a_record_of_it_stays(journal: Store) -> None:
    first = journal.append("a", "run_started", {}, ts=TS)
    journal.append("b", "run_started", {}, ts=TS)
    with pytest.raises(HeadMovedError):
        journal.prune("a", {}, ts=TS, expected=Head(seq=1, hash="0" * 64))
    told = journal.prune("a", {"run_id": "a"}, ts=TS, expected=Head(seq=1, hash=first.hash))
    assert (told.run_id, told.type, told.seq) == ("pruned-runs", "pruned", 1)
    assert list(journal.records("a")) == []
    assert journal.head("a") is None
    with journal.snapshot() as view:
        assert set(view.run_ids()) == {"b", "pruned-runs"}
    last = journal.head("b")
    assert last is not None
    assert journal.prune("b", {}, ts=TS, expected=last).seq == 2


def test_what_was_deleted_is_gone_from_the_file_too(tmp_path: Path) -> None:
    place = tmp_path / "journal.db"
    journal = SqliteJournal(place)
    for run_id in ("a", "b"):
        journal.append(run_id, "run_started", {"task": f"the-secret-of-{run_id}" * 200}, ts=TS)
    heads = {run_id: journal.head(run_id) for run_id in ("a", "b")}
    assert heads["a"] is not None
    assert heads["b"] is not None
    journal.prune("a", {}, ts=TS, expected=heads["a"])
    journal.redact("b", {1: "{}"}, {}, ts=TS, expected=heads["b"])
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"the-secret-of-a" not in content
    assert b"the-secret-of-b" not in content
    journal.close()


def test_rows_can_be_read_from_where_a_reader_stopped(journal: Store) -> None:
    """A follower of a running run does not read the whole run again."""
    for number in range(4):
        journal.append("r", "error" if number % 2 else "budget", {"n": number}, ts=TS)

    with journal.snapshot() as view:
        assert [row.seq for row in view.rows("r", after=2)] == [3, 4]
        assert [row.seq for row in view.rows("r", ["error"], after=2)] == [4]
        assert [row.seq for row in view.rows("r", after=4)] == []
