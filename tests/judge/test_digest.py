"""What the digest of a request covers and what it leaves out."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.judge.digest import request_digest
from interlock.questions import Choice, Json, Noul, NoulCriteria, Question, Score

STATE: dict[str, Json] = {"task": "t", "n": 1}
PICK = Choice(instructions="which", criteria={"a": "x", "b": None})


def test_the_digest_is_stable() -> None:
    """A recorded digest must still be found by a later release."""
    questions: dict[str, Question] = {"pick": PICK, "risk": Score(instructions="r", criteria=["l", "h"])}
    spelled = (
        '[1,"systemone","m",null,[["task","t"],["n",1]],['
        '[["type","choice"],["instructions","which"],["criteria",[["a","x"],["b",null]]]],'
        '[["type","score"],["instructions","r"],["criteria",["l","h"]]]]]'
    )
    digest = request_digest(STATE, questions, model="m", wire="systemone")
    assert digest == hashlib.sha256(spelled.encode()).hexdigest()


def test_question_ids_do_not_count() -> None:
    assert request_digest(STATE, {"x": PICK}, model="m") == request_digest(STATE, {"y": PICK}, model="m")


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(request_digest(STATE, {"x": PICK}, model="n"), id="model"),
        pytest.param(request_digest(STATE, {"x": PICK}, model="m", wire="systemone"), id="wire"),
        pytest.param(request_digest(STATE, {"x": PICK}, model="m", readout="json"), id="readout"),
        pytest.param(request_digest({"n": 1, "task": "t"}, {"x": PICK}, model="m"), id="order-of-the-state"),
        pytest.param(
            request_digest(STATE, {"x": Choice(instructions="which", criteria={"b": None, "a": "x"})}, model="m"),
            id="order-of-options",
        ),
        pytest.param(request_digest(STATE, {"x": PICK, "y": PICK}, model="m"), id="one-question-more"),
        pytest.param(
            request_digest(STATE, {"x": Noul(instructions="which", criteria=NoulCriteria(true="x"))}, model="m"),
            id="another-question",
        ),
    ],
)
def test_everything_else_counts(other: str) -> None:
    assert request_digest(STATE, {"x": PICK}, model="m") != other


@given(st.permutations(["a", "b", "c", "d"]))
@settings(max_examples=24)
def test_only_the_same_order_gives_the_same_digest(labels: list[str]) -> None:
    asked = {"x": Choice(instructions="q", criteria=dict.fromkeys(labels))}
    sorted_ = {"x": Choice(instructions="q", criteria=dict.fromkeys(sorted(labels)))}
    same = request_digest("s", asked, model="m") == request_digest("s", sorted_, model="m")
    assert same == (labels == sorted(labels))
