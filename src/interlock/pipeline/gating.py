"""Settings of single decisions that no contract holds: their mode and what a gap in their frame does.

Source: decision-contract/v1, modes per decision and gaps fail loudly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from interlock.contract.capabilities import Capabilities
from interlock.contract.compiled import Contract, Decision
from interlock.diagnostics import did_you_mean
from interlock.errors import HostError, UsageError
from interlock.policy.rules import Mode

__all__ = ["ENFORCE", "GapPolicy", "Gating", "gap_policy", "require_gating", "safe_action"]

GapPolicy: TypeAlias = Literal["refuse", "warn"]
"""`refuse`: a gap keeps the judge from being asked; `warn`: it is recorded and the judge is asked."""

_MODES: tuple[Mode, ...] = get_args(Mode)
_GAP_POLICIES: tuple[GapPolicy, ...] = get_args(GapPolicy)
_GUARDING = ("before-call", "after-generate")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gating:
    """Settings by decision id; a decision without an entry has the defaults."""

    modes: Mapping[str, Mode] = field(default_factory=dict)
    gaps: Mapping[str, GapPolicy] = field(default_factory=dict)


ENFORCE = Gating()
"""Every decision enforced, every gap policy by what the decision can cause."""


def require_gating(gating: Gating, contract: Contract, capabilities: Capabilities) -> None:
    """Refuse settings that the contract and the host cannot carry out.

    Raises:
        UsageError: a decision is not in the contract, or there is no such mode or gap policy.
        HostError: a mode other than `enforce` for a decision without a safe default.
    """
    for name in (*gating.modes, *gating.gaps):
        if name not in contract.decisions:
            raise UsageError(f"gating: no decision `{name}`; {did_you_mean(name, list(contract.decisions))}")
    for name, mode in gating.modes.items():
        if mode not in _MODES:
            raise UsageError(f"decision `{name}`: no mode `{mode}`; {did_you_mean(str(mode), _MODES)}")
        if mode != "enforce":
            safe_action(name, mode, capabilities)
    for name, policy in gating.gaps.items():
        if policy not in _GAP_POLICIES:
            raise UsageError(f"decision `{name}`: no gap policy `{policy}`; {did_you_mean(str(policy), _GAP_POLICIES)}")


def safe_action(decision: str, mode: Mode, capabilities: Capabilities) -> str:
    """Return the action taken where the policy's is not.

    Raises:
        HostError: the host declares none.
    """
    action = capabilities.safe_defaults.get(decision)
    if action is None:
        missing = f"safe default `{decision}`"
        raise HostError(f"decision `{decision}`: mode `{mode}` needs a {missing} in the host's capabilities", [missing])
    return action


def gap_policy(gating: Gating, decision: Decision) -> GapPolicy:
    """Return what a gap does to `decision`: as set, else `refuse` where it guards a call or a delivery."""
    chosen = gating.gaps.get(decision.id)
    if chosen is not None:
        return chosen
    return "refuse" if decision.is_gate or decision.position in _GUARDING else "warn"
