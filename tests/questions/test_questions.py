"""Questions refuse what no judge could read; statistics follow the published formulas."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.errors import QuestionError
from interlock.questions import (
    Answer,
    Choice,
    ChoiceAnswer,
    Noul,
    NoulAnswer,
    NoulCriteria,
    Question,
    Score,
    ScoreAnswer,
    as_json,
    confidence,
    fault,
    lead,
    level,
    top,
)

LONE = "\ud800"


def noul(p: float) -> NoulAnswer:
    return NoulAnswer(noul=p, basis="scripted")


def choice(pick: str, probabilities: dict[str, float] | None) -> ChoiceAnswer:
    return ChoiceAnswer(choice=pick, probabilities=probabilities, basis="scripted")


def score(*probabilities: float) -> ScoreAnswer:
    mean = math.fsum(index * p for index, p in enumerate(probabilities))
    return ScoreAnswer(score=mean, probabilities=probabilities, basis="scripted")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        pytest.param(lambda: Noul(instructions=" "), "instructions: is empty", id="blank-instructions"),
        pytest.param(lambda: Noul(instructions={}), "instructions: is empty", id="an-empty-object"),
        pytest.param(lambda: Noul(instructions=[]), "instructions: is empty", id="an-empty-list"),
        pytest.param(lambda: Noul(instructions=LONE), "instructions: holds a lone surrogate", id="surrogate"),
        pytest.param(
            lambda: Noul(instructions={"a": [LONE]}), "instructions: holds a lone surrogate", id="surrogate-inside"
        ),
        pytest.param(lambda: Noul(instructions={LONE: 1}), "instructions: holds a lone surrogate", id="surrogate-key"),
        pytest.param(
            lambda: Noul(instructions="?", criteria=NoulCriteria(true=LONE)), "criteria.true: holds", id="true-side"
        ),
        pytest.param(
            lambda: Noul(instructions="?", criteria=NoulCriteria(false=LONE)), "criteria.false: holds", id="false-side"
        ),
        pytest.param(
            lambda: Choice(instructions="?", criteria={"": None}), "criteria: a label is empty", id="no-label"
        ),
        pytest.param(lambda: Choice(instructions="?", criteria={LONE: None}), "criteria: holds", id="label"),
        pytest.param(lambda: Choice(instructions="?", criteria={"a": LONE}), "criteria: holds", id="criterion"),
        pytest.param(lambda: Score(instructions="?", criteria=["a"]), "criteria: a score needs at least two", id="one"),
        pytest.param(lambda: Score(instructions="?", criteria=["a", ""]), "criteria: is empty", id="an-empty-level"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(make: Callable[[], Question], message: str) -> None:
    """The message names the field and never its content."""
    with pytest.raises(QuestionError, match=f"^{message}"):
        make()


def test_labels_are_kept_byte_for_byte_and_in_order() -> None:
    """No strip, no normalisation."""
    labels = [" b", "B", "e\u0301", "\u00e9"]

    asked = Choice(instructions="?", criteria=dict.fromkeys(labels))

    assert list(asked.criteria) == labels


@pytest.mark.parametrize(
    ("question", "spelt"),
    [
        pytest.param(Noul(instructions="?"), {"type": "noul", "instructions": "?"}, id="noul"),
        pytest.param(
            Noul(instructions=["a", {"b": 1}], criteria=NoulCriteria(true="yes")),
            {"type": "noul", "instructions": ["a", {"b": 1}], "criteria": {"true": "yes", "false": None}},
            id="one-sided",
        ),
        pytest.param(
            Choice(instructions="?", criteria={"a": None}),
            {"type": "choice", "instructions": "?", "criteria": {"a": None}},
            id="choice",
        ),
        pytest.param(
            Score(instructions="?", criteria=("a", "b")),
            {"type": "score", "instructions": "?", "criteria": ["a", "b"]},
            id="score",
        ),
    ],
)
def test_a_question_has_one_json_form(question: Question, spelt: dict[str, object]) -> None:
    """Digests, records and wires share it."""
    assert as_json(question) == spelt


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        pytest.param(choice("a", {"a": 0.8, "b": 0.2}), 0.6, id="two-options"),
        pytest.param(choice("a", {"a": 0.78, "b": 0.22, "c": 0.0, "d": 0.0}), 0.706667, id="four-options"),
        pytest.param(choice("a", {"a": 0.6, "b": 0.39}), 0.212121, id="divided-by-its-sum"),
        pytest.param(choice("a", {"a": 0.4}), 1.0, id="one-option"),
        pytest.param(score(0.1, 0.1, 0.8), 0.55, id="score"),
        pytest.param(score(0.5, 0.0, 0.5), 0.0, id="two-ends"),
        pytest.param(score(0.0, 0.0, 1.0), 1.0, id="one-level"),
        pytest.param(noul(0.9), None, id="a-noul-has-none"),
        pytest.param(choice("a", None), None, id="a-label-has-none"),
        pytest.param(choice("a", {"a": 0.0, "b": 0.0}), None, id="no-mass-over-options"),
        pytest.param(score(0.0, 0.0), None, id="no-mass-over-levels"),
    ],
)
def test_confidence_follows_the_published_vectors(answer: Answer, value: float | None) -> None:
    """Computed from the probabilities, never taken from a server."""
    found = confidence(answer)

    assert found is None if value is None else found == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize(
    ("answer", "tops", "leads"),
    [
        pytest.param(noul(0.25), 0.75, 0.5, id="noul"),
        pytest.param(choice("a", {"a": 0.7, "b": 0.2, "c": 0.1}), 0.7, 0.5, id="choice"),
        pytest.param(choice("b", {"a": 0.7, "b": 0.3}), 0.3, 0.0, id="a-pick-behind-another-leads-by-nothing"),
        pytest.param(choice("a", {"a": 0.4}), 0.4, 0.4, id="one-option"),
        pytest.param(choice("a", None), None, None, id="a-label"),
        pytest.param(score(0.2, 0.7, 0.1), 0.7, 0.5, id="score"),
        pytest.param(score(0.5, 0.5), 0.5, 0.0, id="a-tie"),
    ],
)
def test_top_and_lead_read_the_values_as_received(answer: Answer, tops: float | None, leads: float | None) -> None:
    """Nothing is rescaled."""
    assert top(answer) == (None if tops is None else pytest.approx(tops))
    assert lead(answer) == (None if leads is None else pytest.approx(leads))


def test_the_lowest_level_wins_a_tie() -> None:
    """The order is part of the definition."""
    assert level(score(0.1, 0.45, 0.45)) == 1


@pytest.mark.parametrize(
    ("answer", "slug"),
    [
        pytest.param(noul(1.0), None, id="sound-noul"),
        pytest.param(noul(1.0001), "noul-range", id="above-one"),
        pytest.param(noul(math.nan), "noul-range", id="nan"),
        pytest.param(choice("a", {"a": 1.0}), None, id="sound-choice"),
        pytest.param(choice("a", None), None, id="a-label"),
        pytest.param(choice("b", {"a": 1.0}), "not-an-option", id="another-label"),
        pytest.param(choice("a", {"a": 1.0, "b": -0.1}), "probability-range", id="below-zero"),
        pytest.param(score(0.5, 0.5), None, id="sound-score"),
        pytest.param(score(0.5, math.nan), "probability-range", id="nan-level"),
        pytest.param(ScoreAnswer(score=1.1, probabilities=(0.5, 0.5), basis="rule"), "score-range", id="above-levels"),
        pytest.param(
            ScoreAnswer(score=math.nan, probabilities=(0.5, 0.5), basis="rule"), "score-range", id="nan-score"
        ),
    ],
)
def test_a_fault_names_the_number_that_cannot_be_read(answer: Answer, slug: str | None) -> None:
    """The slugs are those of the validation table."""
    assert fault(answer) == slug


@given(p=st.floats(0, 1))
def test_a_noul_and_its_complement_have_the_same_top_and_lead(p: float) -> None:
    """Which side is called true does not matter."""
    assert top(noul(p)) == pytest.approx(top(noul(1 - p)))
    assert lead(noul(p)) == pytest.approx(lead(noul(1 - p)), abs=1e-9)


@given(values=st.lists(st.floats(0, 1), min_size=2, max_size=6))
def test_statistics_stay_within_their_range(values: list[float]) -> None:
    """Whatever the distribution, in [0, 1]."""
    labels = {str(index): value for index, value in enumerate(values)}
    pick = max(labels, key=lambda label: labels[label])

    for answer in (choice(pick, labels), score(*values)):
        for statistic in (top(answer), lead(answer), confidence(answer)):
            assert statistic is None or -1e-9 <= statistic <= 1 + 1e-9
