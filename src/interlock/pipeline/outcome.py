"""The outcome of one decision from its readings: the policy, then the limit on degraded answers.

Whoever decides again from a record calls the same function.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from interlock.contract.compiled import Decision
from interlock.judge.base import Reading
from interlock.policy.degraded import CallFacts, limit_degraded
from interlock.policy.evaluate import evaluate
from interlock.policy.rules import Floor, Outcome

__all__ = ["outcome_of", "refused"]


def outcome_of(
    decision: Decision, readings: Mapping[str, Reading], floors: Iterable[Floor], call: CallFacts | None
) -> Outcome:
    """Return what the policy makes of the readings, by contract question id; mode is not applied."""
    outcome = evaluate(decision.policy, readings, floors)
    degraded = any(reading.degraded for reading in readings.values())
    if decision.position != "before-call" or not degraded:
        return outcome
    return limit_degraded(outcome, call, decision.policy.on_missing)


def refused(decision: Decision, reason: str) -> Outcome:
    """Return the outcome of a decision that was not judged because of `reason`."""
    return Outcome(
        action=decision.policy.on_missing,
        rule=None,
        rule_text=None,
        threshold=None,
        value=None,
        margin=None,
        reason=reason,
    )
