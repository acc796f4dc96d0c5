"""Declare, compile, judge, gate, record and replay the decisions of an agent loop."""

from interlock.contract.capabilities import Capabilities, Cell, FloorSpec, ProjectionSpec, ProviderSpec
from interlock.contract.compile import compile_contract
from interlock.contract.compiled import Contract
from interlock.errors import (
    ContractError,
    FrameError,
    HostError,
    InterlockError,
    JournalError,
    QuestionError,
    SchemaVersionError,
    SettingsError,
    ToolError,
)
from interlock.loop.approval import ApprovalAnswer, ApprovalRequest
from interlock.loop.budget import Budgets
from interlock.loop.reference import reference_host
from interlock.loop.result import RunResult
from interlock.loop.run import arun, run
from interlock.pipeline.decide import adecide, decide
from interlock.pipeline.gating import Gating
from interlock.pipeline.host import Host
from interlock.pipeline.result import DecisionResult
from interlock.tools.base import Tool

__all__ = [
    "ApprovalAnswer",
    "ApprovalRequest",
    "Budgets",
    "Capabilities",
    "Cell",
    "Contract",
    "ContractError",
    "DecisionResult",
    "FloorSpec",
    "FrameError",
    "Gating",
    "Host",
    "HostError",
    "InterlockError",
    "JournalError",
    "ProjectionSpec",
    "ProviderSpec",
    "QuestionError",
    "RunResult",
    "SchemaVersionError",
    "SettingsError",
    "Tool",
    "ToolError",
    "adecide",
    "arun",
    "compile_contract",
    "decide",
    "reference_host",
    "run",
]
