"""Question ids at a judge and back, and readings that fit what was asked.

A judge's reply is checked here whatever judge it came from: nothing that was not asked is read as an answer.
Source: backends specification, sections 1 and 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from interlock.judge.base import JudgeReply, QuestionId, Reading
from interlock.judge.validate import check_answer
from interlock.judge.wire import encode_answer
from interlock.questions import Answer, Choice, ChoiceAnswer, NoulAnswer, Question, ScoreAnswer

__all__ = ["PIPELINE", "judge_ids", "no_options", "read_back", "single_option"]

PIPELINE = "pipeline"
"""Named as the judge of a reading that took no judge."""


def judge_ids(decision: str, questions: Mapping[str, Question]) -> dict[str, QuestionId]:
    """Return contract question id → id at a judge: the decision's own id where it has one question."""
    if len(questions) == 1:
        return dict.fromkeys(questions, decision)
    return {name: f"{decision}.{name}" for name in questions}


def single_option(question: Choice) -> Reading:
    """Return the reading of a choice with one option, taken without asking."""
    (label,) = question.criteria
    answer = ChoiceAnswer(choice=label, probabilities={label: 1.0}, basis="single")
    return Reading(kind="not_asked", reason="single-option", answer=answer, judge=PIPELINE)


def no_options() -> Reading:
    """Return the reading of a choice with nothing to offer."""
    return Reading(kind="not_asked", reason="no-options", answer=None, judge=PIPELINE)


def read_back(reply: JudgeReply, asked: Mapping[QuestionId, Question]) -> dict[QuestionId, Reading]:
    """Return one reading per question asked; an answer that does not fit its question is none."""
    return {name: _fitting(reply.readings.get(name), question) for name, question in asked.items()}


def _fitting(reading: Reading | None, question: Question) -> Reading:
    if reading is None:
        return Reading(kind="invalid_response", reason="answer-ids", answer=None, judge=PIPELINE)
    match reading.kind:
        case "answered" | "rule":
            return _checked(reading, reading.answer, question)
        case "unscored" if isinstance(reading.answer, ChoiceAnswer):
            label = replace(reading.answer, probabilities=None, basis="label_only")
            return _checked(replace(reading, answer=label), label, question)
        case "not_asked" if reading.reason == "single-option":
            return _checked(reading, reading.answer, question)
        case _:
            return reading if reading.answer is None else replace(reading, answer=None)


def _checked(reading: Reading, answer: Answer | None, question: Question) -> Reading:
    if not isinstance(answer, NoulAnswer | ChoiceAnswer | ScoreAnswer):
        return replace(reading, kind="invalid_response", reason="answer-type", answer=None)
    found = check_answer(encode_answer(answer), question, judge=reading.judge, basis=answer.basis, bare_label=True)
    return reading if found.answer is not None else replace(found, degraded=reading.degraded)
