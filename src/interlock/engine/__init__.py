"""The decision engine: a model as a policy, state in, one legal action out."""

from interlock.engine.asking import FALLBACK_QUESTION
from interlock.engine.decide import EngineRuntime, decide
from interlock.engine.decided import Decided, Fell
from interlock.engine.limits import Limits, Prices, Used
from interlock.engine.meter import LimitReached, Meter
from interlock.engine.modes import EngineOptions, Mode
from interlock.engine.options import Handler, RunOptions
from interlock.engine.rerun import RecordedRun, recorded_run
from interlock.engine.result import EngineResult, FailedPlan, result_json
from interlock.engine.run import arun_engine, run_engine
from interlock.engine.single import anext_action, next_action
from interlock.engine.tools import EngineTool, engine_tools
from interlock.engine.turn import Turn
from interlock.engine.validate import CHECKS
from interlock.engine.waiting import Waiting

__all__ = [
    "CHECKS",
    "FALLBACK_QUESTION",
    "Decided",
    "EngineOptions",
    "EngineResult",
    "EngineRuntime",
    "EngineTool",
    "FailedPlan",
    "Fell",
    "Handler",
    "LimitReached",
    "Limits",
    "Meter",
    "Mode",
    "Prices",
    "RecordedRun",
    "RunOptions",
    "Turn",
    "Used",
    "Waiting",
    "anext_action",
    "arun_engine",
    "decide",
    "engine_tools",
    "next_action",
    "recorded_run",
    "result_json",
    "run_engine",
]
