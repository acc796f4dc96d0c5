"""Recordings as `.jevl` lines, the exchange format of several tools for decision models.

One JSON object per line; what the format has no place for stands under `meta.interlock`.
Source: JEVL Record Format v1, https://github.com/pjdurden/jevkit-py/blob/main/docs/specs/record-format-v1.md
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from interlock._canonical import compact_json, sha256_hex
from interlock.errors import QuestionError, SettingsError
from interlock.judge.base import JudgeReply, QuestionId, Reading, Usage
from interlock.judge.digest import request_digest
from interlock.judge.envelope import usage_of
from interlock.judge.recording import Recorded
from interlock.judge.stored import reading_json, stored_reading
from interlock.judge.validate import check_answer
from interlock.judge.wire import parse_json
from interlock.questions import Choice, Content, Json, Noul, NoulCriteria, Question, Score, as_json

__all__ = ["read_lines", "written_line"]

VERSION = 1


def written_line(recorded: Recorded, *, at: str) -> str:
    """Return the line of one request and its reply; `at` is the time in RFC 3339, UTC."""
    reply = recorded.reply
    model = reply.served_model or reply.requested_model
    request: dict[str, Json] = {
        "state": recorded.frame_state,
        "questions": {id_: as_json(question) for id_, question in recorded.questions.items()},
    }
    readings = {id_: reading_json(reading) for id_, reading in reply.readings.items()}
    line: dict[str, Json] = {
        "v": VERSION,
        "id": f"sha256:{sha256_hex(_canonical({'model': model, **request}))}",
        "ts": at,
        "model": model,
        "request": request,
        "answers": {id_: told["answer"] for id_, told in readings.items() if "answer" in told},
        "meta": {"interlock": _meta(reply, readings)},
    }
    if reply.usage is not None:
        line["usage"] = _usage(reply.usage)
    return compact_json(line) + "\n"


def read_lines(text: str, *, name: str) -> Iterator[Recorded]:
    """Yield the recordings of a file; `name` is how messages call it.

    Raises:
        SettingsError: a line is not of the format, or of a later version of it; the line is named.
    """
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield _recorded(parse_json(line))
        except (ValueError, KeyError, TypeError, AttributeError, QuestionError) as error:
            reason = str(error) if isinstance(error, _LaterVersionError) else "is no record of format 1"
            raise SettingsError(f"`{name}`: line {number} {reason}") from error


class _LaterVersionError(ValueError):
    """The line is of a format that this release cannot read."""


def _recorded(line: Any) -> Recorded:  # noqa: ANN401 -- a line as it was parsed; any misfit raises
    if line["v"] != VERSION:
        raise _LaterVersionError(f"is of format {line['v']!r}; this release reads format 1")
    request, answers = line["request"], line["answers"]
    questions = {id_: _question(asked) for id_, asked in request["questions"].items()}
    if not isinstance(line["model"], str) or not isinstance(request["state"], str | Mapping | list):
        raise TypeError
    ours = line.get("meta", {}).get("interlock")
    if isinstance(ours, Mapping):
        readings = {id_: _ours(ours["readings"][id_], answers.get(id_), questions[id_]) for id_ in ours["readings"]}
    else:
        ours = {}
        readings = {id_: _theirs(answers[id_], question, line["model"]) for id_, question in questions.items()}
    return Recorded(frame_state=request["state"], questions=questions, reply=_reply(line, ours, questions, readings))


def _reply(
    line: Mapping[str, Any],
    ours: Mapping[str, Any],
    questions: Mapping[QuestionId, Question],
    readings: Mapping[QuestionId, Reading],
) -> JudgeReply:
    model, wire, readout = (
        ours.get("requested_model", line["model"]),
        ours.get("wire", "systemone"),
        ours.get("readout"),
    )
    state: Content = line["request"]["state"]
    digest = ours.get("request_digest") or request_digest(state, questions, model=model, wire=wire, readout=readout)
    return JudgeReply(
        readings=readings,
        failure=None,
        requested_model=model,
        served_model=ours.get("served_model", line["model"]),
        request_id=None,
        request_digest=digest,
        usage=usage_of(line.get("usage")),
        attempts=0,
        elapsed_s=0.0,
        wire=wire,
        readout=readout,
    )


def _meta(reply: JudgeReply, readings: Mapping[QuestionId, Mapping[str, Json]]) -> dict[str, Json]:
    """Return what makes the line replayable here; an answer stands once, among the answers."""
    return {
        "request_digest": reply.request_digest,
        "wire": reply.wire,
        "readout": reply.readout,
        "requested_model": reply.requested_model,
        "served_model": reply.served_model,
        "readings": {
            id_: {key: value for key, value in told.items() if key != "answer"} for id_, told in readings.items()
        },
    }


def _ours(told: Mapping[str, Json], answer: Json, question: Question) -> Reading:
    found = stored_reading({**told, "answer": answer}, question)
    if found is None:
        raise TypeError
    return found


def _theirs(answer: Json, question: Question, model: str) -> Reading:
    return check_answer(answer, question, judge=model, basis="decision_model", bare_label=True, refusal=True)


def _question(asked: Any) -> Question:  # noqa: ANN401 -- part of a line as it was parsed; any misfit raises
    criteria = asked.get("criteria")
    match asked["type"]:
        case "noul":
            sides = None if criteria is None else NoulCriteria(true=criteria.get("true"), false=criteria.get("false"))
            return Noul(instructions=asked["instructions"], criteria=sides)
        case "choice":
            return Choice(instructions=asked["instructions"], criteria=dict(criteria))
        case "score":
            return Score(instructions=asked["instructions"], criteria=tuple(criteria))
        case _:
            raise ValueError


def _usage(usage: Usage) -> dict[str, Json]:
    counts = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
    return {name: count for name, count in counts.items() if count is not None}


def _canonical(value: Json) -> str:
    """Return RFC 8785 JSON: keys sorted, numbers in the shortest form of ECMAScript."""
    if isinstance(value, Mapping):
        inside = (f"{json.dumps(key, ensure_ascii=False)}:{_canonical(value[key])}" for key in sorted(value))
        return "{" + ",".join(inside) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_canonical, value)) + "]"
    if isinstance(value, float):
        return _number(value)
    return json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    if value == int(value) and abs(value) < 1e21:
        return str(int(value))
    mantissa, _, exponent = repr(value).partition("e")
    if not exponent:
        return mantissa
    power = int(exponent)
    if power >= -6 and power < 0:
        return f"{value:.{len(mantissa.replace('.', '').lstrip('-')) - 1 - power}f}"
    return f"{mantissa}e{power:+d}"
