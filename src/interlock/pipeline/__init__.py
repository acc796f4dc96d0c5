"""One decision: a host's state, a frame, a judge's answers, a policy, an action."""

from interlock.pipeline.conclude import conclude
from interlock.pipeline.decide import OnDecision, WaveResult, adecide, ask, decide, decide_wave
from interlock.pipeline.gating import ENFORCE, GapPolicy, Gating, gap_policy, require_gating
from interlock.pipeline.host import Cells, Facts, Host, ProvideInput, Provider, RuleFunction, require_complete
from interlock.pipeline.outcome import outcome_of
from interlock.pipeline.plan import Plan, PlanName, plan_contract
from interlock.pipeline.prepare import Prepared, prepare
from interlock.pipeline.result import DecisionResult

__all__ = [
    "ENFORCE",
    "Cells",
    "DecisionResult",
    "Facts",
    "GapPolicy",
    "Gating",
    "Host",
    "OnDecision",
    "Plan",
    "PlanName",
    "Prepared",
    "ProvideInput",
    "Provider",
    "RuleFunction",
    "WaveResult",
    "adecide",
    "ask",
    "conclude",
    "decide",
    "decide_wave",
    "gap_policy",
    "outcome_of",
    "plan_contract",
    "prepare",
    "require_complete",
    "require_gating",
]
