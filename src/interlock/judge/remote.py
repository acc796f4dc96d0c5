"""The judge behind an HTTP server, whatever wire format the server speaks.

Knows its provider through a profile and the wire through an encoder and reader; makes one attempt per call.
Source: backends specification, section 3.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from importlib.metadata import version
from typing import Protocol

from interlock.errors import QuestionError
from interlock.judge.base import Caps, Failure, JudgeReply, QuestionId
from interlock.judge.envelope import Envelope, model_names
from interlock.judge.profile import Profile, endpoint
from interlock.judge.readings import Identity, digest_of, failed_reply
from interlock.judge.sending import HttpReply, Sender
from interlock.judge.validate import check_answer
from interlock.judge.wire import parse_json
from interlock.models.failures import describe, error_type_of, request_id_of, status_failure
from interlock.models.patience import Clock
from interlock.models.secret import Secret
from interlock.questions import Content, Json, Question

__all__ = ["RemoteJudge", "Wire"]

_log = logging.getLogger("interlock.judge")


class Wire(Protocol):
    """One wire format: how a request is written and a reply read; knows nothing of HTTP."""

    busy: frozenset[int]
    """Statuses that mean `busy` here and a plain refusal elsewhere."""

    def encode(self, model: str, frame_state: Content, questions: Mapping[QuestionId, Question]) -> bytes:
        """Return the body of one request.

        Raises:
            ValueError: the state is not JSON, holds a number that is not finite or a lone surrogate.
        """
        ...

    def read(self, body: bytes, questions: Mapping[QuestionId, Question]) -> Envelope | str:
        """Return the envelope, answers by id in the System One spelling, or the slug of the first rule broken."""
        ...

    def place(self, error: Json, questions: Mapping[QuestionId, Question]) -> str | None:
        """Return `questions.ID` when an error body names the place of a question that was asked."""
        ...


class RemoteJudge:
    """Asks one server for one model."""

    def __init__(
        self,
        *,
        identity: Identity,
        profile: Profile,
        wire: Wire,
        base: str,
        key: Secret | None,
        transport: Sender,
        now: Clock,
        wall: Clock,
    ) -> None:
        self._identity = identity
        self._profile = profile
        self._wire = wire
        self._url = endpoint(base, profile.path)
        self._models_url = None if profile.models_path is None else endpoint(base, profile.models_path)
        self._key = key
        self._transport = transport
        self._now = now
        self._wall = wall
        self._headers = {
            "accept": "application/json",
            "accept-encoding": "identity",
            "content-type": "application/json",
            "user-agent": f"interlock/{version('interlock')}",
        }

    @property
    def caps(self) -> Caps:
        """What one request may hold, as the profile says."""
        return self._profile.caps

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return the server's answers, each checked; anything else is a reading."""
        if not questions:
            raise QuestionError("questions: is empty; ask at least one")
        began = self._now()
        try:
            body = self._wire.encode(self._identity.model, frame_state, questions)
        except ValueError:
            refused = Failure(reason="bad-request")
            return self._failed(frame_state, questions, refused, began=began, request_id=None)
        got = await self._transport.post(self._url, body, self._sent_headers())
        if isinstance(got, Failure):
            return self._failed(frame_state, questions, got, began=began, request_id=None)
        request_id = _request_id(got, None)
        if got.status != 200:
            failure = self._status_failure(got, questions)
            return self._failed(frame_state, questions, failure, began=began, request_id=request_id)
        envelope = self._wire.read(got.body, questions)
        if isinstance(envelope, str):
            broken = Failure(reason=envelope, status=got.status)
            return self._failed(frame_state, questions, broken, began=began, request_id=request_id)
        return self._reply(frame_state, questions, envelope, _request_id(got, envelope.id), began)

    async def models(self) -> tuple[str, ...] | None:
        """Return the names of the models that the server lists; None where it lists none."""
        if self._models_url is None:
            return None
        got = await self._transport.get(self._models_url, self._sent_headers())
        return None if isinstance(got, Failure) or got.status != 200 else model_names(_json_or_none(got.body))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._transport.aclose()

    def _sent_headers(self) -> Mapping[str, str]:
        if self._key is None:
            return self._headers
        return self._headers | {"authorization": f"Bearer {self._key.reveal()}"}

    def _reply(
        self,
        frame_state: Content,
        questions: Mapping[QuestionId, Question],
        envelope: Envelope,
        request_id: str | None,
        began: float,
    ) -> JudgeReply:
        readings = {
            id_: check_answer(
                envelope.answers[id_],
                question,
                judge=self._identity.judge,
                basis=self.caps.basis,
                bare_label=self._profile.bare_label,
                refusal=self.caps.refusal,
            )
            for id_, question in questions.items()
        }
        return JudgeReply(
            readings=readings,
            failure=None,
            requested_model=self._identity.model,
            served_model=envelope.model,
            request_id=request_id,
            request_digest=digest_of(self._identity, frame_state, questions),
            usage=envelope.usage,
            attempts=1,
            elapsed_s=self._now() - began,
            wire=self._identity.wire,
            readout=self._identity.readout,
        )

    def _failed(
        self,
        frame_state: Content,
        questions: Mapping[QuestionId, Question],
        failure: Failure,
        *,
        began: float,
        request_id: str | None,
    ) -> JudgeReply:
        _log.warning("%s", describe(self._identity.judge, failure, request_id))
        elapsed_s = self._now() - began
        return failed_reply(self._identity, frame_state, questions, failure, elapsed_s=elapsed_s, request_id=request_id)

    def _status_failure(self, got: HttpReply, questions: Mapping[QuestionId, Question]) -> Failure:
        body = _json_or_none(got.body)
        return status_failure(
            got.status,
            got.headers,
            wall_s=self._wall(),
            error_type=error_type_of(body),
            at=self._wire.place(body, questions),
            busy=self._wire.busy,
        )


def _request_id(got: HttpReply, body_id: Json) -> str | None:
    return request_id_of(got.headers.get("x-typesafe-request-id"), got.headers.get("x-request-id"), body_id)


def _json_or_none(body: bytes) -> Json:
    """Return the body's JSON; None for anything else, which an error body may well be."""
    try:
        return parse_json(body)
    except ValueError:
        return None
