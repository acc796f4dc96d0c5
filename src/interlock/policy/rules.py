"""The values of a policy: predicates, rules, and the outcome of evaluating them.

Source: decision-contract/v1, policy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Floor", "Mode", "Outcome", "Policy", "Predicate", "PredicateKind", "Rule"]

PredicateKind: TypeAlias = Literal["else", "top", "prob", "score", "picked"]
Mode: TypeAlias = Literal["enforce", "shadow", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate:
    """One closed test on one answer."""

    kind: PredicateKind
    question: str | None
    """The contract's question id that is read; None for `else`."""
    comparison: Literal[">=", "<", "="] | None
    threshold: float | None
    """None for `else` and `picked`."""
    option: str | None
    """The option of `picked`; None otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One line of a policy."""

    predicate: Predicate
    action: str
    text: str
    """The line in canonical spelling with the effective threshold, such as `prob:ok >= 0.6 → continue`."""
    line: int
    """1-based line in the contract; 0 when it comes from code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Rules in order; the last one is `else`."""

    rules: tuple[Rule, ...]
    on_missing: str
    """The action when a rule needs an answer that is missing: `ask_human` before a call, else `escalate`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """A host fact that bounds a score from below."""

    question: str
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Which action, by which rule, and how far from another one."""

    action: str
    rule: int | None
    """0-based index of the rule that matched; None when an answer was missing."""
    rule_text: str | None
    threshold: float | None
    value: float | None
    """The number compared by the matching rule; None for `else` and `picked`."""
    margin: float | None
    """Smallest |value - threshold| over the rules evaluated up to the match; a stability, not a confidence."""
    reason: str | None
    """Why no rule decided, such as `no answer to `risk`: transport_error/timeout`, or why the action is not that of
    the rule that matched; None when a rule matched and stands."""
