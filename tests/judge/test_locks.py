"""Locks: answers of the model that a threshold was tried with count, those of another one are marked."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from interlock.errors import SettingsError
from interlock.judge.base import Caps, JudgeReply, Reading
from interlock.judge.combinators import Fallback, Locked
from interlock.judge.locks import FORMAT, Lock, Locks, locks_from_json, locks_json, question_digest
from interlock.judge.readings import same_reading
from interlock.models.closing import close
from interlock.questions import Basis, Choice, Content, Json, Noul, NoulAnswer, Question, Score

pytestmark = pytest.mark.anyio

ASKED = Noul(instructions="Is it late?")
OTHER = Noul(instructions="Is it broken?")


def lock(question: Question = ASKED, *, model: str = "jev-1.13.0", basis: Basis = "decision_model") -> Lock:
    return Lock(question=question_digest(question), model=model, requested="jev-1.13.0", basis=basis)


class Server:
    """Answers every noul as one model, or nothing."""

    def __init__(self, model: str | None, *, is_down: bool = False, is_degraded: bool = False) -> None:
        self.caps = Caps()
        self.closed = False
        self._model = model
        self._is_down = is_down
        self._is_degraded = is_degraded

    async def answer(self, frame_state: Content, questions: Mapping[str, Question]) -> JudgeReply:
        answered = Reading(
            kind="answered",
            reason="ok",
            answer=NoulAnswer(noul=0.9, basis="decision_model"),
            judge="s",
            degraded=self._is_degraded,
        )
        readings = same_reading(questions, "server", "s") if self._is_down else dict.fromkeys(questions, answered)
        return JudgeReply(
            readings=readings,
            failure=None,
            requested_model="m",
            served_model=None if self._is_down else self._model,
            request_id=None,
            request_digest="d",
            usage=None,
            attempts=1,
            elapsed_s=0.0,
        )

    async def aclose(self) -> None:
        self.closed = True


@pytest.mark.parametrize(
    ("locks", "model", "degraded"),
    [
        pytest.param([lock()], "jev-1.13.0", False, id="the-model-that-was-tried"),
        pytest.param([lock()], "jev-1.14.0", True, id="another-model"),
        pytest.param([lock()], None, True, id="a-model-without-a-name"),
        pytest.param([lock(basis="self_report")], "jev-1.13.0", True, id="another-basis"),
        pytest.param([lock(), lock(model="jev-1.14.0")], "jev-1.14.0", False, id="two-models-were-tried"),
        pytest.param([lock(OTHER)], "jev-1.14.0", False, id="another-question-was-tried"),
        pytest.param([], "jev-1.14.0", False, id="nothing-was-tried"),
    ],
)
async def test_an_answer_of_another_model_than_was_tried_is_degraded(
    locks: list[Lock], model: str | None, *, degraded: bool
) -> None:
    server = Server(model)
    judge = Locked(server, locks=Locks(locks=frozenset(locks)))
    reading = (await judge.answer("s", {"q": ASKED})).readings["q"]
    assert (reading.kind, reading.degraded) == ("answered", degraded)
    await close(judge)
    assert server.closed


async def test_a_reading_without_an_answer_stays_as_it_is() -> None:
    judge = Locked(Server("jev-1.13.0", is_down=True), locks=Locks(locks=frozenset([lock()])))
    reading = (await judge.answer("s", {"q": ASKED})).readings["q"]
    assert (reading.kind, reading.degraded) == ("transport_error", False)


@pytest.mark.parametrize(
    ("locks", "second", "degraded"),
    [
        pytest.param([], Server("jev-1.13.0"), True, id="no-locks"),
        pytest.param([lock(OTHER)], Server("jev-1.13.0"), True, id="no-lock-of-its-own"),
        pytest.param([lock()], Server("jev-1.13.0"), False, id="its-own-lock"),
        pytest.param([lock()], Server("jev-1.14.0"), True, id="a-lock-of-another-model"),
        pytest.param([lock()], Server("jev-1.13.0", is_degraded=True), True, id="degraded-by-itself"),
    ],
)
async def test_a_later_judge_counts_for_what_it_was_tried_with(
    locks: list[Lock], second: Server, *, degraded: bool
) -> None:
    chain = Fallback([Server(None, is_down=True), second], now=lambda: 0.0, locks=Locks(locks=frozenset(locks)))
    reading = (await chain.answer("s", {"q": ASKED})).readings["q"]
    assert (reading.kind, reading.degraded) == ("answered", degraded)


def test_the_order_of_options_is_no_part_of_a_lock_and_that_of_levels_is() -> None:
    one, other = {"a": "first", "b": "second"}, {"b": "second", "a": "first"}
    assert question_digest(Choice(instructions="Which?", criteria=one)) == question_digest(
        Choice(instructions="Which?", criteria=other)
    )
    assert question_digest(Score(instructions="How?", criteria=["low", "high"])) != question_digest(
        Score(instructions="How?", criteria=["high", "low"])
    )


def test_locks_come_back_from_their_file() -> None:
    locks = frozenset([lock(), lock(OTHER), lock(model="x", basis="first_token")])
    assert locks_from_json(locks_json(locks), "f").locks == locks


GOOD: dict[str, Json] = {"question": "0", "model": "m", "requested": "m", "basis": "first_token"}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        pytest.param([], "f: holds no locks", id="a-list"),
        pytest.param({"format": "judge-locks/v2", "locks": []}, "f: holds no locks", id="another-format"),
        pytest.param({"format": FORMAT}, "f: holds no locks", id="nothing"),
        pytest.param({"format": FORMAT, "locks": [GOOD, "x"]}, r"f: locks\[1\]: is no lock", id="a-text"),
        pytest.param({"format": FORMAT, "locks": [GOOD | {"basis": "x"}]}, "is no lock", id="an-unknown-basis"),
        pytest.param({"format": FORMAT, "locks": [GOOD | {"model": None}]}, "is no lock", id="no-model"),
    ],
)
def test_what_is_no_file_of_locks_is_refused(value: Json, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        locks_from_json(value, "f")
