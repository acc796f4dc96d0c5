"""From answers to an action: closed predicates, rules in order, thresholds that can be set from outside."""

from interlock.policy.degraded import CallFacts, limit_degraded
from interlock.policy.evaluate import QuestionReading, evaluate
from interlock.policy.overrides import apply_overrides, override_keys, parse_override
from interlock.policy.predicates import (
    NUMBERS,
    Measure,
    measure,
    predicate_text,
    rule_text,
    threshold_range,
)
from interlock.policy.rules import Floor, Mode, Outcome, Policy, Predicate, PredicateKind, Rule

__all__ = [
    "NUMBERS",
    "CallFacts",
    "Floor",
    "Measure",
    "Mode",
    "Outcome",
    "Policy",
    "Predicate",
    "PredicateKind",
    "QuestionReading",
    "Rule",
    "apply_overrides",
    "evaluate",
    "limit_degraded",
    "measure",
    "override_keys",
    "parse_override",
    "predicate_text",
    "rule_text",
    "threshold_range",
]
