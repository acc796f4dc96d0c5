"""One request to a judge: the decisions it asks, the state it shows and its questions.

Pure: whether decisions share a request is checked here on the frames as built.
Source: reference loop specification, the planner.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from interlock._canonical import compact_json
from interlock.frame.build import SHOWN, sent_state
from interlock.frame.spec import Frame, FrameEntry
from interlock.judge.base import QuestionId
from interlock.pipeline.host import Cells
from interlock.pipeline.plan import Plan
from interlock.pipeline.plan_pairs import grouped
from interlock.pipeline.prepare import Prepared
from interlock.questions import Json, Question

__all__ = ["Asking", "Request", "alone", "requests_for", "unlike"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """One decision to be asked, and the state it is asked on."""

    cells: Cells
    prepared: Prepared


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What one request to a judge holds."""

    members: tuple[Prepared, ...]
    """In the order of their questions."""
    state: Mapping[str, Json]
    """The frame as sent; of several decisions, the union of their fields."""
    questions: Mapping[QuestionId, Question]

    @property
    def decisions(self) -> tuple[str, ...]:
        """The ids of the decisions it asks."""
        return tuple(member.decision.id for member in self.members)

    def beside(self, member: Prepared) -> tuple[str, ...]:
        """Return the decisions that `member` shares this request with."""
        return tuple(one.decision.id for one in self.members if one is not member)


def alone(prepared: Prepared) -> Request:
    """Return the request of one decision that has something to ask."""
    return _request([prepared])


def requests_for(items: Sequence[Asking], plan: Plan) -> tuple[Request, ...]:
    """Return the requests of one wave: decisions are together where the plan and their frames allow it.

    Every item has something to ask.
    """

    def joins(group: Sequence[Asking], item: Asking) -> bool:
        asked = sum(len(one.prepared.ask) for one in (*group, item))
        if plan.max_questions is not None and asked > plan.max_questions:
            return False
        return all(_may_share(plan, one, item) for one in group)

    groups = [[item] for item in items] if plan.name == "sequential" else grouped(items, joins)
    return tuple(_request([item.prepared for item in group]) for group in groups)


def unlike(first: Frame, second: Frame) -> str | None:
    """Return the field or cell for which two built frames may not be sent as one; None when they may."""
    for reader, excluder in ((first, second), (second, first)):
        hidden = {exclusion.cell for exclusion in excluder.exclusions}
        seen = next((entry.cell for entry in reader.entries if entry.cell in hidden), None)
        if seen is not None:
            return seen
    theirs = {entry.key: entry for entry in second.entries}
    for entry in first.entries:
        if entry.key in theirs and not _same(entry, theirs[entry.key]):
            return entry.key
    return None


def _may_share(plan: Plan, one: Asking, other: Asking) -> bool:
    first, second = one.prepared, other.prepared
    if first.frame is None or second.frame is None or not plan.may_share(first.decision.id, second.decision.id):
        return False
    same_state = one.cells is other.cells or one.cells == other.cells
    return same_state and unlike(first.frame, second.frame) is None


def _same(one: FrameEntry, other: FrameEntry) -> bool:
    """Return whether two fields show the same thing; a field that is shown nowhere may differ in why."""
    shown = one.status in SHOWN, other.status in SHOWN
    if shown == (False, False):
        return True
    return shown == (True, True) and one.cell == other.cell and compact_json(one.value) == compact_json(other.value)


def _request(members: Sequence[Prepared]) -> Request:
    questions: dict[QuestionId, Question] = {}
    for member in members:
        questions |= member.ask
    return Request(members=tuple(members), state=_state(members), questions=questions)


def _state(members: Sequence[Prepared]) -> Mapping[str, Json]:
    frames = [member.frame for member in members if member.frame is not None]
    if len(frames) == 1:
        return frames[0].sent
    union = {entry.key: entry for frame in frames for entry in frame.entries if entry.status in SHOWN}
    return sent_state(list(union.values()))
