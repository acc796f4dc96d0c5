"""Questions a judge may be asked, its answers, and the numbers read from them.

Knows nothing of contracts, frames or judges.
Source: backends specification, sections 1 and 4.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

from interlock._canonical import Json
from interlock.errors import QuestionError

__all__ = [
    "Answer",
    "Basis",
    "Choice",
    "ChoiceAnswer",
    "Content",
    "Json",
    "Noul",
    "NoulAnswer",
    "NoulCriteria",
    "Question",
    "Score",
    "ScoreAnswer",
    "as_json",
    "confidence",
    "fault",
    "lead",
    "level",
    "top",
]

Content: TypeAlias = str | Mapping[str, Json] | Sequence[Json]
"""What every wire calls text: a string, an object or an array."""

Basis: TypeAlias = Literal[
    "decision_model", "self_report", "first_token", "sequence", "label_only", "rule", "single", "scripted", "person"
]
"""Where the numbers of an answer come from."""


_SURROGATE = re.compile("[\ud800-\udfff]")
_SLACK = 1e-6
"""How far a score may lie outside its levels. Source: backends specification, section 4, `score-range`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoulCriteria:
    """What counts as true and what counts as false; either may be absent."""

    true: Content | None = None
    false: Content | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Noul:
    """A yes/no question answered with the probability of true."""

    instructions: Content
    criteria: NoulCriteria | None = None

    def __post_init__(self) -> None:
        _check_text(self.instructions, "instructions")
        if self.criteria is not None:
            _check_optional(self.criteria.true, "criteria.true")
            _check_optional(self.criteria.false, "criteria.false")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A question answered by one label of a menu; labels are kept byte for byte, in order."""

    instructions: Content
    criteria: Mapping[str, Content | None]

    def __post_init__(self) -> None:
        _check_text(self.instructions, "instructions")
        for label, criterion in self.criteria.items():
            if label == "":
                raise QuestionError("criteria: a label is empty; write a name for every option")
            _check_surrogates(label, "criteria")
            _check_optional(criterion, "criteria")


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A question answered on levels, lowest first; a level is numbered by its index."""

    instructions: Content
    criteria: Sequence[Content]

    def __post_init__(self) -> None:
        _check_text(self.instructions, "instructions")
        if len(self.criteria) < 2:
            raise QuestionError("criteria: a score needs at least two levels")
        for criterion in self.criteria:
            _check_text(criterion, "criteria")


Question: TypeAlias = Noul | Choice | Score


@dataclass(frozen=True, slots=True, kw_only=True)
class NoulAnswer:
    """The probability of true, in [0, 1]."""

    noul: float
    basis: Basis
    option_mass: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceAnswer:
    """The picked label; probabilities: label → [0, 1] as received, None when the judge gives none."""

    choice: str
    probabilities: Mapping[str, float] | None
    basis: Basis
    option_mass: float | None = None
    reported_confidence: float | None = None
    reported_sum: float | None = None
    """What the numbers of a text model added up to before they were divided by it; None for what stands as received."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreAnswer:
    """The expected level in [0, n-1]; probabilities: one per level, as received."""

    score: float
    probabilities: tuple[float, ...]
    basis: Basis
    option_mass: float | None = None
    reported_confidence: float | None = None
    reported_sum: float | None = None
    """As for a choice."""


Answer: TypeAlias = NoulAnswer | ChoiceAnswer | ScoreAnswer


def as_json(question: Question) -> dict[str, Json]:
    """Return a question as JSON: its type, instructions and criteria, options and levels in order."""
    match question:
        case Noul():
            asked: dict[str, Json] = {"type": "noul", "instructions": question.instructions}
            if question.criteria is not None:
                asked["criteria"] = {"true": question.criteria.true, "false": question.criteria.false}
            return asked
        case Choice():
            return {"type": "choice", "instructions": question.instructions, "criteria": dict(question.criteria)}
        case Score():
            return {"type": "score", "instructions": question.instructions, "criteria": list(question.criteria)}
        case _:
            assert_never(question)


def fault(answer: Answer) -> str | None:
    """Return why the numbers of an answer cannot be read, as a slug of the validation table; None when they can."""
    match answer:
        case NoulAnswer():
            return None if _is_probability(answer.noul) else "noul-range"
        case ChoiceAnswer():
            if answer.probabilities is None:
                return None
            if answer.choice not in answer.probabilities:
                return "not-an-option"
            return None if all(map(_is_probability, answer.probabilities.values())) else "probability-range"
        case ScoreAnswer():
            if not all(map(_is_probability, answer.probabilities)):
                return "probability-range"
            highest = len(answer.probabilities) - 1
            return None if -_SLACK <= answer.score <= highest + _SLACK else "score-range"
        case _:
            assert_never(answer)


def level(answer: ScoreAnswer) -> int:
    """Return the most probable level, the lowest index on a tie."""
    return answer.probabilities.index(max(answer.probabilities))


def top(answer: Answer) -> float | None:
    """Return the probability of what was answered; None when the judge gave no distribution."""
    match answer:
        case NoulAnswer():
            return max(answer.noul, 1 - answer.noul)
        case ChoiceAnswer():
            return None if answer.probabilities is None else answer.probabilities[answer.choice]
        case ScoreAnswer():
            return answer.probabilities[level(answer)]
        case _:
            assert_never(answer)


def lead(answer: Answer) -> float | None:
    """Return how far the answer is ahead of the next one, never below 0; None without a distribution."""
    match answer:
        case NoulAnswer():
            return abs(2 * answer.noul - 1)
        case ChoiceAnswer():
            if answer.probabilities is None:
                return None
            picked = answer.probabilities[answer.choice]
            others = [p for label, p in answer.probabilities.items() if label != answer.choice]
            return _ahead(picked, others)
        case ScoreAnswer():
            at = level(answer)
            others = [p for index, p in enumerate(answer.probabilities) if index != at]
            return _ahead(answer.probabilities[at], others)
        case _:
            assert_never(answer)


def confidence(answer: Answer) -> float | None:
    """Return how concentrated the distribution is, in [0, 1]; None for a noul and without a distribution.

    Source: backends specification, section 1; computed on a copy divided by its sum.
    """
    match answer:
        case NoulAnswer():
            return None
        case ChoiceAnswer():
            return None if answer.probabilities is None else _choice_confidence(list(answer.probabilities.values()))
        case ScoreAnswer():
            return _score_confidence(answer.probabilities, level(answer))
        case _:
            assert_never(answer)


def _is_probability(value: float) -> bool:
    return 0 <= value <= 1


def _ahead(picked: float, others: Sequence[float]) -> float:
    return max(0.0, picked - max(others)) if others else picked


def _choice_confidence(values: Sequence[float]) -> float | None:
    total = sum(values)
    if total == 0:
        return None
    if len(values) == 1:
        return 1.0
    even = 1 / len(values)
    return (max(values) / total - even) / (1 - even)


def _score_confidence(values: Sequence[float], at: int) -> float | None:
    total = sum(values)
    if total == 0:
        return None
    n = len(values)
    spread = sum(p / total * abs(i - at) for i, p in enumerate(values))
    widest = sum(abs(i - (n - 1) / 2) for i in range(n)) / n
    return max(0.0, 1 - spread / widest)


def _check_optional(value: Content | None, field: str) -> None:
    if value is not None:
        _check_surrogates(value, field)


def _check_text(value: Content | None, field: str) -> None:
    if value is None or value in ({}, []) or (isinstance(value, str) and not value.strip()):
        raise QuestionError(f"{field}: is empty; write what is asked")
    _check_surrogates(value, field)


def _check_surrogates(value: Json, field: str) -> None:
    if isinstance(value, str):
        if not value.isascii() and _SURROGATE.search(value) is not None:
            raise QuestionError(f"{field}: holds a lone surrogate; write well-formed text")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            _check_surrogates(key, field)
            _check_surrogates(item, field)
    elif isinstance(value, Sequence):
        for item in value:
            _check_surrogates(item, field)
