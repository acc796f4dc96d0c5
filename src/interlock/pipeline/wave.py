"""Requests to a judge that are under way at once, and what each decision in them hears back.

Decides nothing: which decisions are asked together is settled before.
Source: reference loop specification, the planner.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

from interlock.errors import QuestionError
from interlock.judge.base import Failure, Judge, JudgeReply
from interlock.judge.readings import Identity, failed_reply
from interlock.pipeline.prepare import Prepared
from interlock.pipeline.request import Request, alone

__all__ = ["Heard", "Inquiry", "Witness", "launch", "put"]

_log = logging.getLogger("interlock.pipeline")


class Witness(Protocol):
    """Is told of every request when it is sent and when it has ended."""

    def asked(self, request: Request) -> int:
        """Take note of a request about to be sent, and return its number."""
        ...

    def replied(self, number: int, request: Request, reply: JudgeReply | None) -> None:
        """Take note of the reply; None when the request was cancelled."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What one decision heard back."""

    reply: JudgeReply
    """With the readings of this decision only."""
    fused_with: tuple[str, ...]
    """The other decisions of the request that was answered; empty after it failed and was asked again apart."""
    elapsed_s: float


class Inquiry:
    """One decision that is being asked."""

    def __init__(self, prepared: Prepared, task: asyncio.Task[Heard], flight: _Flight | None) -> None:
        self.prepared = prepared
        self._task = task
        self._flight = flight

    async def heard(self) -> Heard:
        """Wait for what came back.

        Raises:
            QuestionError: the judge refused to be asked like that.
            JournalError: the witness could not take note.
        """
        return await self._task

    def cancel(self) -> None:
        """Stop waiting; the request behind it is cancelled once none of its decisions waits."""
        self._task.cancel()
        if self._flight is not None:
            self._flight.leave(self)

    async def drop(self) -> Heard | None:
        """Cancel what nobody waits for any more; return what had come back by then, if anything.

        Raises:
            JournalError: the witness could not take note.
        """
        self.cancel()
        await asyncio.wait([self._task])
        heard = None
        with suppress(QuestionError, asyncio.CancelledError):
            heard = self._task.result()
        if self._flight is not None:
            await self._flight.landed()
        return heard


class _Flight:
    """A request that several decisions wait for; it is cancelled when the last of them has left."""

    def __init__(self, task: asyncio.Task[JudgeReply]) -> None:
        self.task = task
        self.waiting: set[Inquiry] = set()

    def leave(self, inquiry: Inquiry) -> None:
        self.waiting.discard(inquiry)
        if not self.waiting:
            self.task.cancel()

    async def landed(self) -> None:
        """Wait for its end once nobody else does."""
        if self.waiting:
            return
        await asyncio.wait([self.task])
        problem = None if self.task.cancelled() else self.task.exception()
        if problem is not None and not isinstance(problem, QuestionError):
            raise problem


def launch(requests: Sequence[Request], judge: Judge, witness: Witness | None = None) -> list[Inquiry]:
    """Send every request at once and return one inquiry per decision, in order.

    A request of several decisions that fails as a whole is asked again, each decision apart.
    """
    inquiries: list[Inquiry] = []
    for request in requests:
        if len(request.members) == 1:
            task = asyncio.create_task(_single(request, judge, witness))
            inquiries.append(Inquiry(request.members[0], task, None))
            continue
        flight = _Flight(asyncio.create_task(_send(request, judge, witness)))
        for member in request.members:
            task = asyncio.create_task(_shared(member, request, flight.task, judge, witness))
            inquiries.append(Inquiry(member, task, flight))
            flight.waiting.add(inquiries[-1])
    return inquiries


async def put(request: Request, judge: Judge) -> JudgeReply:
    """Return the judge's reply to one request.

    A judge that raises, or returns something else than a reply, has failed: no question has an answer.

    Raises:
        QuestionError: the judge refused to be asked like that.
    """
    name = str(getattr(judge, "id", type(judge).__name__))
    identity = Identity(judge=name, model=name)
    started = time.perf_counter()
    try:
        reply: object = await judge.answer(request.state, request.questions)
    except QuestionError:
        raise
    except Exception as cause:  # noqa: BLE001 - whatever a judge raises, no answer is never read as "no"
        _log.warning("judge %s raised %s on %s", name, type(cause).__name__, ", ".join(request.decisions))
        failure = Failure(reason=_reason(cause), error_type=type(cause).__name__)
        return failed_reply(identity, request.state, request.questions, failure, elapsed_s=_since(started))
    if isinstance(reply, JudgeReply):
        return reply
    failure = Failure(reason="envelope")
    return failed_reply(identity, request.state, request.questions, failure, elapsed_s=_since(started))


async def _send(request: Request, judge: Judge, witness: Witness | None) -> JudgeReply:
    if witness is None:
        return await put(request, judge)
    number = witness.asked(request)
    try:
        reply = await put(request, judge)
    except asyncio.CancelledError:
        witness.replied(number, request, None)
        raise
    witness.replied(number, request, reply)
    return reply


async def _single(request: Request, judge: Judge, witness: Witness | None) -> Heard:
    started = time.perf_counter()
    reply = await _send(request, judge, witness)
    return Heard(reply=reply, fused_with=(), elapsed_s=_since(started))


async def _shared(
    member: Prepared, request: Request, flight: asyncio.Task[JudgeReply], judge: Judge, witness: Witness | None
) -> Heard:
    started = time.perf_counter()
    reply = None
    with suppress(QuestionError):
        reply = await asyncio.shield(flight)
    if reply is None or reply.failure is not None:
        reply = await _send(alone(member), judge, witness)
        return Heard(reply=reply, fused_with=(), elapsed_s=_since(started))
    own = {id_: reading for id_, reading in reply.readings.items() if id_ in member.ask}
    return Heard(
        reply=replace(reply, readings=own, usage=None),
        fused_with=request.beside(member),
        elapsed_s=_since(started),
    )


def _reason(cause: Exception) -> str:
    if isinstance(cause, TimeoutError):
        return "timeout"
    return "connect" if isinstance(cause, ConnectionError) else "server"


def _since(started: float) -> float:
    return time.perf_counter() - started
