"""Which of a task's goals are met by what was done.

Compares goals with the record; knows nothing of questions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from interlock.judge.rules.acts import name_words
from interlock.judge.rules.ledger import Done, results
from interlock.tools.task.goals import Goal
from interlock.tools.task.lexicon import EXISTS
from interlock.tools.task.terms import share, terms
from interlock.tools.task.verbs import OBSERVING, root

__all__ = ["FILE_EFFECTS", "Met", "covers", "is_met"]

FILE_EFFECTS = frozenset({"write", "move", "delete"})
"""Changes whose targets are paths, so that the record shows whether they took place."""
_ANSWERED = 0.6
_ASKS_NUMBER = re.compile(r"\bhow (?:many|much|long|old|large|big)\b|\bcount\b|\btotal\b|多少|几", re.IGNORECASE)
_SHOWING = frozenset({"read", "search"})

_SAME: dict[str, frozenset[str]] = {
    "write": frozenset({"write", "upload", "install"}),
    "move": frozenset({"move", "archive"}),
    "archive": frozenset({"move", "archive"}),
    "deploy": frozenset({"deploy", "push", "run"}),
    "pay": frozenset({"pay", "transfer"}),
    "test": frozenset({"test", "run"}),
    "run": frozenset({"run", "test", "build", "start"}),
    "schedule": frozenset({"schedule", "write"}),
    "start": frozenset({"start", "run", "enable", "write"}),
    "stop": frozenset({"stop", "disable", "delete"}),
    "disable": frozenset({"disable", "stop"}),
    "enable": frozenset({"enable", "start"}),
    "close": frozenset({"close", "stop", "write"}),
    "assign": frozenset({"assign", "write"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """Whether one goal is met; None when the record does not tell."""

    met: bool | None
    certain: bool


def is_met(goal: Goal, done: Sequence[Done], read: Sequence[str], task: str) -> Met:
    """Return whether `goal` is met by the calls `done` and the files `read`."""
    met = _judged(goal, done, read, task)
    if goal.understood or (goal.changes and met.met):
        return met
    return Met(met=False, certain=False) if met.met is False else Met(met=None, certain=False)


def _judged(goal: Goal, done: Sequence[Done], read: Sequence[str], task: str) -> Met:
    if goal.changes:
        return _changed(goal, done)
    if goal.act == "list":
        return _listed(goal, done)
    if goal.act == "search":
        return _found(goal, done, read, goal.text or task)
    if goal.count:
        return _counted(goal, done, read)
    return _answered(done, read, goal.text or task) if goal.scope == "open" else _observed(goal, done, read)


def _counted(goal: Goal, done: Sequence[Done], read: Sequence[str]) -> Met:
    seen = len(read) if read else sum("read" in call.acts for call in done)
    return Met(met=seen >= goal.count, certain=bool(read) or seen == 0)


def covers(text: str, target: str) -> bool:
    """Return True when `text` names `target`: the whole of it, its tail, or for a path its last part."""
    lower, wanted = text.lower(), target.lower().strip("/").removeprefix("./")
    last = wanted.rpartition("/")[2]
    return any(
        re.search(rf"(?<![a-z0-9_]){re.escape(form)}(?![a-z0-9_]|\.[a-z0-9])", lower) is not None
        for form in ((wanted, last) if "/" not in lower or "/" not in wanted else (wanted,))
        if form
    )


def _changed(goal: Goal, done: Sequence[Done]) -> Met:
    acts = _SAME.get(goal.act, frozenset({goal.act}))
    tried = [call for call in done if acts & call.acts or goal.act in {root(word) for word in name_words(call.tool)}]
    worked = [call for call in tried if not call.failed]
    on_files = goal.act in FILE_EFFECTS and bool(goal.targets)
    if not tried:
        return Met(met=False, certain=on_files and all(call.acts for call in done))
    if not worked:
        return Met(met=False, certain=on_files)
    return _reached(goal, worked, done) if goal.targets else Met(met=True, certain=False)


def _reached(goal: Goal, worked: Sequence[Done], done: Sequence[Done]) -> Met:
    """Files must be named by the calls one and all; of records, all of one sort."""
    whole = [f"{call.input}\n{call.result or ''}" for call in worked]
    reached = [any(covers(text, target) for text in whole) for target in goal.targets]
    if goal.act in FILE_EFFECTS and any(re.search(r"[./]", target) for target in goal.targets):
        return Met(met=all(reached) and _inputs_agree(goal, worked), certain=True)
    if not any(reached):
        return _indirectly(goal, worked, done)
    kinds = [_kind(target) for target in goal.targets]
    hits = list(zip(reached, kinds, strict=True))
    return Met(met=any(all(hit for hit, other in hits if other == kind) for kind in kinds), certain=False)


def _kind(name: str) -> str:
    """What sort of name it is: an address, a number, or a record's name by its letters."""
    return "address" if "@" in name or "://" in name else re.sub(r"\d+", "", name).lower()


def _indirectly(goal: Goal, worked: Sequence[Done], done: Sequence[Done]) -> Met:
    """The call names another thing: one that a look at the target gave, or one of the same sort, or who knows."""
    looks = [call for call in done if call.acts & OBSERVING and any(covers(call.input, t) for t in goal.targets)]
    if any(
        word in (look.result or "") for look in looks for call in worked for word in call.input.split() if len(word) > 1
    ):
        return Met(met=True, certain=False)
    names = {_kind(word) for call in worked for word in call.input.split()}
    return Met(met=False if names & {_kind(target) for target in goal.targets} else None, certain=False)


def _inputs_agree(goal: Goal, worked: Sequence[Done]) -> bool:
    """A folder as the target of a move must be the folder that was moved to."""
    folders = [target.strip("/") for target in goal.targets if target.endswith("/")]
    return all(
        any(f"{folder}/" in call.input or folder == call.input.split()[-1].strip("/") for call in worked if call.input)
        for folder in folders
    )


def _listed(goal: Goal, done: Sequence[Done]) -> Met:
    lists = [call for call in done if "list" in call.acts and not call.failed]
    if not lists:
        return Met(met=False, certain=True)
    if not goal.targets:
        return Met(met=True, certain=True)
    near = any(
        call.input in {"", ".", "./", "/"} or any(covers(call.input, target) for target in goal.targets)
        for call in lists
    )
    return Met(met=near, certain=near)


def _observed(goal: Goal, done: Sequence[Done], read: Sequence[str]) -> Met:
    seen = [call for call in done if call.acts & OBSERVING and "list" not in call.acts and not call.failed]
    others = [call for call in done if not call.acts and not call.failed]
    paths = all(re.search(r"\.\w+$|/", target) for target in goal.targets)
    missing = [
        target
        for target in goal.targets
        if not any(covers(path, target) for path in read)
        and not any(covers(call.input, target) for call in (*seen, *others))
        and (paths or not any(covers(call.result or "", target) for call in seen))
    ]
    if not missing:
        return Met(met=True, certain=paths)
    return Met(met=False, certain=paths)


def _found(goal: Goal, done: Sequence[Done], read: Sequence[str], task: str) -> Met:
    looked = [call for call in done if call.acts & _SHOWING and call.result is not None]
    hits = [call for call in looked if call.shape is not None and call.shape.outcome == "worked"]
    if goal.targets:
        wanted = [target for target in goal.targets if any(covers(call.result or "", target) for call in hits)]
        if len(wanted) == len(goal.targets):
            return Met(met=True, certain=False)
        searched = any("search" in call.acts and any(covers(call.input, t) for t in goal.targets) for call in done)
        return Met(met=None if searched else False, certain=False)
    if not looked and not read:
        return Met(met=False, certain=False)
    return _in_results(looked, task)


def _in_results(looked: Sequence[Done], task: str) -> Met:
    """What is looked for stands in a result: the rarest words of the task decide."""
    names = frozenset(word.lower() for word in re.findall(r"(?<!^)(?<![.!?]\s)\b[A-Z][A-Za-z0-9]+\b", task))
    text = results(looked)
    if names:
        return Met(met=any(covers(text, name) for name in names), certain=False)
    wanted = terms(task)
    return Met(met=share(wanted, text) >= 0.5 if wanted else None, certain=False)


def _answered(done: Sequence[Done], read: Sequence[str], task: str) -> Met:
    """A question that names nothing: it is answered when results speak of what it asks."""
    calls = [call for call in done if call.acts != {"list"} and not call.failed]
    if not calls and not read:
        return Met(met=_is_listed(done, task), certain=False)
    wanted = terms(task)
    text = "\n".join(f"{call.tool} {call.input}\n{call.result or ''}" for call in calls)
    part = share(wanted, text)
    if part >= _ANSWERED or (part > 0 and _is_number_for(task, calls)) or any(_is_value(call, task) for call in calls):
        return Met(met=True, certain=False)
    return Met(met=False, certain=False)


def _is_listed(done: Sequence[Done], task: str) -> bool:
    """It was asked whether something is there, and a listing names it."""
    if not EXISTS.search(task):
        return False
    return share(terms(task), results([call for call in done if "list" in call.acts])) >= 0.5


def _is_value(call: Done, task: str) -> bool:
    """A short result for an input that stands in the task."""
    given, result = call.input.split(), call.result or ""
    if call.shape is None or call.shape.outcome != "worked" or len(result) >= 60 or not call.acts & _SHOWING:
        return False
    if not given or (_ASKS_NUMBER.search(task) and not re.search(r"\d", result)):
        return False
    return all(covers(task, word) for word in given)


def _is_number_for(task: str, calls: Sequence[Done]) -> bool:
    """A count was asked for and a short result gives a number."""
    return _ASKS_NUMBER.search(task) is not None and any(
        re.search(r"\d", call.result or "") and len(call.result or "") < 60 for call in calls
    )
