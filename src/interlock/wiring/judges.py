"""Ids of judges → the judges, with everything that stands between a question and a server.

Source: backends specification, sections 6 and 9.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from interlock.judge.base import Judge
from interlock.judge.combinators import (
    Cache,
    Deadline,
    Fallback,
    Limit,
    Limits,
    MemoryStore,
    OrderBalanced,
    SingleCandidate,
)
from interlock.judge.combinators.cache import Store
from interlock.judge.options import DEFAULTS, MEMORY, OFF, JudgeOptions
from interlock.judge.readings import Identity
from interlock.tools.base import ToolTable
from interlock.wiring.ids import Id, chain_of
from interlock.wiring.legs import identity_of, leg
from interlock.wiring.loading import load
from interlock.wiring.names import CODE_JUDGES

__all__ = ["make_judge"]

_SQLITE = "interlock.judge.cache_sqlite:SqliteStore"
_RECORDING = "interlock.judge.recording:Recording"
_LINE_FILE = "interlock.judge.line_file:LineFile"
_MOVING = ("-latest", "-preview")
"""How the names of models end that are replaced without notice."""


def make_judge(id_: str, *, environ: Mapping[str, str], tools: ToolTable, options: JudgeOptions = DEFAULTS) -> Judge:
    """Return the judge of an id; of several ids, separated by commas, each answers what those before could not.

    It may hold connections and files: close it with `interlock.models.closing.close`.

    Raises:
        SettingsError: an id is unknown or incomplete, or something it needs is missing.
    """
    ids = chain_of(id_)
    legs = [leg(each, environ, tools, options) for each in ids]
    if len(legs) == 1 and ids[0].provider in CODE_JUDGES and _is_plain(options):
        return legs[0]
    identity = identity_of(ids[0], environ, options)
    if options.order != "as_given":
        read = [part for part in (identity.readout, options.order) if part is not None]
        identity = Identity(judge=identity.judge, model=identity.model, wire=identity.wire, readout="+".join(read))
    judge = _kept(_held_back(_in_time(ids, legs, identity, options), options), ids, identity, options)
    if options.record is not None:
        file = load(_LINE_FILE)(Path(options.record), wall=time.time)
        judge = cast("Judge", load(_RECORDING)(judge, write=file))
    return SingleCandidate(judge, identity=identity)


def _is_plain(options: JudgeOptions) -> bool:
    return options.order == "as_given" and options.record is None and not _limits(options).given


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


def _in_time(ids: tuple[Id, ...], legs: list[Judge], identity: Identity, options: JudgeOptions) -> Judge:
    """Return the chain within its budget; a person among the judges is not hurried, the others are."""
    now, budget_s = time.monotonic, options.timeout_s
    hurried = all(each.provider != "human" for each in ids)
    if not hurried:
        legs = [
            judge
            if each.provider in CODE_JUDGES
            else Deadline(judge, identity=Identity(judge=each.text, model=each.text), budget_s=budget_s, now=now)
            for each, judge in zip(ids, legs, strict=True)
        ]
    chain = legs[0] if len(legs) == 1 else Fallback(legs, now=now, refusals=options.refusals == "pass-on")
    if options.order != "as_given":
        chain = OrderBalanced(chain, identity=identity, mode=options.order, now=now)
    return Deadline(chain, identity=identity, budget_s=budget_s, now=now) if hurried else chain


def _kept(judge: Judge, ids: tuple[Id, ...], identity: Identity, options: JudgeOptions) -> Judge:
    """Return the judge with its answers kept; a script, a recording and the like answer anew each time."""
    if options.cache == OFF or ids[0].provider in CODE_JUDGES:
        return judge
    moves = identity.model.startswith("~") or identity.model.endswith(_MOVING)
    in_memory = options.cache == MEMORY or moves
    store = MemoryStore() if in_memory else cast("Store", load(_SQLITE)(Path(options.cache)))
    return Cache(judge, identity=identity, store=store)
