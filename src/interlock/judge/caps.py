"""How the questions of one request are split into calls that a judge's limits allow.

Source: backends specification, section 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from interlock._canonical import compact_json
from interlock.judge.base import Caps, QuestionId
from interlock.questions import Choice, Noul, Question, Score, as_json

__all__ = ["CallPlan", "plan_calls"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPlan:
    """The calls to make, in order, and the questions that no call can hold."""

    calls: tuple[Mapping[QuestionId, Question], ...]
    over_caps: tuple[QuestionId, ...]


def plan_calls(caps: Caps, questions: Mapping[QuestionId, Question], *, envelope_bytes: int = 0) -> CallPlan:
    """Return how to ask `questions` within `caps`; order is kept.

    `envelope_bytes`: the size of everything in a body except its questions.
    """
    over_caps: list[QuestionId] = []
    calls: list[dict[QuestionId, Question]] = []
    room = 0
    limit = None if caps.max_body_bytes is None else caps.max_body_bytes - envelope_bytes
    for id_, question in questions.items():
        size = 0 if limit is None else _size_bytes(id_, question)
        if not _fits(caps, question) or (limit is not None and size > limit):
            over_caps.append(id_)
            continue
        if not calls or len(calls[-1]) >= _most(caps, len(questions)) or (limit is not None and size > room):
            calls.append({})
            room = limit or 0
        calls[-1][id_] = question
        room -= size
    return CallPlan(calls=tuple(calls), over_caps=tuple(over_caps))


def _most(caps: Caps, asked: int) -> int:
    """Return how many questions one call may hold."""
    if caps.joint_reads:
        return 1
    return asked if caps.max_questions is None else caps.max_questions


def _fits(caps: Caps, question: Question) -> bool:
    match question:
        case Noul():
            return "noul" in caps.kinds
        case Choice():
            return "choice" in caps.kinds and _within(len(question.criteria), caps.max_options)
        case Score():
            return "score" in caps.kinds and _within(len(question.criteria), caps.max_levels)
        case _:
            assert_never(question)


def _within(count: int, limit: int | None) -> bool:
    return limit is None or count <= limit


def _size_bytes(id_: QuestionId, question: Question) -> int:
    return len(compact_json({id_: as_json(question)}).encode("utf-8", "surrogatepass"))
