"""Reads recorded questions, answers and replies back into the values they were written from.

Pure; knows nothing of stores or loops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import get_args

from interlock.errors import JournalError
from interlock.journal.fields import (
    flag,
    items,
    number,
    one_of,
    optional_number,
    optional_section,
    optional_text,
    optional_whole,
    section,
    text,
    value,
    whole,
)
from interlock.judge.base import Failure, JudgeReply, QuestionId, Reading, ReadingKind, Usage
from interlock.questions import (
    Answer,
    Basis,
    Choice,
    ChoiceAnswer,
    Content,
    Json,
    Noul,
    NoulAnswer,
    NoulCriteria,
    Question,
    Score,
    ScoreAnswer,
)

__all__ = ["UNASKED", "asked_of", "read_question", "read_reading", "read_reply", "read_usage"]

UNASKED = ("single-option", "no-options")
"""Reasons of readings for which no judge was asked."""

_BASES: tuple[Basis, ...] = get_args(Basis)
_READING_KINDS: tuple[ReadingKind, ...] = get_args(ReadingKind)


def read_question(body: Mapping[str, Json]) -> Question:
    """Return the question that `as_json` wrote.

    Raises:
        JournalError: a field is missing or of another type.
        QuestionError: the question cannot be asked.
    """
    instructions = _content(value(body, "instructions"), "instructions")
    match one_of(body, "type", ("noul", "choice", "score")):
        case "noul":
            return Noul(instructions=instructions, criteria=_noul_criteria(body))
        case "choice":
            listed = section(body, "criteria")
            return Choice(
                instructions=instructions, criteria={label: _optional_content(listed, label) for label in listed}
            )
        case _:
            levels = [_content(level, "criteria") for level in items(body, "criteria")]
            return Score(instructions=instructions, criteria=levels)


def read_reading(body: Mapping[str, Json]) -> Reading:
    """Return one recorded reading."""
    answer = optional_section(body, "answer")
    return Reading(
        kind=one_of(body, "kind", _READING_KINDS),
        reason=text(body, "reason"),
        answer=None if answer is None else _answer(answer),
        judge=text(body, "judge"),
        degraded=flag(body, "degraded"),
    )


def read_reply(
    body: Mapping[str, Json], ids: Mapping[str, QuestionId], readings: Mapping[str, Reading]
) -> JudgeReply | None:
    """Return the reply of a decision record, or None when the judge was not called.

    `ids`: contract question id → id at the judge. Its readings are those of this decision, as they were read.
    """
    reply = optional_section(body, "reply")
    if reply is None:
        return None
    failure, usage = optional_section(reply, "failure"), optional_section(reply, "usage")
    return JudgeReply(
        readings={ids[name]: readings[name] for name in asked_of(readings) if name in ids},
        failure=None if failure is None else _failure(failure),
        requested_model=text(reply, "requested_model"),
        served_model=optional_text(reply, "served_model"),
        request_id=optional_text(reply, "request_id"),
        request_digest=text(section(body, "digests"), "request"),
        usage=None if usage is None else read_usage(usage),
        attempts=whole(reply, "attempts"),
        elapsed_s=number(reply, "elapsed_s"),
        wire=text(reply, "wire"),
        readout=optional_text(reply, "readout"),
    )


def asked_of(readings: Mapping[str, Reading]) -> tuple[str, ...]:
    """Return the ids of the questions that went to the judge."""
    return tuple(name for name, reading in readings.items() if reading.reason not in UNASKED)


def _answer(body: Mapping[str, Json]) -> Answer:
    basis = one_of(body, "basis", _BASES)
    mass = optional_number(body, "option_mass")
    match one_of(body, "type", ("noul", "choice", "score")):
        case "noul":
            return NoulAnswer(noul=number(body, "noul"), basis=basis, option_mass=mass)
        case "choice":
            told = optional_section(body, "probabilities")
            return ChoiceAnswer(
                choice=text(body, "choice"),
                probabilities=None if told is None else {label: number(told, label) for label in told},
                basis=basis,
                option_mass=mass,
                reported_confidence=optional_number(body, "reported_confidence"),
                reported_sum=number(body, "reported_sum") if "reported_sum" in body else None,
            )
        case _:
            levels = dict(enumerate(items(body, "probabilities")))
            return ScoreAnswer(
                score=number(body, "score"),
                probabilities=tuple(number({str(at): p}, str(at)) for at, p in levels.items()),
                basis=basis,
                option_mass=mass,
                reported_confidence=optional_number(body, "reported_confidence"),
                reported_sum=number(body, "reported_sum") if "reported_sum" in body else None,
            )


def _noul_criteria(body: Mapping[str, Json]) -> NoulCriteria | None:
    if body.get("criteria") is None:
        return None
    sides = section(body, "criteria")
    return NoulCriteria(true=_optional_content(sides, "true"), false=_optional_content(sides, "false"))


def _optional_content(body: Mapping[str, Json], key: str) -> Content | None:
    found = body.get(key)
    return None if found is None else _content(found, key)


def _content(found: Json, key: str) -> Content:
    if isinstance(found, str | Mapping | Sequence):
        return found
    raise JournalError(f"`{key}` is not text, an object or a list")


def _failure(body: Mapping[str, Json]) -> Failure:
    return Failure(
        reason=text(body, "reason"),
        status=optional_whole(body, "status"),
        error_type=optional_text(body, "error_type"),
        retryable=flag(body, "retryable"),
        retry_after_s=optional_number(body, "retry_after_s"),
    )


def read_usage(body: Mapping[str, Json]) -> Usage:
    """Return recorded tokens and cost."""
    return Usage(
        input_tokens=optional_whole(body, "input_tokens"),
        output_tokens=optional_whole(body, "output_tokens"),
        cached_input_tokens=optional_whole(body, "cached_input_tokens"),
        cost_usd=_cost(optional_text(body, "cost_usd")),
    )


def _cost(written: str | None) -> Decimal | None:
    try:
        return None if written is None else Decimal(written)
    except InvalidOperation as cause:
        raise JournalError("`cost_usd` is not a decimal number") from cause
