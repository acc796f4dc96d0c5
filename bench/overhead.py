"""What Interlock itself costs: per decision with a judge that takes no time, at import, and at a cold `check`.

Prints a Markdown table; `--check` ends with 1 when a figure is above its limit.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from interlock._canonical import sha256_hex
from interlock.contract.compiled import Contract
from interlock.journal import Recorder, SqliteJournal
from interlock.judge.base import Caps, JudgeReply, Reading
from interlock.loop.reference import reference_host, shipped_contract
from interlock.pipeline import DecisionResult, Host, adecide
from interlock.questions import Answer, Choice, ChoiceAnswer, Content, Noul, NoulAnswer, Question, ScoreAnswer

RUNS = 30
PASSES_PER_RUN = 20
SOURCE = (
    "export function totalOf(order: Order): number {\n  return order.lines.reduce((sum, l) => sum + l.price, 0);\n}\n"
)
STATE: Mapping[str, object] = {
    "task": "Copy totalOf from src/alpha.ts into the new file src/summary.ts, then say what it returns",
    "cwd": "/project",
    "canWrite": True,
    "canDelete": False,
    "files": [f"src/module{index}.ts" for index in range(24)] + ["src/alpha.ts"],
    "readFiles": ["src/alpha.ts", "src/module3.ts"],
    "history": [
        {"step": 1, "tool": "list_dir", "input": ".", "result": "src/alpha.ts\nsrc/module0.ts"},
        {"step": 2, "tool": "read_file", "input": "src/alpha.ts", "result": SOURCE * 12},
        {"step": 3, "tool": "read_file", "input": "src/module3.ts", "result": SOURCE * 8},
        {"step": 4, "tool": "write_file", "input": f"src/summary.ts\n{SOURCE}", "result": None},
    ],
    "lastTool": "write_file",
    "lastResult": SOURCE * 8,
    "draft": "src/summary.ts now holds totalOf; it returns the sum of the prices of the order's lines.",
    "facts": ["src/summary.ts exists, 118 bytes"],
}
"""A run in its fourth step: every field of every frame has something to show, and most are cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the table."""

    name: str
    ms: float
    ratio: float
    """To the yardstick, or to the bare interpreter: the part that does not change with the machine."""
    runs: int
    limit_ms: float | None = None


class InstantJudge:
    """Answers everything evenly and at once."""

    id = "instant"
    caps = Caps()

    async def answer(self, frame_state: Content, questions: Mapping[str, Question]) -> JudgeReply:  # noqa: ARG002
        """Return an even answer to every question."""
        readings = {
            name: Reading(kind="answered", reason="ok", answer=_even(question), judge=self.id)
            for name, question in questions.items()
        }
        return JudgeReply(
            readings=readings,
            failure=None,
            requested_model=self.id,
            served_model=self.id,
            request_id=None,
            request_digest="0" * 64,
            usage=None,
            attempts=1,
            elapsed_s=0.0,
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="end with 1 when a figure is above its limit")
    parser.add_argument(
        "--runs",
        type=int,
        default=RUNS,
        help="fresh processes per figure, and a twentieth of the passes (default: %(default)s)",
    )
    options = parser.parse_args(arguments)
    figures = [*decisions(options.runs), *processes(options.runs)]
    print(table(figures))
    over = [figure.name for figure in figures if figure.limit_ms is not None and figure.ms > figure.limit_ms]
    if over:
        print(f"\nabove the limit: {', '.join(over)}", file=sys.stderr)
    return 1 if over and options.check else 0


def decisions(runs: int) -> list[Figure]:
    """Return the cost of one decision, recorded nowhere and in a file, beside a yardstick of the same machine."""
    passes = runs * PASSES_PER_RUN
    with tempfile.TemporaryDirectory() as place:
        host, contract = reference_host(place), shipped_contract()
        bare = _passes(contract, host, passes, lambda _: None)
        store = SqliteJournal(Path(place) / "journal.db")
        recorded = _passes(contract, host, passes, Recorder(store, "run", clock=_now, contract=contract).decision)
        store.close()
    unit = statistics.median(_timed(_yardstick) for _ in range(passes))
    return [
        _figure("yardstick: 4 KB as JSON and its SHA-256", unit, unit, passes),
        _figure("one decision, nothing recorded", statistics.median(bare), unit, passes),
        _figure("one decision, journal in a file", statistics.median(recorded), unit, passes, limit_ms=0.4),
        _figure("the same as a mean, which holds the journal's checkpoints", statistics.fmean(recorded), unit, passes),
    ]


def processes(runs: int) -> list[Figure]:
    """Return what a fresh process costs: a bare interpreter, `import interlock`, its names, a cold `check`."""
    contract = Path(__file__).parents[1] / "src" / "interlock" / "contracts" / "reference.md"
    everything = "import interlock\nfor name in interlock.__all__: getattr(interlock, name)"
    started = _process(runs, [sys.executable, "-c", "pass"])
    imported = _process(runs, [sys.executable, "-c", "import interlock"])
    loaded = _process(runs, [sys.executable, "-c", everything])
    checked = _process(runs, [str(Path(sys.executable).with_name("interlock")), "check", str(contract)])
    return [
        _figure("interpreter that does nothing", started, started, runs),
        _figure("`import interlock`, interpreter included", imported, started, runs, limit_ms=250),
        _figure("every public name of `interlock` loaded", loaded, started, runs),
        _figure("`interlock check` on the shipped contract, cold", checked, started, runs, limit_ms=350),
    ]


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as a Markdown table."""
    lines = ["| what | ms, median | at most ms | ratio | runs |", "|---|---|---|---|---|"]
    for figure in figures:
        limit = "" if figure.limit_ms is None else f"{figure.limit_ms:g}"
        lines.append(f"| {figure.name} | {figure.ms:.3g} | {limit} | {figure.ratio:.1f} | {figure.runs} |")
    machine = f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores"
    return "\n".join([*lines, "", f"{machine}, load {os.getloadavg()[0]:.1f}."])


def _figure(name: str, measured_ms: float, unit_ms: float, runs: int, limit_ms: float | None = None) -> Figure:
    return Figure(name=name, ms=measured_ms, ratio=measured_ms / unit_ms, runs=runs, limit_ms=limit_ms)


def _passes(contract: Contract, host: Host, passes: int, record: Callable[[DecisionResult], object]) -> list[float]:
    """Return the time per decision, in milliseconds, of each pass over all decisions of the contract."""
    judge = InstantJudge()

    async def one_pass() -> float:
        started = time.perf_counter()
        for name in contract.decisions:
            record(await adecide(contract, name, STATE, judge, host=host))
        return (time.perf_counter() - started) * 1000 / len(contract.decisions)

    async def every_pass() -> list[float]:
        await one_pass()
        return [await one_pass() for _ in range(passes)]

    return asyncio.run(every_pass())


def _process(runs: int, command: Sequence[str]) -> float:
    subprocess.run(command, check=True, capture_output=True)
    return statistics.median(
        _timed(lambda: subprocess.run(command, check=True, capture_output=True)) for _ in range(runs)
    )


def _timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


def _yardstick() -> str:
    return sha256_hex(json.dumps({str(index): SOURCE for index in range(32)}))


def _even(question: Question) -> Answer:
    if isinstance(question, Noul):
        return NoulAnswer(noul=0.5, basis="scripted")
    even = 1 / len(question.criteria)
    if isinstance(question, Choice):
        labels = dict.fromkeys(question.criteria, even)
        return ChoiceAnswer(choice=next(iter(labels)), probabilities=labels, basis="scripted")
    levels = len(question.criteria)
    return ScoreAnswer(score=(levels - 1) / 2, probabilities=(even,) * levels, basis="scripted")


def _now() -> datetime:
    return datetime.now(UTC)


if __name__ == "__main__":
    sys.exit(main())
