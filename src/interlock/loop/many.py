"""A stream of states through one decision, or through every decision of a contract.

Source: reference loop specification, the planner; journal specification.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TypeAlias, TypedDict, Unpack

from anyio.from_thread import start_blocking_portal

from interlock.contract.compiled import Contract
from interlock.diagnostics import did_you_mean
from interlock.errors import HostError
from interlock.journal.base import Journal
from interlock.judge.base import Judge
from interlock.loop.many_record import BatchRecord, open_batch
from interlock.pipeline.conclude import conclude
from interlock.pipeline.decide import ask, decide_wave
from interlock.pipeline.gating import ENFORCE, Gating, require_gating
from interlock.pipeline.host import Cells, Host
from interlock.pipeline.plan import plan_contract
from interlock.pipeline.prepare import Prepared, prepare
from interlock.pipeline.result import DecisionResult
from interlock.pipeline.stream import Done, each
from interlock.policy.degraded import CallFacts

__all__ = ["MOST_AT_ONCE", "CallFactsOf", "ManyOptions", "ManyResult", "adecide_many", "decide_many"]

CallFactsOf: TypeAlias = Callable[[Cells], CallFacts | None]
"""What is known of the call that a state is about; None when it is about none."""

CONCURRENCY = 16
MOST_AT_ONCE = 1024
_AT_ONCE = 256
"""The most results handed over at once to plain code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManyResult:
    """One state of a stream, decided."""

    index: int
    """From 0, in the order of the stream."""
    results: Mapping[str, DecisionResult]
    """By decision, in the order of the contract."""
    recorded: bool
    """True when it was decided before, and is taken from the journal."""

    @property
    def failed(self) -> bool:
        """True when the judge failed on one of the decisions, not only on a question."""
        return any(result.reply is not None and result.reply.failure is not None for result in self.results.values())


class ManyOptions(TypedDict, total=False):
    """What `adecide_many` and `decide_many` take besides contract, decision, states, judge and host."""

    gating: Gating
    """Modes and gap policies by decision."""
    call_facts: CallFactsOf | None
    """What the tool table says of the call in a state; without it no degraded answer may let a call run."""
    concurrency: int
    """States under way at once."""
    ordered: bool
    """True: in the order of the stream; False: as they come."""
    journal: Journal | None
    """Where every decision is recorded, as one run; None records nothing."""
    resume: str | None
    """A run in `journal` that was cut short: what it holds is not asked again."""
    record_state: bool
    """Record the raw cells with every decision."""


async def adecide_many(
    contract: Contract,
    decision: str | None,
    states: Iterable[Cells] | AsyncIterable[Cells],
    judge: Judge,
    *,
    host: Host,
    gating: Gating = ENFORCE,
    call_facts: CallFactsOf | None = None,
    concurrency: int = CONCURRENCY,
    ordered: bool = True,
    journal: Journal | None = None,
    resume: str | None = None,
    record_state: bool = False,
) -> AsyncGenerator[ManyResult, None]:
    """Yield every state of `states` decided; `decision` None takes every decision of the contract, fused where allowed.

    States are taken as there is room, so a stream of any length takes the same memory. Close the iterator to stop
    early: what is under way is cancelled, and the run can be resumed. A run in which the judge failed on a state can be
    resumed too; that state is asked again.

    Raises:
        HostError, SettingsError, FrameError: as `adecide`, of any state.
        JournalError: the journal cannot be written, or the run to resume is not of this contract and these states.
        ValueError: `concurrency` is below 1 or above 1,024, or `resume` is given without a journal.
    """
    if not 1 <= concurrency <= MOST_AT_ONCE:
        raise ValueError(f"decide_many: `concurrency` is {concurrency}; write a number from 1 to {MOST_AT_ONCE:,}")
    if resume is not None and journal is None:
        raise ValueError("decide_many: `resume` needs the journal of the run")
    require_gating(gating, contract, host.capabilities)
    names = tuple(contract.decisions) if decision is None else (_known(contract, decision),)
    work = _Work(contract, names, judge, host=host, gating=gating, call_facts=call_facts)
    if journal is None:
        async with aclosing(each(states, work.decide, concurrency=concurrency, ordered=ordered)) as stream:
            async for done in stream:
                yield _result(done)
        return
    opened = open_batch(
        journal,
        contract,
        names,
        judge=judge,
        host=host,
        gating=gating,
        resume=resume,
        record_state=record_state,
    )
    with opened as record:
        work.record = record
        async with aclosing(each(states, work.decide, concurrency=concurrency, ordered=ordered)) as stream:
            async for done in stream:
                yield _result(done)
        record.end()


def decide_many(
    contract: Contract,
    decision: str | None,
    states: Iterable[Cells],
    judge: Judge,
    *,
    host: Host,
    **options: Unpack[ManyOptions],
) -> Generator[ManyResult, None, None]:
    """Yield what `adecide_many` yields, in plain code; the arguments are the same.

    The states are taken in another thread.
    """
    with start_blocking_portal() as portal:
        source = _Source(adecide_many(contract, decision, states, judge, host=host, **options))
        try:
            while taken := portal.call(source.take):
                yield from taken
        finally:
            portal.call(source.close)


class _Source:
    """Hands over what is there at once, so that plain code waits seldom."""

    def __init__(self, stream: AsyncGenerator[ManyResult, None]) -> None:
        self._stream = stream
        self._ready: asyncio.Queue[ManyResult | BaseException | None] = asyncio.Queue(maxsize=_AT_ONCE)
        self._pump: asyncio.Task[None] | None = None

    async def take(self) -> Sequence[ManyResult]:
        """Return the next results; none at the end."""
        if self._pump is None:
            self._pump = asyncio.create_task(self._fill())
        taken: list[ManyResult] = []
        while not taken or not self._ready.empty():
            got = await self._ready.get()
            if isinstance(got, ManyResult):
                taken.append(got)
            elif taken:
                self._ready.put_nowait(got)
                break
            elif got is None:
                break
            else:
                raise got
        return taken

    async def close(self) -> None:
        """Stop what is under way."""
        if self._pump is not None:
            self._pump.cancel()
            await asyncio.wait([self._pump])

    async def _fill(self) -> None:
        try:
            async with aclosing(self._stream) as stream:
                async for result in stream:
                    await self._ready.put(result)
        except Exception as problem:  # noqa: BLE001 - raised again where the results are taken
            await self._ready.put(problem)
        else:
            await self._ready.put(None)


class _Work:
    """Decides one state."""

    def __init__(
        self,
        contract: Contract,
        names: Sequence[str],
        judge: Judge,
        *,
        host: Host,
        gating: Gating,
        call_facts: CallFactsOf | None,
    ) -> None:
        self.record: BatchRecord | None = None
        self._contract = contract
        self._names = names
        self._judge = judge
        self._host = host
        self._gating = gating
        self._call_facts = call_facts
        self._plan = plan_contract(contract, judge.caps, name="fused")

    async def decide(self, index: int, state: Cells) -> tuple[Mapping[str, DecisionResult], bool]:
        """Return the decisions on one state, and whether they were on record."""
        call = None if self._call_facts is None else self._call_facts(state)
        if self.record is not None and self.record.holds(index):
            prepared = [self._prepare(name, state, call) for name in self._names]
            return self.record.take(index, prepared), True
        if len(self._names) == 1:
            return {self._names[0]: await self._one(index, state, call)}, False
        return await self._all(index, state, call), False

    async def _one(self, index: int, state: Cells, call: CallFacts | None) -> DecisionResult:
        began = time.perf_counter()
        prepared = self._prepare(self._names[0], state, call)
        reply = await ask(prepared, self._judge)
        result = conclude(prepared, reply, elapsed_s=time.perf_counter() - began)
        if self.record is not None:
            self.record.add_one(index, state, result)
        return result

    async def _all(self, index: int, state: Cells, call: CallFacts | None) -> Mapping[str, DecisionResult]:
        witness = None if self.record is None else self.record.witness(index)
        wave = await decide_wave(
            self._contract,
            self._names,
            state,
            self._judge,
            host=self._host,
            gating=self._gating,
            call_facts=call,
            plan=self._plan,
            witness=witness,
        )
        if self.record is not None:
            self.record.add(index, state, list(wave.values()))
        return {name: one.result for name, one in wave.items()}

    def _prepare(self, name: str, state: Cells, call: CallFacts | None) -> Prepared:
        return prepare(
            self._contract,
            name,
            state,
            host=self._host,
            caps=self._judge.caps,
            gating=self._gating,
            call_facts=call,
        )


def _known(contract: Contract, decision: str) -> str:
    if decision not in contract.decisions:
        raise HostError(f"contract: no decision `{decision}`; {did_you_mean(decision, list(contract.decisions))}")
    return decision


def _result(done: Done[tuple[Mapping[str, DecisionResult], bool]]) -> ManyResult:
    results, recorded = done.result
    return ManyResult(index=done.index, results=results, recorded=recorded)
