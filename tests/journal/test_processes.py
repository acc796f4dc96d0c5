"""Several processes share one file, and any of them may die at any moment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from interlock.errors import JournalError
from interlock.journal import SqliteJournal, read_journal
from interlock.journal.verify import verify_run

WRITER = """
import sys
from pathlib import Path
from interlock.journal import SqliteJournal
place, run_id, count = sys.argv[1:]
journal = SqliteJournal(Path(place), busy_timeout_s=30)
for number in range(int(count)):
    body = {"number": number, "text": "x" * 2000}
    journal.append(run_id, "audit", body, ts="2026-01-02T03:04:05.000006Z", durable=number % 3 == 0)
    print(number, flush=True)
"""

READER = """
import os, sys
from interlock.errors import JournalError
from interlock.journal import open_journal, read_journal
os.setuid(65534)
with read_journal(sys.argv[1]) as view:
    print([row.seq for row in view.rows("r")])
try:
    open_journal(sys.argv[1]).append("r", "audit", {}, ts="2026")
except JournalError as error:
    print(error)
"""


def _writer(place: Path, run_id: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(place), run_id, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_two_processes_append_to_one_new_file_without_a_lost_record(tmp_path: Path) -> None:
    place = tmp_path / "journal.db"
    writers = [_writer(place, run_id, 150) for run_id in ("run-a", "run-b", "run-a")]
    for writer in writers:
        writer.communicate(timeout=60)
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    with read_journal(str(place)) as view:
        assert {run_id: view.count(run_id, "audit") for run_id in view.run_ids()} == {"run-a": 300, "run-b": 150}
        assert {verify_run(view, run_id).verdict for run_id in view.run_ids()} == {"verified"}


def test_a_new_file_is_made_once_however_many_open_it_at_once(tmp_path: Path) -> None:
    for attempt in range(8):
        place, together = tmp_path / f"{attempt}.db", threading.Barrier(6)

        def append(number: int, place: Path = place, together: threading.Barrier = together) -> int:
            together.wait()
            with closing(SqliteJournal(place)) as journal:
                return journal.append(f"run-{number}", "audit", {}, ts="2026").seq

        with ThreadPoolExecutor(6) as pool:
            assert list(pool.map(append, range(6))) == [1] * 6


@pytest.mark.parametrize("lines", [1, 7, 40])
def test_a_killed_writer_leaves_a_valid_chain_with_everything_it_had_confirmed(tmp_path: Path, lines: int) -> None:
    place = tmp_path / "journal.db"
    writer = _writer(place, "run-1", 100_000)
    assert writer.stdout is not None
    for _ in range(lines):
        confirmed = int(writer.stdout.readline())
    os.kill(writer.pid, signal.SIGKILL)
    writer.communicate(timeout=30)
    with read_journal(str(place)) as view:
        check = verify_run(view, "run-1")
    assert check.verdict == "verified"
    assert check.records > confirmed
    journal = SqliteJournal(place)
    assert journal.append("run-1", "error", {}, ts="2026").seq == check.records + 1
    journal.close()


@pytest.fixture
def shared() -> Iterator[Path]:
    """A directory that others may enter and read, but not write."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        yield directory
        directory.chmod(0o755)


def test_a_place_that_cannot_be_written_can_be_read_and_says_so(shared: Path) -> None:
    place = shared / "journal.db"
    journal = SqliteJournal(place)
    for _ in range(3):
        journal.append("r", "audit", {}, ts="2026-01-02T03:04:05.000006Z")
    journal.close()
    place.chmod(0o444)
    shared.chmod(0o555)
    if os.getuid() == 0:
        done = subprocess.run([sys.executable, "-c", READER, str(place)], capture_output=True, text=True, check=False)
        assert done.stderr == ""
        listed, refused = done.stdout.splitlines()
        assert listed == "[1, 2, 3]"
    else:
        with read_journal(str(place)) as view:
            assert [row.seq for row in view.rows("r")] == [1, 2, 3]
        with pytest.raises(JournalError) as caught:
            SqliteJournal(place)
        refused = str(caught.value)
    assert refused == f"journal `{place}`: permission denied; give a place that can be written"


HOLDER = """
import sys, time
from pathlib import Path
from interlock.journal import SqliteJournal
with SqliteJournal(Path(sys.argv[1])).hold("r"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_process_that_is_killed_lets_go_of_its_run(tmp_path: Path) -> None:
    place = tmp_path / "journal.db"
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(place)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with closing(SqliteJournal(place)) as journal:
        with pytest.raises(JournalError, match="another process works on it"), journal.hold("r"):
            pytest.fail("two processes held one run")
        holder.kill()
        holder.communicate()
        with journal.hold("r"):
            assert list(tmp_path.glob("*.lock")) == [tmp_path / "journal.db-r.lock"]
        assert list(tmp_path.glob("*.lock")) == []
