"""The doors through which an interrupted or parked run goes on, from its records alone.

Source: journal and safety specification, resume.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TypedDict, Unpack

from interlock.errors import JournalError
from interlock.journal.approval_checks import require_intact
from interlock.journal.approvals import Approval, own_approval
from interlock.journal.base import Journal, JournalView
from interlock.journal.chain import Head
from interlock.journal.fields import text
from interlock.journal.recording import OnEvent
from interlock.journal.records import Record, read_rows
from interlock.judge.base import Judge
from interlock.loop.accounting import Ledger
from interlock.loop.approval import Approver
from interlock.loop.drive import drive
from interlock.loop.earlier import earlier_tasks
from interlock.loop.reference import reference_host, require_loop
from interlock.loop.result import RunResult
from interlock.loop.resume_carried import carry
from interlock.loop.resume_flight import InFlight, settle
from interlock.loop.resume_fold import Folded, fold
from interlock.loop.resume_read import Started, contract_of, read_started, require_same_tools
from interlock.loop.run import first_state, make_recorder, result_of
from interlock.loop.setup import Setup, TakenUp
from interlock.loop.state import State
from interlock.loop.writer import Writer
from interlock.pipeline.blocking import run_blocking
from interlock.pipeline.host import Host

__all__ = ["ResumeOptions", "aresume", "resume"]


class ResumeOptions(TypedDict, total=False):
    """What `aresume` and `resume` take besides run, journal, judge and writer."""

    host: Host | None
    """The host that the run had; None is the reference host on the run's directory."""
    ask: Approver | None
    """Asks a person before a gated call; what was asked and answered is not asked again."""
    in_flight: InFlight | None
    """What to do with a call of which neither the world nor the tool tells whether it happened; None: the run waits."""
    on_event: OnEvent | None
    """Is told of every record that is added, once it is stored."""


async def aresume(
    run_id: str,
    *,
    journal: Journal,
    judge: Judge,
    writer: Writer,
    host: Host | None = None,
    ask: Approver | None = None,
    in_flight: InFlight | None = None,
    on_event: OnEvent | None = None,
) -> RunResult:
    """Return what an interrupted or parked run comes to; it goes on at the next step, as it was started.

    Contract, budgets, modes and flags are those of its first record. Nothing that was decided is decided again.

    Raises:
        ApprovalError: its chain of records does not hold.
        HostError: the host, its tools or the contract are not those of the run.
        JournalError: there is no such run, it has ended, another process works on it, or it cannot be recorded.
        ToolError: its directory is no longer there.
    """
    with journal.hold(run_id):
        with journal.snapshot() as view:
            records = _records(view, run_id)
            run = read_started(records[0])
            brought = reference_host(run.cwd) if host is None else host
            contract = contract_of(run, brought.capabilities)
            require_loop(contract, brought)
            require_same_tools(run, brought)
            folded = fold(_first(run, brought, journal), records[1:])
            approval = _approval(view, run_id, folded)
        added: list[Record] = []
        setup = Setup(
            contract=contract,
            host=brought,
            judge=judge,
            writer=writer,
            gating=run.gating,
            recorder=make_recorder(
                journal, run_id, contract, added, on_event, record_state=run.record_state, last=_head(records)
            ),
            ledger=_ledger(records),
            approver=ask,
            terms=run.terms,
            plan=run.plan,
            taken_up=TakenUp(graded=folded.graded, approval=approval),
        )
        following = folded.following
        if folded.in_flight is not None:
            following = await settle(setup, following, folded.in_flight, in_flight)
        return result_of(setup, await drive(setup, run.budgets, following), added)


def resume(
    run_id: str, *, journal: Journal, judge: Judge, writer: Writer, **options: Unpack[ResumeOptions]
) -> RunResult:
    """Return what `aresume` returns, from plain code; the arguments are the same.

    Raises:
        HostError: as `aresume`, or an event loop is already running in this thread.
    """
    work = partial(aresume, run_id, journal=journal, judge=judge, writer=writer, **options)
    return run_blocking(work, name="resume", instead="aresume")


def _records(view: JournalView, run_id: str) -> Sequence[Record]:
    """Return the records of a run that can go on."""
    if run_id not in view.run_ids():
        raise JournalError(f"journal `{view.place}`: no run `{run_id}`; `interlock runs list` names them")
    require_intact(view, run_id)
    records = tuple(read_rows(view.rows(run_id)))
    if records[0].type != "run_started" or "kind" in records[0].body:
        raise JournalError(f"run `{run_id}`: does not begin with how it was started; it is not one of the loop")
    ended = next((record for record in records if record.type == "run_ended"), None)
    if ended is not None:
        raise JournalError(f"run `{run_id}`: has ended with `{text(ended.body, 'halt')}`; start a new run")
    return records


def _first(run: Started, host: Host, journal: Journal) -> State:
    return first_state(
        host,
        task=run.task,
        cwd=Path(run.cwd),
        can_write=run.can_write,
        can_delete=run.can_delete,
        earlier="" if run.after is None else earlier_tasks(journal, run.after),
    )


def _approval(view: JournalView, run_id: str, folded: Folded) -> Approval | None:
    return None if folded.approval is None else own_approval(view, run_id, folded.approval)


def _head(records: Sequence[Record]) -> Head:
    return Head(seq=records[-1].seq, hash=records[-1].hash)


def _ledger(records: Sequence[Record]) -> Ledger:
    ledger = Ledger(time.monotonic)
    carry(ledger, records)
    return ledger
