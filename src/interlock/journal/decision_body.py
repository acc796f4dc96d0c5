"""What a `decision` record says: the frame as sent, questions, answers, policy and outcome of one decision.

Pure; `decision_read` is its inverse. Knows nothing of stores or loops.
Source: journal specification, decision row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from interlock.frame.spec import Frame, FrameEntry
from interlock.journal.bodies import usage_json
from interlock.journal.cells import cells_json
from interlock.judge.base import Failure, JudgeReply, Reading
from interlock.pipeline.result import DecisionResult
from interlock.policy.degraded import CallFacts
from interlock.policy.rules import Outcome, Policy, Rule
from interlock.questions import Answer, ChoiceAnswer, Json, NoulAnswer, ScoreAnswer, as_json

__all__ = ["SEQUENTIAL", "Planned", "decision_body", "reply_json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """How the plan of a run came to ask a decision."""

    name: str = "sequential"
    wave: int = 0
    """Number of the wave, from 1; 0 when there are no waves."""
    fused_with: tuple[str, ...] = ()
    """The other decisions of the same judge request."""
    speculative: bool = False
    """True: asked before its premise was known."""
    discarded: bool = False
    """True: its premise turned out false, and it never acted."""


SEQUENTIAL = Planned()
"""One decision, one request, asked when it was due."""


def decision_body(
    result: DecisionResult,
    *,
    policy: Policy | None,
    step: int = 0,
    plan: Planned = SEQUENTIAL,
    cells: Mapping[str, object] | None = None,
) -> dict[str, Json]:
    """Return the body of one `decision` record.

    `policy` is the one that decided, with its effective thresholds; None: its outcome cannot be recomputed later.
    `cells` is the host's raw state; None: it is not recorded, and the frame cannot be built again later.
    """
    body: dict[str, Json] = {
        "decision": result.decision,
        "position": result.position,
        "step": step,
        "plan": _plan_json(plan),
        "mode": result.mode,
        "action": result.action,
        "would_be": result.would_be,
        "picked": result.picked,
        "degraded": result.degraded,
        "outcome": None if result.outcome is None else _outcome_json(result.outcome),
        "digests": {
            "frame": None if result.frame is None else result.frame.digest,
            "interchange": result.interchange_digest,
            "request": None if result.reply is None else result.reply.request_digest,
        },
        "contract_digest": result.contract_digest,
        "elapsed_s": result.elapsed_s,
        "warnings": list(result.warnings),
        "gaps": list(result.gaps),
        "gap_refused": result.gap_refused,
        "listed": None if result.listed is None else list(result.listed),
        "frame": None if result.frame is None else _frame_json(result.frame),
        "questions": {name: as_json(question) for name, question in result.questions.items()},
        "readings": {name: _reading_json(reading) for name, reading in result.readings.items()},
        "reply": None if result.reply is None else reply_json(result.reply),
        "call": None if result.call_facts is None else _call_json(result.call_facts),
        "floors": [{"question": floor.question, "value": floor.value} for floor in result.floors],
        "policy": None if policy is None else _policy_json(policy),
    }
    if cells is not None:
        body["cells"] = cells_json(cells)
    return body


def _plan_json(plan: Planned) -> dict[str, Json]:
    return {
        "name": plan.name,
        "wave": plan.wave,
        "fused_with": list(plan.fused_with),
        "speculative": plan.speculative,
        "discarded": plan.discarded,
    }


def _outcome_json(outcome: Outcome) -> dict[str, Json]:
    return {
        "action": outcome.action,
        "rule": outcome.rule,
        "rule_text": outcome.rule_text,
        "threshold": outcome.threshold,
        "value": outcome.value,
        "margin": outcome.margin,
        "reason": outcome.reason,
    }


def _frame_json(frame: Frame) -> dict[str, Json]:
    return {
        "state": frame.sent,
        "fields": [_entry_json(entry) for entry in frame.entries],
        "exclusions": [{"cell": exclusion.cell, "reason": exclusion.reason} for exclusion in frame.exclusions],
    }


def _entry_json(entry: FrameEntry) -> dict[str, Json]:
    return {
        "key": entry.key,
        "cell": entry.cell,
        "provenance": entry.provenance,
        "status": entry.status,
        "defaulted": entry.defaulted,
        "truncated": None if entry.truncated is None else list(entry.truncated),
    }


def _reading_json(reading: Reading) -> dict[str, Json]:
    return {
        "kind": reading.kind,
        "reason": reading.reason,
        "judge": reading.judge,
        "degraded": reading.degraded,
        "answer": None if reading.answer is None else _answer_json(reading.answer),
    }


def _answer_json(answer: Answer) -> dict[str, Json]:
    match answer:
        case NoulAnswer():
            return {"type": "noul", "noul": answer.noul, "basis": answer.basis, "option_mass": answer.option_mass}
        case ChoiceAnswer():
            return {
                "type": "choice",
                "choice": answer.choice,
                "probabilities": answer.probabilities,
                "basis": answer.basis,
                "option_mass": answer.option_mass,
                "reported_confidence": answer.reported_confidence,
                **_divided(answer),
            }
        case ScoreAnswer():
            return {
                "type": "score",
                "score": answer.score,
                "probabilities": list(answer.probabilities),
                "basis": answer.basis,
                "option_mass": answer.option_mass,
                "reported_confidence": answer.reported_confidence,
                **_divided(answer),
            }
        case _:
            assert_never(answer)


def _divided(answer: ChoiceAnswer | ScoreAnswer) -> dict[str, Json]:
    """Return what the numbers added up to, only where they were divided by it."""
    return {} if answer.reported_sum is None else {"reported_sum": answer.reported_sum}


def reply_json(reply: JudgeReply) -> dict[str, Json]:
    """Return what is recorded of a reply besides its readings."""
    return {
        "wire": reply.wire,
        "readout": reply.readout,
        "requested_model": reply.requested_model,
        "served_model": reply.served_model,
        "request_id": reply.request_id,
        "attempts": reply.attempts,
        "elapsed_s": reply.elapsed_s,
        "usage": usage_json(reply.usage),
        "failure": None if reply.failure is None else _failure_json(reply.failure),
    }


def _failure_json(failure: Failure) -> dict[str, Json]:
    return {
        "reason": failure.reason,
        "status": failure.status,
        "error_type": failure.error_type,
        "retryable": failure.retryable,
        "retry_after_s": failure.retry_after_s,
    }


def _call_json(call: CallFacts) -> dict[str, Json]:
    return {"base_risk": call.base_risk, "leaves_root": call.leaves_root}


def _policy_json(policy: Policy) -> dict[str, Json]:
    return {"rules": [_rule_json(rule) for rule in policy.rules], "on_missing": policy.on_missing}


def _rule_json(rule: Rule) -> dict[str, Json]:
    predicate = rule.predicate
    return {
        "text": rule.text,
        "line": rule.line,
        "action": rule.action,
        "kind": predicate.kind,
        "question": predicate.question,
        "comparison": predicate.comparison,
        "threshold": predicate.threshold,
        "option": predicate.option,
    }
