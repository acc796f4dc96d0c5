"""A System One server over any judge.

Source: backends specification, section 7.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.responses import Response as HttpResponse
from starlette.routing import Route

from interlock._canonical import sha256_hex
from interlock.judge.base import Judge, JudgeReply
from interlock.judge.merge import merge
from interlock.models.secret import Secret
from interlock.server.bodies import read_json_body
from interlock.server.metrics import Metrics
from interlock.server.strangers import stranger
from interlock.server.wire_reply import BUSY_RETRY_MS, Response, error_response, reply_response
from interlock.server.wire_request import WireRequest, read_request

__all__ = ["ALIAS", "Gateway", "gateway_app"]

ALIAS = "jev-latest"
"""Always names the configured judge."""
ID_HEADER = "x-typesafe-request-id"

log = logging.getLogger("interlock.gateway")


class OnReply(Protocol):
    """Is told of every judged request."""

    def __call__(self, request_id: str, request: WireRequest, reply: JudgeReply) -> None:
        """Take note; nothing is read from it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """What a gateway serves."""

    judge: Judge
    judge_id: str
    key: Secret | None
    """None: no key is asked for."""
    models: tuple[tuple[str, str, str], ...]
    """(name, description, release date) of every model name that is accepted, the alias included."""
    make_id: Callable[[], str]
    on_reply: OnReply | None = None
    journal_counts: Callable[[], Sequence[str]] | None = None
    """Lines of the exposition format that `GET /metrics` adds; called in a thread of its own."""
    max_in_flight: int = 64
    max_waiting: int = 256
    body_timeout_s: float = 30.0
    """In which a whole body must have come."""


def gateway_app(gateway: Gateway) -> Starlette:
    """Return the application; it binds nothing."""
    desk = _Desk(gateway=gateway, slots=asyncio.Semaphore(gateway.max_in_flight), metrics=Metrics())
    return Starlette(
        routes=[
            Route("/v1/systemone", desk.guarded(desk.decide), methods=["POST"]),
            Route("/v1/models", desk.guarded(desk.models), methods=["GET"]),
            Route("/metrics", desk.guarded(desk.measures), methods=["GET"]),
            Route("/health", desk.open(desk.health), methods=["GET"]),
        ],
        exception_handlers={HTTPException: desk.refused},
    )


_Handler = Callable[[Request, str], Awaitable[HttpResponse]]


@dataclass(slots=True)
class _Desk:
    """One running gateway."""

    gateway: Gateway
    slots: asyncio.Semaphore
    metrics: Metrics
    waiting: int = 0

    def guarded(self, handler: _Handler) -> Callable[[Request], Awaitable[HttpResponse]]:
        """Return `handler` behind the key."""

        async def checked(request: Request, request_id: str) -> HttpResponse:
            refusal = self._refusal(request.headers)
            return await handler(request, request_id) if refusal is None else _http(refusal, request_id)

        return self.open(checked)

    def open(self, handler: _Handler) -> Callable[[Request], Awaitable[HttpResponse]]:
        """Return `handler` with a request id, a count and one log line."""

        async def numbered(request: Request) -> HttpResponse:
            request_id, started = self.gateway.make_id(), time.perf_counter()
            try:
                response = await handler(request, request_id)
            except ClientDisconnect:
                response = _http(error_response(400, "api_usage_error", "the body did not come whole"), request_id)
            except Exception as problem:  # noqa: BLE001 -- its text may quote the request, and a client waits
                log.error("%s failed: %s", request_id, type(problem).__name__)  # noqa: TRY400 -- so may its traceback
                response = _http(error_response(500, "internal_error", "the judge failed"), request_id)
            response.headers[ID_HEADER] = request_id
            route, status = request.url.path, response.status_code
            self.metrics.request(route, status)
            elapsed_ms = (time.perf_counter() - started) * 1000
            asked = getattr(request.state, "questions", 0)
            log.info("%s %s %d %.1f ms %s %d questions", request.method, route, status, elapsed_ms, request_id, asked)
            return response

        return numbered

    async def decide(self, request: Request, request_id: str) -> HttpResponse:
        """Answer the questions of one request."""
        encoding = request.headers.get("content-encoding", "").strip().lower()
        try:
            async with asyncio.timeout(self.gateway.body_timeout_s):
                body = await read_json_body(request.stream(), encoding)
        except TimeoutError:
            return _http(error_response(408, "request_timeout", "the body did not come in time"), request_id)
        if isinstance(body, Response):
            return _http(body, request_id)
        asked = read_request(body)
        if isinstance(asked, list):
            faults = [{"loc": list(fault.loc), "msg": fault.msg, "type": fault.type} for fault in asked]
            return JSONResponse({"detail": faults}, status_code=422)
        request.state.questions = len(asked.questions)
        if asked.model not in {name for name, _, _ in self.gateway.models}:
            return _http(error_response(400, "api_usage_error", "no such model; GET /v1/models lists them"), request_id)
        if self.waiting >= self.gateway.max_waiting:
            busy = {"retry-after-ms": str(BUSY_RETRY_MS)}
            return _http(error_response(529, "overloaded_error", "too many requests are waiting", busy), request_id)
        reply = await self._judged(asked)
        if self.gateway.on_reply is not None:
            self.gateway.on_reply(request_id, asked, reply)
        return _http(reply_response(asked, reply), request_id)

    async def models(self, _: Request, __: str) -> HttpResponse:
        """List the model names, for clients of either spelling."""
        listed = [
            {"name": name, "description": description, "release_date": released}
            for name, description, released in self.gateway.models
        ]
        data = [
            {"id": name, "object": "model", "created": 0, "owned_by": "interlock"} for name, _, _ in self.gateway.models
        ]
        return JSONResponse({"models": listed, "object": "list", "data": data})

    async def measures(self, _: Request, __: str) -> HttpResponse:
        """Give the counters of this process, and those of the journal."""
        counts = self.gateway.journal_counts
        kept = [] if counts is None else await asyncio.to_thread(counts)
        text = self.metrics.text() + "".join(f"{line}\n" for line in kept)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    async def health(self, _: Request, __: str) -> HttpResponse:
        """Say that it answers."""
        return JSONResponse({"status": "ok"})

    async def refused(self, _: Request, error: Exception) -> HttpResponse:
        """Answer an unknown route or method; nothing is counted under a name that a client chose."""
        status = error.status_code if isinstance(error, HTTPException) else 500
        slug = {404: "not_found", 405: "method_not_allowed"}.get(status, "http_error")
        self.metrics.request("other", status)
        return _http(error_response(status, slug, "no such route or method"), self.gateway.make_id())

    def _refusal(self, headers: Mapping[str, str]) -> Response | None:
        key, given = self.gateway.key, headers.get("authorization")
        if key is None:
            return stranger(headers)
        if given is None:
            return error_response(403, "authentication_error", "send the key as `Authorization: Bearer KEY`")
        scheme, _, told = given.partition(" ")
        is_right = hmac.compare_digest(told.strip().encode(), key.reveal().encode())
        if scheme.lower() != "bearer" or not is_right:
            return error_response(401, "authentication_error", "the key is not known")
        return None

    async def _judged(self, asked: WireRequest) -> JudgeReply:
        self.waiting += 1
        started = time.perf_counter()
        try:
            async with self.slots:
                reply = await _answered(self.gateway.judge, asked)
        finally:
            self.waiting -= 1
        self.metrics.decision(time.perf_counter() - started)
        for reading in reply.readings.values():
            self.metrics.readings[reading.kind, reading.reason] += 1
        return reply


async def _answered(judge: Judge, asked: WireRequest) -> JudgeReply:
    """Ask the judge; one question per call where neighbours may move an answer."""
    if not judge.caps.joint_reads or len(asked.questions) == 1:
        return await judge.answer(asked.state, asked.questions)
    replies = await asyncio.gather(
        *(judge.answer(asked.state, {id_: question}) for id_, question in asked.questions.items())
    )
    readings = {id_: reading for reply in replies for id_, reading in reply.readings.items()}
    failure = next((reply.failure for reply in replies if reply.failure is not None), None)
    slowest_s = max(reply.elapsed_s for reply in replies)
    digest = sha256_hex("".join(reply.request_digest for reply in replies))
    return merge(replies, readings, failure=failure, request_digest=digest, elapsed_s=slowest_s)


def _http(response: Response, request_id: str) -> HttpResponse:
    headers: Mapping[str, str] = {**response.headers, ID_HEADER: request_id}
    return JSONResponse(dict(response.body), status_code=response.status, headers=dict(headers))
