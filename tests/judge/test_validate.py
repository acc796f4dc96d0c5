"""The rules an answer must keep, one row per rule, and the property that no broken answer counts."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.judge.base import Reading
from interlock.judge.validate import check_answer
from interlock.judge.wire import encode_answer, parse_json
from interlock.questions import Choice, ChoiceAnswer, Noul, NoulAnswer, Question, Score, ScoreAnswer

NOUL = Noul(instructions="q")
CHOICE = Choice(instructions="q", criteria={"a": None, "b": None, "c": None})
SCORE = Score(instructions="q", criteria=["low", "middle", "high"])


def check(raw: Any, question: Question, **flags: bool) -> Reading:
    return check_answer(raw, question, judge="j", basis="decision_model", **flags)


def choice(*values: Any, pick: Any = "a", **changes: Any) -> dict[str, Any]:
    return {"type": "choice", "choice": pick, "probabilities": dict(zip("abc", values, strict=True))} | changes


def score(value: Any, *values: Any, **changes: Any) -> dict[str, Any]:
    named = {str(at): p for at, p in enumerate(values)}
    return {"type": "score", "score": value, "probabilities": named} | changes


@pytest.mark.parametrize(
    ("raw", "question", "reason"),
    [
        pytest.param({"type": "noul", "noul": 0.5}, NOUL, "ok", id="noul"),
        pytest.param({"type": "noul", "noul": 1}, NOUL, "ok", id="noul-integer"),
        pytest.param({"type": "noul", "noul": 1.01}, NOUL, "noul-range", id="noul-over-one"),
        pytest.param({"type": "noul", "noul": -0.01}, NOUL, "noul-range", id="noul-below-zero"),
        pytest.param({"type": "noul", "noul": True}, NOUL, "noul-range", id="noul-boolean"),
        pytest.param({"type": "noul", "noul": "1"}, NOUL, "noul-range", id="noul-text"),
        pytest.param({"type": "noul", "noul": math.inf}, NOUL, "noul-range", id="noul-infinite"),
        pytest.param({"type": "noul", "noul": 10**400}, NOUL, "noul-range", id="noul-beyond-floats"),
        pytest.param({"type": "noul"}, NOUL, "noul-range", id="noul-missing"),
        pytest.param({"type": "choice"}, NOUL, "answer-type", id="wrong-type"),
        pytest.param({"type": "rank"}, CHOICE, "answer-type", id="unknown-type"),
        pytest.param({"noul": 1}, NOUL, "answer-type", id="no-type"),
        pytest.param([0.5], NOUL, "answer-type", id="not-an-object"),
        pytest.param({"type": "noul", "noul": 1}, SCORE, "answer-type", id="noul-for-a-score"),
        pytest.param(choice(0.5, 0.3, 0.2), CHOICE, "ok", id="choice"),
        pytest.param(choice(0.34, 0.33, 0.32), CHOICE, "ok", id="sum-of-.99"),
        pytest.param(choice(0.34, 0.34, 0.33), CHOICE, "ok", id="sum-of-1.01"),
        pytest.param(choice(0.4, 0.3, 0.2), CHOICE, "sum", id="sum-of-.9"),
        pytest.param(choice(0.5, 0.3, 0.22), CHOICE, "sum", id="sum-of-1.02"),
        pytest.param(choice(1.01, 0, 0), CHOICE, "probability-range", id="one-value-over-one"),
        pytest.param(choice(0.99, 0.01, 0.01), CHOICE, "ok", id="slack-counts-values-that-are-not-zero"),
        pytest.param(choice(0.51, 0.5, 0), CHOICE, "ok", id="two-values-have-.01-of-slack"),
        pytest.param(choice(0.511, 0.5, 0), CHOICE, "sum", id="two-values-have-no-more"),
        pytest.param(choice(0, 0, 0), CHOICE, "no-mass", id="no-mass"),
        pytest.param(choice(math.nan, 0.5, 0.5), CHOICE, "probability-range", id="nan"),
        pytest.param(choice("0.5", 0.5, 0), CHOICE, "probability-range", id="text-for-a-probability"),
        pytest.param(choice(True, 0, 0), CHOICE, "probability-range", id="boolean-for-a-probability"),
        pytest.param(choice(0.5, 0.3, 0.2, pick="d"), CHOICE, "not-an-option", id="a-label-that-was-not-offered"),
        pytest.param(choice(0.5, 0.3, 0.2, pick=["a"]), CHOICE, "not-an-option", id="a-list-of-labels"),
        pytest.param(choice(0.5, 0.3, 0.2, pick="b"), CHOICE, "not-argmax", id="not-the-most-probable"),
        pytest.param(choice(0.4, 0.4, 0.2, pick="b"), CHOICE, "ok", id="a-tie"),
        pytest.param(choice(0.4, 0.395, 0.205, pick="b"), CHOICE, "ok", id="within-rounding-of-the-most-probable"),
        pytest.param(
            {"type": "choice", "choice": "a", "probabilities": {"a": 1.0}}, CHOICE, "option-keys", id="labels-missing"
        ),
        pytest.param(
            {"type": "choice", "choice": "a", "probabilities": {"a ": 1, "b": 0, "c": 0}},
            CHOICE,
            "option-keys",
            id="a-label-with-a-space",
        ),
        pytest.param({"type": "choice", "choice": "a"}, CHOICE, "option-keys", id="no-probabilities"),
        pytest.param(
            {"type": "choice", "choice": "a", "probabilities": [1, 0, 0]}, CHOICE, "option-keys", id="a-bare-list"
        ),
        pytest.param(score(1.1, 0.2, 0.5, 0.3), SCORE, "ok", id="score"),
        pytest.param(score(1.12, 0.2, 0.5, 0.3), SCORE, "ok", id="score-within-rounding"),
        pytest.param(score(1.2, 0.2, 0.5, 0.3), SCORE, "score-mean", id="score-is-not-the-mean"),
        pytest.param(score(2.5, 0, 0, 1.0), SCORE, "score-range", id="score-over-the-top-level"),
        pytest.param(score(-0.1, 1.0, 0, 0), SCORE, "score-range", id="score-below-the-bottom"),
        pytest.param(score(None, 1.0, 0, 0), SCORE, "score-range", id="score-missing"),
        pytest.param(score(1, 0, 0, 0), SCORE, "no-mass", id="score-without-mass"),
        pytest.param(score(1, 0, 0.9, 0), SCORE, "sum", id="score-sum"),
        pytest.param(score(0.5, 0.5, 0.5), SCORE, "level-keys", id="a-level-missing"),
        pytest.param(score(1, 0.2, 0.6, 0.1, 0.1), SCORE, "level-keys", id="a-level-too-many"),
        pytest.param(
            score(1.0000003, 0.33333333, 0.33333333, 0.33333334), SCORE, "ok", id="values-that-are-not-rounded"
        ),
        pytest.param(
            score(1.0201, 0.33333333, 0.33333333, 0.33333334), SCORE, "score-mean", id="and-have-no-more-slack"
        ),
        pytest.param(score(1, 0, 1, 0, legend={}), SCORE, "ok", id="empty-legend"),
        pytest.param(score(1, 0, 1, 0, legend={"0": 1, "1": 2, "2": 3}), SCORE, "ok", id="legend-not-compared"),
        pytest.param(score(1, 0, 1, 0, legend={"0": 1}), SCORE, "legend", id="legend-with-other-keys"),
        pytest.param(score(1, 0, 1, 0, legend="x"), SCORE, "legend", id="legend-is-text"),
        pytest.param(score(1.2345, 0.12345, 0.5186, 0.35795), SCORE, "ok", id="unrounded-values-have-the-plain-slack"),
    ],
)
def test_each_rule_has_its_reason(raw: object, question: Question, reason: str) -> None:
    reading = check(raw, question)
    assert reading.reason == reason
    assert (reading.answer is not None) == (reason == "ok")
    assert reading.kind == {"ok": "answered", "no-mass": "unscored"}.get(reason, "invalid_response")


@pytest.mark.parametrize(
    ("reported", "kept"), [(0.6, 0.6), (1.2, None), ("high", None), (True, None), (math.nan, None), (None, None)]
)
def test_a_reported_confidence_is_kept_apart_and_never_costs_an_answer(reported: object, kept: float | None) -> None:
    reading = check(choice(0.5, 0.3, 0.2, confidence=reported), CHOICE)
    assert isinstance(reading.answer, ChoiceAnswer)
    assert reading.answer.reported_confidence == kept


def test_a_bare_label_must_still_be_an_option() -> None:
    assert check({"type": "choice", "choice": "z"}, CHOICE, bare_label=True).reason == "not-an-option"


@st.composite
def rounded(draw: st.DrawFn) -> list[float]:
    """A distribution as a server shows it: two decimals."""
    weights = draw(st.lists(st.integers(0, 1000), min_size=2, max_size=60).filter(any))
    return [round(weight / sum(weights), 2) for weight in weights]


@given(values=rounded())
@settings(max_examples=150)
def test_a_distribution_rounded_to_two_decimals_is_accepted(values: list[float]) -> None:
    labels = [f"o{at}" for at in range(len(values))]
    question = Choice(instructions="q", criteria=dict.fromkeys(labels))
    pick = labels[values.index(max(values))]
    raw = {"type": "choice", "choice": pick, "probabilities": dict(zip(labels, values, strict=True))}
    assert check(raw, question).reason in {"ok", "no-mass"}


@given(values=rounded().filter(lambda values: len(values) <= 10 and sum(values) > 0))
@settings(max_examples=150)
def test_the_mean_of_a_rounded_distribution_is_accepted(values: list[float]) -> None:
    exact = sum(at * p for at, p in enumerate(values)) / sum(values)
    question = Score(instructions="q", criteria=[f"l{at}" for at in range(len(values))])
    assert check(score(exact, *values), question).reason in {"ok", "sum"}


numbers = st.one_of(st.floats(), st.integers(), st.floats(0, 1), st.booleans(), st.text(max_size=2), st.none())
fields = {"type": st.sampled_from(["noul", "choice", "score", "x"]), "noul": numbers, "score": numbers}
answers = st.fixed_dictionaries(
    fields,
    optional={
        "choice": st.one_of(st.sampled_from("abcd"), numbers),
        "probabilities": st.one_of(
            st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), numbers, max_size=4),
            st.dictionaries(st.sampled_from(["0", "1", "2", "3"]), numbers, max_size=4),
        ),
        "confidence": numbers,
        "legend": numbers,
    },
)


@given(raw=answers, question=st.sampled_from([NOUL, CHOICE, SCORE]))
@settings(max_examples=200)
def test_whatever_counts_keeps_every_rule(raw: dict[str, Any], question: Question) -> None:
    reading = check(raw, question)
    match reading.answer:
        case None:
            assert reading.kind != "answered"
        case NoulAnswer(noul=p):
            assert 0 <= p <= 1
        case ChoiceAnswer(choice=pick, probabilities=spread):
            assert spread is not None
            assert set(spread) == {"a", "b", "c"}
            assert all(0 <= p <= 1 for p in spread.values())
            assert abs(sum(spread.values()) - 1) <= 0.0151
            assert max(spread.values()) - spread[pick] <= 0.0051
        case ScoreAnswer(score=value, probabilities=levels):
            assert 0 <= value <= 2.001
            assert len(levels) == 3
            assert abs(sum(levels) - 1) <= 0.0151


@given(raw=answers, question=st.sampled_from([NOUL, CHOICE, SCORE]))
@settings(max_examples=100)
def test_an_answer_survives_the_wire(raw: dict[str, Any], question: Question) -> None:
    answer = check(raw, question).answer
    if answer is not None:
        assert check(encode_answer(answer), question).answer == answer


@pytest.mark.parametrize(
    "answer",
    [
        NoulAnswer(noul=0.25, basis="decision_model"),
        ChoiceAnswer(
            choice="b", probabilities={"a": 0.1, "b": 0.7, "c": 0.2}, basis="decision_model", reported_confidence=0.5
        ),
        ScoreAnswer(score=1.5, probabilities=(0.0, 0.5, 0.5), basis="decision_model", reported_confidence=None),
    ],
)
def test_every_kind_of_answer_survives_the_wire(answer: NoulAnswer | ChoiceAnswer | ScoreAnswer) -> None:
    question = NOUL if isinstance(answer, NoulAnswer) else CHOICE if isinstance(answer, ChoiceAnswer) else SCORE
    assert check(encode_answer(answer), question).answer == answer


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param('{"a": 1, "a": 1}', "a key is repeated", id="duplicate-key"),
        pytest.param("[NaN]", "not finite", id="nan"),
        pytest.param("[-Infinity]", "not finite", id="infinity"),
        pytest.param('["\\ud800"]', "lone surrogate", id="lone-surrogate"),
        pytest.param("{", "Expecting", id="cut"),
        pytest.param("", "Expecting", id="empty"),
        pytest.param("[" * 200_000, "nested too deep", id="deep"),
    ],
)
def test_the_reader_refuses_what_is_not_strict_json(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        parse_json(text)


def test_the_reader_takes_json_in_utf8() -> None:
    assert parse_json('{"文": [1, 2.5, null, true, "\\ud83d\\ude00"]}'.encode()) == {"文": [1, 2.5, None, True, "😀"]}
