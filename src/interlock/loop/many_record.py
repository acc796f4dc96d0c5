"""What is recorded of a stream of states, and what of it is on record already when it is resumed.

One run per stream; the step of a decision is the number of its state, from 1.
Source: journal specification, event types.
"""

from __future__ import annotations

import secrets
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from interlock.contract.compiled import Contract
from interlock.errors import JournalError
from interlock.journal.base import Journal, JournalView
from interlock.journal.bodies import run_ended_body, run_started_body
from interlock.journal.decision_body import Planned
from interlock.journal.decision_read import RecordedDecision, read_decision
from interlock.journal.fields import text, value, whole
from interlock.journal.recording import Recorder
from interlock.journal.records import decode_body, make_run_id, read_rows
from interlock.journal.request_body import judge_reply_body, judge_request_body
from interlock.judge.base import Judge, JudgeReply
from interlock.loop.accounting import Ledger
from interlock.loop.version import VERSION
from interlock.pipeline.decide import WaveResult
from interlock.pipeline.gating import Gating
from interlock.pipeline.host import Cells, Host
from interlock.pipeline.prepare import Prepared
from interlock.pipeline.request import Request
from interlock.pipeline.result import DecisionResult
from interlock.questions import Json

__all__ = ["ALL_DECIDED", "BatchRecord", "open_batch"]

ALL_DECIDED = "all_decided"
"""How a batch ends that decided every state; nothing was written in it, so nothing is delivered or kept back."""

_PLAN = "fused"
_KIND = "many"


@contextmanager
def open_batch(
    journal: Journal,
    contract: Contract,
    names: Sequence[str],
    *,
    judge: Judge,
    host: Host,
    gating: Gating,
    resume: str | None,
    record_state: bool,
) -> Iterator[BatchRecord]:
    """Yield the record of one stream: a new run, or one that was cut short.

    Raises:
        JournalError: the journal cannot be written, or the run is not of this contract and these decisions.
    """
    run_id = make_run_id(_now(), secrets.token_hex(4)) if resume is None else resume
    recorder = Recorder(journal, run_id, clock=_now, contract=contract, record_state=record_state)
    with journal.hold(run_id):
        if resume is None:
            started = _started(contract, names, judge=judge, host=host, gating=gating, record_state=record_state)
            recorder.record("run_started", started)
            yield BatchRecord(recorder, names, None)
            return
        with journal.snapshot() as view:
            yield BatchRecord(recorder, names, _Past(view, run_id, contract, names))


class BatchRecord:
    """Writes down a stream."""

    def __init__(self, recorder: Recorder, names: Sequence[str], past: _Past | None) -> None:
        self.run_id = recorder.run_id
        self._recorder = recorder
        self._ledger = Ledger(time.monotonic)
        self._names = names
        self._past = past
        self._states = 0
        self._failed = False

    def holds(self, index: int) -> bool:
        """Return whether every decision on a state is on record."""
        return self._past is not None and self._past.holds(index)

    def take(self, index: int, prepared: Sequence[Prepared]) -> Mapping[str, DecisionResult]:
        """Return what is on record of a state.

        Raises:
            JournalError: the state is not the one on record.
        """
        assert self._past is not None  # noqa: S101 - `holds` was asked before
        self._states += 1
        return self._past.take(index, prepared)

    def add_one(self, index: int, state: Cells, result: DecisionResult) -> None:
        """Record the only decision on one state, and count its request.

        Raises:
            JournalError: nothing was written.
        """
        if result.reply is not None:
            self._ledger.asked(len(result.reply.readings))
            self._ledger.replied(result.reply)
        self.add(index, state, [WaveResult(result=result)])

    def add(self, index: int, state: Cells, taken: Sequence[WaveResult]) -> None:
        """Record the decisions on one state; `witness` has counted their requests.

        Raises:
            JournalError: nothing was written.
        """
        self._states += 1
        for one in taken:
            self._ledger.decided(one.result)
            self._failed |= one.result.reply is not None and one.result.reply.failure is not None
            plan = Planned(name=_PLAN, wave=index + 1, fused_with=one.fused_with)
            self._recorder.decision(one.result, step=index + 1, plan=plan, cells=state)

    def witness(self, index: int) -> _Clerk:
        """Return who records the requests about one state."""
        return _Clerk(self._recorder, self._ledger, index + 1)

    def end(self) -> None:
        """Record that the stream has ended, unless the judge failed on a state: the run then waits to be resumed."""
        if self._failed:
            return
        body = run_ended_body(
            halt=ALL_DECIDED,
            delivered=False,
            answer=None,
            draft=None,
            degraded=self._ledger.degraded,
            steps=self._states,
            reason=None,
            accounting=self._ledger.total(),
        )
        self._recorder.record("run_ended", body)


class _Clerk:
    """Records the requests that several decisions share; one decision's stands in its own record."""

    def __init__(self, recorder: Recorder, ledger: Ledger, wave: int) -> None:
        self._recorder = recorder
        self._ledger = ledger
        self._wave = wave

    def asked(self, request: Request) -> int:
        """Record a request that is about to be sent."""
        number = self._ledger.asked(len(request.questions))
        if len(request.members) > 1:
            self._recorder.record("judge_request", judge_request_body(request, number=number, wave=self._wave))
        return number

    def replied(self, number: int, request: Request, reply: JudgeReply | None) -> None:
        """Record what came back."""
        self._ledger.replied(reply)
        if len(request.members) > 1:
            self._recorder.record("judge_reply", judge_reply_body(request, reply, number=number))


class _Past:
    """What a run that was cut short holds, read as the stream comes to it."""

    def __init__(self, view: JournalView, run_id: str, contract: Contract, names: Sequence[str]) -> None:
        self._names = names
        _require_same(view, run_id, contract, names)
        self._whole = _whole(view, run_id, names)
        self._rows = view.rows(run_id, ("decision",))
        self._read: dict[int, dict[str, RecordedDecision]] = defaultdict(dict)

    def holds(self, index: int) -> bool:
        return index + 1 in self._whole

    def take(self, index: int, prepared: Sequence[Prepared]) -> Mapping[str, DecisionResult]:
        step = index + 1
        while len(self._read[step]) < len(self._names):
            self._read_next()
        found = self._read.pop(step)
        for one in prepared:
            if found[one.decision.id].result.interchange_digest != one.interchange_digest:
                raise JournalError(
                    f"state {step}: `{one.decision.id}` is asked something else than what is on record; "
                    "resume with the states of the run, or start a new one"
                )
        return {one.decision.id: found[one.decision.id].result for one in prepared}

    def _read_next(self) -> None:
        recorded = read_decision(decode_body(next(self._rows).body))
        reply = recorded.result.reply
        if recorded.step in self._whole and (reply is None or reply.failure is None):
            self._read[recorded.step][recorded.result.decision] = recorded


def _require_same(view: JournalView, run_id: str, contract: Contract, names: Sequence[str]) -> None:
    started = next(read_rows(view.rows(run_id, ("run_started",))), None)
    if started is None:
        raise JournalError(f"journal `{view.place}`: no run `{run_id}`; `interlock runs list` names them")
    if started.body.get("kind") != _KIND:
        raise JournalError(f"run `{run_id}`: is no stream of states; name one that is")
    if text(started.body, "task") != _task(names):
        raise JournalError(f"run `{run_id}`: its task was `{text(started.body, 'task')}`, not `{_task(names)}`")
    if text(started.body, "contract_digest") != contract.digest:
        raise JournalError(f"run `{run_id}`: was taken under another contract; start a new run")
    if next(view.rows(run_id, ("run_ended",)), None) is not None:
        raise JournalError(f"run `{run_id}`: has ended; start a new run")


def _whole(view: JournalView, run_id: str, names: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the states of which every decision is on record, and not as a failure of the judge."""
    bits = {name: 1 << at for at, name in enumerate(names)}
    seen: dict[int, int] = defaultdict(int)
    for row in view.rows(run_id, ("decision",)):
        body = decode_body(row.body)
        reply = value(body, "reply")
        if isinstance(reply, Mapping) and reply["failure"] is not None:
            continue  # asked again
        seen[whole(body, "step")] |= bits.get(text(body, "decision"), 0)
    every = (1 << len(names)) - 1
    return frozenset(step for step, found in seen.items() if found == every)


def _started(
    contract: Contract, names: Sequence[str], *, judge: Judge, host: Host, gating: Gating, record_state: bool
) -> Mapping[str, Json]:
    return {
        "kind": _KIND,
        **run_started_body(
            task=_task(names),
            cwd=str(Path.cwd()),
            contract_digest=contract.digest,
            contract_text=contract.text,
            judge=str(getattr(judge, "id", type(judge).__name__)),
            writer="",
            plan=_PLAN,
            budgets={},
            overrides=contract.overrides,
            modes=gating.modes,
            can_write=False,
            can_delete=False,
            tools={name: tool.base_risk for name, tool in host.tools.items()},
            after=None,
            version=VERSION,
            gaps=gating.gaps,
            record_state=record_state,
        ),
    }


def _task(names: Sequence[str]) -> str:
    return f"decide {', '.join(names)}"


def _now() -> datetime:
    return datetime.now(UTC)
