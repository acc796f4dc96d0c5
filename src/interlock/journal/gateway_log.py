"""Records what a gateway was asked and what it answered, as one run per process."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Protocol

from interlock.errors import JournalError
from interlock.journal.base import Journal
from interlock.journal.recording import Clock, Recorder
from interlock.journal.records import make_run_id
from interlock.judge.base import JudgeReply, QuestionId
from interlock.questions import Content, Json, Question, as_json

__all__ = ["GATEWAY_STOPPED", "GatewayLog"]

GATEWAY_STOPPED = "gateway_stopped"
"""How the run of a gateway ends."""

log = logging.getLogger("interlock.gateway")


class Asked(Protocol):
    """What was asked."""

    @property
    def model(self) -> str:
        """The model named by the client."""
        ...

    @property
    def state(self) -> Content:
        """The state."""
        ...

    @property
    def questions(self) -> Mapping[QuestionId, Question]:
        """The questions."""
        ...


class GatewayLog:
    """The record of one gateway process; a journal that fails is logged and never breaks a reply."""

    def __init__(self, journal: Journal, judge_id: str, *, clock: Clock, token: str) -> None:
        self.journal = journal
        self.run_id = make_run_id(clock(), token)
        self._recorder = Recorder(journal, self.run_id, clock=clock)
        self._recorder.record("run_started", {"kind": "gateway", "task": "", "judge": judge_id})

    def record(self, request_id: str, request: Asked, reply: JudgeReply) -> None:
        """Write one request and its reply."""
        questions: dict[str, Json] = {id_: as_json(question) for id_, question in request.questions.items()}
        asked: dict[str, Json] = {
            "request_id": request_id,
            "request_digest": reply.request_digest,
            "model": request.model,
            "state": request.state,
            "questions": questions,
        }
        answered: dict[str, Json] = {
            "request_id": request_id,
            "request_digest": reply.request_digest,
            "served_model": reply.served_model,
            "readings": {id_: f"{reading.kind}/{reading.reason}" for id_, reading in reply.readings.items()},
            "elapsed_s": reply.elapsed_s,
        }
        try:
            self._recorder.record("judge_request", asked)
            self._recorder.record("judge_reply", answered)
        except JournalError:
            log.error("request %s is not recorded: the journal cannot be written", request_id)  # noqa: TRY400

    def end(self) -> None:
        """Write the end of the process."""
        self._recorder.record("run_ended", {"halt": GATEWAY_STOPPED, "delivered": False})
