"""The doors of the reference loop: everything that is fixed before the first event is put together here.

Source: reference loop specification.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TypedDict, Unpack

from interlock.contract.compiled import Contract
from interlock.diagnostics import did_you_mean
from interlock.errors import HostError, UsageError
from interlock.journal.base import Journal
from interlock.journal.bodies import run_started_body
from interlock.journal.chain import Head
from interlock.journal.recording import OnEvent, Recorder
from interlock.journal.records import Record, make_run_id
from interlock.journal.store_memory import MemoryJournal
from interlock.judge.base import Judge
from interlock.loop.accounting import Ledger
from interlock.loop.approval import DEFAULT_TTL, ApprovalTerms, Approver
from interlock.loop.budget import Budgets
from interlock.loop.drive import drive
from interlock.loop.earlier import earlier_tasks
from interlock.loop.events import Begun
from interlock.loop.reference import reference_host, require_loop, shipped_contract
from interlock.loop.result import RunResult
from interlock.loop.setup import Setup
from interlock.loop.state import State
from interlock.loop.step import step
from interlock.loop.version import VERSION
from interlock.loop.writer import Writer
from interlock.pipeline.blocking import run_blocking
from interlock.pipeline.gating import ENFORCE, Gating, require_gating
from interlock.pipeline.host import Host
from interlock.pipeline.plan import PLANS, PlanName
from interlock.questions import Json

__all__ = [
    "DEFAULT_BUDGETS",
    "RunOptions",
    "arun",
    "first_state",
    "make_recorder",
    "result_of",
    "run",
]

DEFAULT_BUDGETS = Budgets()


class RunOptions(TypedDict, total=False):
    """What `arun` and `run` take besides task, judge and writer."""

    host: Host | None
    """Capabilities, functions and tools; None is the reference host on `cwd`."""
    cwd: str | Path
    """The directory that the reference host's tools work in."""
    can_write: bool
    """Offer tools that create files."""
    can_delete: bool
    """Offer tools that remove files."""
    contract: Contract | None
    """Compiled for the host's capabilities; None is the contract that ships with the package."""
    gating: Gating
    """Modes and gap policies by decision."""
    budgets: Budgets
    """What the run may spend."""
    plan: PlanName
    """How far the loop asks ahead: `sequential`, `fused`, `next` or `full`."""
    ask: Approver | None
    """Asks a person before a gated call; None refuses every such call, or lets it wait with `park`."""
    journal: Journal | None
    """Where every event is recorded before what follows from it; None keeps it in memory."""
    record_state: bool
    """Record the raw cells with every decision, so that frames can be built again."""
    after: str | None
    """The run whose turn came before; its task is shown as context."""
    park: bool
    """Let a gated call wait when nobody can answer at once; the run ends as `parked` and can be resumed."""
    approval_ttl: timedelta
    """From the moment an approval is asked for, how long it may be given and used."""
    wired: Mapping[str, Json] | None
    """The settings by which judge and writer were made: recorded, so that the run can be resumed with the same."""
    on_event: OnEvent | None
    """Is told of every record once it is stored."""


async def arun(
    task: str,
    *,
    judge: Judge,
    writer: Writer,
    host: Host | None = None,
    cwd: str | Path = ".",
    can_write: bool = False,
    can_delete: bool = False,
    contract: Contract | None = None,
    gating: Gating = ENFORCE,
    budgets: Budgets = DEFAULT_BUDGETS,
    plan: PlanName = "next",
    ask: Approver | None = None,
    journal: Journal | None = None,
    record_state: bool = False,
    after: str | None = None,
    park: bool = False,
    approval_ttl: timedelta = DEFAULT_TTL,
    wired: Mapping[str, Json] | None = None,
    on_event: OnEvent | None = None,
) -> RunResult:
    """Return what the reference loop came to on `task`, decided by `contract` and recorded in `journal`.

    `writer` writes the answer and the inputs of tools; `RunOptions` says what the other arguments are.

    Raises:
        HostError: host, contract and loop do not fit together, or a mode and the host.
        UsageError: there is no such plan, or `gating` names a decision, mode or policy that does not exist.
        JournalError: the journal cannot be read or written; no effect happens that was not recorded.
        ToolError: `cwd` is not a directory.
    """
    brought = reference_host(cwd) if host is None else host
    compiled = shipped_contract() if contract is None else contract
    require_loop(compiled, brought)
    require_gating(gating, compiled, brought.capabilities)
    if plan not in PLANS:
        raise UsageError(f"run: no plan `{plan}`; {did_you_mean(str(plan), PLANS)}")
    store = MemoryJournal() if journal is None else journal
    records: list[Record] = []
    recorder = make_recorder(store, _new_id(), compiled, records, on_event, record_state=record_state)
    setup = Setup(
        contract=compiled,
        host=brought,
        judge=judge,
        writer=writer,
        gating=gating,
        recorder=recorder,
        ledger=Ledger(time.monotonic),
        plan=plan,
        approver=ask,
        terms=_terms(approval_ttl, park=park),
    )
    state = first_state(
        brought, task=task, cwd=cwd, can_write=can_write, can_delete=can_delete, earlier=_earlier(store, after)
    )
    with store.hold(recorder.run_id):
        recorder.record("run_started", _started(setup, budgets, state, after, wired, record_state=record_state))
        return result_of(setup, await drive(setup, budgets, step(state, Begun())), records)


def run(task: str, *, judge: Judge, writer: Writer, **options: Unpack[RunOptions]) -> RunResult:
    """Return what `arun` returns, from plain code; the arguments are the same.

    Raises:
        HostError: as `arun`, or an event loop is already running in this thread.
    """
    return run_blocking(partial(arun, task, judge=judge, writer=writer, **options), name="run", instead="arun")


def first_state(host: Host, *, task: str, cwd: str | Path, can_write: bool, can_delete: bool, earlier: str) -> State:
    """Return what the loop knows before its first event; `earlier` is the tasks that came before."""
    return State(
        task=task,
        cwd=str(Path(cwd).resolve()),
        tools=host.tools,
        can_write=can_write,
        can_delete=can_delete,
        earlier=earlier,
    )


def _earlier(journal: Journal, after: str | None) -> str:
    return "" if after is None else earlier_tasks(journal, after)


def make_recorder(
    journal: Journal,
    run_id: str,
    contract: Contract,
    records: list[Record],
    on_event: OnEvent | None,
    *,
    record_state: bool,
    last: Head | None = None,
) -> Recorder:
    """Return what writes down the run `run_id`, keeps what it wrote in `records`, and tells the caller's listener."""
    return Recorder(
        journal,
        run_id,
        clock=_now,
        contract=contract,
        record_state=record_state,
        on_event=partial(_heard, records, on_event),
        last=last,
    )


def _new_id() -> str:
    return make_run_id(_now(), secrets.token_hex(4))


def _now() -> datetime:
    return datetime.now(UTC)


def _heard(records: list[Record], on_event: OnEvent | None, record: Record) -> None:
    records.append(record)
    if on_event is not None:
        on_event(record)


def _terms(ttl: timedelta, *, park: bool) -> ApprovalTerms:
    if ttl <= timedelta():
        raise HostError("approval_ttl: is not above 0; an approval must hold for a while")
    return ApprovalTerms(ttl=ttl, park=park)


def _started(
    setup: Setup,
    budgets: Budgets,
    state: State,
    after: str | None,
    wired: Mapping[str, Json] | None,
    *,
    record_state: bool,
) -> Mapping[str, Json]:
    contract = setup.contract
    return run_started_body(
        task=state.task,
        cwd=state.cwd,
        contract_digest=contract.digest,
        contract_text=contract.text,
        judge=str(getattr(setup.judge, "id", type(setup.judge).__name__)),
        writer=setup.writer.id,
        plan=setup.plan,
        budgets=asdict(budgets),
        overrides=contract.overrides,
        modes=setup.gating.modes,
        can_write=state.can_write,
        can_delete=state.can_delete,
        tools={name: tool.base_risk for name, tool in setup.host.tools.items()},
        after=after,
        version=VERSION,
        gaps=setup.gating.gaps,
        record_state=record_state,
        park=setup.terms.park,
        approval_ttl_s=setup.terms.ttl.total_seconds(),
        wired=wired,
    )


def result_of(setup: Setup, state: State, records: list[Record]) -> RunResult:
    """Return what a run came to; `records` are those that this process wrote."""
    run_id, head = setup.recorder.run_id, setup.recorder.journal.head(setup.recorder.run_id)
    assert head is not None  # noqa: S101 - it has a first record
    return RunResult(
        run_id=run_id,
        head=head.hash,
        halt=state.halt_name,
        delivered=state.delivered,
        answer=state.draft if state.delivered else None,
        draft=state.draft,
        reason=state.explanation,
        failed=state.failed,
        degraded=setup.ledger.degraded,
        waits_for=state.waits_for,
        steps=state.finished,
        accounting=setup.ledger.total(),
        contract_digest=setup.contract.digest,
        records=tuple(records),
    )
