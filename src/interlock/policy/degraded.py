"""The limit on degraded answers before a call: they may close the gate, and open it only for harmless calls.

Source: offline specification, principle 3; decision-contract/v1, degraded answers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from interlock.policy.rules import Outcome

__all__ = ["CallFacts", "limit_degraded"]

_CLOSING = ("ask_human", "escalate")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFacts:
    """What the tool table says of the call about to run."""

    base_risk: int | None
    """None: the tool is unknown or declares no risk."""
    leaves_root: bool


def limit_degraded(outcome: Outcome, call: CallFacts | None, closed: str) -> Outcome:
    """Return `outcome` if a degraded answer may open the gate that far, else the same with action `closed`.

    `call` is None when nothing is known of the call, which closes.
    """
    if outcome.action in _CLOSING or (call is not None and _harmless(outcome.action, call)):
        return outcome
    risk = "unknown risk" if call is None or call.base_risk is None else f"base risk {call.base_risk}"
    return replace(outcome, action=closed, reason=f"a degraded answer may not `{outcome.action}` a call of {risk}")


def _harmless(action: str, call: CallFacts) -> bool:
    if call.base_risk == 0:
        return True
    return call.base_risk == 1 and not call.leaves_root and action == "auto_audit"
