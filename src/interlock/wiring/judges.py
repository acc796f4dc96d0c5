"""Ids of judges → the judges, with everything that stands between a question and a server.

Source: backends specification, sections 6 and 9.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from interlock.judge.base import Judge
from interlock.judge.combinators import (
    Cache,
    Deadline,
    Fallback,
    Limit,
    Limits,
    Locked,
    MemoryStore,
    OrderBalanced,
    SingleCandidate,
)
from interlock.judge.combinators.cache import Store
from interlock.judge.human import AskPerson
from interlock.judge.locks import Locks, is_moving
from interlock.judge.options import DEFAULTS, MEMORY, OFF, JudgeOptions
from interlock.judge.readings import Identity
from interlock.tools.base import ToolTable
from interlock.wiring.ids import Id, chain_of
from interlock.wiring.legs import identity_of, leg
from interlock.wiring.loading import load
from interlock.wiring.locking import locks_of, refuse_moving
from interlock.wiring.names import CODE_JUDGES

__all__ = ["make_judge"]

_SQLITE = "interlock.judge.cache_sqlite:SqliteStore"
_RECORDING = "interlock.judge.recording:Recording"
_LINE_FILE = "interlock.judge.line_file:LineFile"
_PERSON = "human"


def make_judge(
    id_: str,
    *,
    environ: Mapping[str, str],
    tools: ToolTable,
    options: JudgeOptions = DEFAULTS,
    ask: AskPerson | None = None,
) -> Judge:
    """Return the judge of an id; of several ids, separated by commas, each answers what those before could not.

    `ask` puts the questions of `human` to a person; None: to whoever sits at the terminal. A judge may hold
    connections and files: close it with `interlock.models.closing.close`.

    Raises:
        SettingsError: an id is unknown or incomplete, or something it needs is missing.
    """
    ids = chain_of(id_)
    locks = locks_of(options)
    legs = [_locked(leg(each, environ, tools, options, ask), each, locks) for each in ids]
    if len(legs) == 1 and ids[0].provider in CODE_JUDGES and _is_plain(options):
        return legs[0]
    identities = [_read_in_orders(identity_of(each, environ, options), ids, options) for each in ids]
    refuse_moving(identities, locks)
    chain = _with_person if _PERSON in _providers(ids) else _in_time
    identity = identities[0]
    judge = _kept(_held_back(chain(ids, legs, identities, options, locks), options), ids, identity, options)
    if options.record is not None:
        file = load(_LINE_FILE)(Path(options.record), wall=time.time)
        judge = cast("Judge", load(_RECORDING)(judge, write=file))
    return SingleCandidate(judge, identity=replace(identity, judge=", ".join(each.text for each in ids)))


def _is_plain(options: JudgeOptions) -> bool:
    return options.record is None and not _limits(options).given


def _limits(options: JudgeOptions) -> Limits:
    return Limits(
        max_in_flight=options.max_in_flight,
        requests_per_minute=options.requests_per_minute,
        tokens_per_minute=options.tokens_per_minute,
    )


def _held_back(judge: Judge, options: JudgeOptions) -> Judge:
    """Return the judge within its limits; waiting for them is not part of its budget."""
    limits = _limits(options)
    return Limit(judge, limits=limits, now=time.monotonic, sleep=asyncio.sleep) if limits.given else judge


def _providers(ids: Sequence[Id]) -> list[str]:
    return [each.provider for each in ids]


def _in_orders(ids: Sequence[Id], options: JudgeOptions) -> bool:
    """Tell whether choices are asked in several orders: of a server or a model, never of code or a person alone."""
    return options.order != "as_given" and not set(_providers(ids)) <= set(CODE_JUDGES)


def _read_in_orders(identity: Identity, ids: Sequence[Id], options: JudgeOptions) -> Identity:
    """Return the identity with the orders as part of how answers are read."""
    if not _in_orders(ids, options):
        return identity
    read = [part for part in (identity.readout, options.order) if part is not None]
    return replace(identity, readout="+".join(read))


def _locked(judge: Judge, id_: Id, locks: Locks) -> Judge:
    """Return the judge marking what its thresholds were not tried with; code and people have no model to move."""
    return judge if not locks.locks or id_.provider in CODE_JUDGES else Locked(judge, locks=locks)


def _in_time(
    ids: Sequence[Id], legs: Sequence[Judge], identities: Sequence[Identity], options: JudgeOptions, locks: Locks
) -> Judge:
    """Return the chain, its orders within one budget."""
    now, identity = time.monotonic, identities[0]
    refusals = options.refusals == "pass-on"
    chain = legs[0] if len(legs) == 1 else Fallback(legs, now=now, refusals=refusals, locks=locks)
    if _in_orders(ids, options):
        chain = OrderBalanced(chain, identity=identity, mode=options.order, now=now)
    return Deadline(chain, identity=identity, budget_s=options.timeout_s, now=now)


def _with_person(
    ids: Sequence[Id], legs: Sequence[Judge], identities: Sequence[Identity], options: JudgeOptions, locks: Locks
) -> Judge:
    """Return the chain with a budget and orders for each judge but the person, who is asked once and not hurried."""
    each = [
        judge if id_.provider == _PERSON else _in_time((id_,), (judge,), (identity,), options, locks)
        for id_, judge, identity in zip(ids, legs, identities, strict=True)
    ]
    if len(each) == 1:
        return each[0]
    return Fallback(each, now=time.monotonic, refusals=options.refusals == "pass-on", locks=locks)


def _kept(judge: Judge, ids: Sequence[Id], identity: Identity, options: JudgeOptions) -> Judge:
    """Return the judge with its answers kept; a script, a recording and the like answer anew each time."""
    if options.cache == OFF or ids[0].provider in CODE_JUDGES:
        return judge
    in_memory = options.cache == MEMORY or is_moving(identity.model)
    store = MemoryStore() if in_memory else cast("Store", load(_SQLITE)(Path(options.cache)))
    return Cache(judge, identity=identity, store=store)
