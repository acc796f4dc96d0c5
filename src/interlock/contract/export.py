"""A compiled contract as JSON values, for people and programs that do not run this package.

Source: decision-contract/v1, compile.
"""

from __future__ import annotations

from typing import assert_never

from interlock.contract.compiled import Contract, Decision, Dynamic
from interlock.frame.spec import FrameField, FrameSpec
from interlock.policy.rules import Rule
from interlock.questions import Choice, Json, Noul, Question, Score

__all__ = ["contract_to_json"]


def contract_to_json(contract: Contract) -> dict[str, Json]:
    """Return what `contract` means, in the order of the file."""
    return {
        "schema": contract.schema,
        "title": contract.title,
        "digest": contract.digest,
        "decisions": [_decision(decision) for decision in contract.decisions.values()],
        "generator": contract.generator,
    }


def _decision(decision: Decision) -> dict[str, Json]:
    return {
        "id": decision.id,
        "line": decision.line,
        "kind": decision.kind,
        "position": decision.position,
        "purpose": decision.purpose,
        "gate": decision.is_gate,
        "dynamic": None if decision.dynamic is None else _dynamic(decision.dynamic),
        "questions": {name: _question(question) for name, question in decision.questions.items()},
        "frame": None if decision.frame is None else _frame(decision.frame),
        "policy": {
            "rules": [_rule(rule) for rule in decision.policy.rules],
            "on_missing": decision.policy.on_missing,
        },
    }


def _dynamic(dynamic: Dynamic) -> dict[str, Json]:
    return {
        "provider": dynamic.provider,
        "reads": list(dynamic.reads),
        "output": dynamic.output,
        "reason": dynamic.reason,
    }


def _question(question: Question) -> dict[str, Json]:
    match question:
        case Noul():
            criteria = question.criteria
            both: Json = None if criteria is None else {"true": criteria.true, "false": criteria.false}
            return {"type": "noul", "instructions": question.instructions, "criteria": both}
        case Choice():
            return {"type": "choice", "instructions": question.instructions, "criteria": dict(question.criteria)}
        case Score():
            return {"type": "score", "instructions": question.instructions, "criteria": list(question.criteria)}
        case _:
            assert_never(question)


def _frame(frame: FrameSpec) -> dict[str, Json]:
    return {
        "fields": [_field(field) for field in frame.fields],
        "exclusions": [{"cell": item.cell, "reason": item.reason} for item in frame.exclusions],
    }


def _field(field: FrameField) -> dict[str, Json]:
    return {
        "key": field.key,
        "bound": field.bound,
        "cell": field.cell,
        "projection": field.projection,
        "type": field.type,
        "provenance": field.provenance,
        "reason": field.reason,
    }


def _rule(rule: Rule) -> dict[str, Json]:
    predicate = rule.predicate
    return {
        "line": rule.line,
        "text": rule.text,
        "predicate": predicate.kind,
        "question": predicate.question,
        "comparison": predicate.comparison,
        "threshold": predicate.threshold,
        "option": predicate.option,
        "action": rule.action,
    }
