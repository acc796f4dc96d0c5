"""From a prepared decision and what a judge said to the decision as taken.

Pure: calls no judge and no host.
"""

from __future__ import annotations

from collections.abc import Mapping

from interlock.judge.base import JudgeReply, Reading
from interlock.pipeline.outcome import outcome_of
from interlock.pipeline.prepare import Prepared
from interlock.pipeline.readings import read_back
from interlock.pipeline.result import DecisionResult
from interlock.policy.rules import Outcome
from interlock.questions import Choice, ChoiceAnswer, Question

__all__ = ["conclude"]


def conclude(prepared: Prepared, reply: JudgeReply | None, *, elapsed_s: float = 0.0) -> DecisionResult:
    """Return the decision as taken; `reply` is None when the judge was not called.

    A reply may hold readings of other decisions too; only this one's are read.
    """
    readings = _readings(prepared, reply)
    outcome = _outcome(prepared, readings)
    chosen = prepared.code if outcome is None else outcome.action
    return DecisionResult(
        decision=prepared.decision.id,
        position=prepared.decision.position,
        action=_action(prepared, chosen),
        mode=prepared.mode,
        would_be=chosen if prepared.mode == "shadow" else None,
        outcome=outcome,
        picked=_picked(prepared.menu.questions, readings),
        frame=prepared.frame,
        questions=prepared.menu.questions,
        readings=readings,
        reply=reply,
        floors=prepared.floors,
        gaps=prepared.gaps,
        gap_refused=prepared.gap_refused,
        listed=prepared.menu.listed,
        degraded=any(reading.degraded for reading in readings.values()),
        warnings=_warnings(prepared),
        interchange_digest=prepared.interchange_digest,
        contract_digest=prepared.contract_digest,
        elapsed_s=elapsed_s,
        call_facts=prepared.call,
    )


def _readings(prepared: Prepared, reply: JudgeReply | None) -> dict[str, Reading]:
    """Return the readings in the order of the questions; none for a question that was to be asked and was not."""
    back = {} if reply is None else read_back(reply, prepared.ask)
    found: dict[str, Reading] = {}
    for name in prepared.menu.questions:
        reading = prepared.menu.settled.get(name) or back.get(prepared.ids.get(name, ""))
        if reading is not None:
            found[name] = reading
    return found


def _outcome(prepared: Prepared, readings: Mapping[str, Reading]) -> Outcome | None:
    if prepared.mode == "off" or prepared.code is not None:
        return None
    if prepared.ended is not None:
        return prepared.ended
    return outcome_of(prepared.decision, readings, prepared.floors, prepared.call)


def _action(prepared: Prepared, chosen: str | None) -> str:
    action = chosen if prepared.safe is None else prepared.safe
    assert action is not None, "mode `off` has a safe default"  # noqa: S101
    return action


def _picked(questions: Mapping[str, Question], readings: Mapping[str, Reading]) -> str | None:
    choices = [name for name, question in questions.items() if isinstance(question, Choice)]
    if len(choices) != 1 or choices[0] not in readings:
        return None
    answer = readings[choices[0]].answer
    return answer.choice if isinstance(answer, ChoiceAnswer) else None


def _warnings(prepared: Prepared) -> tuple[str, ...]:
    if prepared.gap_refused:
        return prepared.menu.warnings
    return (*prepared.menu.warnings, *(f"gap in the frame: {gap}" for gap in prepared.gaps))
