"""Reads a System One request into questions, every fault with its place and never with its content.

Pure: a JSON value in, questions or faults out.
Source: backends specification, sections 3.1 and 7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from interlock.judge.base import QuestionId
from interlock.questions import Choice, Content, Json, Noul, NoulCriteria, Question, Score

__all__ = ["DEFAULT_INSTRUCTIONS", "MAX_LEVELS", "MAX_OPTIONS", "Fault", "WireRequest", "read_request"]

_Place: TypeAlias = tuple[str | int, ...]

MAX_OPTIONS = 255
MAX_LEVELS = 10
DEFAULT_INSTRUCTIONS = "Answer from the criteria and the state."
"""What is asked where a request gives criteria and no instructions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing wrong with a request."""

    loc: tuple[str | int, ...]
    msg: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WireRequest:
    """A request that may be asked."""

    model: str
    state: Content
    questions: Mapping[QuestionId, Question]


def read_request(body: Json) -> WireRequest | list[Fault]:
    """Return the request, or everything that is wrong with it."""
    if not isinstance(body, Mapping):
        return [Fault(loc=("body",), msg="the body must be an object", type="object_type")]
    faults = [*_model_faults(body), *_state_faults(body)]
    asked = body.get("questions")
    if not isinstance(asked, Mapping) or not asked:
        kind = (
            "missing" if "questions" not in body else "object_type" if not isinstance(asked, Mapping) else "too_short"
        )
        return [*faults, Fault(loc=("body", "questions"), msg="must be an object with at least one entry", type=kind)]
    questions: dict[QuestionId, Question] = {}
    for id_, raw in asked.items():
        read = _question(id_, raw)
        if isinstance(read, list):
            faults += read
        else:
            questions[id_] = read
    if faults:
        return faults
    return WireRequest(model=cast("str", body["model"]), state=cast("Content", body["state"]), questions=questions)


def _model_faults(body: Mapping[str, Json]) -> list[Fault]:
    if "model" not in body:
        return [Fault(loc=("body", "model"), msg="is required", type="missing")]
    if not isinstance(body["model"], str) or not body["model"]:
        return [Fault(loc=("body", "model"), msg="must be non-empty text", type="string_type")]
    return []


def _state_faults(body: Mapping[str, Json]) -> list[Fault]:
    if "state" not in body:
        return [Fault(loc=("body", "state"), msg="is required", type="missing")]
    if not _is_content(body["state"]):
        return [Fault(loc=("body", "state"), msg="must be text, an object or an array", type="content_type")]
    return []


def _question(id_: str, raw: Json) -> Question | list[Fault]:
    place = ("body", "questions", id_)
    if not id_:
        return [Fault(loc=place, msg="an id must not be empty", type="too_short")]
    if not isinstance(raw, Mapping):
        return [Fault(loc=place, msg="must be an object", type="object_type")]
    instructions = raw.get("instructions")
    if instructions is not None and (not _is_content(instructions) or _is_blank(instructions)):
        return [Fault(loc=(*place, "instructions"), msg="must be non-empty text, object or array", type="content_type")]
    criteria = raw.get("criteria")
    read = _READERS.get(str(raw.get("type")))
    if read is None:
        return [Fault(loc=(*place, "type"), msg="must be noul, choice or score", type="literal_error")]
    return read(place, instructions, criteria)


def _noul(place: _Place, instructions: Json, criteria: Json) -> Question | list[Fault]:
    if criteria is None and instructions is None:
        return [Fault(loc=place, msg="needs instructions or criteria", type="missing")]
    if criteria is not None and not isinstance(criteria, Mapping):
        return [Fault(loc=(*place, "criteria"), msg="must be an object with true and false", type="object_type")]
    sides = criteria or {}
    wrong = [side for side in ("true", "false") if sides.get(side) is not None and not _is_content(sides[side])]
    if wrong:
        return [
            Fault(loc=(*place, "criteria", wrong[0]), msg="must be text, an object or an array", type="content_type")
        ]
    read = NoulCriteria(
        true=cast("Content | None", sides.get("true")), false=cast("Content | None", sides.get("false"))
    )
    return Noul(instructions=_asked(instructions), criteria=None if criteria is None else read)


def _choice(place: _Place, instructions: Json, criteria: Json) -> Question | list[Fault]:
    here = (*place, "criteria")
    if not isinstance(criteria, Mapping):
        return [
            Fault(loc=here, msg="must be an object of labels", type="missing" if criteria is None else "object_type")
        ]
    if not 1 <= len(criteria) <= MAX_OPTIONS:
        size = "too_short" if not criteria else "too_long"
        return [Fault(loc=here, msg=f"must have 1 to {MAX_OPTIONS} labels", type=size)]
    wrong = [label for label, text in criteria.items() if not label or (text is not None and not _is_content(text))]
    if wrong:
        return [Fault(loc=here, msg="a label is empty or its description is no text", type="content_type")]
    return Choice(instructions=_asked(instructions), criteria=cast("Mapping[str, Content | None]", criteria))


def _score(place: _Place, instructions: Json, criteria: Json) -> Question | list[Fault]:
    here = (*place, "criteria")
    if not isinstance(criteria, list):
        return [Fault(loc=here, msg="must be an array of levels", type="missing" if criteria is None else "list_type")]
    if not 2 <= len(criteria) <= MAX_LEVELS:
        size = "too_short" if len(criteria) < 2 else "too_long"
        return [Fault(loc=here, msg=f"must have 2 to {MAX_LEVELS} levels", type=size)]
    wrong = [at for at, level in enumerate(criteria) if not _is_content(level) or _is_blank(level)]
    if wrong:
        return [Fault(loc=(*here, wrong[0]), msg="must be text, an object or an array", type="content_type")]
    return Score(instructions=_asked(instructions), criteria=cast("Sequence[Content]", criteria))


_READERS: Mapping[str, Callable[[_Place, Json, Json], Question | list[Fault]]] = {
    "noul": _noul,
    "choice": _choice,
    "score": _score,
}


def _asked(instructions: Json) -> Content:
    return DEFAULT_INSTRUCTIONS if instructions is None else cast("Content", instructions)


def _is_blank(value: Json) -> bool:
    return value in ({}, []) or (isinstance(value, str) and not value.strip())


def _is_content(value: Json) -> bool:
    return isinstance(value, str | Mapping | list)
