"""Is there work left, and which tool does it next: the rules of `needs_tool`, `is_done` and `pick_tool`.

Compares the goals of the task with the record of what was done.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from interlock.judge.rules.acts import acts_of, name_words
from interlock.judge.rules.fields import Fields
from interlock.tools.task.goals import Goal, goals_of, is_small_talk, speaks_of_workspace
from interlock.judge.rules.ledger import Done, from_steps, from_summary
from interlock.judge.rules.progress import Met, is_met
from interlock.judge.rules.verdict import Verdict, exact, likely
from interlock.questions import Choice, Question
from interlock.tools.base import ToolTable

__all__ = ["is_done", "needs_tool", "pick_tool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Situation:
    """What the fields of one frame come to."""

    task: str
    goals: tuple[Goal, ...]
    done: tuple[Done, ...]
    known: tuple[str, ...]
    read: tuple[str, ...]

    def met(self) -> tuple[Met, ...]:
        return tuple(is_met(goal, self.done, self.read, self.task) for goal in self.goals)


def needs_tool(fields: Fields, _question: Question, tools: ToolTable) -> Verdict | None:
    """True while an action that the task requires has not been taken."""
    now = _of_summary(fields, fields.text("last"), tools)
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
    known = tuple(dict.fromkeys((*_listed(done), *read)))
    now = _Situation(task=task, goals=goals_of(task, known), done=done, known=known, read=read)
    if not task.strip():
        return None
    if not now.goals:
        return likely(True) if is_small_talk(task) else None
    return _all_met(now)


def pick_tool(fields: Fields, question: Question, tools: ToolTable) -> Verdict | None:
    """The tool that the first unmet goal calls for, `done` when there is none."""
    if not isinstance(question, Choice) or not fields.text("task").strip():
        return None
    now = _of_summary(fields, fields.text("last_result"), tools)
    options = tuple(question.criteria)
    if not now.goals:
        return likely("done") if is_small_talk(now.task) and "done" in options else None
    for goal, met in zip(now.goals, now.met(), strict=True):
        if met.met is None:
            return None
        if not met.met:
            return _tool_for(goal, met, now, question.criteria, tools)
    certain = all(met.certain for met in now.met())
    return None if "done" not in options else exact("done") if certain else likely("done")


def _of_summary(fields: Fields, last: str, tools: ToolTable) -> _Situation:
    task = fields.text("task")
    done = from_summary(fields.text("already_done"), last, tools)
    read = fields.items("already_read")
    known = tuple(dict.fromkeys((*fields.items("files_known"), *_listed(done), *read)))
    goals = goals_of(task, known, fields.text("earlier"))
    return _Situation(task=task, goals=goals, done=done, known=known, read=read)


def _listed(done: Sequence[Done]) -> list[str]:
    """The paths that listings returned, one a line or divided by commas."""
    texts = [call.result for call in done if "list" in call.acts and call.result and not call.failed]
    return [
        part.strip()
        for text in texts
        for part in re.split(r"\n|, ", text)
        if re.fullmatch(r"[^\s:]+\.\w+", part.strip())
    ]


def _negated(verdict: Verdict | None) -> Verdict | None:
    return None if verdict is None else Verdict(pick=not verdict.pick, probability=verdict.probability)


def _all_met(now: _Situation) -> Verdict | None:
    met = now.met()
    unmet = [one for one in met if one.met is False]
    if unmet:
        return exact(False) if any(one.certain for one in unmet) else likely(False)
    if any(one.met is None for one in met):
        return None
    return exact(True) if all(one.certain for one in met) else likely(True)


def _before_the_first_call(now: _Situation) -> Verdict | None:
    if any(goal.targets or goal.count or goal.act == "list" for goal in now.goals):
        return exact(True)
    if any(goal.changes for goal in now.goals) or speaks_of_workspace(now.task) or now.known:
        return likely(True) if speaks_of_workspace(now.task) else None
    return likely(False)


def _without_goals(now: _Situation) -> Verdict | None:
    return None if speaks_of_workspace(now.task) or now.done else likely(False)


def _tool_for(
    goal: Goal, met: Met, now: _Situation, criteria: Mapping[str, object], tools: ToolTable
) -> Verdict | None:
    """The option whose act meets `goal`, or the one that must come before it."""
    offers = {name: acts_of(name, "", tools) for name in criteria if name != "done"}
    before = _first_look(goal, now, offers)
    if before is not None:
        return likely(before)
    fitting = [name for name, acts in offers.items() if goal.act in acts]
    if goal.changes and not fitting:
        fitting = [name for name in offers if goal.act in name_words(name)]
    if goal.changes:
        return _changing(goal, met, fitting, offers, criteria)
    return _looking(goal, met, fitting, offers, now)


def _first_look(goal: Goal, now: _Situation, offers: Mapping[str, frozenset[str]]) -> str | None:
    """A listing, where files are wanted and none is known yet."""
    lists = [name for name, acts in offers.items() if "list" in acts]
    unknown = not now.known or (goal.act == "read" and goal.targets and not any(t in now.known for t in goal.targets))
    seen = any("list" in call.acts for call in now.done)
    return lists[0] if len(lists) == 1 and unknown and not seen and not goal.changes else None


def _changing(
    goal: Goal, met: Met, fitting: list[str], offers: Mapping[str, frozenset[str]], criteria: Mapping[str, object]
) -> Verdict | None:
    if len(fitting) == 1:
        return exact(fitting[0]) if met.certain and goal.targets else likely(fitting[0])
    if fitting:
        return None
    lists = [name for name, acts in offers.items() if "list" in acts]
    if lists and goal.act in {"write", "move", "delete"}:
        return likely(lists[0])
    return likely("done") if "done" in criteria and goal.act in {"write", "move", "delete"} else None


def _looking(
    goal: Goal, met: Met, fitting: list[str], offers: Mapping[str, frozenset[str]], now: _Situation
) -> Verdict | None:
    if goal.act == "search" and not fitting:
        fitting = [name for name, acts in offers.items() if "read" in acts]
    if goal.act == "search" and not _searchable(goal):
        fitting = [name for name, acts in offers.items() if "read" in acts] or fitting
    if len(fitting) > 1:
        fresh = [name for name in fitting if not any(call.tool == name for call in now.done)]
        fitting = fresh if len(fresh) == 1 else fitting
    if len(fitting) == 1:
        certain = (
            met.certain and bool(goal.targets) and goal.act == "read" and all(t in now.known for t in goal.targets)
        )
        return exact(fitting[0]) if certain else likely(fitting[0])
    observing = [name for name, acts in offers.items() if acts & {"read", "search", "list"}]
    return likely(observing[0]) if len(observing) == 1 else None


def _searchable(goal: Goal) -> bool:
    return bool(goal.targets)
