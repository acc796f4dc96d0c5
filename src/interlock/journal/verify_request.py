"""Whether the requests that several decisions shared are what their records say, and hold nothing that one excludes.

Pure; knows nothing of stores.
Source: journal specification, event types; reference loop specification, the planner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from interlock._canonical import compact_json
from interlock.frame.build import UNTRUSTED
from interlock.frame.spec import Frame
from interlock.journal.answer_read import asked_of, read_question
from interlock.journal.decision_read import RecordedDecision
from interlock.journal.fields import optional_section, optional_text, section, text, whole
from interlock.journal.records import Body, EventType
from interlock.judge.digest import request_digest
from interlock.pipeline.readings import judge_ids
from interlock.questions import Json, as_json

__all__ = ["SharedRequests"]


@dataclass(slots=True, kw_only=True)
class _Shared:
    state: Mapping[str, Json]
    questions: Mapping[str, Json]
    seen: dict[str, str] = field(default_factory=dict)
    """Cell → the decision that reads it."""
    hidden: dict[str, str] = field(default_factory=dict)
    """Cell → the decision that excludes it."""


class SharedRequests:
    """The shared requests of one run, from its records in order."""

    def __init__(self) -> None:
        self._open: dict[int, Body] = {}
        self._answered: dict[str, _Shared] = {}

    def take(self, kind: EventType, body: Body) -> list[str]:
        """Take a `judge_request` or a `judge_reply`, and return what is wrong with the digest of its request.

        What a single decision asked stands in its own record and is checked there.

        Raises:
            JournalError: a field is missing or of another type.
        """
        if kind == "judge_request":
            if "wave" in body:
                self._open.pop(whole(body, "request"), None)
            if "wave" in body and "state" in body:
                self._open[whole(body, "request")] = body
            return []
        request = self._open.pop(whole(body, "request"), None) if "cancelled" in body else None
        return [] if request is None else self._replied(request, body)

    def part(self, recorded: RecordedDecision) -> list[str] | None:
        """Return what is wrong with the part of one decision in its request; None when the request is not known."""
        result = recorded.result
        shared = None if result.reply is None else self._answered.get(result.reply.request_digest)
        if shared is None or result.frame is None:
            return None
        wrong = []
        if not _holds(shared.state, result.frame.sent):
            wrong.append("request: its state does not hold the frame of this decision")
        ids = judge_ids(result.decision, result.questions)
        asked = {ids[name]: as_json(result.questions[name]) for name in asked_of(result.readings) if name in ids}
        if any(compact_json(shared.questions.get(id_)) != compact_json(question) for id_, question in asked.items()):
            wrong.append("request: it does not hold the questions of this decision")
        return wrong + _exclusions(shared, result.frame)

    def _replied(self, request: Body, body: Body) -> list[str]:
        told, reply = optional_text(body, "request_digest"), optional_section(body, "reply")
        if not told or reply is None:
            return []
        shared = _Shared(state=section(request, "state"), questions=section(request, "questions"))
        asked = {id_: read_question(section(shared.questions, id_)) for id_ in shared.questions}
        derived = request_digest(
            shared.state,
            asked,
            model=text(reply, "requested_model"),
            wire=text(reply, "wire"),
            readout=optional_text(reply, "readout"),
        )
        self._answered[told] = shared
        return [] if derived == told else ["request digest: is not that of the state, the questions and the model"]


def _holds(state: Mapping[str, Json], sent: Mapping[str, Json]) -> bool:
    """Return whether every field of a frame as sent is in the state of a request, unchanged."""
    for key, value in sent.items():
        if key not in state:
            return False
        whole_value = state[key]
        if key == UNTRUSTED and isinstance(value, Mapping) and isinstance(whole_value, Mapping):
            if not _holds(whole_value, value):
                return False
        elif compact_json(whole_value) != compact_json(value):
            return False
    return True


def _exclusions(shared: _Shared, frame: Frame) -> list[str]:
    """Return the cells that this decision or one beside it excludes and the other reads."""
    seen = {entry.cell: frame.decision for entry in frame.entries}
    hidden = {exclusion.cell: frame.decision for exclusion in frame.exclusions}
    wrong = [
        f"request: it holds cell `{cell}` of `{reader}`, which `{excluder}` excludes"
        for readers, excluders in ((shared.seen, hidden), (seen, shared.hidden))
        for cell, reader in readers.items()
        if (excluder := excluders.get(cell)) is not None
    ]
    shared.seen.update(seen)
    shared.hidden.update(hidden)
    return wrong
