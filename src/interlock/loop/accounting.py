"""Counts what a run spends while it spends it.

Holds counters and a clock that is handed in; decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.journal.bodies import Accounting
from interlock.judge.base import JudgeReply, Usage
from interlock.loop.budget import Spent
from interlock.pipeline.result import DecisionResult

__all__ = ["Ledger", "MonotonicClock"]

MonotonicClock = Callable[[], float]
"""Seconds that never run backwards."""


class Ledger:
    """The counters of one run."""

    def __init__(self, clock: MonotonicClock) -> None:
        self._clock = clock
        self._began = clock()
        self._waited = 0.0
        self._tokens = 0
        self._unreported = False
        self.degraded = False
        """True once a degraded answer has acted or a degraded draft was written."""
        self._cached: int | None = None
        self._cancelled = 0
        self.decisions = 0
        """Decisions that acted."""
        self.discarded = 0
        """Decisions that were asked ahead and never acted."""
        self.judge_calls = 0
        """Decisions that acted and took the judge: the same number whatever the plan."""
        self.questions = 0
        self.requests = 0
        self.waves = 0
        self.writer_calls = 0
        self.steps = 0

    def decided(self, result: DecisionResult) -> None:
        """Count one decision that acts."""
        self.decisions += 1
        self.judge_calls += result.reply is not None
        self.degraded = self.degraded or result.degraded

    def asked(self, questions: int) -> int:
        """Count one request to the judge, and return its number."""
        self.requests += 1
        self.questions += questions
        return self.requests

    def replied(self, reply: JudgeReply | None) -> None:
        """Count what came back; None when the request was cancelled, of which nobody reports tokens."""
        if reply is None:
            self.cancel()
        else:
            self.pay(reply.usage)

    def cancel(self) -> None:
        """Count one request that was given up."""
        self._cancelled += 1

    def pay(self, usage: Usage | None) -> None:
        """Count what one request to the judge cost; None: nobody reports it."""
        self._spend(usage)
        cached = None if usage is None else usage.cached_input_tokens
        if cached is not None:
            self._cached = (self._cached or 0) + cached

    def wrote(self, usage: Usage | None, *, degraded: bool) -> None:
        """Count one call of the writer."""
        self.writer_calls += 1
        self.degraded = self.degraded or degraded
        self._spend(usage)

    def carry(self, seconds: float) -> None:
        """Count time that the run had taken before this process worked on it."""
        self._began -= seconds

    def waited_for_a_person(self, seconds: float) -> None:
        """Take the time that a person needed out of the run's time."""
        self._waited += seconds

    def now(self) -> float:
        """Return the clock's reading in seconds."""
        return self._clock()

    def spent(self) -> Spent:
        """Return what budgets are checked against."""
        return Spent(
            steps=self.steps,
            seconds=self._clock() - self._began - self._waited,
            judge_calls=self.judge_calls,
            writer_calls=self.writer_calls,
            tokens=self._tokens,
        )

    def total(self) -> Accounting:
        """Return the whole account."""
        return Accounting(
            decisions=self.decisions,
            questions=self.questions,
            requests=self.requests,
            waves=self.waves,
            discarded=self.discarded,
            cancelled=self._cancelled,
            writer_calls=self.writer_calls,
            tokens=None if self._unreported else self._tokens,
            cached_tokens=self._cached,
            wall_s=self._clock() - self._began,
        )

    def _spend(self, usage: Usage | None) -> None:
        counted = None if usage is None else _sum(usage)
        if counted is None:
            self._unreported = True
        else:
            self._tokens += counted


def _sum(usage: Usage) -> int | None:
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    return usage.input_tokens + usage.output_tokens
