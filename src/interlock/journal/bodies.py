"""What every record but a decision says, one builder per event type.

Pure; knows nothing of stores or loops.
Source: journal specification, event types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from interlock.judge.base import Usage
from interlock.questions import Json

__all__ = [
    "APPROVAL_TTL_S",
    "Accounting",
    "CallTarget",
    "ToolCall",
    "accounting_json",
    "audit_body",
    "budget_body",
    "error_body",
    "generation_body",
    "refusal_body",
    "run_ended_body",
    "run_started_body",
    "tool_about_to_run_body",
    "tool_result_body",
    "usage_json",
]

FORMAT = 1
"""Of the bodies; a reader refuses a run that was written in a later one."""


APPROVAL_TTL_S = 86_400.0
"""How long an approval holds unless it is said otherwise: a day from the moment it was asked for."""

_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call of a tool, by what it does."""

    step: int
    tool: str
    input: str
    arguments: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTarget:
    """A path that a call touches, as it was before the call."""

    path: str
    exists: bool
    size_bytes: int | None = None
    """None when it does not exist or is not a file."""
    sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounting:
    """What a run used; tokens are None where a backend reported none."""

    decisions: int
    """Those that acted."""
    questions: int
    requests: int
    waves: int
    discarded: int
    """Decisions that were asked ahead of their turn and never acted."""
    cancelled: int = 0
    """Requests given up before they were answered; their tokens are reported by nobody and not in `tokens`."""
    writer_calls: int
    tokens: int | None
    cached_tokens: int | None = None
    """The input tokens served from a cache, as far as a backend reported them; None when none did."""
    wall_s: float


def run_started_body(
    *,
    task: str,
    cwd: str,
    contract_digest: str,
    contract_text: str,
    judge: str,
    writer: str,
    plan: str,
    budgets: Mapping[str, Json],
    overrides: Mapping[str, float],
    modes: Mapping[str, str],
    can_write: bool,
    can_delete: bool,
    tools: Mapping[str, int | None],
    after: str | None,
    version: str,
    gaps: Mapping[str, str] = _NONE,
    record_state: bool = False,
    park: bool = False,
    approval_ttl_s: float = APPROVAL_TTL_S,
    wired: Mapping[str, Json] | None = None,
) -> dict[str, Json]:
    """Return the body of `run_started`: everything needed to compile the contract again and to continue.

    `tools`: name → base risk. `after` is the run whose task came before; `version` is that of this package.
    `park`: a call that nobody can be asked about at once waits; `approval_ttl_s` is how long an approval holds.
    `wired`: the settings by which judge and writer were made; None when a program made them otherwise.
    """
    return {
        "format": FORMAT,
        "version": version,
        "task": task,
        "cwd": cwd,
        "judge": judge,
        "writer": writer,
        "plan": plan,
        "can_write": can_write,
        "can_delete": can_delete,
        "tools": dict(tools),
        "after": after,
        "budgets": dict(budgets),
        "overrides": dict(overrides),
        "modes": dict(modes),
        "gaps": dict(gaps),
        "record_state": record_state,
        "park": park,
        "approval_ttl_s": approval_ttl_s,
        "wired": None if wired is None else dict(wired),
        "contract_digest": contract_digest,
        "contract_text": contract_text,
    }


def run_ended_body(
    *,
    halt: str,
    delivered: bool,
    answer: str | None,
    draft: str | None,
    degraded: bool,
    steps: int,
    reason: str | None,
    accounting: Accounting,
) -> dict[str, Json]:
    """Return the body of `run_ended`; `answer` is None when nothing was delivered, and `draft` is what was refused."""
    return {
        "halt": halt,
        "delivered": delivered,
        "answer": answer,
        "draft": draft,
        "degraded": degraded,
        "steps": steps,
        "reason": reason,
        "accounting": accounting_json(accounting),
    }


def accounting_json(accounting: Accounting) -> dict[str, Json]:
    """Return the counters as they are recorded and printed."""
    return {
        "decisions": accounting.decisions,
        "questions": accounting.questions,
        "requests": accounting.requests,
        "waves": accounting.waves,
        "discarded": accounting.discarded,
        "cancelled": accounting.cancelled,
        "writer_calls": accounting.writer_calls,
        "tokens": accounting.tokens,
        "cached_tokens": accounting.cached_tokens,
        "wall_s": accounting.wall_s,
    }


def tool_about_to_run_body(
    call: ToolCall, *, approved_by: str | None, idempotent: bool, targets: Sequence[CallTarget]
) -> dict[str, Json]:
    """Return the body of `tool_about_to_run`, written before the effect.

    `approved_by` is None when no one was asked.
    """
    return {
        **_call_json(call),
        "approved_by": approved_by,
        "idempotent": idempotent,
        "targets": [
            {"path": target.path, "exists": target.exists, "size_bytes": target.size_bytes, "sha256": target.sha256}
            for target in targets
        ],
    }


def tool_result_body(
    call: ToolCall, *, result: str, failed: bool, elapsed_s: float, recovered: bool = False
) -> dict[str, Json]:
    """Return the body of `tool_result`; the arguments stand in the record before it.

    `recovered`: the tool's own output was lost with its process, and `result` says what is known in its place.
    """
    return {
        "step": call.step,
        "tool": call.tool,
        "input": call.input,
        "failed": failed,
        "elapsed_s": elapsed_s,
        "recovered": recovered,
        "result": result,
    }


def audit_body(call: ToolCall, *, target: str, rule: str | None, value: float | None) -> dict[str, Json]:
    """Return the body of `audit`: an automatic call that is to be looked at later, and the rule that let it through."""
    return {"step": call.step, "tool": call.tool, "target": target, "rule": rule, "value": value}


def generation_body(
    *,
    writer: str | None,
    purpose: Literal["answer", "revision", "input"],
    text: str | None,
    degraded: bool,
    truncated: bool,
    failure: str | None,
    usage: Usage | None,
    elapsed_s: float,
) -> dict[str, Json]:
    """Return the body of `generation`; `text` is the draft, or the generated input as JSON, None when there is none.

    `writer` is None when the host's own function gave the input.
    """
    return {
        "writer": writer,
        "purpose": purpose,
        "degraded": degraded,
        "truncated": truncated,
        "failure": failure,
        "usage": usage_json(usage),
        "elapsed_s": elapsed_s,
        "text": text,
    }


def budget_body(*, budget: str, limit: float, used: float, before: str) -> dict[str, Json]:
    """Return the body of `budget`: the limit that was reached, and the effect that did not happen."""
    return {"budget": budget, "limit": limit, "used": used, "before": before}


def error_body(*, where: str, kind: str, message: str) -> dict[str, Json]:
    """Return the body of `error`; the message carries no state."""
    return {"where": where, "kind": kind, "message": message}


def refusal_body(*, request: str | None, kind: str, message: str, asks_again: bool) -> dict[str, Json]:
    """Return the body of the `error` that an approval could not be used; `request` is its id, None when there is none.

    `asks_again`: a person is asked once more; False: the call is refused.
    """
    return {**error_body(where="approval", kind=kind, message=message), "request": request, "asks_again": asks_again}


def usage_json(usage: Usage | None) -> dict[str, Json] | None:
    """Return tokens and cost; the cost is a decimal number as text."""
    if usage is None:
        return None
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_input_tokens": usage.cached_input_tokens,
        "cost_usd": None if usage.cost_usd is None else str(usage.cost_usd),
    }


def _call_json(call: ToolCall) -> dict[str, Json]:
    return {"step": call.step, "tool": call.tool, "input": call.input, "arguments": dict(call.arguments)}
