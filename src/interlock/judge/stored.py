"""Readings as JSON and back, for what outlives a process: caches and recordings.

Knows nothing of files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import get_args

from interlock.judge.base import Reading, ReadingKind
from interlock.judge.validate import check_answer
from interlock.judge.wire import encode_answer
from interlock.questions import Basis, ChoiceAnswer, Json, Question, ScoreAnswer

__all__ = ["reading_json", "stored_reading"]

_KINDS: tuple[ReadingKind, ...] = get_args(ReadingKind)
_BASES: tuple[Basis, ...] = get_args(Basis)


def reading_json(reading: Reading) -> dict[str, Json]:
    """Return everything a reading says; its answer is spelt as on the System One wire."""
    told: dict[str, Json] = {"kind": reading.kind, "reason": reading.reason, "judge": reading.judge}
    if reading.degraded:
        told["degraded"] = True
    if reading.answer is None:
        return told
    told |= {"answer": encode_answer(reading.answer), "basis": reading.answer.basis}
    if reading.answer.option_mass is not None:
        told["option_mass"] = reading.answer.option_mass
    if isinstance(reading.answer, ChoiceAnswer | ScoreAnswer) and reading.answer.reported_sum is not None:
        told["reported_sum"] = reading.answer.reported_sum
    return told


def stored_reading(stored: Json, question: Question) -> Reading | None:
    """Return the reading that was stored for a question; None when it is none or does not fit the question."""
    if not isinstance(stored, Mapping):
        return None
    kind, reason, judge = stored.get("kind"), stored.get("reason"), stored.get("judge")
    if kind not in _KINDS or not isinstance(reason, str) or not isinstance(judge, str):
        return None
    known = Reading(
        kind=kind,
        reason=reason,
        answer=None,
        judge=judge,
        degraded=stored.get("degraded") is True,
    )
    if stored.get("answer") is None:
        return known
    basis = stored.get("basis")
    if basis not in _BASES:
        return None
    return _with_answer(known, stored, question, basis)


def _with_answer(known: Reading, stored: Mapping[str, Json], question: Question, basis: Basis) -> Reading | None:
    """Return the reading with its answer, which passes the same checks as any answer."""
    answer = check_answer(stored["answer"], question, judge=known.judge, basis=basis, bare_label=True).answer
    if answer is None:
        return None
    answer = replace(answer, option_mass=_number(stored.get("option_mass")))
    if isinstance(answer, ChoiceAnswer | ScoreAnswer):
        answer = replace(answer, reported_sum=_number(stored.get("reported_sum")))
    return replace(known, answer=answer)


def _number(value: Json) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
