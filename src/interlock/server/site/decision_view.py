"""One recorded decision as a person looks into it: questions with their spread, the rule, and what the judge saw.

Pure over a record; knows nothing of templates.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from interlock._text import visible
from interlock.journal.decision_read import RecordedDecision
from interlock.judge.base import Reading
from interlock.judge.offered import as_text, offered
from interlock.policy.rules import Predicate
from interlock.questions import (
    Answer,
    ChoiceAnswer,
    NoulAnswer,
    Question,
    ScoreAnswer,
    as_json,
    confidence,
    lead,
    level,
    top,
)

__all__ = ["DecisionView", "OutcomeView", "QuestionView", "view_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeView:
    """One outcome that a question offered."""

    name: str
    text: str
    probability: float | None
    is_top: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionView:
    """One question with its answer."""

    id: str
    kind: str
    instructions: str
    outcomes: tuple[OutcomeView, ...]
    reading: Reading | None
    numbers: Mapping[str, float]
    """Name → number read from the answer."""
    thresholds: tuple[tuple[str, float], ...]
    """The rules that compare this question: text and threshold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionView:
    """One decision."""

    seq: int
    recorded: RecordedDecision
    questions: tuple[QuestionView, ...]
    state: str
    """The frame as it was sent, indented; empty when none was."""


def view_of(seq: int, recorded: RecordedDecision) -> DecisionView:
    """Return what is shown of a decision."""
    result = recorded.result
    rules = () if recorded.policy is None else recorded.policy.rules
    return DecisionView(
        seq=seq,
        recorded=recorded,
        questions=tuple(
            _question(id_, question, result.readings.get(id_), [(rule.text, rule.predicate) for rule in rules])
            for id_, question in result.questions.items()
        ),
        state="" if result.frame is None else visible(json.dumps(result.frame.sent, ensure_ascii=False, indent=2)),
    )


def _question(
    id_: str, question: Question, reading: Reading | None, rules: Sequence[tuple[str, Predicate]]
) -> QuestionView:
    answer = None if reading is None else reading.answer
    spread = {} if answer is None else _spread(answer)
    best = max(spread, key=lambda name: spread[name], default=None)
    return QuestionView(
        id=id_,
        kind=str(as_json(question)["type"]),
        instructions=visible(as_text(question.instructions)),
        outcomes=tuple(
            OutcomeView(
                name=visible(each.name),
                text=visible(each.text or ""),
                probability=spread.get(each.name),
                is_top=each.name == best,
            )
            for each in offered(question)
        ),
        reading=reading,
        numbers={} if answer is None else _numbers(answer),
        thresholds=tuple(
            (text, predicate.threshold)
            for text, predicate in rules
            if predicate.question == id_ and predicate.threshold is not None
        ),
    )


def _spread(answer: Answer) -> Mapping[str, float]:
    match answer:
        case NoulAnswer():
            return {"true": answer.noul, "false": 1 - answer.noul}
        case ChoiceAnswer():
            return answer.probabilities or {answer.choice: 1.0}
        case ScoreAnswer():
            return {str(at): p for at, p in enumerate(answer.probabilities)}


def _numbers(answer: Answer) -> Mapping[str, float]:
    found: dict[str, float | None] = {"top": top(answer), "lead": lead(answer), "confidence": confidence(answer)}
    if isinstance(answer, ScoreAnswer):
        found |= {"score": answer.score, "level": float(level(answer))}
    found["option mass"] = answer.option_mass
    return {name: value for name, value in found.items() if value is not None}
