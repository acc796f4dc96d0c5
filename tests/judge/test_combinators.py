"""Judges that wrap a judge: what they ask again, split, pass on, or take themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

import pytest

from interlock.judge.base import Caps, Failure, JudgeReply, Usage
from interlock.judge.combinators import Deadline, Fallback, Fit, Retry, SingleCandidate
from interlock.judge.readings import Identity
from interlock.models.closing import close
from interlock.questions import Choice, ChoiceAnswer, Content, Noul, NoulAnswer, Question
from interlock.testing import FakeClock, ScriptedJudge

pytestmark = pytest.mark.anyio

WHO = Identity(judge="outer", model="m", wire="systemone")
ASKED: dict[str, Question] = {"a": Noul(instructions="a?"), "b": Noul(instructions="b?")}
BUSY = Failure(reason="busy", status=429, retryable=True)


class Slow:
    """Takes its time on the clock it is given, then answers; counts how many calls run at once."""

    def __init__(self, clock: FakeClock, seconds: float, *, usage: Usage | None = None, model: str = "m") -> None:
        self.clock, self.seconds, self.usage, self.model = clock, seconds, usage, model
        self.running = self.most = self.calls = 0
        self.closed = False

    caps = Caps(max_questions=1)

    async def answer(self, frame_state: Content, questions: Mapping[str, Question]) -> JudgeReply:
        self.calls += 1
        self.running += 1
        served = f"{self.model}-{self.calls}" if self.model == "split" else self.model
        self.most = max(self.most, self.running)
        await self.clock.sleep(self.seconds)
        self.running -= 1
        reply = await ScriptedJudge(lambda *_: 0.5).answer(frame_state, questions)
        return replace(reply, served_model=served, usage=self.usage)

    async def aclose(self) -> None:
        self.closed = True


async def test_a_busy_server_is_asked_again_with_growing_waits() -> None:
    clock = FakeClock()
    judge = ScriptedJudge([BUSY, BUSY, {"a": 1, "b": 0}])
    reply = await Retry(judge, now=clock.now, sleep=clock.sleep, rng=lambda: 0.5).answer("s", ASKED)
    assert reply.failure is None
    assert (reply.attempts, clock.slept, reply.elapsed_s) == (3, [0.4375, 0.875], 1.3125)


async def test_a_server_that_stays_busy_is_given_up_after_two_retries() -> None:
    clock = FakeClock()
    judge = ScriptedJudge([BUSY] * 9)
    reply = await Retry(judge, now=clock.now, sleep=clock.sleep, rng=lambda: 0.0).answer("s", ASKED)
    assert (reply.failure, len(judge.seen)) == (BUSY, 3)


@pytest.mark.parametrize(
    "failure",
    [
        pytest.param(Failure(reason="auth", status=401), id="auth"),
        pytest.param(Failure(reason="not-json", status=200), id="an-invalid-response"),
    ],
)
async def test_what_cannot_pass_is_asked_once(failure: Failure) -> None:
    clock = FakeClock()
    judge = ScriptedJudge([failure, {"a": 1}])
    reply = await Retry(judge, now=clock.now, sleep=clock.sleep, rng=lambda: 0.0).answer("s", ASKED)
    assert (reply.failure, len(judge.seen), clock.slept) == (failure, 1, [])


async def test_broken_answers_are_never_asked_for_again() -> None:
    clock = FakeClock()
    judge = ScriptedJudge([{"a": 7, "b": None}, {"a": 1, "b": 1}])
    reply = await Retry(judge, now=clock.now, sleep=clock.sleep, rng=lambda: 0.0).answer("s", ASKED)
    assert [reading.reason for reading in reply.readings.values()] == ["noul-range", "abstained"]
    assert len(judge.seen) == 1


@pytest.mark.parametrize(
    ("wait_s", "calls"),
    [pytest.param(9.99, 2, id="a-wait-inside-the-budget"), pytest.param(10.0, 1, id="a-wait-that-eats-the-budget")],
)
async def test_a_long_wait_is_given_up_at_once(wait_s: float, calls: int) -> None:
    """A 429 that asks for a minute must not hold a decision for a minute."""
    clock = FakeClock()
    judge = ScriptedJudge([replace(BUSY, retry_after_s=wait_s), {"a": 1, "b": 1}])
    retry = Retry(judge, now=clock.now, sleep=clock.sleep, rng=lambda: 0.0)
    reply = await Deadline(retry, identity=WHO, budget_s=10, now=clock.now).answer("s", ASKED)
    assert len(judge.seen) == calls
    assert (reply.failure is None) == (calls == 2)


async def test_a_reply_after_the_deadline_does_not_count() -> None:
    clock = FakeClock()
    reply = await Deadline(Slow(clock, 10), identity=WHO, budget_s=10, now=clock.now).answer("s", ASKED)
    assert {(r.kind, r.reason, r.answer) for r in reply.readings.values()} == {("transport_error", "deadline", None)}
    assert (reply.failure, reply.elapsed_s) == (Failure(reason="deadline"), 10)
    assert (reply.requested_model, reply.wire) == ("m", "systemone")


async def test_a_judge_that_hangs_is_cut_off() -> None:
    class Hangs(ScriptedJudge):
        async def answer(self, frame_state: Content, questions: Mapping[str, Question]) -> JudgeReply:
            await asyncio.Event().wait()
            raise AssertionError

    loop = asyncio.get_running_loop()
    reply = await Deadline(Hangs({}), identity=WHO, budget_s=0.02, now=loop.time).answer("s", ASKED)
    assert reply.failure == Failure(reason="deadline")


async def test_cancelling_passes_through_every_wrapper() -> None:
    clock = FakeClock()
    inner = Retry(Fit(Slow(clock, 0), identity=WHO, now=clock.now), now=clock.now, sleep=clock.sleep, rng=lambda: 0.0)
    judge = Deadline(inner, identity=WHO, budget_s=10, now=clock.now)
    task = asyncio.create_task(judge.answer("s", ASKED))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_later_leg_sees_what_is_left_of_the_budget() -> None:
    clock = FakeClock()
    second = ScriptedJudge([replace(BUSY, retry_after_s=4), {"a": 1, "b": 1}])

    class Late(ScriptedJudge):
        async def answer(self, frame_state: Content, questions: Mapping[str, Question]) -> JudgeReply:
            clock.advance(7)
            return await super().answer(frame_state, questions)

    first = Late([Failure(reason="timeout")])
    chain = Fallback([first, Retry(second, now=clock.now, sleep=clock.sleep, rng=lambda: 0.0)], now=clock.now)
    reply = await Deadline(chain, identity=WHO, budget_s=10, now=clock.now).answer("s", ASKED)
    assert reply.failure is not None
    assert len(second.seen) == 1


async def test_fit_asks_one_by_one_at_most_four_at_a_time() -> None:
    clock = FakeClock()
    inner = Slow(clock, 1, usage=Usage(input_tokens=2, output_tokens=1, cost_usd=Decimal("0.1")))
    asked: dict[str, Question] = {f"q{at}": Noul(instructions=f"{at}") for at in range(9)}
    reply = await Fit(inner, identity=WHO, now=clock.now).answer("s", asked)
    assert (inner.calls, inner.most, list(reply.readings)) == (9, 4, list(asked))
    assert reply.usage == Usage(input_tokens=18, output_tokens=9, cost_usd=Decimal("0.9"))
    assert reply.served_model == "m"


async def test_usage_of_the_whole_is_unknown_when_one_call_reports_none() -> None:
    clock = FakeClock()
    assert (await Fit(Slow(clock, 1), identity=WHO, now=clock.now).answer("s", ASKED)).usage is None


async def test_answers_of_different_models_are_never_mixed() -> None:
    clock = FakeClock()
    reply = await Fit(Slow(clock, 1, model="split"), identity=WHO, now=clock.now).answer("s", ASKED)
    assert {(r.kind, r.reason) for r in reply.readings.values()} == {("invalid_response", "model-split")}
    assert reply.failure == Failure(reason="model-split")
    assert reply.served_model is None


async def test_a_question_over_the_caps_is_not_asked_and_the_others_are() -> None:
    clock = FakeClock()
    judge = ScriptedJudge(lambda *_: 1, caps=Caps(max_options=2))
    wide = Choice(instructions="c", criteria={"x": None, "y": None, "z": None})
    fit = Fit(judge, identity=WHO, now=clock.now)
    reply = await fit.answer("s", {"c": wide, **ASKED})
    assert [r.reason for r in reply.readings.values()] == ["over-caps", "ok", "ok"]
    nothing = await fit.answer("s", {"c": wide})
    assert [(r.kind, r.reason) for r in nothing.readings.values()] == [("not_asked", "over-caps")]
    assert (nothing.attempts, len(judge.seen)) == (0, 1)


async def test_a_body_limit_counts_the_state() -> None:
    clock = FakeClock()
    judge = ScriptedJudge(lambda *_: 1, caps=Caps(max_body_bytes=300))
    fit = Fit(judge, identity=WHO, now=clock.now)
    assert (await fit.answer("s", ASKED)).failure is None
    reply = await fit.answer("s" * 300, ASKED)
    assert {r.reason for r in reply.readings.values()} == {"over-caps"}


async def test_only_what_is_left_open_goes_to_the_next_leg_and_comes_back_degraded() -> None:
    first = ScriptedJudge({"a": 0.9, "b": None}, judge="first")
    second = ScriptedJudge({"a": 0.1, "b": 0.2}, judge="second")
    reply = await Fallback([first, second], now=lambda: 0.0).answer("s", ASKED)
    assert [(r.judge, r.degraded) for r in reply.readings.values()] == [("first", False), ("second", True)]
    assert list(second.seen[0].questions) == ["b"]
    assert reply.failure is None


@pytest.mark.parametrize(
    ("first", "passed_on"),
    [
        pytest.param([Failure(reason="connect", retryable=True)], True, id="transport-error"),
        pytest.param({"a": 7, "b": 7}, True, id="invalid-response"),
        pytest.param({"a": None, "b": None}, True, id="unscored"),
        pytest.param({"a": 0.5, "b": 0.5}, False, id="one-half-is-an-answer"),
        pytest.param({}, False, id="not-asked"),
    ],
)
async def test_which_readings_move_on(first: dict[str, float | None] | list[Failure], passed_on: bool) -> None:
    second = ScriptedJudge(lambda *_: 1)
    await Fallback([ScriptedJudge(first), second], now=lambda: 0.0).answer("s", ASKED)
    assert bool(second.seen) == passed_on


async def test_a_chain_in_which_no_one_answers_keeps_the_first_reason() -> None:
    down = Failure(reason="connect", retryable=True)
    first, second = ScriptedJudge([down]), ScriptedJudge({"a": None, "b": None})
    reply = await Fallback([first, second], now=lambda: 0.0).answer("s", ASKED)
    assert reply.failure == down
    assert {r.reason for r in reply.readings.values()} == {"connect"}


async def test_a_single_candidate_is_taken_and_none_is_said_so() -> None:
    judge = ScriptedJudge({"a": 0.5})
    one = Choice(instructions="c", criteria={"only": "x"})
    none = Choice(instructions="c", criteria={})
    single = SingleCandidate(judge, identity=WHO)
    reply = await single.answer("s", {"one": one, "a": ASKED["a"], "none": none})
    taken = reply.readings["one"]
    assert (taken.kind, taken.reason) == ("not_asked", "single-option")
    assert taken.answer == ChoiceAnswer(choice="only", probabilities={"only": 1.0}, basis="single")
    assert reply.readings["a"].answer == NoulAnswer(noul=0.5, basis="scripted")
    assert (reply.readings["none"].reason, reply.readings["none"].answer) == ("no-options", None)
    assert list(judge.seen[0].questions) == ["a"]
    alone = await single.answer("s", {"one": one})
    assert (alone.attempts, alone.wire, len(judge.seen)) == (0, "systemone", 1)


async def test_closing_the_outermost_closes_what_holds_connections() -> None:
    clock = FakeClock()
    slow = Slow(clock, 0)
    inner = Retry(Fit(slow, identity=WHO, now=clock.now), now=clock.now, sleep=clock.sleep, rng=lambda: 0.0)
    chain = Fallback([inner, ScriptedJudge({})], now=clock.now)
    judge = SingleCandidate(Deadline(chain, identity=WHO, budget_s=1, now=clock.now), identity=WHO)
    assert judge.caps == slow.caps
    await close(judge, object())
    assert slow.closed
