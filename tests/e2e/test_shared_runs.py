"""Several processes and one gated run: one goes on with it, and the call is made once, whatever is killed when."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from interlock.journal import Recorder, open_journal, read_journal
from interlock.journal.approval_steps import answer_approval
from interlock.journal.approvals import approvals_of
from interlock.journal.verify import verify_run

WORKER = """
import os, signal, sys, time
from contextlib import closing
from dataclasses import replace
from interlock import reference_host, run
from interlock.errors import JournalError
from interlock.journal import open_journal
from interlock.loop.resume import resume
from interlock.loop.scripted import ScriptedWriter
from interlock.testing import ScriptedJudge
from interlock.tools.callables import tool_from_function

place, root, run_id, dies_at = sys.argv[1:]

def pay(amount: int) -> str:
    \"\"\"Money is to be paid.\"\"\"
    time.sleep(0.5)
    with open(f"{root}/../paid.txt", "a") as file:
        file.write(f"{amount}\\n")
    return f"paid {amount}"

def answer(state, id_, question):
    done = "paid 7" in str(state)
    answers = {"needs_tool": 0.9, "pick_tool": "pay", "risk": 3.0, "needs_auth": 0.9, "step_ok": 0.9,
               "is_done": 0.9 if done else 0.1, "deliverable": 0.9, "unsupported": 0.1}
    return answers[id_.rpartition(".")[2]]

def die(record):
    if record.type == dies_at:
        os.kill(os.getpid(), signal.SIGKILL)

options = {
    "judge": ScriptedJudge(answer), "writer": ScriptedWriter(["paid"] * 2, [{"amount": 7}] * 2),
    "host": reference_host(root, tools=[tool_from_function(pay, base_risk=3)]), "on_event": die,
}
with closing(open_journal(place)) as journal:
    print("ready", flush=True)
    sys.stdin.readline()
    try:
        if run_id == "new":
            result = run("pay 7", cwd=root, park=True, journal=journal, **options)
        else:
            result = resume(run_id, journal=journal, **options)
        print(result.halt, flush=True)
    except JournalError as error:
        print(error, flush=True)
"""


class Shared:
    """A journal and a directory that several processes work on."""

    def __init__(self, place: str, root: Path) -> None:
        self.place = place
        self._root = root
        root.mkdir()

    def work(self, run_id: str, *, count: int = 1, dies_at: str = "") -> Sequence[tuple[int, str]]:
        """Return how so many processes ended that begin at one moment: exit code, and what they said."""
        command = [sys.executable, "-c", WORKER, self.place, str(self._root), run_id, dies_at]
        workers = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(count)
        ]
        for worker in workers:
            assert worker.stdout is not None
            assert worker.stdout.readline() == "ready\n"
        for worker in workers:
            assert worker.stdin is not None
            worker.stdin.write("go\n")
            worker.stdin.flush()
        said = [worker.communicate(timeout=60)[0].strip() for worker in workers]
        return [(worker.returncode, text) for worker, text in zip(workers, said, strict=True)]

    def approved(self) -> str:
        """Return a run whose call was approved and not made."""
        assert self.work("new") == [(0, "parked")]
        with closing(open_journal(self.place)) as journal:
            with journal.snapshot() as view:
                (run_id,) = view.run_ids()
                (waiting,) = approvals_of(view, run_id)
            answer_approval(
                Recorder(journal, run_id, clock=lambda: datetime.now(UTC)), waiting.id, approved=True, by="ada"
            )
        return run_id

    def paid(self) -> list[str]:
        """Return what was paid."""
        kept = self._root.parent / "paid.txt"
        return kept.read_text().split() if kept.exists() else []

    def types(self, run_id: str) -> list[str]:
        """Return the types of the records of a run that verifies."""
        with read_journal(self.place) as view:
            assert verify_run(view, run_id).verdict != "mismatch"
            return [row.type for row in view.rows(run_id)]


@pytest.fixture
def shared(shared_place: str, tmp_path: Path) -> Shared:
    return Shared(shared_place, tmp_path / "project")


def test_of_processes_that_resume_one_run_exactly_one_goes_on(shared: Shared) -> None:
    run_id = shared.approved()
    turned_away = {
        f"run `{run_id}`: another process works on it; wait until it has ended",
        f"run `{run_id}`: has ended with `task_done`; start a new run",
    }
    said = [text for _, text in shared.work(run_id, count=3)]
    assert said.count("task_done") == 1
    assert {text for text in said if text != "task_done"} <= turned_away
    assert shared.paid() == ["7"]
    assert shared.types(run_id).count("approval_consumed") == 1


def test_a_process_killed_between_the_use_of_an_approval_and_the_call_is_followed_by_one_that_makes_it(
    shared: Shared,
) -> None:
    run_id = shared.approved()
    assert shared.work(run_id, dies_at="approval_consumed") == [(-signal.SIGKILL, "")]
    assert shared.paid() == []
    assert shared.work(run_id) == [(0, "task_done")]
    assert shared.paid() == ["7"]
    assert shared.types(run_id).count("approval_consumed") == 1


def test_a_process_killed_when_the_call_was_about_to_run_is_followed_by_one_that_asks(shared: Shared) -> None:
    run_id = shared.approved()
    assert shared.work(run_id, dies_at="tool_about_to_run") == [(-signal.SIGKILL, "")]
    assert shared.work(run_id) == [(0, "parked")]
    assert shared.paid() == []
