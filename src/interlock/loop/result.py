"""What a run came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from interlock.journal.bodies import Accounting, accounting_json
from interlock.journal.records import Record
from interlock.loop.state import Step
from interlock.questions import Json

__all__ = ["RunResult", "result_json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """One finished run."""

    run_id: str
    head: str
    """The hash of the run's last record; keep it elsewhere to prove later that nothing was cut or rewritten."""
    halt: str
    """Why the tool loop ended, and `+ACTION` when the delivery gate refused the draft."""
    delivered: bool
    answer: str | None
    """None when nothing was delivered."""
    draft: str | None
    """The last text of the writer, delivered or not; None when there is none."""
    reason: str | None
    """Why the tool loop was cut short, the draft refused or the run failed; None when nothing was."""
    failed: bool
    """True when the run ended in an error, such as a writer that failed."""
    degraded: bool
    """True when a degraded answer acted, or a degraded writer wrote."""
    waits_for: str | None
    """The id of the approval that a parked run waits for; None when it waits for none."""
    steps: tuple[Step, ...]
    accounting: Accounting
    contract_digest: str
    records: tuple[Record, ...]
    """Everything the run wrote to its journal, in order."""


def result_json(result: RunResult) -> dict[str, Json]:
    """Return what `run --json` prints."""
    counters: Mapping[str, Json] = accounting_json(result.accounting)
    tokens = result.accounting.tokens
    return {
        "run_id": result.run_id,
        "head": result.head,
        "halt": result.halt,
        "delivered": result.delivered,
        "answer": result.answer,
        "draft": result.draft,
        "reason": result.reason,
        "degraded": result.degraded,
        "waits_for": result.waits_for,
        "steps": [_step_json(step) for step in result.steps],
        "accounting": {**counters, "tokens": "unknown" if tokens is None else tokens},
        "contract_digest": result.contract_digest,
    }


def _step_json(step: Step) -> dict[str, Json]:
    return {
        "step": step.step,
        "tool": step.tool,
        "input": step.input,
        "result": step.result,
        "failed": step.failed,
    }
