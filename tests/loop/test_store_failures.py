"""A run whose journal fails stops before the effect and says why; later it goes on from what was kept."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from interlock.errors import JournalError
from interlock.journal import Record, SqliteJournal, read_journal
from interlock.journal.store_postgres import PostgresJournal
from interlock.journal.verify import verify_run
from interlock.loop.approval import ApprovalAnswer, ApprovalRequest
from interlock.loop.result import RunResult
from interlock.loop.resume import resume
from interlock.loop.run import run
from interlock.loop.scripted import ScriptedWriter
from interlock.testing import ScriptedJudge

Judges = Callable[..., ScriptedJudge]
WRITE = {"path": "c.ts", "content": "x\n" * 3000}


class Store:
    """A journal file, and what may happen to it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.journal = SqliteJournal(place, busy_timeout_s=0.2)
        self._other: sqlite3.Connection | None = None

    def full(self) -> None:
        """Let the file not grow: every page that a record needs is one too many."""
        connection = self.journal._connection
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")

    def locked(self) -> None:
        """Let another process write, for longer than anybody waits."""
        self._other = sqlite3.connect(self.place, isolation_level=None)
        self._other.execute("BEGIN IMMEDIATE")

    def read_only(self) -> None:
        self.journal._connection.execute("PRAGMA query_only = ON")

    def healed(self) -> SqliteJournal:
        """Open the file again, as another process does when the trouble is over."""
        if self._other is not None:
            self._other.close()
        self.journal.close()
        self.journal = SqliteJournal(self.place)
        return self.journal


class Database:
    """A journal in PostgreSQL, and what may happen to it."""

    def __init__(self, address: str) -> None:
        self._address = address
        self.journal = PostgresJournal(address, lock_timeout_s=0.2)
        self._other = psycopg.connect(address)

    def locked(self) -> None:
        """Let another session work on every run, for longer than anybody waits."""
        self._other.execute("LOCK TABLE interlock.heads IN EXCLUSIVE MODE")

    def read_only(self) -> None:
        self.journal._connection.execute("SET default_transaction_read_only = on")

    def gone(self) -> None:
        """Let the server end every session of others, as when it is restarted, and take no new one."""
        self._other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        self._other.commit()
        self._other.execute("LOCK TABLE interlock.heads IN EXCLUSIVE MODE")

    def healed(self) -> PostgresJournal:
        """Open the database again, as another process does when the trouble is over."""
        self._other.rollback()
        self.journal.close()
        self.journal = PostgresJournal(self._address)
        return self.journal

    def close(self) -> None:
        self._other.close()
        self.journal.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "journal.db")
    yield made
    made.healed().close()


@pytest.fixture
def database(postgres_url: str) -> Iterator[Database]:
    with closing(Database(postgres_url)) as made:
        yield made


async def _yes(request: ApprovalRequest) -> ApprovalAnswer:
    return ApprovalAnswer(approved=True, by="ada")


def _options(judge: Judges) -> dict[str, Any]:
    judged = judge(pick_tool="write_file", grade_risk__risk=3.0, is_done=0.9)
    return {"judge": judged, "writer": ScriptedWriter(["written"] * 2, [WRITE]), "ask": _yes}


def _failing(project: Path, judge: Judges, store: Store | Database, *, when: str, how: str) -> JournalError:
    """Return why a run stopped whose journal fails right after a record of type `when`."""

    def fail(record: Record) -> None:
        if record.type == when:
            getattr(store, how)()

    with pytest.raises(JournalError, match="journal") as stopped:
        run("write c.ts", cwd=project, can_write=True, journal=store.journal, on_event=fail, **_options(judge))
    return stopped.value


def _continued(project: Path, judge: Judges, store: Store | Database) -> RunResult:
    journal = store.healed()
    with journal.snapshot() as view:
        (run_id,) = view.run_ids()
        assert verify_run(view, run_id).verdict != "mismatch"
    return resume(run_id, journal=journal, **_options(judge))


@pytest.mark.parametrize(
    "trouble",
    [
        pytest.param(("full", "the disk is full; free space or give another place"), id="disk-full"),
        pytest.param(("locked", "is locked by another process; try again when it has finished"), id="locked"),
        pytest.param(("read_only", "is read-only; give a place that can be written"), id="read-only"),
    ],
)
@pytest.mark.parametrize("when", ["generation", "approval_requested", "approval_answered", "approval_consumed"])
def test_a_store_that_fails_stops_the_run_before_the_effect_and_nothing_is_lost(
    project: Path, judge: Judges, store: Store, when: str, trouble: tuple[str, str]
) -> None:
    how, says = trouble
    stopped = _failing(project, judge, store, when=when, how=how)
    assert says in str(stopped)
    assert not (project / "c.ts").exists()
    ended = _continued(project, judge, store)
    assert ended.delivered
    assert (project / "c.ts").read_text() == WRITE["content"]


@pytest.mark.needs_system
@pytest.mark.parametrize(
    "trouble",
    [
        pytest.param(("locked", "is locked by another process; try again when it has finished"), id="locked"),
        pytest.param(("read_only", "is read-only; give one that can be written"), id="read-only"),
        pytest.param(("gone", "the connection was lost; try again|is shutting down or starting"), id="server-gone"),
    ],
)
@pytest.mark.parametrize("when", ["approval_requested", "approval_answered", "approval_consumed"])
def test_a_database_that_fails_stops_the_run_before_the_effect_and_nothing_is_lost(
    project: Path, judge: Judges, database: Database, when: str, trouble: tuple[str, str]
) -> None:
    how, says = trouble
    stopped = _failing(project, judge, database, when=when, how=how)
    assert re.search(says, str(stopped))
    assert not (project / "c.ts").exists()
    ended = _continued(project, judge, database)
    assert ended.delivered
    assert (project / "c.ts").read_text() == WRITE["content"]


@pytest.mark.parametrize("how", ["locked", "read_only"])
def test_a_store_that_fails_after_the_effect_loses_no_step_and_repeats_none(
    project: Path, judge: Judges, store: Store, how: str
) -> None:
    _failing(project, judge, store, when="tool_about_to_run", how=how)
    assert (project / "c.ts").exists(), "what was about to run was on record, so it ran"
    (project / "c.ts").chmod(0o640)
    ended = _continued(project, judge, store)
    assert ended.delivered
    assert (ended.steps[0].result or "").startswith("[recovered] `write_file` took effect")
    assert (project / "c.ts").stat().st_mode & 0o777 == 0o640


def test_a_damaged_page_is_named_and_the_run_does_not_go_on(project: Path, judge: Judges, store: Store) -> None:
    _failing(project, judge, store, when="approval_consumed", how="locked")
    store.healed().close()
    with closing(sqlite3.connect(store.place)) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size: int = file.execute("PRAGMA page_size").fetchone()[0]
        root: int = file.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").fetchone()[0]
        run_id = file.execute("SELECT run_id FROM heads").fetchone()[0]
    content = bytearray(store.place.read_bytes())
    content[(root - 1) * size : (root - 1) * size + 64] = b"\xff" * 64
    store.place.write_bytes(content)
    with pytest.raises(JournalError, match="is damaged; keep it and start a new one"):
        resume(run_id, journal=SqliteJournal(store.place), **_options(judge))
    assert not (project / "c.ts").exists()
    with closing(sqlite3.connect(store.place)) as file:
        assert file.execute("SELECT count(*) FROM heads").fetchone() == (1,), "what is not on the page is still there"


def test_a_reader_is_not_kept_out_by_whoever_writes(project: Path, judge: Judges, store: Store) -> None:
    _failing(project, judge, store, when="approval_requested", how="locked")
    with read_journal(str(store.place)) as view:
        assert view.count(view.run_ids()[0], "approval_requested") == 1
