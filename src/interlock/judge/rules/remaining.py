"""Is there work left: the rules of `needs_tool` and `is_done`.

Compares the goals of the task with the record of what was done.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from interlock._text import ELLIPSIS
from interlock.judge.rules.fields import Fields
from interlock.judge.rules.ledger import Done, from_steps
from interlock.judge.rules.progress import FILE_EFFECTS
from interlock.judge.rules.situation import Situation, listed_paths, of_summary
from interlock.judge.rules.verdict import Verdict, exact, likely
from interlock.questions import Question
from interlock.tools.base import ToolTable
from interlock.tools.task import Goal, asks_general_knowledge, goals_of, is_small_talk, speaks_of_workspace

__all__ = ["is_done", "needs_tool"]


def needs_tool(fields: Fields, _question: Question, tools: ToolTable) -> Verdict | None:
    """True while an action that the task requires has not been taken."""
    now = of_summary(fields, fields.text("last"), tools)
    if not now.task.strip():
        return None
    if not now.goals:
        return exact(False) if is_small_talk(now.task) else _without_goals(now)
    if not now.done and not now.read:
        return _before_the_first_call(now)
    return _negated(_all_met(now))


def is_done(fields: Fields, _question: Question, tools: ToolTable) -> Verdict | None:
    """True when every action that the task requires has been taken."""
    task = fields.text("task")
    done = from_steps(fields.items("steps"), tools)
    read = fields.items("already_read")
    known = tuple(dict.fromkeys((*listed_paths(done), *read)))
    now = Situation(task=task, goals=goals_of(task, known), done=done, known=known, read=read)
    if not task.strip():
        return None
    if not now.goals:
        return likely(True) if is_small_talk(task) else None
    verdict = _all_met(now)
    if verdict is not None and verdict.pick and any(goal.every for goal in now.goals) and not _listing_is_whole(done):
        return likely(False)
    return verdict


def _negated(verdict: Verdict | None) -> Verdict | None:
    return None if verdict is None else Verdict(pick=not verdict.pick, probability=verdict.probability)


def _all_met(now: Situation) -> Verdict | None:
    met = now.met()
    unmet = [one for one in met if one.met is False]
    if unmet:
        return exact(False) if any(one.certain for one in unmet) else likely(False)
    if any(one.met is None for one in met):
        return None
    return exact(True) if all(one.certain for one in met) else likely(True)


def _before_the_first_call(now: Situation) -> Verdict | None:
    if asks_general_knowledge(now.task):
        return likely(False)
    if any(goal.understood and _names_files(goal) for goal in now.goals):
        return exact(True)
    if all(goal.act == "write" for goal in now.goals) and not speaks_of_workspace(now.task):
        return likely(False)
    return likely(True)


def _names_files(goal: Goal) -> bool:
    paths = any(re.search(r"/|\.\w+$", target) for target in goal.targets)
    return goal.act == "list" or goal.count > 0 or (paths and goal.act in {"read", *FILE_EFFECTS})


def _without_goals(now: Situation) -> Verdict | None:
    return None if speaks_of_workspace(now.task) or now.done else likely(False)


def _listing_is_whole(done: Sequence[Done]) -> bool:
    """A listing is shown, and nothing of it was cut away."""
    lists = [call.result or "" for call in done if "list" in call.acts]
    return any(text and ELLIPSIS not in text and "[cut: " not in text for text in lists)
