"""What a run may spend, and which effect that forbids.

Pure; it is given what was spent and never measures it.
Source: reference loop specification, budgets and breaker.
"""

from __future__ import annotations

from dataclasses import dataclass

from interlock.loop.events import Ask, Call, Effect, Generate, Provide, RequestApproval

__all__ = ["Budgets", "Spent", "exceeded"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """The limits of one run."""

    max_steps: int = 12
    """Tools run; the turn after the last one is not started."""
    max_seconds: float = 300.0
    """Wall time, without the time a person takes to answer."""
    max_judge_calls: int = 200
    """Decisions put to the judge when they are due, one each whatever the plan; nothing more is asked ahead once
    as many requests were sent."""
    max_writer_calls: int = 4
    """Drafts and generated inputs together; the last one is kept for the answer."""
    max_tokens: int | None = None
    """Judge and writer together, as far as they report it; None is no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a run has spent so far."""

    steps: int = 0
    """Tools run."""
    seconds: float = 0.0
    judge_calls: int = 0
    """Decisions that acted and took the judge."""
    writer_calls: int = 0
    tokens: int = 0
    """Reported tokens; what nobody reports is not counted here."""


def exceeded(budgets: Budgets, spent: Spent, effect: Effect) -> str | None:
    """Return the halt that forbids `effect`, such as `budget:tokens`; None when it is allowed."""
    if not isinstance(effect, Ask | Provide | RequestApproval | Call | Generate):
        return None
    if spent.seconds >= budgets.max_seconds:
        return "budget:seconds"
    if isinstance(effect, RequestApproval | Call):
        return None
    if budgets.max_tokens is not None and spent.tokens >= budgets.max_tokens:
        return "budget:tokens"
    if isinstance(effect, Ask):
        return _ask(budgets, spent, effect)
    kept = 1 if isinstance(effect, Provide) else 0
    return "budget:writer_calls" if spent.writer_calls + kept >= budgets.max_writer_calls else None


def _ask(budgets: Budgets, spent: Spent, effect: Ask) -> str | None:
    if effect.decision == "needs_tool" and spent.steps >= budgets.max_steps:
        return "max_steps"
    return "budget:judge_calls" if spent.judge_calls >= budgets.max_judge_calls else None
