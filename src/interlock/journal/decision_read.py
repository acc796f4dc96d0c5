"""Reads a `decision` record back into the values it was written from.

Pure; the inverse of `decision_body`. Knows nothing of stores or loops.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from interlock.errors import JournalError, QuestionError
from interlock.frame.build import SHOWN, UNTRUSTED
from interlock.frame.spec import Exclusion, FieldStatus, Frame, FrameEntry, Provenance
from interlock.journal.answer_read import read_question, read_reading, read_reply
from interlock.journal.decision_body import Planned
from interlock.journal.fields import (
    flag,
    items,
    number,
    objects,
    one_of,
    optional_number,
    optional_section,
    optional_text,
    optional_whole,
    section,
    text,
    texts,
    value,
    whole,
)
from interlock.pipeline.readings import judge_ids
from interlock.pipeline.result import DecisionResult
from interlock.policy.degraded import CallFacts
from interlock.policy.rules import Floor, Mode, Outcome, Policy, Predicate, PredicateKind, Rule
from interlock.questions import Json

__all__ = ["RecordedDecision", "read_call", "read_decision", "read_floor", "read_pair"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedDecision:
    """One decision as recorded."""

    result: DecisionResult
    step: int
    plan: Planned
    policy: Policy | None
    """None when whoever recorded it did not know the policy."""
    cells: Mapping[str, Json] | None
    """The raw state as `cells_json` wrote it; None when it was not recorded."""


def read_decision(body: Mapping[str, Json]) -> RecordedDecision:
    """Return what `decision_body` was given.

    Raises:
        JournalError: a field is missing or of another type; it is named.
    """
    try:
        policy = optional_section(body, "policy")
        return RecordedDecision(
            result=_result(body),
            step=whole(body, "step"),
            plan=_plan(section(body, "plan")),
            policy=None if policy is None else _policy(policy),
            cells=section(body, "cells") if "cells" in body else None,
        )
    except (JournalError, QuestionError) as cause:
        raise JournalError(f"decision record: {cause}") from cause


def _result(body: Mapping[str, Json]) -> DecisionResult:
    decision = text(body, "decision")
    digests = section(body, "digests")
    frame, outcome, call = (optional_section(body, key) for key in ("frame", "outcome", "call"))
    asked, became = section(body, "questions"), section(body, "readings")
    questions = {name: read_question(section(asked, name)) for name in asked}
    readings = {name: read_reading(section(became, name)) for name in became}
    return DecisionResult(
        decision=decision,
        position=text(body, "position"),
        action=text(body, "action"),
        mode=one_of(body, "mode", _MODES),
        would_be=optional_text(body, "would_be"),
        outcome=None if outcome is None else _outcome(outcome),
        picked=optional_text(body, "picked"),
        frame=None if frame is None else _frame(decision, frame, text(digests, "frame")),
        questions=questions,
        readings=readings,
        reply=read_reply(body, judge_ids(decision, questions), readings),
        floors=tuple(read_floor(item) for item in objects(body, "floors")),
        gaps=texts(body, "gaps"),
        gap_refused=flag(body, "gap_refused"),
        listed=read_pair(body, "listed"),
        degraded=flag(body, "degraded"),
        warnings=texts(body, "warnings"),
        interchange_digest=optional_text(digests, "interchange"),
        contract_digest=text(body, "contract_digest"),
        elapsed_s=number(body, "elapsed_s"),
        call_facts=None if call is None else read_call(call),
    )


def _plan(body: Mapping[str, Json]) -> Planned:
    return Planned(
        name=text(body, "name"),
        wave=whole(body, "wave"),
        fused_with=texts(body, "fused_with"),
        speculative=flag(body, "speculative"),
        discarded=flag(body, "discarded"),
    )


def _frame(decision: str, body: Mapping[str, Json], digest: str) -> Frame:
    state = section(body, "state")
    return Frame(
        decision=decision,
        entries=tuple(_entry(field, state) for field in objects(body, "fields")),
        exclusions=tuple(
            Exclusion(cell=text(item, "cell"), reason=text(item, "reason")) for item in objects(body, "exclusions")
        ),
        sent=state,
        digest=digest,
    )


def _entry(field: Mapping[str, Json], state: Mapping[str, Json]) -> FrameEntry:
    key = text(field, "key")
    provenance = one_of(field, "provenance", _PROVENANCES)
    status = one_of(field, "status", _STATUSES)
    home = section(state, UNTRUSTED) if status in SHOWN and provenance == "tool" else state
    return FrameEntry(
        key=key,
        value=value(home, key) if status in SHOWN else None,
        cell=text(field, "cell"),
        provenance=provenance,
        status=status,
        defaulted=flag(field, "defaulted"),
        truncated=read_pair(field, "truncated"),
    )


def _outcome(body: Mapping[str, Json]) -> Outcome:
    return Outcome(
        action=text(body, "action"),
        rule=optional_whole(body, "rule"),
        rule_text=optional_text(body, "rule_text"),
        threshold=optional_number(body, "threshold"),
        value=optional_number(body, "value"),
        margin=optional_number(body, "margin"),
        reason=optional_text(body, "reason"),
    )


def _policy(body: Mapping[str, Json]) -> Policy:
    return Policy(rules=tuple(_rule(rule) for rule in objects(body, "rules")), on_missing=text(body, "on_missing"))


def _rule(body: Mapping[str, Json]) -> Rule:
    return Rule(
        predicate=_predicate(body), action=text(body, "action"), text=text(body, "text"), line=whole(body, "line")
    )


def _predicate(body: Mapping[str, Json]) -> Predicate:
    predicate = Predicate(
        kind=one_of(body, "kind", _PREDICATES),
        question=optional_text(body, "question"),
        comparison=None if value(body, "comparison") is None else one_of(body, "comparison", _COMPARISONS),
        threshold=optional_number(body, "threshold"),
        option=optional_text(body, "option"),
    )
    parts = (predicate.question, predicate.comparison, predicate.threshold, predicate.option)
    if tuple(part is not None for part in parts) != _PARTS.get(predicate.kind, (True, True, True, False)):
        raise JournalError(f"a rule on `{predicate.kind}` has not the parts of such a rule")
    return predicate


def read_floor(body: Mapping[str, Json]) -> Floor:
    """Return one recorded floor."""
    return Floor(question=text(body, "question"), value=number(body, "value"))


def read_call(body: Mapping[str, Json]) -> CallFacts:
    """Return what was recorded of the call about to run."""
    return CallFacts(base_risk=optional_whole(body, "base_risk"), leaves_root=flag(body, "leaves_root"))


def read_pair(body: Mapping[str, Json], key: str) -> tuple[int, int] | None:
    """Return a pair of whole numbers, or None where null was written."""
    if value(body, key) is None:
        return None
    found = items(body, key)
    whole_numbers = [item for item in found if isinstance(item, int) and not isinstance(item, bool)]
    if len(found) != 2 or len(whole_numbers) != 2:
        raise JournalError(f"`{key}` is not a pair of whole numbers")
    return whole_numbers[0], whole_numbers[1]


_PARTS: Mapping[PredicateKind, tuple[bool, bool, bool, bool]] = {
    "else": (False, False, False, False),
    "picked": (True, True, False, True),
}
"""Kind → whether it has a question, a comparison, a threshold and an option, where that is not the usual."""
_COMPARISONS: tuple[Literal[">=", "<", "="], ...] = (">=", "<", "=")
_MODES: tuple[Mode, ...] = get_args(Mode)
_PROVENANCES: tuple[Provenance, ...] = get_args(Provenance)
_STATUSES: tuple[FieldStatus, ...] = get_args(FieldStatus)
_PREDICATES: tuple[PredicateKind, ...] = get_args(PredicateKind)
