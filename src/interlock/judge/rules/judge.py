"""The judge that answers from facts of the frame and abstains from everything else.

Source: offline specification, principles 1 to 3; backends specification, sections 1 and 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from interlock.errors import QuestionError
from interlock.judge.base import Caps, JudgeReply, QuestionId, Reading
from interlock.judge.readings import Identity, digest_of
from interlock.judge.rules.claims import unsupported
from interlock.judge.rules.delivery import deliverable
from interlock.judge.rules.fields import Fields, read_fields
from interlock.judge.rules.inputs import pick_input
from interlock.judge.rules.next_tool import pick_tool
from interlock.judge.rules.remaining import is_done, needs_tool
from interlock.judge.rules.risk import needs_auth, risk
from interlock.judge.rules.step import step_ok
from interlock.judge.rules.verdict import Verdict, to_answer
from interlock.questions import Content, Question
from interlock.tools.base import ToolTable

__all__ = ["RuleJudge"]

_Rule: TypeAlias = Callable[[Fields, Question, ToolTable], Verdict | None]

_RULES: Mapping[QuestionId, _Rule] = MappingProxyType(
    {
        "needs_tool": needs_tool,
        "pick_tool": pick_tool,
        "pick_input": pick_input,
        "grade_risk.risk": risk,
        "grade_risk.needs_auth": needs_auth,
        "step_ok": step_ok,
        "is_done": is_done,
        "can_deliver.deliverable": deliverable,
        "can_deliver.unsupported": unsupported,
    }
)


_IDENTITY = Identity(judge="rules", model="rules")


class RuleJudge:
    """Answers the reference loop's questions by rule; every answer is marked degraded."""

    id = "rules"

    def __init__(self, tools: ToolTable = MappingProxyType({})) -> None:
        """Take the host's tools; risk is answered only of these."""
        self._tools = tools
        self._caps = Caps(basis="rule")

    @property
    def caps(self) -> Caps:
        """Any number of questions and options."""
        return self._caps

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return an answer for every question that a rule covers, `unscored/abstained` for the others.

        Raises:
            QuestionError: `questions` is empty.
        """
        if not questions:
            raise QuestionError("questions: is empty; ask at least one")
        fields = read_fields(frame_state)
        readings = {name: self._reading(name, question, fields) for name, question in questions.items()}
        return JudgeReply(
            readings=readings,
            failure=None,
            requested_model=self.id,
            served_model=self.id,
            request_id=None,
            request_digest=_digest(frame_state, questions),
            usage=None,
            attempts=1,
            elapsed_s=0.0,
        )

    def _reading(self, name: QuestionId, question: Question, fields: Fields) -> Reading:
        rule = _RULES.get(name)
        verdict = None if rule is None else rule(fields, question, self._tools)
        answer = None if verdict is None else to_answer(verdict, question)
        if answer is None:
            return Reading(kind="unscored", reason="abstained", answer=None, judge=self.id, degraded=True)
        return Reading(kind="answered", reason="ok", answer=answer, judge=self.id, degraded=True)


def _digest(frame_state: Content, questions: Mapping[QuestionId, Question]) -> str:
    """Return the request's digest; empty where the state has no JSON form."""
    try:
        return digest_of(_IDENTITY, frame_state, questions)
    except (TypeError, ValueError, RecursionError):
        return ""
