"""Builds the compiled contract from decisions that every check has passed.

Source: decision-contract/v1, compile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from interlock._canonical import compact_json, pairs, sha256_hex
from interlock.contract.capabilities import Capabilities
from interlock.contract.compiled import Contract, Decision, Dynamic
from interlock.contract.document import Document
from interlock.contract.draft import DraftDecision, DraftField, DraftFrame
from interlock.diagnostics import Diagnostic
from interlock.frame.spec import FrameField, FrameSpec
from interlock.policy.predicates import rule_text
from interlock.policy.rules import Policy, Predicate, Rule
from interlock.questions import Choice, Json, Noul, Question, Score

__all__ = ["build_contract"]

_ELSE = Predicate(kind="else", question=None, comparison=None, threshold=None, option=None)


def build_contract(
    document: Document,
    drafts: Sequence[DraftDecision],
    capabilities: Capabilities,
    *,
    diagnostics: tuple[Diagnostic, ...],
    text: str,
    overrides: Mapping[str, float],
) -> Contract:
    """Return the contract; `drafts` hold no error, were checked against `capabilities`, and have the overrides."""
    decisions = {draft.id: _decision(draft, capabilities) for draft in drafts}
    schema = "" if document.schema is None else document.schema.text
    generator = document.generator_text or None
    return Contract(
        title="" if document.title is None else document.title.text,
        schema=schema,
        decisions=decisions,
        generator=generator,
        capabilities=capabilities,
        diagnostics=diagnostics,
        digest=_digest(schema, decisions, generator),
        text=text,
        overrides=dict(overrides),
    )


def _decision(draft: DraftDecision, capabilities: Capabilities) -> Decision:
    dynamic = draft.dynamic
    position = draft.position or ""
    return Decision(
        id=draft.id,
        kind=draft.kind or "rule",
        position=position,
        purpose=draft.purpose,
        dynamic=None
        if dynamic is None
        else Dynamic(provider=dynamic.provider, reads=dynamic.reads, output=dynamic.output, reason=dynamic.reason),
        questions={item.id: item.question for item in draft.questions if item.question is not None},
        frame=_frame(draft, capabilities),
        policy=_policy(draft, capabilities.positions.get(position, ())),
        line=draft.heading.line,
    )


def _frame(draft: DraftDecision, capabilities: Capabilities) -> FrameSpec | None:
    if draft.kind == "rule":
        return None
    if draft.frame is None:
        return capabilities.frames[draft.id]
    return _frame_spec(draft.frame, capabilities)


def _frame_spec(frame: DraftFrame, capabilities: Capabilities) -> FrameSpec:
    fields = tuple(_field(field, capabilities) for field in frame.fields)
    return FrameSpec(fields=fields, exclusions=tuple(frame.exclusions))


def _field(field: DraftField, capabilities: Capabilities) -> FrameField:
    spec = None if field.projection is None else capabilities.projections[field.projection]
    cell = capabilities.cells[field.key if spec is None else spec.cell]
    promised = spec is not None and spec.default is not None and not spec.absent
    return FrameField(
        key=field.key,
        bound=field.bound,
        cell=field.key if spec is None else spec.cell,
        projection=field.projection,
        type=cell.type if spec is None else spec.shape,
        provenance=cell.provenance,
        default=spec.default if promised and spec is not None else None,
        has_default=promised,
        may_be_absent=spec is not None and spec.absent,
        reason=field.reason,
    )


def _policy(draft: DraftDecision, handled: Sequence[str]) -> Policy:
    """Return the policy; a decision that code answers may have none, and then gets `else` alone."""
    on_missing = "ask_human" if draft.position == "before-call" and "ask_human" in handled else "escalate"
    if draft.policy is not None:
        return Policy(rules=tuple(draft.policy.rules), on_missing=on_missing)
    rule = Rule(predicate=_ELSE, action=on_missing, text=rule_text(_ELSE, on_missing), line=0)
    return Policy(rules=(rule,), on_missing=on_missing)


def _digest(schema: str, decisions: dict[str, Decision], generator: str | None) -> str:
    """Return the digest over what the contract means: no spelling, no reason and no line counts."""
    meaning = [schema, [_meaning(decision) for decision in decisions.values()], generator]
    return sha256_hex(compact_json(meaning))


def _meaning(decision: Decision) -> list[object]:
    dynamic, frame = decision.dynamic, decision.frame
    return [
        decision.id,
        decision.kind,
        decision.position,
        None if dynamic is None else [dynamic.provider, dynamic.reads, dynamic.output],
        [[name, *_question(question)] for name, question in decision.questions.items()],
        None if frame is None else [_field_meaning(field) for field in frame.fields],
        None if frame is None else [exclusion.cell for exclusion in frame.exclusions],
        [_rule_meaning(rule) for rule in decision.policy.rules],
        decision.policy.on_missing,
    ]


def _question(question: Question) -> list[object]:
    match question:
        case Noul():
            criteria = question.criteria
            both = None if criteria is None else [criteria.true, criteria.false]
            return ["noul", question.instructions, both]
        case Choice():
            return ["choice", question.instructions, pairs(question.criteria)]
        case Score():
            return ["score", question.instructions, list(question.criteria)]
        case _:
            assert_never(question)


def _field_meaning(field: FrameField) -> list[Json]:
    return [field.key, field.bound, field.cell, field.projection]


def _rule_meaning(rule: Rule) -> list[Json]:
    predicate = rule.predicate
    number = predicate.threshold
    return [predicate.kind, predicate.question, predicate.comparison, number, predicate.option, rule.action]
