"""The contract compiler: a `DECISION.md` in, decisions with questions, frames and policies out."""

from interlock.contract.capabilities import Capabilities, Cell, FloorSpec, ProjectionSpec, ProviderSpec
from interlock.contract.codes import CODES, Code
from interlock.contract.compile import CheckResult, check_contract, compile_contract
from interlock.contract.compiled import Contract, Decision, Dynamic

__all__ = [
    "CODES",
    "Capabilities",
    "Cell",
    "CheckResult",
    "Code",
    "Contract",
    "Decision",
    "Dynamic",
    "FloorSpec",
    "ProjectionSpec",
    "ProviderSpec",
    "check_contract",
    "compile_contract",
]
