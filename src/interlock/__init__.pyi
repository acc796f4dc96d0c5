from interlock import decision
from interlock.agents import Agent, Runtime, aagent, agent, allm, llm
from interlock.contract import (
    Capabilities,
    Cell,
    Contract,
    FloorSpec,
    ProjectionSpec,
    ProviderSpec,
    check_contract,
    compile_contract,
)
from interlock.errors import (
    ContractError,
    DecisionError,
    HostError,
    InterlockError,
    QuestionError,
    SchemaVersionError,
)
from interlock.judge import Judge, JudgeReply, Reading
from interlock.loop.approval import ApprovalAnswer, ApprovalRequest
from interlock.loop.budget import Budgets
from interlock.loop.many import adecide_many, decide_many
from interlock.loop.reference import reference_host
from interlock.loop.result import RunResult
from interlock.loop.resume import aresume, resume
from interlock.loop.run import arun, run
from interlock.pipeline import DecisionResult, Gating, Host, adecide, decide
from interlock.policy import CallFacts
from interlock.questions import Choice, Noul, Score
from interlock.tools.base import Tool

__all__ = [
    "Agent",
    "ApprovalAnswer",
    "ApprovalRequest",
    "Budgets",
    "CallFacts",
    "Capabilities",
    "Cell",
    "Choice",
    "Contract",
    "ContractError",
    "DecisionError",
    "DecisionResult",
    "FloorSpec",
    "Gating",
    "Host",
    "HostError",
    "InterlockError",
    "Judge",
    "JudgeReply",
    "Noul",
    "ProjectionSpec",
    "ProviderSpec",
    "QuestionError",
    "Reading",
    "RunResult",
    "Runtime",
    "SchemaVersionError",
    "Score",
    "Tool",
    "aagent",
    "adecide",
    "adecide_many",
    "agent",
    "allm",
    "aresume",
    "arun",
    "check_contract",
    "compile_contract",
    "decide",
    "decide_many",
    "decision",
    "llm",
    "reference_host",
    "resume",
    "run",
]
