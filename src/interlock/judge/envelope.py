"""The envelope of a reply: the answers, who gave them, and what they cost.

Knows nothing of what an answer must hold.
Source: backends specification, sections 3.1, 3.3 and 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from interlock.judge.base import QuestionId, Usage
from interlock.judge.wire import parse_json
from interlock.questions import Json

__all__ = ["Envelope", "model_names", "question_at", "read_envelope", "usage_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """A reply whose form is right; its answers, in the System One spelling, are not checked yet."""

    model: str
    answers: Mapping[QuestionId, Json]
    usage: Usage | None
    id: Json
    """The body's `id`, None when it has none."""


def read_envelope(body: bytes, asked: AbstractSet[QuestionId]) -> Envelope | str:
    """Return the envelope, or the slug of the first rule that the reply as a whole breaks."""
    try:
        reply = parse_json(body)
    except ValueError:
        return "not-json"
    if not isinstance(reply, Mapping):
        return "not-json"
    model, answers = reply.get("model"), reply.get("answers")
    if not isinstance(model, str) or not model or not isinstance(answers, Mapping):
        return "envelope"
    if answers.keys() != asked:
        return "answer-ids"
    return Envelope(model=model, answers=answers, usage=usage_of(reply.get("usage")), id=reply.get("id"))


def question_at(body: Json, asked: AbstractSet[QuestionId]) -> str | None:
    """Return `questions.ID` when the error body names the place of a question that was asked."""
    detail = body.get("detail") if isinstance(body, Mapping) else None
    if not isinstance(detail, list):
        return None
    for item in detail:
        place = item.get("loc") if isinstance(item, Mapping) else None
        if isinstance(place, list) and len(place) > 2 and place[1] == "questions" and place[2] in list(asked):
            return f"questions.{place[2]}"
    return None


def model_names(listing: Json) -> tuple[str, ...] | None:
    """Return the names in a list of models: `models[].name`, else `data[].id`; None when it is no such list."""
    if not isinstance(listing, Mapping):
        return None
    for key, name in (("models", "name"), ("data", "id")):
        items = listing.get(key)
        if isinstance(items, list):
            names = [item.get(name) for item in items if isinstance(item, Mapping)]
            return tuple(text for text in names if isinstance(text, str))
    return None


def usage_of(given: Json) -> Usage | None:
    """Return what was reported; None for nothing or for what cannot be read."""
    if not isinstance(given, Mapping):
        return None
    details = given.get("input_tokens_details")
    usage = Usage(
        input_tokens=_count(given.get("input_tokens")),
        output_tokens=_count(given.get("output_tokens")),
        cached_input_tokens=_count(details.get("cached_tokens")) if isinstance(details, Mapping) else None,
        cost_usd=_cost(given.get("cost")),
    )
    return None if usage == Usage() else usage


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _cost(value: Json) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        cost = Decimal(str(value))
    except (InvalidOperation, ValueError):
        return None
    return cost if cost.is_finite() and cost >= 0 else None
