"""One definition per predicate: test, complement and margin agree for every answer."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.policy import (
    NUMBERS,
    Predicate,
    PredicateKind,
    measure,
    predicate_text,
    rule_text,
    threshold_range,
)
from interlock.questions import Answer, Choice, ChoiceAnswer, Noul, NoulAnswer, Question, Score, ScoreAnswer

P = st.floats(0, 1)
NOULS = st.builds(NoulAnswer, noul=P, basis=st.just("decision_model"))
CHOICES = st.builds(
    ChoiceAnswer,
    choice=st.sampled_from(["a", "b"]),
    probabilities=st.fixed_dictionaries({"a": P, "b": P}),
    basis=st.just("decision_model"),
)
SCORES = st.builds(
    ScoreAnswer, score=st.floats(0, 2), probabilities=st.tuples(P, P, P), basis=st.just("decision_model")
)
ANSWERS: st.SearchStrategy[Answer] = st.one_of(NOULS, CHOICES, SCORES)
KINDS: dict[type[Answer], tuple[PredicateKind, ...]] = {
    NoulAnswer: ("top", "prob"),
    ChoiceAnswer: ("top",),
    ScoreAnswer: ("top", "score"),
}
THRESHOLDS = st.floats(0, 3)


def at_least(kind: PredicateKind, threshold: float) -> Predicate:
    return Predicate(kind=kind, question="q", comparison=">=", threshold=threshold, option=None)


def picked(option: str) -> Predicate:
    return Predicate(kind="picked", question="q", comparison="=", threshold=None, option=option)


@given(answer=ANSWERS, threshold=THRESHOLDS, data=st.data())
def test_at_least_and_below_partition_every_answer(answer: Answer, threshold: float, data: st.DataObject) -> None:
    """Exactly one of the two holds, on the same value at the same distance."""
    reached = at_least(data.draw(st.sampled_from(KINDS[type(answer)])), threshold)

    above = measure(reached, answer)
    below = measure(replace(reached, comparison="<"), answer)

    assert above is not None
    assert below is not None
    assert above.holds is not below.holds
    assert (above.value, above.distance) == (below.value, below.distance)


@given(answer=ANSWERS, threshold=THRESHOLDS, higher=THRESHOLDS, floor=st.floats(0, 2), data=st.data())
def test_raising_a_threshold_never_turns_a_miss_into_a_hit(
    answer: Answer, threshold: float, higher: float, floor: float, data: st.DataObject
) -> None:
    """`>=` only loses answers as its threshold rises, and only gains them as a floor rises."""
    low, high = sorted((threshold, higher))
    kind = data.draw(st.sampled_from(KINDS[type(answer)]))

    easy, hard = measure(at_least(kind, low), answer), measure(at_least(kind, high), answer)
    raised = measure(at_least(kind, high), answer, floor)

    assert easy is not None
    assert hard is not None
    assert raised is not None
    assert easy.holds >= hard.holds
    assert raised.holds >= hard.holds


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(NoulAnswer(noul=math.nan, basis="decision_model"), id="nan"),
        pytest.param(NoulAnswer(noul=math.inf, basis="decision_model"), id="infinity"),
        pytest.param(NoulAnswer(noul=1.5, basis="decision_model"), id="above-one"),
        pytest.param(NoulAnswer(noul=0.9, basis="label_only"), id="a-noul-that-is-only-a-label"),
        pytest.param(ChoiceAnswer(choice="a", probabilities={"a": math.nan}, basis="decision_model"), id="nan-choice"),
        pytest.param(
            ChoiceAnswer(choice="a", probabilities={"a": 0.9, "b": math.nan}, basis="decision_model"), id="nan-beside"
        ),
        pytest.param(ChoiceAnswer(choice="c", probabilities={"a": 1.0}, basis="decision_model"), id="no-such-label"),
        pytest.param(ChoiceAnswer(choice="a", probabilities=None, basis="label_only"), id="a-label"),
        pytest.param(ChoiceAnswer(choice="a", probabilities={"a": 1.0}, basis="label_only"), id="a-label-dressed-up"),
        pytest.param(ScoreAnswer(score=math.nan, probabilities=(0.5, 0.5), basis="decision_model"), id="nan-score"),
        pytest.param(ScoreAnswer(score=2.0, probabilities=(0.5, 0.5), basis="decision_model"), id="above-the-levels"),
        pytest.param(ScoreAnswer(score=1.0, probabilities=(0.5, math.nan), basis="decision_model"), id="nan-level"),
        pytest.param(ScoreAnswer(score=0.0, probabilities=(), basis="decision_model"), id="no-levels"),
    ],
)
@pytest.mark.parametrize("kind", NUMBERS)
def test_what_is_not_a_sound_number_decides_nothing(kind: PredicateKind, answer: Answer) -> None:
    """Neither `>=` nor `<` holds."""
    predicate = at_least(kind, 0.5)

    assert measure(predicate, answer) is None
    assert measure(replace(predicate, comparison="<"), answer) is None


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        pytest.param("prob", ScoreAnswer(score=1.0, probabilities=(0.0, 1.0), basis="rule"), id="prob-of-a-score"),
        pytest.param("score", NoulAnswer(noul=1.0, basis="rule"), id="score-of-a-noul"),
        pytest.param("prob", ChoiceAnswer(choice="a", probabilities={"a": 1.0}, basis="rule"), id="prob-of-a-choice"),
    ],
)
def test_an_answer_of_another_type_decides_nothing(kind: PredicateKind, answer: Answer) -> None:
    """A backend that answers another question has not answered this one."""
    assert measure(at_least(kind, 0.5), answer) is None


def test_a_label_decides_what_was_picked() -> None:
    """It is all that a label without probabilities can decide, and it has no distance."""
    label = ChoiceAnswer(choice="a", probabilities=None, basis="label_only")

    hit, miss = measure(picked("a"), label), measure(picked("b"), label)

    assert hit is not None
    assert miss is not None
    assert (hit.holds, miss.holds) == (True, False)
    assert (hit.value, hit.distance) == (None, None)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(NoulAnswer(noul=1.0, basis="rule"), id="a-noul"),
        pytest.param(ChoiceAnswer(choice="b", probabilities={"a": 1.0}, basis="rule"), id="a-label-it-does-not-rate"),
    ],
)
def test_nothing_else_decides_what_was_picked(answer: Answer) -> None:
    """A pick must be a sound answer to a choice."""
    assert measure(picked("b"), answer) is None


@pytest.mark.parametrize(
    ("kind", "answer", "value"),
    [
        pytest.param("top", NoulAnswer(noul=0.2, basis="rule"), 0.8, id="top-of-a-noul-is-its-likelier-side"),
        pytest.param(
            "top",
            ChoiceAnswer(choice="a", probabilities={"a": 0.4, "b": 0.404}, basis="rule"),
            0.4,
            id="top-of-a-choice-is-its-pick",
        ),
        pytest.param(
            "top", ScoreAnswer(score=1.0, probabilities=(0.2, 0.7, 0.1), basis="rule"), 0.7, id="top-of-a-score"
        ),
        pytest.param("prob", NoulAnswer(noul=0.2, basis="rule"), 0.2, id="prob"),
        pytest.param("score", ScoreAnswer(score=1.0, probabilities=(0.2, 0.7, 0.1), basis="rule"), 1.0, id="score"),
    ],
)
def test_each_predicate_compares_its_own_number(kind: PredicateKind, answer: Answer, value: float) -> None:
    """At exactly that number `>=` holds."""
    found = measure(at_least(kind, value), answer)

    assert found is not None
    assert found.holds
    assert found.value == value
    assert found.distance == 0


def test_a_floor_bounds_a_score_from_below() -> None:
    """The larger of answer and floor is compared and recorded."""
    answer = ScoreAnswer(score=0.5, probabilities=(0.5, 0.5, 0.0), basis="rule")

    above, below = measure(at_least("score", 2), answer, 2.0), measure(at_least("score", 2), answer, 0.0)

    assert above is not None
    assert below is not None
    assert (above.holds, above.value, above.distance) == (True, 2.0, 0.0)
    assert (below.holds, below.value) == (False, 0.5)


def test_a_floor_that_is_not_a_number_decides_nothing() -> None:
    """An unreadable floor is not the absence of one."""
    answer = ScoreAnswer(score=0.5, probabilities=(0.5, 0.5), basis="rule")

    assert measure(at_least("score", 1), answer, math.nan) is None


@pytest.mark.parametrize(
    ("predicate", "text"),
    [
        pytest.param(at_least("prob", 0.6), "prob:q >= 0.6", id="prob"),
        pytest.param(at_least("score", 2.0), "score:q >= 2", id="a-whole-number"),
        pytest.param(replace(at_least("top", 0.1), comparison="<"), "top < 0.1", id="top-names-no-question"),
        pytest.param(picked("read it"), "picked:q = read it", id="picked"),
        pytest.param(
            Predicate(kind="else", question=None, comparison=None, threshold=None, option=None), "else", id="else"
        ),
    ],
)
def test_a_predicate_has_one_spelling(predicate: Predicate, text: str) -> None:
    """Traces and records show it, with the threshold in effect."""
    assert predicate_text(predicate) == text
    assert rule_text(predicate, "go") == f"{text} → go"


@pytest.mark.parametrize(
    ("kind", "question", "span"),
    [
        pytest.param("prob", Noul(instructions="?"), (0, 1), id="prob"),
        pytest.param("top", Score(instructions="?", criteria=["a", "b", "c"]), (0, 1), id="top-of-a-score"),
        pytest.param("score", Score(instructions="?", criteria=["a", "b", "c"]), (0, 2), id="levels"),
        pytest.param("top", Choice(instructions="?", criteria={"a": None}), (0, 1), id="top-of-a-choice"),
    ],
)
def test_a_threshold_lies_where_its_number_can(
    kind: PredicateKind, question: Question, span: tuple[float, float]
) -> None:
    """Probabilities within [0, 1], scores within their levels."""
    assert threshold_range(kind, question) == span
