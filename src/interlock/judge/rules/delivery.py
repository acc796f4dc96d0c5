"""Does a draft carry out the task and report it truly: the rule of `can_deliver.deliverable`.

Holds the goals of the task against the evidence, then the draft against both.
"""

from __future__ import annotations

import re

from interlock.judge.rules.case import Case, happened, read_case
from interlock.judge.rules.claims import judge_claims
from interlock.judge.rules.fields import Fields
from interlock.judge.rules.progress import covers
from interlock.judge.rules.verdict import Verdict, exact, likely
from interlock.questions import Question
from interlock.tools.base import ToolTable
from interlock.tools.task.terms import terms

__all__ = ["deliverable"]

_COUNTS = re.compile(r"\bhow (?:many|much)\b|多少|几个", re.IGNORECASE)
_NUMBER = re.compile(
    r"\d|\b(?:no|none|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice|all|both|only)\b|[一二两三四五六七八九十零没无]",
    re.IGNORECASE,
)


def deliverable(fields: Fields, _question: Question, tools: ToolTable) -> Verdict | None:
    """True when what was asked was done and the draft reports it as it was."""
    if not fields.has("evidence"):
        return None
    case = read_case(fields, tools)
    if not case.answer.strip():
        return exact(False)
    undone = [goal for goal in case.goals if goal.changes and not happened(case, goal)]
    if undone:
        return exact(False) if any(case.shows_all_of(goal) for goal in undone) else likely(False)
    return _of_report(case)


def _of_report(case: Case) -> Verdict | None:
    """Judge the draft of a task of which every change took place."""
    invented = judge_claims(case)
    if invented is None:
        return None
    if invented.pick is True:
        return Verdict(pick=False, probability=invented.probability)
    if _denies_what_is_there(case) or _leaves_out(case) or _gives_no_number(case):
        return likely(False)
    return likely(True)


def _denies_what_is_there(case: Case) -> bool:
    """The draft says it is not there, and one result holds every word that the task asks for."""
    if not any(one.absent for one in case.statements) or any(one.where for one in case.statements):
        return False
    if any(goal.changes for goal in case.goals):
        return False
    asked = terms(case.task)
    shown = [call for call in case.done if call.acts != {"list"} and call.result and not call.failed]
    return bool(asked) and any(_holds(asked, f"{call.tool} {call.input}", call.result or "") for call in shown)


def _holds(asked: frozenset[str], call: str, result: str) -> bool:
    told = asked & terms(result) - terms(call)
    return bool(told) and asked <= terms(f"{call} {result}") and re.search(r"\d|[:=：]", result) is not None


def _leaves_out(case: Case) -> bool:
    """Several things were asked about, and the draft speaks of some of them only."""
    for goal in case.goals:
        if goal.changes or len(goal.targets) < 2 or goal.scope != "all":
            continue
        told = [
            target
            for target in goal.targets
            if covers(case.answer, target) or covers(case.answer, target.rpartition(".")[0] or target)
        ]
        if told and len(told) < len(goal.targets):
            return True
    return False


def _gives_no_number(case: Case) -> bool:
    absent = any(one.absent for one in case.statements)
    return _COUNTS.search(case.task) is not None and not absent and not _NUMBER.search(case.answer)
