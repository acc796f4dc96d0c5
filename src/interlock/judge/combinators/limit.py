"""Holds requests back: so many at once, so many in a minute, so many tokens in a minute.

A request waits for its turn and never fails of it. Knows nothing of servers; the clock is handed in.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from interlock._canonical import compact_json
from interlock.judge.base import Caps, Judge, JudgeReply, QuestionId
from interlock.judge.caps import plan_calls
from interlock.judge.combinators.fit import AT_ONCE
from interlock.models.closing import close
from interlock.models.patience import Clock, Sleep
from interlock.models.perloop import PerLoop
from interlock.questions import Content, Question, as_json

__all__ = ["Limit", "Limits"]

WINDOW_S = 60.0
BYTES_PER_TOKEN = 3.5
"""Source: backends specification, section 2; no tokenizer is published."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one judge is asked; None is no limit."""

    max_in_flight: int | None = None
    """Requests under way at once."""
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    """Input and output together: estimated before a request, corrected by what the judge reports."""

    @property
    def given(self) -> bool:
        """True when anything is limited."""
        return any(one is not None for one in (self.max_in_flight, self.requests_per_minute, self.tokens_per_minute))


@dataclass(slots=True, kw_only=True)
class _Spent:
    """What one request takes out of the minute that began with it."""

    at: float
    requests: int
    tokens: int


class _Places:
    """Who is under way in one event loop."""

    def __init__(self) -> None:
        self.taken = 0
        self.freed = asyncio.Event()
        self.turn = asyncio.Lock()


class Limit:
    """Lets requests through in the order in which they came.

    A request that the judge inside splits counts as its calls, and a retry as one more. A request that needs more
    than a whole minute holds goes when the minute before it is empty. The rates hold for all event loops together,
    the requests in flight for each.
    """

    def __init__(self, inner: Judge, *, limits: Limits, now: Clock, sleep: Sleep) -> None:
        self._inner = inner
        self._limits = limits
        self._now = now
        self._sleep = sleep
        self._places = PerLoop(_Places, _nothing_open)
        self._window: deque[_Spent] = deque()
        self._booking = threading.Lock()

    @property
    def id(self) -> str:
        """The id of the judge inside."""
        return str(getattr(self._inner, "id", type(self._inner).__name__))

    @property
    def caps(self) -> Caps:
        """What one request of the judge inside may hold."""
        return self._inner.caps

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return the reply, once the request may go."""
        calls = max(1, len(plan_calls(self.caps, questions).calls))
        weight = min(calls, AT_ONCE, self._limits.max_in_flight or AT_ONCE)
        places = self._places.get()
        async with places.turn:
            await self._place(places, weight)
            spent = await self._book(calls, self._tokens(calls, frame_state, questions))
            places.taken += weight
        try:
            reply = await self._inner.answer(frame_state, questions)
        finally:
            places.taken -= weight
            places.freed.set()
        spent.requests = max(spent.requests, reply.attempts)
        spent.tokens = _reported(reply, spent.tokens)
        return reply

    async def aclose(self) -> None:
        """Close the judge inside."""
        await close(self._inner)

    def _tokens(self, calls: int, frame_state: Content, questions: Mapping[QuestionId, Question]) -> int:
        if self._limits.tokens_per_minute is None:
            return 0
        return calls * _estimate(frame_state) + sum(_estimate(as_json(question)) for question in questions.values())

    async def _place(self, places: _Places, weight: int) -> None:
        """Wait until so many more may be under way."""
        most = self._limits.max_in_flight
        while most is not None and places.taken + weight > most:
            places.freed.clear()
            await places.freed.wait()

    async def _book(self, calls: int, tokens: int) -> _Spent:
        """Wait until the last minute has room for a request, and take the room."""
        while True:
            with self._booking:
                now = self._now()
                wait_s = self._wait_s(now, calls, tokens)
                if wait_s <= 0:
                    self._window.append(_Spent(at=now, requests=calls, tokens=tokens))
                    return self._window[-1]
            await self._sleep(wait_s)

    def _wait_s(self, now: float, calls: int, tokens: int) -> float:
        """Return the seconds until enough of the last minute has passed, 0 when the request may go."""
        while self._window and self._window[0].at + WINDOW_S <= now:
            self._window.popleft()
        requests = calls + sum(one.requests for one in self._window)
        tokens += sum(one.tokens for one in self._window)
        wait_s = 0.0
        for one in self._window:
            if self._fits(requests, tokens):
                break
            requests, tokens = requests - one.requests, tokens - one.tokens
            wait_s = one.at + WINDOW_S - now
        return wait_s

    def _fits(self, requests: int, tokens: int) -> bool:
        limits = self._limits
        return (limits.requests_per_minute is None or requests <= limits.requests_per_minute) and (
            limits.tokens_per_minute is None or tokens <= limits.tokens_per_minute
        )


async def _nothing_open(_: _Places) -> None:
    """Close nothing: places hold no connection."""


def _estimate(content: Content) -> int:
    return int(len(compact_json(content).encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN) + 1


def _reported(reply: JudgeReply, estimated: int) -> int:
    """Return the tokens that a judge says it read and wrote, else the estimate."""
    usage = reply.usage
    if usage is None or usage.input_tokens is None:
        return estimated
    return usage.input_tokens + (usage.output_tokens or 0)
