"""Re-decide last month: one threshold is raised, ten thousand recorded decisions are read again, and no judge is asked.

Then one byte of the journal is edited, and the row is named. Run it from anywhere:
`python examples/demos/redecide.py`. Needs no network.
"""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from interlock import decide, reference_host
from interlock.journal import MemoryJournal, Recorder, SqliteJournal, run_started_body
from interlock.loop.reference import shipped_contract
from interlock.questions import Json
from interlock.testing import ScriptedJudge

INTERLOCK = Path(sys.executable).with_name("interlock")
DECISIONS = 10_000
PER_RUN = 70
TAKEN = 30
"""Different sets of answers; the month repeats them."""
STATE: Mapping[str, object] = {
    "task": "Copy totalOf from src/alpha.ts into the new file src/summary.ts, then say what it returns",
    "cwd": "/project",
    "canWrite": True,
    "canDelete": False,
    "files": ["src/alpha.ts", "src/beta.ts", "src/gamma.ts"],
    "readFiles": ["src/alpha.ts"],
    "history": [{"step": 1, "tool": "read_file", "input": "src/alpha.ts", "result": "export function totalOf() {}"}],
    "lastTool": "read_file",
    "lastResult": "export function totalOf() {}",
    "draft": "src/summary.ts now holds totalOf.",
    "facts": ["src/summary.ts exists, 118 bytes"],
}


def clock() -> Iterator[datetime]:
    """Yield the moments of a month, one per record."""
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    while True:
        yield moment
        moment += timedelta(minutes=4)


def record_a_month(place: Path) -> None:
    """Write runs of the shipped contract, with answers on both sides of its thresholds."""
    contract, host, moments = shipped_contract(), reference_host(place.parent), clock()
    choose = random.Random(1)  # noqa: S311 -- answers to show, not secrets
    taken = []
    for _ in range(TAKEN):
        answers = {name: round(choose.random(), 2) for name in ("needs_tool", "step_ok", "is_done")}
        answers |= {"grade_risk.risk": round(choose.random() * 3, 2), "grade_risk.needs_auth": 0.1}
        answers |= {"can_deliver.deliverable": round(choose.random(), 2), "can_deliver.unsupported": 0.1}
        judge = ScriptedJudge({**answers, "pick_tool": "read_file", "pick_input": "src/beta.ts"})
        taken += [decide(contract, name, STATE, judge, host=host) for name in contract.decisions]
    with closing(SqliteJournal(place)) as journal:
        for number in range(-(-DECISIONS // PER_RUN)):
            whole = MemoryJournal()
            recorder = Recorder(whole, f"run-{number:03}", clock=lambda: next(moments), contract=contract)
            recorder.record("run_started", started())
            for index in range(min(PER_RUN, DECISIONS - number * PER_RUN)):
                recorder.decision(taken[(number * PER_RUN + index) % len(taken)], step=index // len(contract.decisions))
            journal.restore(list(whole.records(recorder.run_id)))


def started() -> Mapping[str, Json]:
    """Return what a run says when it begins; its contract is what is decided under again."""
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


def interlock(*arguments: str) -> tuple[int, str]:
    """Return exit code and output of one command."""
    done = subprocess.run([INTERLOCK, *arguments], capture_output=True, text=True, check=False)  # noqa: S603 -- our own program
    return done.returncode, done.stdout


def replay(place: Path, gate: str) -> int:
    """Print what a threshold would change, and return how many actions that is."""
    began = time.perf_counter()
    code, output = interlock("replay", "--journal", str(place), "--gate", gate, "--fail-on-change", "--json")
    told = json.loads(output)
    print(f"$ interlock replay --gate {gate} --fail-on-change")
    print(f"  {told['decisions']} decisions of {told['runs']} runs in {time.perf_counter() - began:.1f} s")
    for move in told["moves"]:
        print(f"  {move['decision']}: {move['was']} → {move['now']}, {move['records']} times")
    for item in told["changed"][:3]:
        print(f"  such as run {item['run_id']} row {item['seq']}: {item['rule']}, margin {item['margin']:.2f}")
    print(f"  judges asked: 0; exit code {code}")
    return len(told["changed"])


def edit_one_byte(place: Path) -> tuple[str, int]:
    """Change one digit of one recorded answer, and return the row."""
    with closing(sqlite3.connect(place, isolation_level=None)) as connection:
        row: tuple[str, int, str] = connection.execute(
            "SELECT run_id, seq, body FROM events WHERE body LIKE '%\"noul\":0.5%' LIMIT 1 OFFSET 99"
        ).fetchone()
        body = row[2].replace('"noul":0.5', '"noul":0.9', 1)
        connection.execute("UPDATE events SET body = ? WHERE run_id = ? AND seq = ?", (body, row[0], row[1]))
    return row[0], row[1]


def main() -> None:
    """Record a month, decide it again, then edit one byte and verify."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "journal.db"
        record_a_month(place)
        if replay(place, "step_ok=0.8") == 0:
            raise SystemExit("a raised threshold must change something")
        run_id, seq = edit_one_byte(place)
        code, output = interlock("verify", run_id, "--journal", str(place))
        print(f"one byte of run {run_id} row {seq} is edited\n$ interlock verify {run_id}")
        print("\n".join(f"  {line.strip()}" for line in output.splitlines()[:2]))
        if code != 1 or f"row {seq} (decision" not in output:
            raise SystemExit("the edited row was not named")


if __name__ == "__main__":
    main()
