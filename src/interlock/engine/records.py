"""What a run of the engine writes into a journal: every decision with the prompts it came from.

Source: decision-engine specification, versions and registry.
"""

from __future__ import annotations

from collections.abc import Mapping

from interlock.engine.decided import Decided
from interlock.engine.limits import Limits
from interlock.engine.modes import EngineOptions
from interlock.engine.result import EngineResult, used_json
from interlock.journal.records import Body
from interlock.prompts import PromptPack
from interlock.questions import Json

__all__ = ["action_body", "ended_body", "started_body"]

FORMAT = 1


def started_body(
    *,
    goal: str,
    memory_summary: str,
    pack: PromptPack,
    tools: tuple[str, ...],
    options: EngineOptions,
    limits: Limits,
    max_retries: int,
    origin: Mapping[str, Json],
) -> Body:
    """Return the body of `engine_started`: all that is needed to run the goal again with the same prompts."""
    return {
        "format": FORMAT,
        "task": goal,
        "memory_summary": memory_summary,
        "tools": list(tools),
        "space": [{"name": action.name, "description": action.description} for action in options.space.actions],
        "mode": options.mode,
        "form": options.form,
        "deliberate": options.deliberate,
        "observation_role": options.observation_role,
        "max_retries": max_retries,
        "limits": {
            "max_steps": limits.max_steps,
            "max_tool_calls": limits.max_tool_calls,
            "max_tokens": limits.max_tokens,
            "max_cost_usd": None if limits.max_cost_usd is None else str(limits.max_cost_usd),
        },
        "origin": dict(origin),
        "experiment": pack.experiment,
        "layers": {layer: {**ref.fields, "text": pack.text(layer)} for layer, ref in pack.refs().items()},
    }


def action_body(decided: Decided, step: int, observed: tuple[str, ...]) -> Body:
    """Return the body of `action`; `observed` are the ids of what the model was shown."""
    decision = decided.decision
    return {
        "step": step,
        **decision.fields,
        "thought": decision.thought,
        "fallback": decision.fallback,
        "picked_by": decision.picked_by,
        "probabilities": None if decision.probabilities is None else dict(decision.probabilities),
        "tolerance": list(decision.tolerance),
        "attempts": [
            {
                "number": attempt.number,
                "check": attempt.check,
                "reason": attempt.reason,
                "reply": attempt.reply,
                "waited_s": attempt.waited_s,
                "elapsed_s": attempt.elapsed_s,
            }
            for attempt in decision.attempts
        ],
        "mode": decided.mode,
        "fell": [{"mode": item.mode, "reason": item.reason} for item in decided.fell],
        "layers": {layer: ref.fields for layer, ref in decided.layers.items()},
        "experiment": decided.experiment,
        "loop": dict(decided.loop),
        "observed": list(observed),
        "requested_model": decided.requested_model,
        "served_model": decided.served_model,
        "used": used_json(decided.used),
        "elapsed_s": decided.elapsed_s,
    }


def ended_body(result: EngineResult) -> Body:
    """Return the body of `engine_ended`."""
    return {
        "halt": result.halt,
        "delivered": result.delivered,
        "answer": result.answer,
        "degraded": any(item.decision.fallback for item in result.decided),
        "final": result.final,
        "reason": result.reason,
        "plan": result.plan,
        "failed_plans": [{"plan": item.plan, "reason": item.reason} for item in result.failed_plans],
        "used": used_json(result.used),
    }
