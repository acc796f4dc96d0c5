"""Declare, compile, judge, gate, record and replay the decisions of an agent loop.

A name is loaded when it is first used, so that importing the package costs nothing; `__init__.pyi` has their types.
"""

from importlib import import_module

_HOMES = {
    "Agent": "interlock.agents",
    "ApprovalAnswer": "interlock.loop.approval",
    "ApprovalRequest": "interlock.loop.approval",
    "Budgets": "interlock.loop.budget",
    "CallFacts": "interlock.policy",
    "Capabilities": "interlock.contract",
    "Cell": "interlock.contract",
    "Choice": "interlock.questions",
    "Contract": "interlock.contract",
    "ContractError": "interlock.errors",
    "DecisionError": "interlock.errors",
    "DecisionResult": "interlock.pipeline",
    "FloorSpec": "interlock.contract",
    "Gating": "interlock.pipeline",
    "Host": "interlock.pipeline",
    "HostError": "interlock.errors",
    "InterlockError": "interlock.errors",
    "Judge": "interlock.judge",
    "JudgeReply": "interlock.judge",
    "Noul": "interlock.questions",
    "ProjectionSpec": "interlock.contract",
    "ProviderSpec": "interlock.contract",
    "QuestionError": "interlock.errors",
    "Reading": "interlock.judge",
    "RunResult": "interlock.loop.result",
    "Runtime": "interlock.agents",
    "SchemaVersionError": "interlock.errors",
    "Score": "interlock.questions",
    "Tool": "interlock.tools.base",
    "aagent": "interlock.agents",
    "adecide": "interlock.pipeline",
    "adecide_many": "interlock.loop.many",
    "agent": "interlock.agents",
    "allm": "interlock.agents",
    "aresume": "interlock.loop.resume",
    "arun": "interlock.loop.run",
    "check_contract": "interlock.contract",
    "compile_contract": "interlock.contract",
    "decide": "interlock.pipeline",
    "decide_many": "interlock.loop.many",
    "decision": "interlock.decision",
    "llm": "interlock.agents",
    "reference_host": "interlock.loop.reference",
    "resume": "interlock.loop.resume",
    "run": "interlock.loop.run",
}
"""Public name → the module it lives in."""

__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module `interlock` has no attribute `{name}`")
    module = import_module(home)
    value = module if home == f"interlock.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
