"""What a probe finds out about judges whose limits and habits are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from interlock.judge.base import Caps, JudgeReply, Reading
from interlock.judge.probe import Measured, ProbeFailedError, measured_caps, probe
from interlock.judge.profile import Profile, parse_profiles
from interlock.judge.profile_text import profile_text
from interlock.judge.readings import same_reading
from interlock.questions import Choice, Content, Question, Score
from interlock.testing import FakeClock, ScriptedJudge

pytestmark = pytest.mark.anyio


class Server:
    """A judge with limits, habits and a speed."""

    def __init__(
        self, clock: FakeClock, *, options: int = 255, levels: int = 10, questions: int = 128, **habits: Any
    ) -> None:
        self.clock = clock
        self.most = {"options": options, "levels": levels, "questions": questions}
        self.habits = habits
        self.calls = 0

    caps = Caps()

    async def answer(self, frame_state: Content, questions: Mapping[str, Question]) -> JudgeReply:
        self.calls += 1
        self.clock.advance(0.25)
        reply = await ScriptedJudge(
            lambda _s, id_, q: self._answer(list(questions).index(id_), len(questions), q)
        ).answer(frame_state, questions)
        reason = self._refused(questions)
        return reply if reason is None else replace(reply, readings=same_reading(questions, reason, "server"))

    def _refused(self, questions: Mapping[str, Question]) -> str | None:
        wide = max((len(q.criteria) for q in questions.values() if isinstance(q, Choice)), default=0)
        deep = max((len(q.criteria) for q in questions.values() if isinstance(q, Score)), default=0)
        sizes = {"options": wide, "levels": deep, "questions": len(questions)}
        over = any(sizes[name] > most for name, most in self.most.items())
        return self.habits.get("broken") or (self.habits.get("over", "bad-request") if over else None)

    def _answer(self, at: int, asked: int, question: Question) -> float | str | Reading:
        if isinstance(question, Choice):
            return next(iter(question.criteria)) if self.habits.get("first") else min(question.criteria)
        if isinstance(question, Score):
            return 0.0
        if "mental" in str(question.instructions) and self.habits.get("refuses"):
            return Reading(kind="refused", reason="refusal", answer=None, judge="server")
        noise = 0.04 * (self.calls % 2) if self.habits.get("noisy") else 0.0
        return 0.5 + (0.1 * at if self.habits.get("mixes") and asked > 1 else 0.0) + noise


async def measure(**given: Any) -> tuple[Measured, Server]:
    clock = FakeClock()
    server = Server(clock, **given)
    told: list[str] = []
    found = await probe(server, now=clock.now, tell=told.append)
    assert told[0] == "latency"
    return found, server


async def test_a_steady_judge_is_said_to_be_steady() -> None:
    found, server = await measure()
    assert (found.max_options, found.max_levels, found.max_questions) == (255, 10, 128)
    assert (found.joint_reads, found.moved, found.orders, found.flips) == (False, 0.0, 4, 0)
    assert (found.refusal, found.numbers, found.latency_ms) == (False, True, 250.0)
    assert (found.requests, found.served_model) == (server.calls, "scripted")
    assert found.requests < 60


@pytest.mark.parametrize("limit", [2, 9, 26, 77, 100, 254])
async def test_the_largest_size_is_found_exactly(limit: int) -> None:
    found, _ = await measure(options=limit, levels=min(limit, 31), questions=min(limit, 199))
    assert (found.max_options, found.max_levels, found.max_questions) == (limit, min(limit, 31), min(limit, 199))


async def test_a_request_that_takes_too_long_is_too_large() -> None:
    found, _ = await measure(options=64, over="deadline")
    assert found.max_options == 64


async def test_questions_that_move_each_other_are_told_from_noise() -> None:
    mixing, _ = await measure(mixes=True)
    noisy, _ = await measure(noisy=True)
    assert mixing.joint_reads
    assert mixing.moved == pytest.approx(0.3)
    assert not noisy.joint_reads


async def test_what_cannot_be_told_stays_narrow() -> None:
    """A server that takes one question at a time is never asked several at once."""
    found, _ = await measure(questions=1)
    assert (found.max_questions, found.joint_reads, found.moved) == (1, True, 0.0)


async def test_a_judge_that_takes_the_first_option_flips_every_time() -> None:
    found, _ = await measure(first=True)
    assert (found.orders, found.flips) == (4, 4)


async def test_a_refusal_is_seen() -> None:
    assert (await measure(refuses=True))[0].refusal


async def test_answers_without_numbers_are_seen() -> None:
    clock = FakeClock()

    class Bare(Server):
        def _answer(self, at: int, asked: int, question: Question) -> float | str | Reading:
            if not isinstance(question, Choice):
                return 0.5
            return Reading(kind="unscored", reason="no-probabilities", answer=None, judge="server")

    found = await probe(Bare(clock), now=clock.now, tell=str)
    assert (found.numbers, found.orders) == (False, 0)
    assert found.max_options == 255


@pytest.mark.parametrize("reason", ["auth", "connect", "not-found", "server", "not-json"])
async def test_a_judge_that_does_not_answer_is_not_measured(reason: str) -> None:
    with pytest.raises(ProbeFailedError, match=reason):
        await measure(broken=reason)


async def test_a_server_that_goes_away_is_no_limit() -> None:
    with pytest.raises(ProbeFailedError, match="connect"):
        await measure(options=50, over="connect")


PROFILE = Profile(
    name="system-one",
    wire="systemone",
    base=None,
    path="/v1/systemone",
    key_env="SYSTEM_ONE_API_KEY",
    key_required=False,
    base_env="SYSTEM_ONE_BASE_URL",
    model_env=None,
    alias="jev-latest",
    bare_label=False,
    caps=Caps(max_options=26, max_levels=5, max_questions=1, joint_reads=True, max_body_bytes=1000),
)


async def test_a_saved_profile_is_read_back_as_it_was_measured() -> None:
    id_ = 'system-one:http://127.0.0.1:8000#mödel "x"'
    found, _ = await measure(options=50, refuses=True)
    caps = measured_caps(PROFILE.caps, found)
    assert caps == Caps(max_options=50, max_levels=10, max_questions=128, refusal=True, max_body_bytes=1000)
    text = profile_text(id_, replace(PROFILE, caps=caps), found)
    assert parse_profiles(text) == {id_: replace(PROFILE, name=id_, caps=caps, steady_order=True)}
    assert "latency_ms = 250.0" in text
