"""A person as a judge: asked question by question, answers with probability 1 and a name.

Knows nothing of where the person sits.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from interlock.errors import QuestionError
from interlock.judge.base import Caps, JudgeReply, QuestionId, Reading
from interlock.judge.offered import Offered, offered, spelt
from interlock.judge.plain import code_reply
from interlock.judge.readings import Identity, same_reading
from interlock.judge.validate import check_answer
from interlock.models.patience import Clock
from interlock.questions import Content, Question

__all__ = ["AskPerson", "Asked", "HumanJudge", "Said"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a person is shown."""

    id: QuestionId
    frame_state: Content
    instructions: Content
    outcomes: tuple[Offered, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a person answered."""

    pick: int | None
    """The position of an outcome; None: the person would not say, or no one is there."""
    by: str | None
    """Who answered; None when no one did."""


AskPerson: TypeAlias = Callable[[Asked], Awaitable[Said]]


class HumanJudge:
    """Puts every question to whoever `ask` reaches."""

    def __init__(self, ask: AskPerson, *, now: Clock, judge: str = "human") -> None:
        self.id = judge
        self._ask = ask
        self._now = now
        self._identity = Identity(judge=judge, model=judge)
        self._caps = Caps(basis="person")

    @property
    def caps(self) -> Caps:
        """No limits but a person's patience."""
        return self._caps

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return an answer per question, `unscored/abstained` where no one answered."""
        if not questions:
            raise QuestionError("questions: is empty; ask at least one")
        began = self._now()
        readings = {id_: await self._reading(frame_state, id_, question) for id_, question in questions.items()}
        return code_reply(self._identity, frame_state, questions, readings, elapsed_s=self._now() - began)

    async def _reading(self, frame_state: Content, id_: QuestionId, question: Question) -> Reading:
        outcomes = offered(question)
        if not outcomes:
            return same_reading([id_], "no-options", self.id)[id_]
        asked = Asked(id=id_, frame_state=frame_state, instructions=question.instructions, outcomes=outcomes)
        said = await self._ask(asked)
        if said.pick is None:
            return same_reading([id_], "abstained", self.id)[id_]
        certain = [float(index == said.pick) for index in range(len(outcomes))]
        name = self.id if said.by is None else f"{self.id}:{said.by}"
        return check_answer(spelt(question, certain), question, judge=name, basis="person")
