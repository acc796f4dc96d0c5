"""One draft with everything it can be held against: the shared reading of a delivery frame.

Knows nothing of verdicts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from interlock._text import ELLIPSIS
from interlock.judge.rules.checked import Checked, read_facts
from interlock.judge.rules.fields import Fields
from interlock.judge.rules.ledger import Done, from_evidence
from interlock.judge.rules.progress import FILE_EFFECTS, covers, is_met
from interlock.judge.rules.statements import Statement, statements_of
from interlock.tools.base import ToolTable
from interlock.tools.task import Goal, goals_of
from interlock.tools.task.verbs import CHINESE, verb_act

__all__ = ["Case", "claims_done", "happened", "read_case", "refuted_by_host", "says_done"]

_SHOWN_STEPS = 3
"""Evidence never holds more steps."""
_PAST = re.compile(r"(?:ed|en|ote|ent|ade|ut|id|one)$")
_ALL_DONE = re.compile(r"^\W*(?:done|completed|finished|all set)\b|已完成|完成了|搞定", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A draft, the task it answers, and what is known."""

    task: str
    answer: str
    evidence: str
    done: tuple[Done, ...]
    goals: tuple[Goal, ...]
    facts: Checked
    statements: tuple[Statement, ...]

    @property
    def clipped(self) -> bool:
        """True when part of the evidence was cut away."""
        return ELLIPSIS in self.evidence or "[cut: " in self.evidence

    def shows_all_of(self, goal: Goal) -> bool:
        """Return True for a change of named files when the evidence shows every call of the run."""
        whole = len(self.done) < _SHOWN_STEPS and not self.clipped
        return whole and goal.act in FILE_EFFECTS and bool(goal.targets) and goal.understood

    @property
    def known(self) -> str:
        """Everything that a statement may trace back to."""
        quoted = [one.text for one in self.statements if self.verifies(one)]
        return "\n".join((self.task, self.evidence, *quoted, *sorted(self.facts.exists | self.facts.missing)))

    def verifies(self, one: Statement) -> bool:
        """Return True when the host found the statement's quote where it says."""
        return one.where is not None and one.where in self.facts.verified


def read_case(fields: Fields, tools: ToolTable) -> Case:
    """Return what the fields of a delivery frame come to."""
    task, answer, evidence = fields.text("task"), fields.text("answer"), fields.text("evidence")
    done = from_evidence(evidence, tools)
    known = tuple(dict.fromkeys(call.input.partition("\n")[0] for call in done if call.acts & {"read", "write"}))
    return Case(
        task=task,
        answer=answer,
        evidence=evidence,
        done=done,
        goals=goals_of(task, tuple(path for path in known if path)),
        facts=read_facts(fields.items("facts")),
        statements=statements_of(answer),
    )


def happened(case: Case, goal: Goal) -> bool:
    """Return True when a fact or else the evidence shows that a change took place."""
    if _against(case, goal):
        return False
    if _confirmed(case, goal):
        return True
    return is_met(goal, case.done, (), case.task).met is True


def claims_done(case: Case, goal: Goal) -> bool:
    """Return True when the draft says that the change of `goal` took place."""
    return any(says_done(one, goal) for one in case.statements)


def says_done(one: Statement, goal: Goal) -> bool:
    """Return True when a statement says that the change of `goal` took place."""
    return not (one.absent or one.proposes or one.code) and _says_done(one.text, goal.act)


def refuted_by_host(case: Case) -> bool:
    """Return True when the host found a quote or a claimed change to be otherwise."""
    return bool(case.facts.refuted) or any(claims_done(case, goal) and _against(case, goal) for goal in case.goals)


def _confirmed(case: Case, goal: Goal) -> bool:
    paths = [target for target in goal.targets if not target.endswith("/")]
    if goal.act == "write":
        return bool(paths) and all(_names(case.facts.exists, path) for path in paths)
    if goal.act == "delete":
        return bool(paths) and all(_names(case.facts.missing, path) for path in paths)
    return False


def _against(case: Case, goal: Goal) -> bool:
    """What was to be written is not there or is something else; what was to be deleted still is there."""
    facts = case.facts
    if goal.act == "write":
        return any(_names(facts.missing | facts.changed, target) for target in goal.targets)
    if goal.act == "delete":
        return any(_names(facts.exists, target) for target in goal.targets)
    if goal.act == "move" and len(goal.targets) > 1:
        return _names(facts.exists, goal.targets[0]) or _names(facts.missing, goal.targets[-1])
    return False


def _names(paths: frozenset[str], target: str) -> bool:
    return any(covers(path, target) for path in paths)


def _says_done(text: str, act: str) -> bool:
    words = re.findall(r"[A-Za-z]+", text)
    past = any(verb_act(word) == act and _PAST.search(word.lower()) for word in words)
    chinese = any(word in text for word, known in CHINESE if known == act) and re.search(r"已|了|完成|成功", text)
    return past or _ALL_DONE.search(text) is not None or bool(chinese)
