"""Kill and approve: a risky call waits, its process is killed, another process approves it, and it runs once.

Then three approvals that may not be used: for another argument, used before, and expired.
Run it from anywhere: `python examples/demos/kill_and_approve.py`. Needs no network.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from interlock import InterlockError
from interlock.journal import Recorder, SqliteJournal, read_journal
from interlock.journal.approval_bodies import BoundCall
from interlock.journal.approval_steps import answer_approval, consume_approval
from interlock.journal.approvals import Approval, approvals_of, moment
from interlock.journal.verify import verify_run
from interlock.questions import Json

INTERLOCK = Path(sys.executable).with_name("interlock")
SHOP = Path(__file__).parents[1] / "shop"
TASK = "Delete build.lock"
PATIENCE_S = 30.0
TTL_S = 3

WAITING_FOREVER = """
import sys
from pathlib import Path
import anyio
from interlock import reference_host, run
from interlock.journal import SqliteJournal
from interlock.judge.rules import RuleJudge
from interlock.loop.extractive import ExtractiveWriter

async def nobody_looks(request):
    await anyio.sleep_forever()

task, root, journal = sys.argv[1:]
host = reference_host(root)
run(task, judge=RuleJudge(host.tools), writer=ExtractiveWriter(), host=host, cwd=root, can_delete=True,
    ask=nobody_looks, journal=SqliteJournal(Path(journal)))
"""
"""An agent that asks on a page that nobody opens."""


def interlock(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the program as a shell would, without a terminal."""
    command = [str(INTERLOCK), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)  # noqa: S603 -- our own program


def say(done: subprocess.CompletedProcess[str], *, expected: int) -> str:
    """Print what the program said, and return its standard output."""
    for line in (done.stdout + done.stderr).splitlines():
        print(f"    {line}")
    if done.returncode != expected:
        raise SystemExit(f"exit code {done.returncode}, not {expected}")
    return done.stdout


def approvals(journal: Path) -> tuple[Approval, ...]:
    """Return every approval of every run."""
    with closing(SqliteJournal(journal)) as store, store.snapshot() as view:
        return tuple(approval for run_id in view.run_ids() for approval in approvals_of(view, run_id))


def kill_while_it_asks(root: Path, journal: Path) -> Approval:
    """Start a run in a process of its own, wait until it asks, and kill that process."""
    agent = subprocess.Popen([sys.executable, "-c", WAITING_FOREVER, TASK, str(root), str(journal)])  # noqa: S603 -- our own program
    deadline = time.monotonic() + PATIENCE_S
    while not (journal.exists() and approvals(journal)):
        if time.monotonic() > deadline or agent.poll() is not None:
            raise SystemExit("the agent did not ask")
        time.sleep(0.05)
    agent.send_signal(signal.SIGKILL)
    agent.wait()
    (asked,) = approvals(journal)
    return asked


def attempt(journal: Path, approval: Approval, bound: BoundCall) -> None:
    """Try to use an approval for a call, and print why not."""
    with closing(SqliteJournal(journal)) as store:
        recorder = Recorder(store, approval.run_id, clock=now)
        try:
            consume_approval(recorder, approval.id, bound)
        except InterlockError as refused:
            print(f"    refused: {refused}")
            return
    raise SystemExit("an approval was used that may not be")


def another_path(bound: BoundCall) -> BoundCall:
    """Return the same call with one argument changed."""
    arguments: Mapping[str, Json] = {"path": "package.json"}
    return replace(bound, call=replace(bound.call, arguments=arguments, input="package.json"))


def main() -> None:
    """Show the approval that is used, and the three that are not."""
    with tempfile.TemporaryDirectory() as place:
        root, journal = Path(shutil.copytree(SHOP, Path(place) / "shop")), Path(place) / "journal.db"
        print("an agent wants to delete a file, and is killed while it asks")
        asked = kill_while_it_asks(root, journal)
        print(f"    waiting: {asked.bound.call.tool} {asked.bound.call.input}, approval {asked.id[:16]}")

        print("another process approves it")
        say(interlock("approvals", "approve", asked.id, "--by", "ada", "--journal", journal), expected=0)
        (approved,) = approvals(journal)
        print("the approval covers no other file")
        attempt(journal, approved, another_path(approved.bound))

        print("the run is resumed, and the call runs once")
        say(interlock("runs", "resume", asked.run_id, "--journal", journal), expected=0)
        if (root / "build.lock").exists() or not (root / "package.json").exists():
            raise SystemExit("the wrong file was deleted")
        print("the approval is used up")
        attempt(journal, approved, approved.bound)

        print("a second run parks, is approved, and resumed too late")
        (root / "build.lock").write_text("locked\n", encoding="utf-8")
        flags = ("--cwd", root, "--allow-delete", "--park", "--approval-ttl", f"{TTL_S}s", "--journal", journal)
        say(interlock("run", TASK, *flags), expected=6)
        late = approvals(journal)[-1]
        with closing(SqliteJournal(journal)) as store:
            answer_approval(Recorder(store, late.run_id, clock=now), late.id, approved=True, by="ada")
        while now() < moment(late.expires):
            time.sleep(0.1)
        say(interlock("runs", "resume", late.run_id, "--journal", journal), expected=6)
        if not (root / "build.lock").exists():
            raise SystemExit("an expired approval was used")
        with read_journal(str(journal)) as view:
            verdicts = [verify_run(view, run_id).verdict for run_id in view.run_ids()]
        print(f"the journal says all of it; its runs: {', '.join(verdicts)}")
        if verdicts != ["verified", "verified"]:
            raise SystemExit("the journal does not hold")


def now() -> datetime:
    """Return the present moment."""
    return datetime.now(UTC)


if __name__ == "__main__":
    main()
