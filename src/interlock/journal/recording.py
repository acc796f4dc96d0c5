"""Writes down what happens in one run, and tells whoever listens.

Builds bodies and appends them; decides nothing. Knows nothing of loops.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TypeAlias

from interlock.contract.compiled import Contract
from interlock.journal.base import Journal
from interlock.journal.chain import Head
from interlock.journal.decision_body import SEQUENTIAL, Planned, decision_body
from interlock.journal.records import Body, EventType, Record, timestamp
from interlock.pipeline.result import DecisionResult

__all__ = ["BEFORE_EFFECT", "Clock", "OnEvent", "Recorder"]

Clock: TypeAlias = Callable[[], datetime]
"""Returns the present moment in a known zone."""
OnEvent: TypeAlias = Callable[[Record], object]
"""Is told of every record once it is stored; what it returns is not read."""

BEFORE_EFFECT: frozenset[EventType] = frozenset(
    ("run_started", "tool_about_to_run", "audit", "approval_answered", "approval_consumed")
)
"""Records that must outlast a loss of power before the run goes on: an effect may follow them."""

log = logging.getLogger("interlock")


class Recorder:
    """The pen of one run."""

    def __init__(
        self,
        journal: Journal,
        run_id: str,
        *,
        clock: Clock,
        contract: Contract | None = None,
        record_state: bool = False,
        on_event: OnEvent | None = None,
        last: Head | None = None,
    ) -> None:
        self.journal = journal
        self.run_id = run_id
        self.last = last
        """The record that was last written or read by whoever holds the pen; None before the first."""
        self._clock = clock
        self._contract = contract
        self._record_state = record_state
        self._on_event = on_event

    def now(self) -> datetime:
        """Return the present moment by the clock of the records."""
        return self._clock()

    def record(self, kind: EventType, body: Body, *, expected: Head | None = None) -> Record:
        """Append one event and tell the listener; an exception of the listener is logged by its type and swallowed.

        `expected`: the record that it must follow; None lets it follow any.

        Raises:
            HeadMovedError: another record was appended after `expected`; nothing was written.
            JournalError: nothing was written; an effect that would follow must not happen.
        """
        stored = self.journal.append(
            self.run_id, kind, body, ts=timestamp(self._clock()), durable=kind in BEFORE_EFFECT, expected=expected
        )
        self.last = Head(seq=stored.seq, hash=stored.hash)
        if self._on_event is not None:
            self._tell(self._on_event, stored)
        return stored

    def decision(
        self,
        result: DecisionResult,
        *,
        step: int = 0,
        plan: Planned = SEQUENTIAL,
        cells: Mapping[str, object] | None = None,
    ) -> Record:
        """Append one decision, with the policy that the recorder's contract holds for it.

        With `record_state`, `cells` is kept too. The method fits `on_event=` of `decide` as it is.
        """
        decided = None if self._contract is None else self._contract.decisions.get(result.decision)
        body = decision_body(
            result,
            policy=None if decided is None else decided.policy,
            step=step,
            plan=plan,
            cells=cells if self._record_state else None,
        )
        return self.record("decision", body)

    def _tell(self, listener: OnEvent, stored: Record) -> None:
        try:
            listener(stored)
        except Exception as error:  # noqa: BLE001 -- a listener must not end the run
            log.warning("on_event: the callback raised `%s` on a `%s` record", type(error).__name__, stored.type)
