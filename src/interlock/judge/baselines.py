"""Judges that look at nothing, against which an evaluation holds a judge.

Their answers are certain and mean nothing; they decide no run.
Source: backends specification, section 6.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, TypeAlias, get_args

from interlock._canonical import compact_json, pairs
from interlock.errors import QuestionError
from interlock.judge.base import Caps, JudgeReply, QuestionId, Reading
from interlock.judge.offered import Offered, offered, spelt
from interlock.judge.plain import code_reply
from interlock.judge.readings import Identity, same_reading
from interlock.judge.validate import check_answer
from interlock.models.patience import Rng
from interlock.questions import Content, Question, as_json

__all__ = ["BASELINES", "Baseline", "BaselineJudge", "Labelled", "first", "majority", "uniform"]

Baseline: TypeAlias = Literal["first", "majority", "random"]
BASELINES: tuple[Baseline, ...] = get_args(Baseline)

Pick: TypeAlias = Callable[[Question, Sequence[Offered]], int | None]
"""Returns the position of the outcome to answer, None to abstain."""
Labelled: TypeAlias = tuple[Question, str]
"""A question with the name of its right outcome: a label, `true` or `false`, the number of a level."""


class BaselineJudge:
    """Answers what its rule picks, with probability 1."""

    def __init__(self, pick: Pick, *, judge: str) -> None:
        self.id = judge
        self._pick = pick
        self._identity = Identity(judge=judge, model=judge)
        self._caps = Caps(basis="rule")

    @property
    def caps(self) -> Caps:
        """No limits."""
        return self._caps

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return an answer per question, `unscored/abstained` where the rule has none."""
        if not questions:
            raise QuestionError("questions: is empty; ask at least one")
        readings = {id_: self._reading(id_, question) for id_, question in questions.items()}
        return code_reply(self._identity, frame_state, questions, readings)

    def _reading(self, id_: QuestionId, question: Question) -> Reading:
        outcomes = offered(question)
        at = self._pick(question, outcomes) if outcomes else None
        if at is None:
            return same_reading([id_], "abstained", self.id)[id_]
        certain = [float(index == at) for index in range(len(outcomes))]
        return check_answer(spelt(question, certain), question, judge=self.id, basis="rule")


def first(_question: Question, _outcomes: Sequence[Offered]) -> int | None:
    """Pick the first option, the lowest level, true."""
    return 0


def majority(split: Iterable[Labelled]) -> Pick:
    """Return what picks the outcome that was right most often in `split`; a question not in it is abstained from."""
    counts: dict[str, Counter[str]] = {}
    for question, right in split:
        counts.setdefault(_key(question), Counter())[right] += 1

    def pick(question: Question, outcomes: Sequence[Offered]) -> int | None:
        seen = counts.get(_key(question))
        ranked = [name for name, _ in seen.most_common()] if seen is not None else []
        names = [outcome.name for outcome in outcomes]
        return next((names.index(name) for name in ranked if name in names), None)

    return pick


def uniform(rng: Rng) -> Pick:
    """Return what picks any outcome alike."""

    def pick(_question: Question, outcomes: Sequence[Offered]) -> int | None:
        return int(rng() * len(outcomes))

    return pick


def _key(question: Question) -> str:
    """Return the question without its options, which may differ from case to case."""
    told = as_json(question)
    return compact_json([told["type"], pairs(told["instructions"])])
