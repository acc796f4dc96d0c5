"""How long ten thousand recorded decisions take to be decided again, and whether the list of changes is right.

Records runs of the shipped contract, raises thresholds, decides again from the file, and compares the changes with
those of a recomputation that shares no code with the replay but the policy itself. Prints a Markdown table; `--check`
ends with 1 when a figure is above its limit or the lists differ; the limit in seconds is on processor time, since other
work on the machine is none of ours.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from interlock.contract.compile import compile_contract
from interlock.journal import Recorder, SqliteJournal, read_journal, run_started_body
from interlock.journal.basis import Bases
from interlock.journal.decision_read import read_decision
from interlock.journal.records import decode_body, read_rows
from interlock.journal.replay import REPLAYED, redecide
from interlock.journal.replay_report import report
from interlock.judge.scripted import Scripted, ScriptedJudge
from interlock.loop.capabilities import REFERENCE
from interlock.loop.reference import reference_host, shipped_contract, shipped_text
from interlock.pipeline import Host, decide
from interlock.pipeline.outcome import outcome_of
from interlock.questions import Json

DECISIONS = 10_000
PER_RUN = 70
SAMPLES = 210
LIMIT_S = 2.0
LIMIT_MB = 100.0
GATES: Mapping[str, float] = {"step_ok": 0.7, "grade_risk.risk[0]": 1.5, "is_done": 0.75}
STATE: Mapping[str, object] = {
    "task": "Copy totalOf from src/alpha.ts into the new file src/summary.ts, then say what it returns",
    "cwd": "/project",
    "canWrite": True,
    "canDelete": False,
    "files": [f"src/module{index}.ts" for index in range(24)] + ["src/alpha.ts"],
    "readFiles": ["src/alpha.ts"],
    "history": [{"step": 1, "tool": "read_file", "input": "src/alpha.ts", "result": "export function totalOf() {}"}],
    "lastTool": "read_file",
    "lastResult": "export function totalOf(order: Order): number {\n" * 12,
    "draft": "src/summary.ts now holds totalOf",
    "facts": ["src/summary.ts exists, 118 bytes"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What one replay took."""

    decisions: int
    changed: int
    wall_s: float
    processor_s: float
    peak_mb: float
    equal: bool


def record(place: Path, host: Host) -> None:
    """Write runs with answers on both sides of every threshold, until there are enough decisions."""
    contract, choose = shipped_contract(), random.Random(7)
    taken = [
        decide(contract, name, STATE, ScriptedJudge(_answers(choose)), host=host)
        for _ in range(SAMPLES // len(contract.decisions))
        for name in contract.decisions
    ]
    journal = SqliteJournal(place)
    for number in range(-(-DECISIONS // PER_RUN)):
        recorder = Recorder(journal, f"run-{number:04}", clock=lambda: datetime.now(UTC), contract=contract)
        recorder.record("run_started", _started())
        for index in range(min(PER_RUN, DECISIONS - number * PER_RUN)):
            recorder.decision(taken[(number * PER_RUN + index) % len(taken)], step=index // 7)
    journal.close()


def replayed(place: Path) -> Figures:
    """Decide again from the file in this process, and compare."""
    began, worked = time.perf_counter(), time.process_time()
    bases = Bases(REFERENCE, contract=None, gates=GATES)
    with read_journal(str(place)) as view:
        records = (record for run_id in view.run_ids() for record in read_rows(view.rows(run_id, REPLAYED)))
        told = report(redecide(records, bases))
    wall_s, processor_s = time.perf_counter() - began, time.process_time() - worked
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = [(item.run_id, item.seq, item.was, item.outcome and item.outcome.action) for item in told.changed]
    decided = sum(sum(counts.values()) for counts in told.decisions.values())
    return Figures(
        decisions=decided,
        changed=len(found),
        wall_s=wall_s,
        processor_s=processor_s,
        peak_mb=peak_mb,
        equal=found == brute_force(place),
    )


def brute_force(place: Path) -> list[tuple[str, int, str, str]]:
    """Return every change, from the rows as SQLite gives them and each record read in full."""
    contract = compile_contract(shipped_text(), REFERENCE, overrides=GATES)
    connection = sqlite3.connect(place)
    rows = connection.execute("SELECT run_id, seq, body FROM events WHERE type = 'decision' ORDER BY run_id, seq")
    found = []
    for run_id, seq, body in rows:
        result = read_decision(decode_body(body)).result
        decision = contract.decisions[result.decision]
        now = outcome_of(decision, result.readings, result.floors, result.call_facts)
        assert result.outcome is not None
        if now.action != result.outcome.action:
            found.append((run_id, seq, result.outcome.action, now.action))
    connection.close()
    return found


def _answers(choose: random.Random) -> Mapping[str, Scripted]:
    return {
        "needs_tool": choose.random(),
        "pick_tool": "read_file",
        "pick_input": "src/alpha.ts",
        "grade_risk.risk": choose.random() * 3,
        "grade_risk.needs_auth": choose.random(),
        "step_ok": choose.random(),
        "is_done": choose.random(),
        "can_deliver.deliverable": choose.random(),
        "can_deliver.unsupported": choose.random(),
    }


def _started() -> Mapping[str, Json]:
    contract = shipped_contract()
    return run_started_body(
        task=str(STATE["task"]),
        cwd="/project",
        contract_digest=contract.digest,
        contract_text=contract.text,
        judge="scripted",
        writer="extractive",
        plan="sequential",
        budgets={},
        overrides={},
        modes={},
        can_write=True,
        can_delete=False,
        tools={},
        after=None,
        version="0",
    )


def main() -> int:
    """Record, decide again in a process of its own, and print the table; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="end with 1 above a limit, or when the lists differ")
    parser.add_argument("--replay", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.replay:
        figures = replayed(Path(options.replay))
        print(json.dumps({name: getattr(figures, name) for name in Figures.__slots__}))
        return 0
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory) / "journal.db"
        record(place, reference_host(directory))
        command = [sys.executable, __file__, "--replay", str(place)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures = Figures(**json.loads(done.stdout))
    print("| decisions | changed | wall s | processor s | limit | peak MB | limit | equal to a recomputation |")
    print("|---|---|---|---|---|---|---|---|")
    print(
        f"| {figures.decisions} | {figures.changed} | {figures.wall_s:.2f} | {figures.processor_s:.2f} | {LIMIT_S:g} | "
        f"{figures.peak_mb:.0f} | {LIMIT_MB:g} | {'yes' if figures.equal else 'no'} |"
    )
    failed = figures.processor_s > LIMIT_S or figures.peak_mb > LIMIT_MB or not figures.equal
    return 1 if options.check and failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
