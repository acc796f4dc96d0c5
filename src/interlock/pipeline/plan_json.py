"""A plan as JSON, for machines and for snapshots; pure."""

from __future__ import annotations

from interlock.pipeline.plan import Group, Plan, PlannedWave
from interlock.pipeline.plan_pairs import DataNeeds, Equality, Pair, Refusal
from interlock.questions import Json

__all__ = ["plan_to_json"]


def plan_to_json(plan: Plan) -> dict[str, Json]:
    """Return the whole plan: data needs, waves, and for every two decisions what fusing takes and forbids."""
    return {
        "plan": plan.name,
        "contract_digest": plan.contract_digest,
        "decisions": [_needs(needs) for needs in plan.needs],
        "waves": [_wave(wave) for wave in plan.waves],
        "ahead": {due: list(ahead) for due, ahead in plan.ahead.items()},
        "pairs": [_pair(pair) for pair in plan.pairs],
    }


def _needs(needs: DataNeeds) -> dict[str, Json]:
    return {
        "decision": needs.decision,
        "position": needs.position,
        "reads": list(needs.reads),
        "candidates_from": list(needs.candidates_from),
        "excludes": list(needs.excludes),
        "questions": needs.questions,
    }


def _wave(wave: PlannedWave) -> dict[str, Json]:
    return {
        "when": wave.when,
        "due": wave.due,
        "ahead": list(wave.ahead),
        "requests": [_group(group) for group in wave.requests],
        "refusals": [_refusal(refusal) for refusal in wave.refusals],
    }


def _group(group: Group) -> dict[str, Json]:
    return {"decisions": list(group.decisions), "equalities": [_equality(one) for one in group.equalities]}


def _pair(pair: Pair) -> dict[str, Json]:
    return {
        "decisions": list(pair.decisions),
        "may_share": not pair.refusals,
        "equalities": [_equality(one) for one in pair.equalities],
        "refusals": [_refusal(one) for one in pair.refusals],
    }


def _equality(equality: Equality) -> dict[str, Json]:
    return {
        "field": equality.field,
        "cell": equality.cell,
        "decisions": list(equality.decisions),
        "why": equality.why,
    }


def _refusal(refusal: Refusal) -> dict[str, Json]:
    return {
        "kind": refusal.kind,
        "decisions": list(refusal.decisions),
        "subject": refusal.subject,
        "by": refusal.by,
        "text": refusal.text,
    }
