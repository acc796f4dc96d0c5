"""Judges: the seam, the checks every answer passes, and the judges that wrap a judge."""

from interlock.judge.base import Caps, Failure, Judge, JudgeReply, QuestionId, Reading, Usage
from interlock.judge.caps import CallPlan, plan_calls
from interlock.judge.digest import request_digest
from interlock.judge.scripted import ScriptedJudge

__all__ = [
    "CallPlan",
    "Caps",
    "Failure",
    "Judge",
    "JudgeReply",
    "QuestionId",
    "Reading",
    "ScriptedJudge",
    "Usage",
    "plan_calls",
    "request_digest",
]
