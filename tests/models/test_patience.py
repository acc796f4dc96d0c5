"""Budgets, waits and retries of text models."""

from __future__ import annotations

import asyncio
import math
import pickle
import ssl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.messages import Message
from interlock.models.base import Delta, Done, Failure, TextReply, TextRequest, Usage
from interlock.models.certificates import is_certificate_error
from interlock.models.failures import describe, status_failure
from interlock.models.patience import backoff_s, remaining_s, within
from interlock.models.retry import RetryModel
from interlock.models.secret import Secret
from interlock.models.usage import total_usage
from interlock.testing import FakeClock, ScriptedModel

BUSY = Failure(reason="busy", status=429, retryable=True)
REQUEST = TextRequest(messages=(Message(role="user", content="hi"),))


def retry(model: ScriptedModel, clock: FakeClock) -> RetryModel:
    return RetryModel(model, model="m", budget_s=60, now=clock.now, sleep=clock.sleep, rng=lambda: 0.0)


@pytest.mark.anyio
async def test_a_busy_model_is_asked_again() -> None:
    clock, model = FakeClock(), ScriptedModel([BUSY, BUSY, "hello"])
    assert (await retry(model, clock).generate(REQUEST)).text == "hello"
    assert clock.slept == [0.5, 1.0]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("failure", "calls"),
    [
        pytest.param(BUSY, 3, id="two-retries-at-most"),
        pytest.param(Failure(reason="auth", status=401), 1, id="what-cannot-pass"),
        pytest.param(Failure(reason="busy", retryable=True, retry_after_s=60), 1, id="a-wait-longer-than-the-budget"),
    ],
)
async def test_retrying_ends(failure: Failure, calls: int) -> None:
    clock, model = FakeClock(), ScriptedModel([failure])
    assert (await retry(model, clock).generate(REQUEST)).failure == failure
    assert len(model.requests) == calls


@pytest.mark.anyio
async def test_a_late_reply_is_a_deadline() -> None:
    clock = FakeClock()

    class Late(ScriptedModel):
        async def generate(self, request: TextRequest) -> TextReply:
            clock.advance(61)
            return await super().generate(request)

    reply = await retry(Late(["x"]), clock).generate(REQUEST)
    assert (reply.failure, reply.text) == (Failure(reason="deadline"), "")


@pytest.mark.anyio
async def test_a_stream_is_passed_on_as_it_comes() -> None:
    clock = FakeClock()
    events = retry(ScriptedModel(["two words"]), clock).stream(REQUEST)
    found = [event async for event in events]
    assert [event.text for event in found if isinstance(event, Delta)] == ["two ", "words"]
    assert isinstance(found[-1], Done)
    assert found[-1].reply.text == "two words"


@pytest.mark.anyio
async def test_a_budget_inside_a_budget_never_reaches_beyond_it() -> None:
    clock = FakeClock()

    async def inside() -> float:
        return remaining_s(clock.now)

    async def outside() -> float | None:
        clock.advance(4)
        return await within(60, clock.now, inside())

    assert await within(10, clock.now, outside()) == 6
    assert remaining_s(clock.now) == math.inf


@pytest.mark.anyio
async def test_a_timeout_from_inside_is_not_taken_for_the_budget() -> None:
    async def breaks() -> None:
        raise TimeoutError("inner")

    with pytest.raises(TimeoutError, match="inner"):
        await within(60, FakeClock().now, breaks())


@pytest.mark.anyio
async def test_work_that_hangs_is_cancelled() -> None:
    loop = asyncio.get_running_loop()
    assert await within(0.01, loop.time, asyncio.sleep(60, result=1)) is None


@given(retries=st.integers(0, 40), rng=st.floats(0, 1, exclude_max=True))
@settings(max_examples=100)
def test_a_wait_grows_to_five_seconds_and_never_beyond(retries: int, rng: float) -> None:
    wait_s = backoff_s(retries, lambda: rng, None)
    assert 0.375 <= wait_s <= 5
    assert backoff_s(retries, lambda: 0.0, None) >= wait_s


@pytest.mark.parametrize("text", [repr(Secret("k-1")), str(Secret("k-1")), f"{Secret('k-1')}", f"{[Secret('k-1')]}"])
def test_a_secret_is_masked_in_every_text(text: str) -> None:
    assert "k-1" not in text
    assert "***" in text


def test_a_secret_is_read_only_on_purpose_and_cannot_be_pickled() -> None:
    assert Secret("k-1").reveal() == "k-1"
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(Secret("k-1"))


def test_a_failure_is_told_in_one_line() -> None:
    failure = Failure(reason="bad-request", status=422, error_type="invalid", at="questions.tool")
    assert describe("j:m", failure, "req_1") == "j:m: 422 bad-request (invalid) at `questions.tool`; request req_1"
    assert describe("j:m", Failure(reason="timeout"), None) == "j:m: timeout"


def test_a_success_that_is_not_200_is_no_answer() -> None:
    assert status_failure(204, {}, wall_s=0).reason == "not-json"


@pytest.mark.parametrize(
    ("usages", "total"),
    [
        pytest.param([], None, id="nothing"),
        pytest.param([None], None, id="unknown"),
        pytest.param([Usage(input_tokens=1), None], None, id="one-unknown"),
        pytest.param([Usage(input_tokens=1), Usage(input_tokens=2)], Usage(input_tokens=3), id="known"),
        pytest.param([Usage(input_tokens=1), Usage(output_tokens=2)], Usage(), id="each-knows-another-half"),
    ],
)
def test_what_one_call_does_not_report_is_unknown_in_the_whole(usages: list[Usage | None], total: Usage | None) -> None:
    assert total_usage(usages) == total


def test_a_certificate_is_found_among_the_causes() -> None:
    outer = OSError("x")
    outer.__cause__ = ssl.SSLCertVerificationError("y")
    assert is_certificate_error(outer)
    assert not is_certificate_error(OSError("x"))
