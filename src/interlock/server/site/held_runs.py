"""Runs held ready to be decided again: read once, kept while their heads stay, and bounded."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice

from interlock.contract.compile import compile_contract
from interlock.contract.compiled import Contract
from interlock.errors import ContractError, InterlockError, JournalError
from interlock.journal.base import JournalView
from interlock.journal.basis import Bases
from interlock.journal.records import read_rows
from interlock.journal.replay import REPLAYED
from interlock.journal.replay_held import Held, HeldRun, hold_run
from interlock.journal.summary import find_run, kept_runs
from interlock.loop.capabilities import REFERENCE
from interlock.server.site.desk import Desk, reading
from interlock.server.site.start import contract_text

__all__ = ["MAX_DECISIONS", "Chosen", "HeldRuns"]

MAX_DECISIONS = 10_000
"""As many decisions are decided again at once, of the newest runs; a run that is not longer is taken whole."""
_MAX_RUNS = 1_000
_KEPT_DECISIONS = 20_000
_KEPT_CHOICES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The runs that somebody chose, held ready."""

    held: Held
    """Runs without a decision are left out."""
    left: tuple[str, ...]
    """Older runs that were not read, since the bound was reached."""
    damaged: tuple[str, ...]
    """Runs that cannot be read, or whose records do not say what they should."""
    cut: tuple[str, ...]
    """Runs of more decisions than the bound, of which only the first ones were read."""
    contract: Contract | None
    """What all are decided under; None: each under its own."""


class HeldRuns:
    """Reads runs, and keeps what was asked for last."""

    def __init__(self, desk: Desk, *, most: int = MAX_DECISIONS) -> None:
        """Take the desk, and how many decisions are decided again at once at most."""
        self._desk = desk
        self._most = most
        self._lock = threading.Lock()
        self._runs: OrderedDict[tuple[str, ...], HeldRun | None] = OrderedDict()
        """Run, head and contract → the run; None for one that cannot be read."""
        self._choices: OrderedDict[tuple[tuple[str, ...], ...], Held] = OrderedDict()

    def choose(self, named: Sequence[str], contract: str) -> Chosen:
        """Return the runs that `named` means, or all; `contract` is one that the desk offers, or empty for their own.

        Raises:
            JournalError: a run is not known, or the journal cannot be read.
            InterlockError: the contract is not offered, or does not compile.
        """
        compiled = self._contract(contract)
        with self._lock, reading(self._desk) as view:
            meant = {find_run(view, name) for name in named}
            runs = [run_id for run_id in kept_runs(view) if not named or run_id in meant]
            return self._chosen(view, runs, compiled)

    def _contract(self, name: str) -> Contract | None:
        if not name:
            return None
        if name not in self._desk.contracts:
            raise InterlockError(
                f"contract: this server does not offer `{name}`; it offers {', '.join(self._desk.contracts)}"
            )
        return compile_contract(contract_text(self._desk, name), REFERENCE)

    def _chosen(self, view: JournalView, runs: Sequence[str], contract: Contract | None) -> Chosen:
        bases = Bases(REFERENCE, contract=contract, gates={})
        under = "" if contract is None else sha256(contract.text.encode()).hexdigest()
        taken: dict[tuple[str, ...], HeldRun] = {}
        damaged, decisions, read = [], 0, 0
        heads = view.heads()
        for run_id in reversed(runs):
            if decisions >= self._most or read >= _MAX_RUNS:
                break
            read += 1
            head = heads.get(run_id)
            key = (run_id, "" if head is None else head.hash, under)
            found = self._run(view, key, bases)
            if found is None:
                damaged.append(run_id)
            elif found.items:
                taken[key] = found
                decisions += len(found.items)
        return Chosen(
            held=self._held(taken),
            left=tuple(runs[: len(runs) - read]),
            damaged=tuple(damaged),
            cut=tuple(each.run_id for each in taken.values() if self._is_cut(view, each)),
            contract=contract,
        )

    def _run(self, view: JournalView, key: tuple[str, ...], bases: Bases) -> HeldRun | None:
        if key in self._runs:
            self._runs.move_to_end(key)
            return self._runs[key]
        try:
            records = islice(read_rows(view.rows(key[0], REPLAYED)), self._most + 1)
            found = hold_run(key[0], records, bases)
        except (JournalError, ContractError):
            found = None
        self._runs[key] = found
        kept = sum(map(_size, self._runs.values()))
        while kept > _KEPT_DECISIONS and len(self._runs) > 1:
            kept -= _size(self._runs.popitem(last=False)[1])
        return found

    def _is_cut(self, view: JournalView, run: HeldRun) -> bool:
        return len(run.items) >= self._most and view.count(run.run_id, "decision") > len(run.items)

    def _held(self, taken: dict[tuple[str, ...], HeldRun]) -> Held:
        key = tuple(taken)
        if key not in self._choices:
            self._choices[key] = Held(tuple(reversed(taken.values())), REFERENCE)
            while len(self._choices) > _KEPT_CHOICES:
                self._choices.popitem(last=False)
        self._choices.move_to_end(key)
        return self._choices[key]


def _size(run: HeldRun | None) -> int:
    return 1 if run is None else len(run.items) + 1
