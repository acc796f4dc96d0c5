"""A decision as taken → the event that the loop steps on, with the reason in words.

Pure; knows nothing of judges' wires or of effects.
"""

from __future__ import annotations

from interlock.loop.events import Cause, Decided, Node
from interlock.pipeline.result import DecisionResult
from interlock.questions import ChoiceAnswer, NoulAnswer, ScoreAnswer

__all__ = ["decided", "explain"]


def decided(node: Node, result: DecisionResult) -> Decided:
    """Return what the loop makes of `result`."""
    return Decided(
        decision=node,
        action=result.action,
        cause=_cause(result),
        picked=result.picked,
        reason=explain(result),
    )


def explain(result: DecisionResult) -> str | None:
    """Return why `result` came to its action, such as `prob:ok >= 0.6 → continue (ok 0.95)`; None when not judged."""
    outcome = result.outcome
    if outcome is None:
        return None
    if outcome.reason is not None:
        return outcome.reason
    read = "; ".join(_read(result, name) for name in result.readings)
    return f"{outcome.rule_text} ({read})" if read else outcome.rule_text


def _cause(result: DecisionResult) -> Cause:
    failed = result.reply is not None and result.reply.failure is not None
    if failed or any(reading.kind == "transport_error" for reading in result.readings.values()):
        return "judge_down"
    if any(reading.reason == "not-an-option" for reading in result.readings.values()):
        return "not_an_option"
    undecided = result.outcome is not None and result.outcome.rule is None
    return "unanswered" if undecided or result.gap_refused else "policy"


def _read(result: DecisionResult, name: str) -> str:
    answer = result.readings[name].answer
    match answer:
        case NoulAnswer():
            return f"{name} {answer.noul:.3g}"
        case ScoreAnswer():
            return f"{name} {answer.score:.3g}{_raised(result, name, answer.score)}"
        case ChoiceAnswer():
            p = None if answer.probabilities is None else answer.probabilities.get(answer.choice)
            return f"{name} = {answer.choice}" + ("" if p is None else f" at {p:.3g}")
        case None:
            return f"{name}: {result.readings[name].reason}"


def _raised(result: DecisionResult, name: str, score: float) -> str:
    """Return what the policy read in place of `score`, where a fact of the host is above it."""
    above = [floor.value for floor in result.floors if floor.question == name and floor.value > score]
    return f", at least {above[0]:.3g} by the host" if above else ""
