"""What a run of the engine came to.

Source: decision-engine specification, depth.
"""

from __future__ import annotations

from dataclasses import dataclass

from interlock.actions import FINISH, Observation
from interlock.engine.decided import Decided, Fell
from interlock.engine.limits import Used
from interlock.questions import Json

__all__ = ["EngineResult", "FailedPlan", "result_json", "used_json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedPlan:
    """A plan that was given up."""

    plan: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineResult:
    """How a run ended, and everything it decided and observed."""

    halt: str
    """`finish`, another action that nobody carries out, the name of a limit, `breaker:…` or `model:…`."""
    final: str | None
    """The answer after `finish`, the question after `ask_user`, the text of another action; None otherwise."""
    reason: str | None
    """Why a limit, a breaker or a failure ended it; None after an action."""
    decided: tuple[Decided, ...]
    observations: tuple[Observation, ...]
    plan: str | None
    """The newest plan; None when none was made."""
    failed_plans: tuple[FailedPlan, ...]
    used: Used
    run_id: str | None
    """None without a journal."""
    head: str | None
    """The hash of the run's last record; None without a journal."""

    @property
    def delivered(self) -> bool:
        """True when there is an answer."""
        return self.halt == FINISH

    @property
    def answer(self) -> str | None:
        """The answer; None when there is none."""
        return self.final if self.delivered else None

    @property
    def fell(self) -> tuple[Fell, ...]:
        """Every mode that the provider turned out not to have."""
        return tuple(fell for decided in self.decided for fell in decided.fell)


def result_json(result: EngineResult) -> dict[str, Json]:
    """Return a result as it is printed for machines."""
    return {
        "run_id": result.run_id,
        "head": result.head,
        "halt": result.halt,
        "delivered": result.delivered,
        "answer": result.answer,
        "final": result.final,
        "reason": result.reason,
        "actions": [
            {
                **item.decision.fields,
                "fallback": item.decision.fallback,
                "attempts": len(item.decision.attempts) + (0 if item.decision.fallback else 1),
                "mode": item.mode,
            }
            for item in result.decided
        ],
        "observations": [{"id": item.id, "failed": item.failed, "text": item.text} for item in result.observations],
        "plan": result.plan,
        "failed_plans": [{"plan": item.plan, "reason": item.reason} for item in result.failed_plans],
        "fell": [{"mode": item.mode, "reason": item.reason} for item in result.fell],
        "used": used_json(result.used),
    }


def used_json(used: Used) -> dict[str, Json]:
    """Return what was used; the cost is a decimal number as text, null where it is not known."""
    return {
        "steps": used.steps,
        "tool_calls": used.tool_calls,
        "model_calls": used.model_calls,
        "input_tokens": used.input_tokens,
        "output_tokens": used.output_tokens,
        "tokens_estimated": used.tokens_estimated,
        "cost_usd": None if used.cost_usd is None else str(used.cost_usd),
    }
