"""What a rule says, and the distribution it stands for.

Source: offline specification, principle 3: one of two probabilities for the pick, the rest spread evenly over
the other options; on a score it goes to the next higher level, from the top level to the one below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, assert_never

from interlock.questions import Answer, Choice, ChoiceAnswer, Noul, NoulAnswer, Question, Score, ScoreAnswer

__all__ = ["EXACT", "LIKELY", "Verdict", "exact", "likely", "to_answer"]

EXACT = 0.95
LIKELY = 0.7

Pick: TypeAlias = bool | str | int
"""True or false of a noul, the label of a choice, the level of a score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A rule's pick and how sure the rule is of it."""

    pick: Pick
    probability: float


def exact(pick: Pick) -> Verdict:
    """Return the verdict of a rule that reads facts."""
    return Verdict(pick=pick, probability=EXACT)


def likely(pick: Pick) -> Verdict:
    """Return the verdict of a heuristic."""
    return Verdict(pick=pick, probability=LIKELY)


def to_answer(verdict: Verdict, question: Question) -> Answer | None:
    """Return the answer that `verdict` gives, or None when its pick does not fit the question."""
    pick, p = verdict.pick, verdict.probability
    match question:
        case Noul():
            return NoulAnswer(noul=p if pick else 1 - p, basis="rule") if isinstance(pick, bool) else None
        case Choice():
            return _choice(pick, p, question) if isinstance(pick, str) and pick in question.criteria else None
        case Score():
            levels = len(question.criteria)
            fits = isinstance(pick, int) and not isinstance(pick, bool) and 0 <= pick < levels
            return _score(int(pick), p, levels) if fits else None
        case _:
            assert_never(question)


def _choice(pick: str, p: float, question: Choice) -> ChoiceAnswer:
    others = len(question.criteria) - 1
    rest = (1 - p) / others if others else 0.0
    probabilities = dict.fromkeys(question.criteria, rest) | {pick: p if others else 1.0}
    return ChoiceAnswer(choice=pick, probabilities=probabilities, basis="rule")


def _score(pick: int, p: float, levels: int) -> ScoreAnswer:
    neighbour = pick + 1 if pick + 1 < levels else pick - 1
    probabilities = tuple(p if at == pick else 1 - p if at == neighbour else 0.0 for at in range(levels))
    return ScoreAnswer(
        score=sum(at * value for at, value in enumerate(probabilities)), probabilities=probabilities, basis="rule"
    )
