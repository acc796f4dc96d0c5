"""Requests are held back, in order, and never fail of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from interlock.judge.base import Caps, Judge, JudgeReply, QuestionId, Usage
from interlock.judge.combinators import Limit, Limits
from interlock.judge.options import JudgeOptions
from interlock.judge.rules import RuleJudge
from interlock.questions import Content, Noul, Question
from interlock.testing import ScriptedJudge
from interlock.wiring import make_judge

pytestmark = pytest.mark.anyio

ONE: Mapping[QuestionId, Question] = {"q": Noul(instructions="Is it?")}
THREE: Mapping[QuestionId, Question] = {f"q{at}": Noul(instructions="Is it?") for at in range(3)}


class Clock:
    """Time that passes while somebody sleeps."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.now_s

    async def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.now_s += seconds
        await asyncio.sleep(0)


class Busy:
    """Counts who is under way, and says what a reply took."""

    id = "busy"

    def __init__(
        self, clock: Clock, *, caps: Caps | None = None, attempts: int = 1, usage: Usage | None = None
    ) -> None:
        self.caps = Caps() if caps is None else caps
        self.most = 0
        self.began: list[tuple[float, Content]] = []
        self._now = 0
        self._clock = clock
        self._attempts, self._usage = attempts, usage

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        self._now += 1
        self.most = max(self.most, self._now)
        self.began.append((self._clock.now(), frame_state))
        try:
            await asyncio.sleep(0.001)
            reply = await ScriptedJudge(dict.fromkeys(questions, 0.9)).answer(frame_state, questions)
        finally:
            self._now -= 1
        return JudgeReply(
            readings=reply.readings,
            failure=None,
            requested_model="m",
            served_model="m",
            request_id=None,
            request_digest="",
            usage=self._usage,
            attempts=self._attempts,
            elapsed_s=0.0,
        )


def limited(judge: Judge, clock: Clock, **limits: int) -> Limit:
    return Limit(judge, limits=Limits(**limits), now=clock.now, sleep=clock.sleep)


async def ask(judge: Judge, times: int, questions: Mapping[QuestionId, Question] = ONE) -> None:
    await asyncio.gather(*(judge.answer(f"state {at}", questions) for at in range(times)))


async def test_no_more_than_so_many_are_under_way_and_the_first_come_goes_first() -> None:
    clock = Clock()
    inner = Busy(clock)
    await ask(limited(inner, clock, max_in_flight=3), 20)
    assert inner.most == 3
    assert [state for _, state in inner.began] == [f"state {at}" for at in range(20)]
    assert clock.slept == []


async def test_a_request_that_will_be_split_takes_the_places_of_its_parts() -> None:
    clock = Clock()
    inner = Busy(clock, caps=Caps(joint_reads=True))
    await ask(limited(inner, clock, max_in_flight=4), 8, THREE)
    assert inner.most == 1


async def test_a_place_is_free_again_when_a_request_is_cancelled() -> None:
    clock = Clock()
    inner = Busy(clock)
    judge = limited(inner, clock, max_in_flight=1)
    first = asyncio.create_task(judge.answer("first", ONE))
    second = asyncio.create_task(judge.answer("second", ONE))
    await asyncio.sleep(0)
    first.cancel()
    assert (await second).readings["q"].answer is not None
    assert inner.most == 1


async def test_the_requests_of_a_minute_are_spread_over_minutes() -> None:
    clock = Clock()
    inner = Busy(clock)
    await ask(limited(inner, clock, requests_per_minute=2), 5)
    assert [at for at, _ in inner.began] == [0.0, 0.0, 60.0, 60.0, 120.0]


async def test_retries_count_as_requests_afterwards() -> None:
    clock = Clock()
    judge = limited(Busy(clock, attempts=3), clock, requests_per_minute=4)
    for _ in range(3):
        await judge.answer("state", ONE)
    assert clock.slept == [60.0]


async def test_tokens_are_estimated_before_and_corrected_after() -> None:
    clock = Clock()
    inner = Busy(clock, usage=Usage(input_tokens=600, output_tokens=10))
    judge = limited(inner, clock, tokens_per_minute=1_000)
    for _ in range(3):
        await judge.answer("state", ONE)
    assert [at for at, _ in inner.began] == [0.0, 0.0, 60.0]


async def test_a_request_larger_than_a_minute_goes_when_the_minute_before_is_empty() -> None:
    clock = Clock()
    inner = Busy(clock)
    judge = limited(inner, clock, tokens_per_minute=5)
    await judge.answer("x" * 1_000, ONE)
    await judge.answer("x" * 1_000, ONE)
    assert [at for at, _ in inner.began] == [0.0, 60.0]


def test_one_limiter_serves_one_event_loop_after_another() -> None:
    """Plain code opens a loop for every call."""
    clock = Clock()
    judge = limited(Busy(clock), clock, max_in_flight=1, requests_per_minute=100)
    for _ in range(3):
        asyncio.run(ask(judge, 4))


def test_the_settings_of_a_judge_put_it_within_limits() -> None:
    free = make_judge("rules", environ={}, tools={})
    limited_judge = make_judge("rules", environ={}, tools={}, options=JudgeOptions(max_in_flight=2))
    assert isinstance(free, RuleJudge)
    assert not isinstance(limited_judge, RuleJudge)
    assert limited_judge.caps == free.caps
    reply = asyncio.run(limited_judge.answer({"tool": "x"}, ONE))
    assert list(reply.readings) == ["q"]
