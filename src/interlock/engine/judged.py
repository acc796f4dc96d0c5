"""Lets a judge pick the next action or tool; a text model then writes only what the pick needs.

Source: decision-engine specification, opening; next-step specification, section 12.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from interlock.actions import TOOL_CALL, ActionDecision, FailedAttempt, ToolSpec
from interlock.engine.forms import Draft, Failed
from interlock.engine.turn import Turn
from interlock.engine.validate import check_draft
from interlock.engine.waiting import Waiting
from interlock.errors import DecisionError
from interlock.judge.base import Judge
from interlock.menu.make import MenuJudge, Pick, Question, pick_by_judge
from interlock.menu.options import read_options
from interlock.questions import Content

__all__ = ["Judged", "judge_turn"]

INSTRUCTIONS = "Which of these is the next step towards the goal?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a judge left to be decided."""

    turn: Turn
    """The turn with nothing but what was picked."""
    pick: Pick
    decision: ActionDecision | None
    """The whole decision, when it needs no text; None otherwise."""


async def judge_turn(turn: Turn, judge: Judge, waiting: Waiting) -> Judged | FailedAttempt:
    """Return the judge's pick among the tools and the actions, or why there is none."""
    tools = [(tool.name, tool.description) for tool in turn.tools if TOOL_CALL in turn.options.space.names]
    others = [(item.name, item.description) for item in turn.options.space.actions if item.name != TOOL_CALL]
    options = read_options([*tools, *others])
    question = Question(options=options, context={}, runtime=None, max_retries=0, finish=False, now=waiting.now)
    try:
        pick = await pick_by_judge(question, MenuJudge(judge=judge, state=_seen(turn)), INSTRUCTIONS, None)
    except DecisionError as error:
        last = error.attempts[-1]
        return FailedAttempt(
            number=1, check=None, reason=last.message, reply=None, waited_s=0.0, elapsed_s=last.elapsed_s
        )
    return _judged(turn, pick)


def _seen(turn: Turn) -> Content:
    """Return what the judge is shown: the state, and each observation under its id."""
    return {"state": turn.loop(), "observations": {item.id: item.text for item in turn.observations}}


def _judged(turn: Turn, pick: Pick) -> Judged:
    tool = next((item for item in turn.tools if item.name == pick.name), None)
    if tool is None:
        return Judged(turn=turn.narrowed(turn.options.space.only(pick.name), ()), pick=pick, decision=None)
    narrowed = turn.narrowed(turn.options.space.only(TOOL_CALL), (tool,))
    return Judged(turn=narrowed, pick=pick, decision=_without_text(narrowed, tool))


def _without_text(turn: Turn, tool: ToolSpec) -> ActionDecision | None:
    """Return the call of a tool that needs no arguments, when it passes every check."""
    if tool.parameters.get("required"):
        return None
    draft = Draft(keys={"action": TOOL_CALL, "tool": tool.name, "tool_input": {}, "final": None})
    checked = check_draft(draft, replace(turn.situation("text"), deliberate="none"))
    return None if isinstance(checked, Failed) else checked
