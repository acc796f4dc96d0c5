"""Choices asked in several orders: which orders, what is averaged, and what a flip reads as."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from interlock.judge.base import Caps, Failure, Judge, JudgeReply
from interlock.judge.combinators import Fit, OrderBalanced
from interlock.judge.combinators.order import orderings
from interlock.judge.options import OrderMode
from interlock.judge.readings import Identity
from interlock.questions import Choice, ChoiceAnswer, Content, Noul, Question
from interlock.testing import FakeClock, ScriptedJudge

pytestmark = pytest.mark.anyio

WHO = Identity(judge="outer", model="m", readout="balanced")
CHOICE = Choice(instructions="Which?", criteria={"a": "1", "b": "2", "c": None})


def balanced(inner: Judge, mode: OrderMode = "balanced") -> OrderBalanced:
    return OrderBalanced(inner, identity=WHO, mode=mode, now=lambda: 0.0)


@pytest.mark.parametrize("options", range(2, 12))
@pytest.mark.parametrize("mode", ["as_given", "reversed_check", "balanced"])
def test_every_order_is_a_permutation_and_the_given_one_is_first(options: int, mode: OrderMode) -> None:
    rows = orderings(options, mode)
    assert rows[0] == tuple(range(options))
    assert len(set(rows)) == len(rows) <= 4
    assert {tuple(sorted(row)) for row in rows} == {rows[0]}


@pytest.mark.parametrize("options", [2, 4])
def test_a_whole_square_puts_every_option_once_before_every_other(options: int) -> None:
    """With as many rows as options, each ordered pair of neighbours stands exactly once (Williams)."""
    rows = orderings(options, "balanced")
    neighbours = Counter(pair for row in rows for pair in pairwise(row))
    assert set(neighbours.values()) == {1}
    assert len(neighbours) == options * (options - 1)
    assert all(len({row[at] for row in rows}) == options for at in range(options))


@pytest.mark.parametrize("options", [2, 3, 5, 6, 7, 9])
def test_every_option_stands_as_often_before_as_after_another(options: int) -> None:
    rows = orderings(options, "balanced")
    before = Counter((row[i], row[j]) for row in rows for i in range(options) for j in range(i + 1, options))
    assert all(before[(x, y)] == before[(y, x)] for x, y in before)


async def test_probabilities_are_averaged_over_the_orders() -> None:
    def leans_to_the_first(_state: Content, _id: str, question: Question) -> dict[str, float] | float:
        if not isinstance(question, Choice):
            return 0.5
        first = next(iter(question.criteria))
        return {"a": 0.6, "b": 0.2, "c": 0.2} if first == "a" else {"a": 0.5, "b": 0.3, "c": 0.2}

    judge = ScriptedJudge(leans_to_the_first)
    reply = await balanced(judge, "reversed_check").answer("s", {"q": CHOICE, "n": Noul(instructions="n")})
    asked = [list(seen.questions["q"].criteria) for seen in judge.seen if isinstance(seen.questions["q"], Choice)]
    answer = reply.readings["q"].answer
    assert asked == [["a", "b", "c"], ["c", "b", "a"]]
    assert [list(seen.questions) for seen in judge.seen] == [["q", "n"], ["q"]]
    assert isinstance(answer, ChoiceAnswer)
    assert answer.probabilities == pytest.approx({"a": 0.55, "b": 0.25, "c": 0.2})
    assert list(answer.probabilities or {}) == ["a", "b", "c"]
    assert (answer.choice, answer.reported_confidence) == ("a", None)
    assert reply.request_digest != ""


async def test_a_pick_that_depends_on_the_order_is_no_answer() -> None:
    """A flip is never averaged away: an average would look like an answer that nobody gave."""

    def takes_the_first(_state: Content, _id: str, question: Question) -> str:
        assert isinstance(question, Choice)
        return next(iter(question.criteria))

    for mode in ("reversed_check", "balanced"):
        reading = (await balanced(ScriptedJudge(takes_the_first), mode).answer("s", {"q": CHOICE})).readings["q"]
        assert (reading.kind, reading.reason, reading.answer) == ("unscored", "order-flip", None)


async def test_four_orders_at_most_and_what_has_fewer_is_asked_fewer_times() -> None:
    judge = ScriptedJudge(lambda *_: None)
    wide = Choice(instructions="w", criteria={str(at): None for at in range(9)})
    two = Choice(instructions="t", criteria={"x": None, "y": None})
    await balanced(judge).answer("s", {"w": wide, "t": two})
    assert [list(seen.questions) for seen in judge.seen] == [["w", "t"], ["w", "t"], ["w"], ["w"]]


@pytest.mark.parametrize(
    ("second", "kind", "reason"),
    [
        pytest.param([{"q": "a"}, {"q": None}], "unscored", "abstained", id="one-order-abstains"),
        pytest.param([{"q": "a"}, Failure(reason="busy")], "transport_error", "busy", id="one-order-fails"),
        pytest.param([{"q": "a"}, {"q": "z"}], "invalid_response", "not-an-option", id="one-order-is-broken"),
    ],
)
async def test_an_order_without_an_answer_leaves_the_question_without_one(
    second: list[dict[str, str | None] | Failure], kind: str, reason: str
) -> None:
    reply = await balanced(ScriptedJudge(second), "reversed_check").answer("s", {"q": CHOICE})
    reading = reply.readings["q"]
    assert (reading.kind, reading.reason, reading.answer) == (kind, reason, None)


async def test_answers_of_two_models_are_not_averaged() -> None:
    class Moving:
        caps = Caps()
        calls = 0

        async def answer(self, frame_state: Content, questions: dict[str, Question]) -> JudgeReply:
            self.calls += 1
            return await ScriptedJudge(lambda *_: "a", judge=f"m-{self.calls}").answer(frame_state, questions)

    reply = await balanced(Moving(), "reversed_check").answer("s", {"q": CHOICE})  # type: ignore[arg-type] # a narrow double
    assert {(r.kind, r.reason) for r in reply.readings.values()} == {("invalid_response", "model-split")}


async def test_a_limit_inside_still_holds() -> None:
    clock = FakeClock()
    judge = ScriptedJudge(lambda *_: "a", caps=Caps(max_options=2))
    fit = Fit(judge, identity=WHO, now=clock.now)
    reply = await balanced(fit).answer("s", {"q": CHOICE})
    assert reply.readings["q"].reason == "over-caps"
    assert judge.seen == []
