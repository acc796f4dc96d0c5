"""The checks one answer must pass before it counts, the same for every wire and readout.

Values are kept as received and never rescaled.
Source: backends specification, section 4.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from interlock.judge.base import Reading
from interlock.questions import (
    Answer,
    Basis,
    Choice,
    ChoiceAnswer,
    Json,
    Noul,
    NoulAnswer,
    Question,
    Score,
    ScoreAnswer,
)

__all__ = ["check_answer"]

SLACK = 1e-6
HALF_CENT = 0.005
"""Half of the second decimal, to which servers round."""


def check_answer(
    raw: Json,
    question: Question,
    *,
    judge: str,
    basis: Basis,
    bare_label: bool = False,
    refusal: bool = False,
) -> Reading:
    """Return the reading of one answer in the System One spelling.

    `bare_label`: probabilities may be left out. `refusal`: the judge may decline single questions.
    """
    outcome = _read(raw, question, basis, bare_label=bare_label, refusal=refusal)
    match outcome:
        case NoulAnswer() | ScoreAnswer():
            return Reading(kind="answered", reason="ok", answer=outcome, judge=judge)
        case ChoiceAnswer(probabilities=None):
            return Reading(kind="unscored", reason="no-probabilities", answer=outcome, judge=judge)
        case ChoiceAnswer():
            return Reading(kind="answered", reason="ok", answer=outcome, judge=judge)
        case "refusal":
            return Reading(kind="refused", reason=outcome, answer=None, judge=judge)
        case "no-mass" | "no-probabilities":
            return Reading(kind="unscored", reason=outcome, answer=None, judge=judge)
        case _:
            return Reading(kind="invalid_response", reason=outcome, answer=None, judge=judge)


def _read(raw: Json, question: Question, basis: Basis, *, bare_label: bool, refusal: bool) -> Answer | str:
    """Return the answer, or the slug of the first rule it breaks."""
    if not isinstance(raw, Mapping):
        return "answer-type"
    if refusal and raw.get("type") == "refusal":
        return "refusal"
    match question:
        case Noul():
            return _noul(raw, basis) if raw.get("type") == "noul" else "answer-type"
        case Choice():
            return (
                _choice(raw, question, basis, bare_label=bare_label) if raw.get("type") == "choice" else "answer-type"
            )
        case Score():
            return _score(raw, question, basis, bare_label=bare_label) if raw.get("type") == "score" else "answer-type"
        case _:
            assert_never(question)


def _noul(raw: Mapping[str, Json], basis: Basis) -> Answer | str:
    value = _number(raw.get("noul"))
    if value is None or not 0 <= value <= 1:
        return "noul-range"
    return NoulAnswer(noul=value, basis=basis)


def _choice(raw: Mapping[str, Json], question: Choice, basis: Basis, *, bare_label: bool) -> Answer | str:
    picked, received = raw.get("choice"), raw.get("probabilities")
    if bare_label and received is None:
        if not _offered(picked, question):
            return "not-an-option"
        return ChoiceAnswer(choice=str(picked), probabilities=None, basis="label_only")
    probabilities = _distribution(received, list(question.criteria), broken="option-keys")
    if isinstance(probabilities, str):
        return probabilities
    if not _offered(picked, question):
        return "not-an-option"
    if max(probabilities.values()) - probabilities[str(picked)] > HALF_CENT + 1e-9:
        return "not-argmax"
    return ChoiceAnswer(
        choice=str(picked), probabilities=probabilities, basis=basis, reported_confidence=_confidence(raw)
    )


def _score(raw: Mapping[str, Json], question: Score, basis: Basis, *, bare_label: bool) -> Answer | str:
    levels = [str(level) for level in range(len(question.criteria))]
    received = raw.get("probabilities")
    if not _legend_fits(raw.get("legend"), levels):
        return "legend"
    if bare_label and received is None:
        return "no-probabilities"
    probabilities = _distribution(received, levels, broken="level-keys")
    if isinstance(probabilities, str):
        return probabilities
    in_order = tuple(probabilities[level] for level in levels)
    value = _number(raw.get("score"))
    if value is None or not -SLACK <= value <= len(levels) - 1 + SLACK:
        return "score-range"
    if not _is_mean(value, in_order):
        return "score-mean"
    return ScoreAnswer(score=value, probabilities=in_order, basis=basis, reported_confidence=_confidence(raw))


def _distribution(received: Json, keys: Sequence[str], *, broken: str) -> dict[str, float] | str:
    """Return key → probability in the order of `keys`, or the slug of the first rule broken."""
    if not isinstance(received, Mapping) or set(received) != set(keys):
        return broken
    found: dict[str, float] = {}
    for key in keys:
        value = _number(received[key])
        if value is None or not 0 <= value <= 1:
            return "probability-range"
        found[key] = value
    if not any(found.values()):
        return "no-mass"
    return found if _sums_to_one(found.values()) else "sum"


def _sums_to_one(values: Iterable[float]) -> bool:
    """Tell whether rounding to two decimals explains how far the sum is from 1."""
    received = list(values)
    excess = math.fsum(received) - 1
    positive = sum(1 for value in received if value > 0)
    return excess <= SLACK + HALF_CENT * positive and -excess <= SLACK + HALF_CENT * len(received)


def _is_mean(value: float, probabilities: Sequence[float]) -> bool:
    n = len(probabilities)
    mean = math.fsum(level * p for level, p in enumerate(probabilities))
    return abs(value - mean) <= 0.02 + _rounding(probabilities) * (1 + n * (n - 1) / 2)


def _rounding(probabilities: Sequence[float]) -> float:
    """Return half the unit of the last decimal shown, 0 when the values are not rounded."""
    for decimals in range(2, 7):
        if all(abs(value - round(value, decimals)) <= 1e-7 for value in probabilities):
            return 0.5 * 10.0**-decimals
    return 0.0


def _legend_fits(legend: Json, levels: Sequence[str]) -> bool:
    if isinstance(legend, Mapping):
        return not legend or set(legend) == set(levels)
    return legend is None


def _offered(picked: Json, question: Choice) -> bool:
    return isinstance(picked, str) and picked in question.criteria


def _confidence(raw: Mapping[str, Json]) -> float | None:
    value = _number(raw.get("confidence"))
    return value if value is not None and 0 <= value <= 1 else None


def _number(value: Json) -> float | None:
    """Return a finite number as a float; None for anything else, a boolean included."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
