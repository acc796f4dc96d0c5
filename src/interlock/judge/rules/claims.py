"""Does a draft state what was never observed: the rule of `can_deliver.unsupported`.

Every path, number, quoted term, identifier and proper name is traced to the task, the evidence or a fact.
Source: offline specification, principle 1.
"""

from __future__ import annotations

from interlock.judge.rules.case import Case, claims_done, happened, read_case, refuted_by_host, says_done
from interlock.judge.rules.fields import Fields
from interlock.judge.rules.progress import covers
from interlock.judge.rules.statements import Statement
from interlock.judge.rules.tracing import (
    belongs_to_another,
    contradicts,
    is_known_code,
    of_another_source,
    speaks_of_known,
    strange_names,
    strange_numbers,
)
from interlock.judge.rules.verdict import Verdict, exact, likely
from interlock.questions import Question
from interlock.tools.base import ToolTable
from interlock.tools.task import Goal

__all__ = ["judge_claims", "unsupported"]


def unsupported(fields: Fields, _question: Question, tools: ToolTable) -> Verdict | None:
    """True when something in the draft traces back to nothing."""
    if not fields.has("evidence") or not fields.text("answer").strip():
        return None
    return judge_claims(read_case(fields, tools))


def judge_claims(case: Case) -> Verdict | None:
    """Return whether the draft of `case` states what is not known; None when that cannot be told."""
    if refuted_by_host(case):
        return exact(True)
    for goal in case.goals:
        if goal.changes and not happened(case, goal) and (claims_done(case, goal) or _implies_done(case, goal)):
            return exact(True) if case.shows_all_of(goal) else likely(True)
    verdicts = [_trace(one, case) for one in case.statements if not case.verifies(one)]
    if not verdicts:
        return exact(False)
    wrong = [one for one in verdicts if one is not None and one.pick is True]
    if wrong:
        return max(wrong, key=lambda one: one.probability)
    return None if None in verdicts else likely(False)


def _implies_done(case: Case, goal: Goal) -> bool:
    """The draft speaks of the target and says of nothing that it was not done."""
    if any(one.absent or one.proposes for one in case.statements):
        return False
    return any(covers(one.text, target) for one in case.statements for target in goal.targets)


def _trace(one: Statement, case: Case) -> Verdict | None:
    if one.code:
        return likely(False) if is_known_code(one, case) else None if case.clipped else likely(True)
    if one.absent and not one.proposes:
        return likely(False)
    names, counts = strange_names(one, case), strange_numbers(one, case)
    if names or counts:
        return None if case.clipped else likely(True)
    if contradicts(one, case) or of_another_source(one, case) or belongs_to_another(one, case):
        return likely(True)
    if any(goal.changes and says_done(one, goal) for goal in case.goals):
        return likely(False)
    known = speaks_of_known(one, case)
    return None if known is None else likely(not known)
