"""Which tool comes next: the rule of `pick_tool`.

The first unmet goal of the task calls for an act; an option that performs it is picked, `done` when no goal is left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from interlock.judge.rules.acts import acts_of, name_words
from interlock.judge.rules.fields import Fields
from interlock.judge.rules.progress import Met
from interlock.judge.rules.situation import Situation, of_summary
from interlock.judge.rules.verdict import Verdict, exact, likely
from interlock.questions import Choice, Question
from interlock.tools.base import ToolTable
from interlock.tools.task import Goal, is_small_talk, terms
from interlock.tools.task.patterns import search_pattern
from interlock.tools.task.verbs import OBSERVING, root

__all__ = ["pick_tool"]

DONE = "done"
MANY_FILES = 20
"""So many files are not read one by one, where something can be searched for."""
_OWN_EFFECTS = frozenset({"write", "move", "delete"})
"""Acts of the reference tools: one that is not offered is not allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offer:
    """The options of one step."""

    acts: Mapping[str, frozenset[str]]
    """Option → its acts; `done` left out."""
    words: Mapping[str, frozenset[str]]
    """Option → content words of its name and criterion."""
    has_done: bool
    tools: ToolTable

    def of(self, act: str) -> list[str]:
        """The options that perform an act."""
        found = [name for name, acts in self.acts.items() if act in acts]
        return found or [name for name in self.acts if act in {root(word) for word in name_words(name)}]


def pick_tool(fields: Fields, question: Question, tools: ToolTable) -> Verdict | None:
    """The option that the first unmet goal calls for."""
    if not isinstance(question, Choice) or not fields.text("task").strip():
        return None
    now = of_summary(fields, fields.text("last_result"), tools)
    offer = _offer(question, tools)
    if not now.goals:
        return likely(DONE) if is_small_talk(now.task) and offer.has_done else None
    met = now.met()
    for goal, one in zip(now.goals, met, strict=True):
        if one.met is None:
            return None
        if not one.met:
            return _for_goal(goal, one, now, offer)
    if not offer.has_done:
        return None
    return exact(DONE) if all(one.certain for one in met) else likely(DONE)


def _offer(question: Choice, tools: ToolTable) -> _Offer:
    names = [name for name in question.criteria if name != DONE]
    return _Offer(
        acts={name: acts_of(name, "", tools) for name in names},
        words={name: terms(f"{name} {question.criteria[name] or ''}") for name in names},
        has_done=DONE in question.criteria,
        tools=tools,
    )


def _for_goal(goal: Goal, met: Met, now: Situation, offer: _Offer) -> Verdict | None:
    listing = _listing_first(goal, now, offer)
    if listing is not None:
        return likely(listing)
    return _changing(goal, met, now, offer) if goal.changes else _looking(goal, met, now, offer)


def _listing_first(goal: Goal, now: Situation, offer: _Offer) -> str | None:
    """The listing of files, where files are meant and none is known yet."""
    lists = [name for name, acts in offer.acts.items() if acts == {"list"}]
    if len(lists) != 1 or any("list" in call.acts for call in now.done):
        return None
    if goal.changes:
        return lists[0] if goal.act in _OWN_EFFECTS and not now.known else None
    named = [
        target for target in goal.targets if any(target == path or path.endswith(f"/{target}") for path in now.known)
    ]
    return lists[0] if not now.known or (goal.act == "read" and goal.targets and not named) else None


def _changing(goal: Goal, met: Met, now: Situation, offer: _Offer) -> Verdict | None:
    fitting = _closest(goal, offer.of(goal.act), offer)
    if len(fitting) == 1:
        if not now.done and _worth_a_look(goal, offer):
            return None
        return exact(fitting[0]) if met.certain and goal.targets and goal.understood else likely(fitting[0])
    if fitting:
        return None
    lists = [name for name, acts in offer.acts.items() if acts == {"list"}]
    if lists and goal.act in _OWN_EFFECTS:
        return likely(lists[0])
    return likely(DONE) if offer.has_done and goal.act in _OWN_EFFECTS else None


def _worth_a_look(goal: Goal, offer: _Offer) -> bool:
    """Another option looks at what the goal is about, so that either may come first."""
    about = terms(goal.text)
    return any(
        acts & OBSERVING and offer.words[name] & about for name, acts in offer.acts.items() if name not in offer.tools
    )


def _looking(goal: Goal, met: Met, now: Situation, offer: _Offer) -> Verdict | None:
    fitting = _closest(goal, _observing(goal, now, offer), offer)
    if len(fitting) > 1:
        fresh = [name for name in fitting if not any(call.tool == name for call in now.done)]
        fitting = fresh if len(fresh) == 1 else fitting
    if len(fitting) != 1:
        return None
    sure = met.certain and goal.understood and goal.act == "read" and bool(goal.targets)
    return exact(fitting[0]) if sure and all(_is_known(target, now) for target in goal.targets) else likely(fitting[0])


def _observing(goal: Goal, now: Situation, offer: _Offer) -> list[str]:
    """The options that could show what the goal wants, the fittest kind of them only."""
    named = any(_is_known(target, now) for target in goal.targets)
    search = [name for name in offer.of("search") if name not in offer.tools or _can_search(now)]
    too_many = not goal.targets and len(now.known) >= MANY_FILES and _can_search(now)
    wanted = goal.act == "search" or (goal.act == "read" and (bool(goal.targets) or too_many) and not named)
    kinds = [search, offer.of("read")] if wanted else [offer.of(goal.act), offer.of("read"), search]
    return next((kind for kind in kinds if kind), offer.of("list"))


def _can_search(now: Situation) -> bool:
    """There is something to search for, and it was not searched for yet."""
    pattern = search_pattern(now.task)
    return pattern is not None and not any("search" in call.acts for call in now.done)


def _closest(goal: Goal, names: list[str], offer: _Offer) -> list[str]:
    """Of several options those whose name or criterion shares most words with the goal."""
    if len(names) < 2:
        return names
    about = terms(goal.text)
    shared = {name: len(about & offer.words[name]) for name in names}
    return [name for name in names if shared[name] == max(shared.values())]


def _is_known(target: str, now: Situation) -> bool:
    return any(target == path or path.endswith(f"/{target}") for path in now.known)
