"""What the records of one request to a judge say: who was asked together, and what came back.

Pure; knows nothing of stores or loops. The answers stand in the records of the decisions.
Source: journal specification, event types.
"""

from __future__ import annotations

from interlock.frame.build import SHOWN
from interlock.journal.decision_body import reply_json
from interlock.judge.base import JudgeReply
from interlock.pipeline.request import Request
from interlock.questions import Json, as_json

__all__ = ["judge_reply_body", "judge_request_body"]


def judge_request_body(request: Request, *, number: int, wave: int) -> dict[str, Json]:
    """Return the body of `judge_request`, written before the request is sent.

    State and questions are written where several decisions share them; of one decision they stand in its own record.
    """
    body: dict[str, Json] = {
        "request": number,
        "wave": wave,
        "decisions": list(request.decisions),
        "frames": [None if member.frame is None else member.frame.digest for member in request.members],
    }
    return body | _sent(request) if len(request.members) > 1 else body


def judge_reply_body(request: Request, reply: JudgeReply | None, *, number: int) -> dict[str, Json]:
    """Return the body of `judge_reply`; `reply` is None when the request was cancelled.

    A cancelled request of one decision has no other record, so what was sent is written here.
    """
    body: dict[str, Json] = {
        "request": number,
        "decisions": list(request.decisions),
        "cancelled": reply is None,
        "request_digest": None if reply is None else reply.request_digest,
        "reply": None if reply is None else reply_json(reply),
    }
    return body | _sent(request) if reply is None and len(request.members) == 1 else body


def _sent(request: Request) -> dict[str, Json]:
    """Return what the request holds; `fields` says which cell stands behind each field of the state."""
    frames = [member.frame for member in request.members if member.frame is not None]
    return {
        "fields": {entry.key: entry.cell for frame in frames for entry in frame.entries if entry.status in SHOWN},
        "state": request.state,
        "questions": {id_: as_json(question) for id_, question in request.questions.items()},
    }
