"""Where a run stands: its task, the goals of it, and what was done, read from the fields of one frame.

Knows nothing of questions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from interlock.judge.rules.fields import Fields
from interlock.judge.rules.ledger import Done, from_summary
from interlock.judge.rules.progress import Met, is_met
from interlock.tools.base import ToolTable
from interlock.tools.task import Goal, goals_of

__all__ = ["Situation", "listed_paths", "of_summary"]

_PATH = re.compile(r"[^\s:]+\.\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What the fields of one frame come to."""

    task: str
    goals: tuple[Goal, ...]
    done: tuple[Done, ...]
    known: tuple[str, ...]
    """Paths of files that are known to exist."""
    read: tuple[str, ...]

    def met(self) -> tuple[Met, ...]:
        """Return for each goal whether it is met; a change that took place had found what it needed."""
        found: list[Met] = []
        for goal in reversed(self.goals):
            one = is_met(goal, self.done, self.read, self.task)
            changed = any(later.met for later, of in zip(found, reversed(self.goals), strict=False) if of.changes)
            looked = not goal.changes and not any(_PATH.fullmatch(target) for target in goal.targets)
            found.append(Met(met=True, certain=False) if changed and looked and not goal.every else one)
        return tuple(reversed(found))


def of_summary(fields: Fields, last: str, tools: ToolTable) -> Situation:
    """Return the situation of a frame that sums up the calls in one line; `last` is the newest result."""
    task = fields.text("task")
    done = from_summary(fields.text("already_done"), last, tools)
    read = fields.items("already_read")
    known = tuple(dict.fromkeys((*fields.items("files_known"), *listed_paths(done), *read)))
    return Situation(task=task, goals=goals_of(task, known, fields.text("earlier")), done=done, known=known, read=read)


def listed_paths(done: Sequence[Done]) -> list[str]:
    """Return the paths that listings gave, one on a line or divided by commas."""
    texts = [call.result for call in done if "list" in call.acts and call.result and not call.failed]
    parts = [part.strip() for text in texts for part in re.split(r"\n|, ", text)]
    return [part for part in parts if _PATH.fullmatch(part)]
