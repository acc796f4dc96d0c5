"""Decisions in the interchange form `decision-record/v1`: one line each, with digests that anybody can take again.

Pure. `jsonl` moves whole runs between our journals; this moves single decisions between implementations of the format.
Source: the format of zjunlp/JevLoop, whose verifier reads the same fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from interlock._canonical import compact_json, sha256_hex
from interlock.errors import JournalError
from interlock.frame import SHOWN, Frame
from interlock.journal.decision_read import RecordedDecision, read_decision
from interlock.journal.fields import items, optional_text, section, text, whole
from interlock.journal.records import Body, Record, decode_body
from interlock.journal.redactions import REDACTED
from interlock.journal.verify_decision import Checked
from interlock.judge.wire import encode_answer
from interlock.pipeline.result import DecisionResult
from interlock.questions import Json, as_json

__all__ = ["SCHEMA", "check_record", "decision_lines", "read_record_line"]

SCHEMA = "decision-record/v1"

_DIGITS = 16


def decision_lines(records: Iterable[Record]) -> Iterator[str]:
    """Yield one line per decision that had a frame and was not discarded, without the line feed.

    Imported ones are yielded as they came. Out of a redacted decision something was taken, and its line holds no
    digests.

    Raises:
        JournalError: a decision cannot be read.
    """
    for record in records:
        if record.type == "decision_record":
            yield record.text
        elif record.type == "decision":
            recorded = read_decision(record.body)
            if recorded.result.frame is not None and not recorded.plan.discarded:
                yield compact_json(_line(record, recorded, recorded.result.frame))


def read_record_line(line: str) -> dict[str, Json]:
    """Return the body that a line spells.

    Raises:
        JournalError: it is not of this format, or of another version of it; the field is named.
    """
    try:
        body = decode_body(line)
        schema = text(body, "schema")
    except JournalError as cause:
        raise JournalError(
            "is neither a row nor a decision record; import what `interlock runs export` printed"
        ) from cause
    if schema != SCHEMA:
        raise JournalError(f"`schema` is `{schema}`; this release reads `{SCHEMA}`")
    text(body, "node")
    whole(body, "step")
    section(body, "state")
    section(body, "questions")
    return body


def check_record(body: Body) -> Checked:
    """Return where an imported record contradicts itself, and what could not be checked.

    Raises:
        JournalError: a field is missing or of another type.
    """
    checked = Checked()
    node, state = text(body, "node"), section(body, "state")
    batch = [str(item) for item in items(body, "batchIds")] if "batchIds" in body else []
    together = len(batch) > 1
    own, sent, request = (optional_text(body, key) if key in body else None for key in _DIGESTS)
    if together:
        checked.unchecked.append("frame digest: the state is that of several decisions")
    elif own is None:
        checked.unchecked.append("frame digest: the record holds none")
    elif _frame_digest(node, state) != own:
        checked.wrong.append("frame digest: is not that of the state as sent")
    if sent is None:
        checked.unchecked.append("sent frame digest: the record holds none")
    elif sent != _frame_digest("+".join(batch) if together else node, state):
        checked.wrong.append("sent frame digest: is not that of the state as sent")
    _check_request(body, sent, request, checked, together=together)
    checked.unchecked.append("outcome: a decision record holds no policy")
    return checked


_DIGESTS = ("frameDigest", "sentFrameDigest", "requestDigest")


def _check_request(body: Body, sent: str | None, request: str | None, checked: Checked, *, together: bool) -> None:
    asked = section(body, "questions")
    sent_questions = section(body, "sentQuestions") if "sentQuestions" in body else asked
    if not together and compact_json(asked) != compact_json(sent_questions):
        checked.wrong.append("questions: are not those that were sent")
    if sent is None or request is None:
        checked.unchecked.append("request digest: the record holds none")
    elif _short([sent, sent_questions]) != request:
        checked.wrong.append("request digest: is not that of the frame and the questions")


def _line(record: Record, recorded: RecordedDecision, frame: Frame) -> dict[str, Json]:
    result = recorded.result
    state = {entry.key: entry.value for entry in frame.entries if entry.status in SHOWN}
    questions = {name: as_json(question) for name, question in result.questions.items()}
    redacted = any(entry.value == REDACTED for entry in frame.entries)
    digest = None if redacted else frame.digest
    answers = {name: encode_answer(r.answer) for name, r in result.readings.items() if r.answer is not None}
    return {
        "schema": SCHEMA,
        "type": "decision",
        "step": recorded.step,
        "id": result.decision,
        "node": result.decision,
        "state": state,
        "frame": {"digest": digest},
        "frameDigest": digest,
        "sentFrameDigest": digest,
        "batchIds": [result.decision],
        "requestDigest": None if redacted else result.interchange_digest,
        "questions": questions,
        "sentQuestions": questions,
        "answers": answers,
        "action": result.action,
        "reason": _reason(result),
        "provider": None if result.reply is None else result.reply.requested_model,
        "model": None if result.reply is None else result.reply.served_model,
        "degraded": result.degraded,
        "interlock": _ours(record, recorded),
    }


def _ours(record: Record, recorded: RecordedDecision) -> dict[str, Json]:
    """Return what the format has no place for."""
    result = recorded.result
    outcome = result.outcome
    return {
        "run_id": record.run_id,
        "seq": record.seq,
        "hash": record.hash,
        "position": result.position,
        "mode": result.mode,
        "fused_with": list(recorded.plan.fused_with),
        "contract_digest": result.contract_digest,
        "request_digest": None if result.reply is None else result.reply.request_digest,
        "floors": {floor.question: floor.value for floor in result.floors},
        "outcome": None
        if outcome is None
        else {
            "action": outcome.action,
            "rule": outcome.rule_text,
            "threshold": outcome.threshold,
            "value": outcome.value,
            "margin": outcome.margin,
        },
    }


def _reason(result: DecisionResult) -> str | None:
    outcome = result.outcome
    return None if outcome is None else outcome.reason or outcome.rule_text


def _frame_digest(node: str, state: Mapping[str, Json]) -> str:
    return _short([node, [[key, value] for key, value in state.items()]])


def _short(value: object) -> str:
    return sha256_hex(compact_json(value))[:_DIGITS]
