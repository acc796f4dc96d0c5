"""Which effects a task requires, and on what.

Reads the task and the names of files already known; knows nothing of what was done.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from interlock.tools.mentions import Mentions, mentions
from interlock.tools.task import lexicon
from interlock.tools.task.clauses import Clause, clauses_of
from interlock.tools.task.filesets import FileSet, meant_files
from interlock.tools.task.verbs import OBSERVING

__all__ = ["Goal", "asks_general_knowledge", "goals_of", "is_small_talk", "speaks_of_workspace"]

Scope: TypeAlias = Literal["all", "some", "open"]

_SHORT = 120
"""Characters; small talk is never longer."""
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """One effect that a task requires."""

    act: str
    targets: tuple[str, ...]
    """Paths or names that it concerns; empty when it names none."""
    scope: Scope
    """`all`: every target; `some`: until it is found; `open`: no target is named."""
    text: str
    """The clause that requires it."""
    count: int = 0
    """How many files of any name it needs, where the task gives only a number; else 0."""
    asks: bool = False
    """True when a question requires it, not an order."""
    every: bool = False
    """True when the targets are all known files, or all of a kind."""
    understood: bool = True
    """False when the clause's verb is unknown or its language is another one."""

    @property
    def changes(self) -> bool:
        """True when it changes something."""
        return self.act not in OBSERVING


def goals_of(task: str, known: Sequence[str], earlier: str = "") -> tuple[Goal, ...]:
    """Return what `task` requires, in its order; empty when it requires nothing outside the conversation.

    Args:
        task: The task's text.
        known: Paths of files that are known to exist.
        earlier: What earlier turns asked; read only where the task points back.
    """
    if is_small_talk(task):
        return ()
    paths = mentions(task).paths
    before = paths[-1] if paths else earlier
    found = [goal for clause in clauses_of(task) for goal in _goals(clause, known, before)]
    found = list(dict.fromkeys(found))
    return tuple(goal for at, goal in enumerate(found) if not _is_background(goal, found, found[at + 1 :]))


def _is_background(goal: Goal, every: Sequence[Goal], later: Sequence[Goal]) -> bool:
    """A clause that names nothing adds nothing to others that do, unless it was not understood and comes last."""
    if goal.scope != "open" or goal.asks or goal.changes:
        return False
    return any(_is_definite(other) for other in (every if goal.understood else later))


def _is_definite(goal: Goal) -> bool:
    return bool(goal.targets) or goal.changes or goal.count > 0


def is_small_talk(task: str) -> bool:
    """Return True for arithmetic, greetings, thanks, and texts that are only to be made up."""
    text = task.strip()
    if lexicon.MADE_UP.search(text) and not mentions(text).paths:
        return True
    return len(text) <= _SHORT and (
        lexicon.ARITHMETIC.match(text) is not None or lexicon.SMALL_TALK.match(text) is not None
    )


def asks_general_knowledge(task: str) -> bool:
    """Return True for a question that needs no look at anything, such as the meaning of a word."""
    named = mentions(task)
    return lexicon.KNOWLEDGE.search(task.strip()) is not None and not (named.paths or named.addresses)


def speaks_of_workspace(task: str) -> bool:
    """Return True when the task names something that only tools can see."""
    named = mentions(task)
    return bool(named.paths or named.identifiers or named.addresses) or lexicon.WORKSPACE.search(task) is not None


def _goals(clause: Clause, known: Sequence[str], earlier: str) -> list[Goal]:
    named = mentions(clause.text)
    files = meant_files(clause.text, clause.excepted, known, earlier)
    if clause.act is None or clause.act in OBSERVING:
        return _observing(clause, named, files, known)
    if clause.act in {"write", "move", "delete"}:
        return _changing_files(clause, named, files.paths)
    return [_goal(clause.act, _names(named) or files.paths, clause)]


def _observing(clause: Clause, named: Mentions, files: FileSet, known: Sequence[str]) -> list[Goal]:
    goes_to = [path for path in named.paths if _goes_to(clause.text, path, lexicon.GOES_INTO)]
    if goes_to and clause.mood == "orders" and lexicon.COPIES.search(clause.text):
        sources = tuple(path for path in files.paths if not _same(path, goes_to[-1]))
        return [*_reads(sources, clause), _goal("write", (goes_to[-1],), clause)]
    if _is_about_a_listing(clause.text, named, known):
        return [_goal("list", tuple(path for path in named.paths if path.endswith("/")), clause)]
    if lexicon.FINDS.search(clause.text) and not files.every and not files.count and len(files.paths) != 1:
        return [_goal("search", () if files.paths else _names(named), clause, scope="some")]
    if files.paths:
        return [replace(goal, every=files.every) for goal in _reads(files.paths, clause)]
    if files.count:
        return [replace(_goal("read", (), clause), count=files.count)]
    names = _names(named)
    return [_goal("read", names, clause, scope="all" if names else "open")]


def _is_about_a_listing(text: str, named: Mentions, known: Sequence[str]) -> bool:
    """It asks which files there are, or whether one is there, and not what stands in them."""
    if lexicon.SPEAKS_OF_CONTENT.search(text):
        return False
    only_files = bool(named.paths) and not any(path.endswith("/") for path in named.paths)
    if lexicon.LISTS.search(text) and not only_files:
        return True
    return bool(known) and lexicon.EXISTS.search(text) is not None


def _changing_files(clause: Clause, named: Mentions, paths: tuple[str, ...]) -> list[Goal]:
    act = clause.act or "write"
    if not paths:
        return [_goal(act, _names(named), clause)]
    part = lexicon.PARTS.search(clause.text) is not None
    if act == "delete":
        return _edit(paths, clause) if _inside(clause.text, paths[0]) else [_goal(act, paths, clause)]
    if act == "move":
        return _edit(paths, clause) if part or (_names(named) and len(paths) == 1) else [_goal(act, paths, clause)]
    target, sources = _split(clause.text, paths)
    if target is None:
        return _reads(sources, clause)
    if lexicon.EDITS.search(clause.text) and not sources:
        return _edit(paths, clause)
    return [*_reads(sources, clause), _goal("write", (target,), clause)]


def _split(text: str, paths: tuple[str, ...]) -> tuple[str | None, tuple[str, ...]]:
    """The path that something is written to, and those it comes from.

    A path after a word such as `into` is written to; a single one too, unless only a part of it is taken.
    """
    for path in reversed(paths):
        if _goes_to(text, path, lexicon.DESTINATION):
            return path, tuple(other for other in paths if other != path)
    if len(paths) > 1:
        return paths[-1], paths[:-1]
    copied = _inside(text, paths[0]) and lexicon.COPIES.search(text) and not lexicon.EDITS.search(text)
    return (None, paths) if copied else (paths[0], ())


def _edit(paths: tuple[str, ...], clause: Clause) -> list[Goal]:
    return [*_reads(paths, clause), _goal("write", paths, clause)]


def _reads(paths: tuple[str, ...], clause: Clause) -> list[Goal]:
    return [_goal("read", paths, clause)] if paths else []


def _goal(act: str, targets: tuple[str, ...], clause: Clause, *, scope: Scope = "all") -> Goal:
    return Goal(
        act=act,
        targets=targets,
        scope=scope,
        text=clause.text,
        understood=clause.understood,
        asks=clause.mood == "asks",
    )


def _goes_to(text: str, path: str, leads: re.Pattern[str]) -> bool:
    before = _before(text, path)
    taken = re.search(r"\b(?:from|of|out of)\s+[`\"']?$", before, re.IGNORECASE)
    return taken is None and leads.search(before) is not None


def _inside(text: str, path: str) -> bool:
    before = _before(text, path)
    after = text[len(before) + len(_as_written(text, path)) :]
    return lexicon.INSIDE_BEFORE.search(before) is not None or lexicon.INSIDE_AFTER.match(after) is not None


def _before(text: str, path: str) -> str:
    """What stands in front of the last place where the text names the path."""
    written = _as_written(text, path)
    at = text.lower().rfind(written.lower())
    return text[:at] if at >= 0 else ""


def _as_written(text: str, path: str) -> str:
    """The longest end of the path that the text holds."""
    parts = path.split("/")
    tails = ("/".join(parts[at:]) for at in range(len(parts)))
    return next((tail for tail in tails if tail and tail.lower() in text.lower()), path)


def _same(one: str, other: str) -> bool:
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")


def _names(named: Mentions) -> tuple[str, ...]:
    """Names of records and code; bare numbers count from three digits on, years do not."""
    long = tuple(number for number in named.numbers if len(number) >= 3 and not _YEAR.fullmatch(number))
    quoted = tuple(text for text in named.quoted if text not in named.paths)
    return tuple(dict.fromkeys((*named.identifiers, *named.addresses, *quoted, *long)))
