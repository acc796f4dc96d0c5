"""Reads a policy against what became of its questions; first match wins, no answer is never read as "no".

Knows nothing of judges, modes or positions.
Source: decision-contract/v1, policy and missing answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from interlock.policy.predicates import measure, predicate_text
from interlock.policy.rules import Floor, Outcome, Policy, Predicate, Rule
from interlock.questions import Answer

__all__ = ["QuestionReading", "evaluate"]


class QuestionReading(Protocol):
    """What became of one question, as far as a policy reads it."""

    @property
    def kind(self) -> str:
        """The kind of the reading."""
        ...

    @property
    def reason(self) -> str:
        """Why it is of that kind."""
        ...

    @property
    def answer(self) -> Answer | None:
        """None when there is no answer."""
        ...


def evaluate(policy: Policy, readings: Mapping[str, QuestionReading], floors: Iterable[Floor] = ()) -> Outcome:
    """Return the action of the first rule that holds, or `policy.on_missing` at the first rule without an answer.

    `readings` is by the contract's question id; a question that is not a key has no answer.
    """
    bounds = {floor.question: floor.value for floor in floors}
    margin: float | None = None
    for index, rule in enumerate(policy.rules):
        predicate = rule.predicate
        if predicate.question is None:
            return _matched(index, rule, value=None, margin=margin)
        reading = readings.get(predicate.question)
        if reading is None or reading.answer is None:
            return _undecided(policy, _no_answer(predicate.question, reading), margin)
        found = measure(predicate, reading.answer, bounds.get(predicate.question))
        if found is None:
            return _undecided(policy, _unusable(predicate, reading), margin)
        if found.distance is not None:
            margin = found.distance if margin is None else min(margin, found.distance)
        if found.holds:
            return _matched(index, rule, value=found.value, margin=margin)
    return _undecided(policy, "no rule matched and there is no `else`", margin)


def _matched(index: int, rule: Rule, *, value: float | None, margin: float | None) -> Outcome:
    return Outcome(
        action=rule.action,
        rule=index,
        rule_text=rule.text,
        threshold=rule.predicate.threshold,
        value=value,
        margin=margin,
        reason=None,
    )


def _undecided(policy: Policy, reason: str, margin: float | None) -> Outcome:
    return Outcome(
        action=policy.on_missing, rule=None, rule_text=None, threshold=None, value=None, margin=margin, reason=reason
    )


def _no_answer(question: str, reading: QuestionReading | None) -> str:
    became = "not asked" if reading is None else f"{reading.kind}/{reading.reason}"
    return f"no answer to `{question}`: {became}"


def _unusable(predicate: Predicate, reading: QuestionReading) -> str:
    became = f"{reading.kind}/{reading.reason}"
    return f"answer to `{predicate.question}` does not decide `{predicate_text(predicate)}`: {became}"
