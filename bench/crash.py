"""Kill a run at random instants, resume it, and compare with one that was never interrupted.

`python bench/crash.py 200` kills 200 runs with `kill -9`. Each run writes, moves and deletes files and appends to a
ledger, behind gates; half of them park at every gate and are approved by another process. A resumed run may be killed
again. Prints the figures, and ends with 1 when anything was damaged, done twice, or lost.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import anyio

from interlock._canonical import sha256_hex
from interlock.journal import Recorder, SqliteJournal, read_journal
from interlock.journal.approval_steps import answer_approval
from interlock.journal.approvals import approvals_of
from interlock.journal.records import Record, read_rows
from interlock.journal.verify import verify_run
from interlock.loop.approval import ApprovalAnswer, ApprovalRequest
from interlock.loop.budget import Budgets
from interlock.loop.reference import reference_host
from interlock.loop.resume import resume
from interlock.loop.run import run
from interlock.loop.writer import Draft, ProvidedInput, WriteRequest
from interlock.pipeline.host import Host
from interlock.questions import Content, Json, Question
from interlock.testing import Scripted, ScriptedJudge
from interlock.tools.base import Proof, Target, Tool
from interlock.tools.callables import tool_from_function

KILLS = 200
SEED = 20260102
MAX_KILLS_PER_RUN = 4
PAUSE_S = 0.01
LEDGER = "ledger.txt"
STEPS: Sequence[tuple[str, Mapping[str, Json]]] = (
    ("list_dir", {}),
    ("write_file", {"path": "out/one.txt", "content": "one\n" * 20_000}),
    ("charge", {"order": 7}),
    ("move_file", {"source": "a.txt", "target": "kept/a.txt"}),
    ("list_dir", {}),
    ("write_file", {"path": "b.txt", "content": "replaced\n"}),
    ("delete_file", {"path": "c.txt"}),
)
LAST = "delete_file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """What an uninterrupted run leaves."""

    files: Mapping[str, str]
    """Path → SHA-256 of the content, hidden files included."""
    seconds: float


class Trial:
    """One run on a directory of its own, in as many processes as it takes."""

    def __init__(self, place: Path, *, parks: bool) -> None:
        self.root = place / "project"
        self.journal = place / "journal.db"
        self.trouble = place / "trouble.txt"
        self._parks = parks
        self.root.mkdir()
        for name in ("a.txt", "b.txt", "c.txt"):
            (self.root / name).write_text(f"{name}\n" * 50, encoding="utf-8")

    def spawn(self) -> int:
        """Return the process that begins the run, or goes on with it."""
        run_id = self.run_id()
        child = os.fork()
        if child:
            return child
        code = 1
        try:
            self._work(run_id)
            code = 0
        except BaseException:  # noqa: BLE001 - the process ends here, and says why
            self.trouble.write_text(traceback.format_exc(), encoding="utf-8")
        finally:
            os._exit(code)

    def run_id(self) -> str | None:
        """Return the run, if its first record was written."""
        if not self.journal.exists():
            return None
        with closing(SqliteJournal(self.journal)) as journal, journal.snapshot() as view:
            return next(iter(view.run_ids()), None)

    def records(self) -> tuple[Record, ...]:
        """Return what the journal holds of the run."""
        with read_journal(str(self.journal)) as view:
            return tuple(read_rows(view.rows(view.run_ids()[0])))

    def ended(self) -> bool:
        """Return whether the run is over."""
        return self.run_id() is not None and self.records()[-1].type == "run_ended"

    def approve(self) -> None:
        """Answer what waits, as a person in another process does."""
        run_id = self.run_id()
        if run_id is None:
            return
        with closing(SqliteJournal(self.journal)) as journal:
            with journal.snapshot() as view:
                waiting = [one for one in approvals_of(view, run_id) if one.state(_now()) == "waiting"]
            for one in waiting:
                answer_approval(Recorder(journal, run_id, clock=_now), one.id, approved=True, by="ada")

    def files(self) -> Mapping[str, str]:
        """Return every file below the directory."""
        found = sorted(path for path in self.root.rglob("*") if path.is_file())
        return {path.relative_to(self.root).as_posix(): sha256_hex(path.read_text("utf-8")) for path in found}

    def _work(self, run_id: str | None) -> None:
        host, ask = host_on(self.root), None if self._parks else approve
        with closing(SqliteJournal(self.journal, busy_timeout_s=30)) as journal:
            if run_id is not None:
                resume(run_id, journal=journal, judge=ScriptedJudge(answer), writer=Writes(), host=host, ask=ask)
                return
            run(
                "Put the project in order",
                judge=ScriptedJudge(answer),
                writer=Writes(),
                host=host,
                cwd=self.root,
                can_write=True,
                can_delete=True,
                budgets=Budgets(max_writer_calls=20),
                ask=ask,
                park=self._parks,
                journal=journal,
            )


class Writes:
    """Writes the answer; the inputs are the host's."""

    id = "bench"

    async def write(self, request: WriteRequest) -> Draft:  # noqa: ARG002 -- the seam's signature
        """Return the same answer always."""
        return Draft(text="The project is in order.", degraded=False, usage=None)

    async def provide(self, tool: Tool, request: WriteRequest) -> ProvidedInput:  # noqa: ARG002 -- the seam's signature
        """Return nothing: the host is asked."""
        return ProvidedInput(arguments=None, reason="the host knows", usage=None)


async def approve(request: ApprovalRequest) -> ApprovalAnswer:  # noqa: ARG001 -- the seam's signature
    """Say yes."""
    return ApprovalAnswer(approved=True, by="ada")


def answer(state: Content, id_: str, question: Question) -> Scripted:  # noqa: ARG001 -- the seam's signature
    """Return the answer of a judge that knows the steps and reads from the frame how far they went."""
    shown = _fields(state)
    done = shown.get("already_done", "nothing yet")
    at = 0 if done == "nothing yet" else len(str(done).split("; "))
    steps = shown.get("steps", ())
    newest = str(steps[-1]) if isinstance(steps, list) and steps else ""
    answers: dict[str, Scripted] = {
        "needs_tool": 0.9,
        "pick_tool": STEPS[at][0] if at < len(STEPS) else "done",
        "risk": _number(shown.get("base_risk")),
        "needs_auth": 0.1,
        "step_ok": 0.9,
        "is_done": 0.9 if newest.startswith(LAST) else 0.1,
        "deliverable": 0.9,
        "unsupported": 0.1,
    }
    return answers.get(id_.rpartition(".")[2])


def host_on(root: Path) -> Host:
    """Return the reference host with a ledger that must get each line once, and inputs that are known."""
    ledger = root / LEDGER

    def charge(order: int) -> str:
        """An order is to be charged."""
        with ledger.open("a", encoding="utf-8") as file:
            file.write(f"order {order}\n")
        return f"charged order {order}"

    def look(_: Mapping[str, Json]) -> list[Target]:
        content = ledger.read_text(encoding="utf-8") if ledger.exists() else None
        digest = None if content is None else sha256_hex(content)
        return [Target(path=LEDGER, exists=content is not None, sha256=digest)]

    def proof(arguments: Mapping[str, Json], before: Sequence[Target]) -> Proof:  # noqa: ARG001 -- the seam's signature
        """The line is the effect: a call that is killed between opening and writing leaves a file without it."""
        content = ledger.read_text(encoding="utf-8") if ledger.exists() else ""
        return "happened" if f"order {arguments['order']}\n" in content else "not_happened"

    async def provide(_: str, cells: Mapping[str, object]) -> Mapping[str, Json] | None:
        history = cells["history"]
        return STEPS[len(history)][1] if isinstance(history, list) and len(history) < len(STEPS) else None

    own = replace(tool_from_function(charge, base_risk=2), targets=look, proof=proof)
    host = reference_host(root, tools=[own])
    return replace(host, tools={name: slow(tool) for name, tool in host.tools.items()}, provide_input=provide)


def slow(tool: Tool) -> Tool:
    """Return a tool that takes its time before and after its effect, as a network does."""

    async def run_slowly(arguments: Mapping[str, Json]) -> str:
        await anyio.sleep(PAUSE_S)
        output = await tool.run(arguments)
        await anyio.sleep(PAUSE_S)
        return output

    return replace(tool, run=run_slowly)


def attempt(place: Path, whole: Whole, rng: random.Random, counts: Counter[str], *, parks: bool) -> list[str]:
    """Kill one run until it has been killed often enough or has ended, and return what is wrong then."""
    trial, kills = Trial(place, parks=parks), rng.randint(1, MAX_KILLS_PER_RUN)
    while not trial.ended():
        child = trial.spawn()
        if kills:
            kills -= 1
            time.sleep(rng.uniform(0, whole.seconds))
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        counts["killed" if os.WIFSIGNALED(status) else "ended or parked by itself"] += 1
        if not os.WIFSIGNALED(status) and os.WEXITSTATUS(status):
            return [f"it failed: {trial.trouble.read_text(encoding='utf-8')}"]
        trial.approve()
    return list(problems(trial, whole, counts))


def problems(trial: Trial, whole: Whole, counts: Counter[str]) -> list[str]:
    """Return what a run left behind that an uninterrupted one would not have."""
    found: list[str] = []
    with closing(sqlite3.connect(trial.journal)) as file:
        if file.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            found.append("damage: the journal's file")
    with read_journal(str(trial.journal)) as view:
        check = verify_run(view, view.run_ids()[0])
    if check.verdict == "mismatch":
        found.append(f"damage: {[item.what for item in check.findings if item.verdict == 'mismatch']}")
    records = trial.records()
    results = [record.body for record in records if record.type == "tool_result"]
    if [(body["step"], body["tool"]) for body in results] != [(at, name) for at, (name, _) in enumerate(STEPS, 1)]:
        found.append(f"steps: {[(body['step'], body['tool'], body['result']) for body in results]}")
    charged = (trial.root / LEDGER).read_text(encoding="utf-8").splitlines()
    if charged != ["order 7"]:
        found.append(f"effects: the ledger says {charged}")
    if trial.files() != whole.files:
        found.append(f"files: {sorted(set(trial.files().items()) ^ set(whole.files.items()))}")
    about = sum(record.type == "tool_about_to_run" for record in records)
    counts["calls proved by the disk"] += sum(body["recovered"] is True for body in results)
    counts["calls made again"] += about - len(results)
    return found


def uninterrupted(place: Path) -> Whole:
    """Return what a run leaves that nobody kills, and how long it takes."""
    began, trial = time.monotonic(), Trial(place, parks=False)
    _, status = os.waitpid(trial.spawn(), 0)
    if status or not trial.ended():
        sys.exit(f"the uninterrupted run failed: {trial.trouble.read_text(encoding='utf-8')}")
    return Whole(files=trial.files(), seconds=time.monotonic() - began)


def _fields(state: Content) -> Mapping[str, Json]:
    if not isinstance(state, Mapping):
        return {}
    inside = state.get("untrusted_tool_output")
    return {**state, **(inside if isinstance(inside, Mapping) else {})}


def _number(value: Json) -> float:
    return float(value) if isinstance(value, int | float) else 3.0


def _now() -> datetime:
    return datetime.now(UTC)


def _each(kills: int, seed: int, tell: Callable[[str], None]) -> int:
    rng, counts, began = random.Random(seed), Counter[str](), time.monotonic()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "whole").mkdir()
        whole = uninterrupted(Path(place) / "whole")
        number = 0
        while counts["killed"] < kills and not wrong:
            number += 1
            at = Path(place) / str(number)
            at.mkdir()
            wrong = attempt(at, whole, rng, counts, parks=number % 2 == 0)
    tell(f"{number} runs of {len(STEPS)} steps, seed {seed}, {time.monotonic() - began:.1f} s")
    for name in ("killed", "ended or parked by itself", "calls proved by the disk", "calls made again"):
        tell(f"  {name}: {counts[name]}")
    for problem in wrong:
        tell(f"  WRONG in run {number}: {problem}")
    tell("  damaged, done twice, lost or different: " + ("none" if not wrong else str(len(wrong))))
    return 1 if wrong else 0


def main() -> int:
    """Kill, resume, compare and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kills", nargs="?", type=int, default=KILLS, help="how many processes to kill")
    parser.add_argument("--seed", type=int, default=SEED, help="of the instants at which they are killed")
    options = parser.parse_args()
    return _each(options.kills, options.seed, print)


if __name__ == "__main__":
    raise SystemExit(main())
