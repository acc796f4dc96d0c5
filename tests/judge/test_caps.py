"""How questions are split into calls."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.judge.base import Caps
from interlock.judge.caps import plan_calls
from interlock.questions import Choice, Noul, Question, Score

QUESTIONS: dict[str, Question] = {
    "n": Noul(instructions="n"),
    "c": Choice(instructions="c", criteria={"a": None, "b": None, "d": None}),
    "s": Score(instructions="s", criteria=["1", "2", "3", "4"]),
    "m": Noul(instructions="m"),
}


@pytest.mark.parametrize(
    ("caps", "calls", "over_caps"),
    [
        pytest.param(Caps(), [["n", "c", "s", "m"]], [], id="no-limits"),
        pytest.param(Caps(joint_reads=True), [["n"], ["c"], ["s"], ["m"]], [], id="joint-reads"),
        pytest.param(Caps(max_questions=3), [["n", "c", "s"], ["m"]], [], id="question-count"),
        pytest.param(Caps(max_options=2), [["n", "s", "m"]], ["c"], id="too-many-options"),
        pytest.param(Caps(max_levels=3), [["n", "c", "m"]], ["s"], id="too-many-levels"),
        pytest.param(Caps(max_options=3, max_levels=4), [["n", "c", "s", "m"]], [], id="exactly-at-the-caps"),
        pytest.param(Caps(kinds=frozenset({"choice"})), [["c"]], ["n", "s", "m"], id="kinds"),
        pytest.param(Caps(max_body_bytes=150), [["n"], ["c"], ["s"], ["m"]], [], id="body-size"),
        pytest.param(Caps(max_body_bytes=90), [], ["n", "c", "s", "m"], id="no-room-at-all"),
    ],
)
def test_limits_split_or_exclude(caps: Caps, calls: list[list[str]], over_caps: list[str]) -> None:
    plan = plan_calls(caps, QUESTIONS, envelope_bytes=60)
    assert [list(call) for call in plan.calls] == calls
    assert list(plan.over_caps) == over_caps


@given(
    most=st.one_of(st.none(), st.integers(1, 9)),
    size=st.one_of(st.none(), st.integers(20, 400)),
    count=st.integers(1, 12),
)
@settings(max_examples=100)
def test_every_question_is_asked_once_in_order_or_excluded(most: int | None, size: int | None, count: int) -> None:
    asked: dict[str, Question] = {f"q{at}": Noul(instructions="x" * (at + 1)) for at in range(count)}
    plan = plan_calls(Caps(max_questions=most, max_body_bytes=size), asked)
    sent = [id_ for call in plan.calls for id_ in call]
    assert sent == [id_ for id_ in asked if id_ not in plan.over_caps]
    assert all(0 < len(call) <= (most or count) for call in plan.calls)
