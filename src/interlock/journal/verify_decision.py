"""Whether a recorded decision agrees with itself: digests taken again, the outcome computed again.

Pure; what the record does not hold is named, never assumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from interlock._canonical import compact_json
from interlock.contract.compiled import Decision
from interlock.frame import SHOWN, frame_digest, interchange_digest, is_gap, sent_state
from interlock.frame.spec import Frame
from interlock.journal.answer_read import asked_of
from interlock.journal.decision_read import RecordedDecision
from interlock.journal.verify_request import SharedRequests
from interlock.judge.digest import request_digest
from interlock.pipeline.outcome import outcome_of, refused
from interlock.pipeline.result import DecisionResult
from interlock.policy.evaluate import evaluate
from interlock.policy.rules import Outcome, Policy
from interlock.questions import Choice, ChoiceAnswer, Json

__all__ = ["Checked", "check_decision"]


@dataclass(slots=True, kw_only=True)
class Checked:
    """What was found."""

    wrong: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    """What could not be checked, and why."""


def check_decision(
    recorded: RecordedDecision, shared: SharedRequests | None = None, *, redacted: bool = False
) -> Checked:
    """Return where the record contradicts itself, and what could not be checked.

    `shared` holds the requests of the run up to this record; None: a shared request cannot be checked.
    `redacted`: part of what a judge was shown was taken out, so no digest can be taken again.
    """
    checked = Checked()
    if not redacted:
        _check_frame(recorded.result, checked)
        _check_request(recorded, shared, checked)
    _check_outcome(recorded, checked)
    _check_action(recorded.result, checked)
    return checked


def _check_frame(result: DecisionResult, checked: Checked) -> None:
    if result.frame is None:
        return
    frame = result.frame
    shown = [entry for entry in frame.entries if entry.status in SHOWN]
    if not _same_state(sent_state(shown), frame.sent):
        checked.wrong.append("frame: the state as sent is not what its fields say")
    if frame_digest(frame.decision, shown) != frame.digest:
        checked.wrong.append("frame digest: is not that of the state as sent")
    if interchange_digest(frame.digest, result.questions) != result.interchange_digest:
        checked.wrong.append("interchange digest: is not that of the frame and the questions")
    if result.gaps != tuple(_gaps(frame)):
        checked.wrong.append("gaps: are not those of the frame's fields")


def _same_state(derived: Mapping[str, Json], told: Mapping[str, Json]) -> bool:
    """Return whether two states hold the same fields; their order is proven by the request digest."""
    return derived.keys() == told.keys() and all(compact_json(derived[key]) == compact_json(told[key]) for key in told)


def _gaps(frame: Frame) -> Iterator[str]:
    return (f"{entry.key}: {entry.status}" for entry in frame.entries if is_gap(entry))


def _check_request(recorded: RecordedDecision, shared: SharedRequests | None, checked: Checked) -> None:
    reply, result = recorded.result.reply, recorded.result
    if reply is None or result.frame is None:
        return
    if not reply.request_digest:
        checked.unchecked.append("request digest: the judge gave none")
        return
    if recorded.plan.fused_with:
        wrong = None if shared is None else shared.part(recorded)
        if wrong is not None:
            checked.wrong += wrong
            return
        fused = ", ".join(f"`{name}`" for name in recorded.plan.fused_with)
        checked.unchecked.append(f"request digest: the request also held {fused}")
        return
    asked = {name: result.questions[name] for name in asked_of(result.readings) if name in result.questions}
    derived = request_digest(
        result.frame.sent, asked, model=reply.requested_model, wire=reply.wire, readout=reply.readout
    )
    if derived != reply.request_digest:
        checked.wrong.append("request digest: is not that of the state, the questions and the model")


def _check_outcome(recorded: RecordedDecision, checked: Checked) -> None:
    result = recorded.result
    if result.outcome is None:
        why = "mode `off`" if result.mode == "off" else "the host's code answered"
        checked.unchecked.append(f"action `{result.action}`: nothing was judged ({why})")
        return
    if recorded.policy is None:
        checked.unchecked.append("outcome: the policy was not recorded")
        return
    if _outcome(result, recorded.policy, result.outcome) != result.outcome:
        checked.wrong.append(f"outcome: the policy does not come to `{result.outcome.action}` from these answers")


def _outcome(result: DecisionResult, policy: Policy, told: Outcome) -> Outcome:
    """Return the outcome computed again from what was recorded."""
    decision = _decision(result, policy)
    if result.gap_refused:
        return refused(decision, f"gap in the frame: {', '.join(result.gaps)}")
    if result.frame is None:
        return evaluate(policy, {}) if told.rule is not None else refused(decision, told.reason or "")
    return outcome_of(decision, result.readings, result.floors, result.call_facts)


def _decision(result: DecisionResult, policy: Policy) -> Decision:
    return Decision(
        id=result.decision,
        kind="mixed",
        position=result.position,
        purpose=None,
        dynamic=None,
        questions=result.questions,
        frame=None,
        policy=policy,
        line=0,
    )


def _check_action(result: DecisionResult, checked: Checked) -> None:
    if result.degraded != any(reading.degraded for reading in result.readings.values()):
        checked.wrong.append("degraded: the mark is not that of the answers")
    if result.picked != _picked(result):
        checked.wrong.append(f"picked: `{result.picked}` is not the answer's option")
    chosen = None if result.outcome is None else result.outcome.action
    match result.mode:
        case "enforce" if chosen is not None and result.action != chosen:
            checked.wrong.append(f"action: `{result.action}` is not that of the outcome, `{chosen}`")
        case "shadow":
            if chosen is not None and result.would_be != chosen:
                checked.wrong.append(f"would-be action: `{result.would_be}` is not that of the outcome, `{chosen}`")
            checked.unchecked.append(f"action `{result.action}`: the host's safe default is not in the record")
        case _:
            pass


def _picked(result: DecisionResult) -> str | None:
    choices = [name for name, question in result.questions.items() if isinstance(question, Choice)]
    if len(choices) != 1 or choices[0] not in result.readings:
        return None
    answer = result.readings[choices[0]].answer
    return answer.choice if isinstance(answer, ChoiceAnswer) else None
