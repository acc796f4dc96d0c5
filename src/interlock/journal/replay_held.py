"""Recorded decisions held ready, so that they can be decided again under other thresholds without being read again.

Pure over records. What does not depend on a threshold is found once; after that only the decisions whose thresholds
moved are decided. What comes out is what `redecide` yields for the same records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeAlias

from interlock.contract.capabilities import Capabilities
from interlock.contract.compile import compile_contract
from interlock.contract.compiled import Contract, Decision
from interlock.journal.basis import Bases
from interlock.journal.records import Body, Record
from interlock.journal.replay import CHANGES, Comparisons, Pending, Redecided, pend, resettle
from interlock.journal.replay_read import read_recorded
from interlock.policy.overrides import override_keys
from interlock.policy.predicates import Measure, measure
from interlock.policy.rules import Rule

__all__ = ["Held", "HeldRun", "Threshold", "hold_run"]

_Group: TypeAlias = tuple[str, str]
"""Digest of a contract, and a decision of it."""
_REMEMBERED = 4
"""How many settings of one decision's thresholds are kept with what they came to."""
_NOTHING: Body = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldRun:
    """The decisions of one run, by number."""

    run_id: str
    contract: Contract | None
    """What it is decided again under; None when it holds none that compiles here and none was named."""
    items: tuple[Pending | Redecided, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """One threshold that can be moved, over all contracts that have it."""

    key: str
    decision: Decision
    """As the newest run has it."""
    rule: Rule
    recorded: tuple[float, ...]
    """What it is where nothing is moved, that of the newest run first."""
    runs: int
    """How many runs have it."""
    values: tuple[float, ...]
    """What was compared with it, over all records that can be decided again."""


def hold_run(run_id: str, records: Iterable[Record], bases: Bases) -> HeldRun:
    """Return a run held ready; `bases` sets no thresholds, and `records` are as for `redecide`.

    Raises:
        JournalError: a record cannot be read.
        ContractError: a contract does not compile.
    """
    comparisons, basis, items = Comparisons(), None, []
    for record in records:
        if basis is None:
            basis = bases.of_run(record)
        if record.type == "decision":
            items.append(_slim(pend(read_recorded(record), basis, comparisons)))
    return HeldRun(run_id=run_id, contract=None if basis is None else basis.new, items=tuple(items))


class Held:
    """Runs held ready, in the order in which they are told."""

    def __init__(self, runs: Sequence[HeldRun], capabilities: Capabilities) -> None:
        self.runs = runs
        self.decisions = sum(len(run.items) for run in runs)
        self._capabilities = capabilities
        self._contracts = {run.contract.digest: run.contract for run in reversed(runs) if run.contract is not None}
        """Digest → contract, that of the newest run first."""
        self._groups = _grouped(runs)
        self._places = {
            (pending.recorded.run_id, pending.recorded.seq): (digest, pending)
            for (digest, _), members in self._groups.items()
            for _, pending in members
        }
        self._moved_last: tuple[tuple[tuple[str, float], ...], Mapping[str, Contract]] | None = None
        self._known: dict[_Group, dict[tuple[float | None, ...], tuple[Redecided, ...]]] = {}
        self.thresholds = tuple(self._thresholds())
        self.keys = {key: name for contract in self.contracts for key, name in _named(contract).items()}
        """Every key of a threshold → that of `thresholds` which means the same."""

    @property
    def contracts(self) -> tuple[Contract, ...]:
        """The contracts that decide, that of the newest run first."""
        return tuple(self._contracts.values())

    def decide(self, gates: Mapping[str, float]) -> Iterator[Redecided]:
        """Yield every decision under `gates`; a contract that does not have a threshold is left as it is.

        Raises:
            SettingsError: no contract has the threshold.
            ContractError: a contract does not compile with the thresholds that are set.
        """
        found: list[Redecided | None] = [
            item if isinstance(item, Redecided) else None for run in self.runs for item in run.items
        ]
        contracts = self._at(gates)
        for (digest, name), members in self._groups.items():
            again = self._again((digest, name), contracts[digest].decisions[name])
            for (at, _), item in zip(members, again, strict=True):
                found[at] = item
        return _in_order(item for item in found if item is not None)

    def closest(self, item: Redecided, gates: Mapping[str, float]) -> float | None:
        """Return the number that was compared, of several the one closest to its threshold; None where none was."""
        if item.outcome is None or item.outcome.value is not None or (item.run_id, item.seq) not in self._places:
            return None if item.outcome is None else item.outcome.value
        digest, pending = self._places[item.run_id, item.seq]
        rules = self._at(gates)[digest].decisions[item.decision].policy.rules
        found = [each for each in (_measured(rule, pending) for rule in rules) if each is not None]
        pairs = [(each.distance, each.value) for each in found if each.distance is not None and each.value is not None]
        return min(pairs)[1] if pairs else None

    def lacking(self, gates: Mapping[str, float]) -> tuple[str, ...]:
        """Return the runs of which a contract lacks one of the thresholds."""
        short = {digest for digest, contract in self._contracts.items() if not gates.keys() <= _places(contract).keys()}
        return tuple(run.run_id for run in self.runs if run.contract is None or run.contract.digest in short)

    def _at(self, gates: Mapping[str, float]) -> Mapping[str, Contract]:
        """Return digest → contract with the thresholds that are set."""
        key, known = tuple(gates.items()), self._moved_last
        if known is None or known[0] != key:
            known = (key, {digest: self._moved(contract, gates) for digest, contract in self._contracts.items()})
            self._moved_last = known
        return known[1]

    def _moved(self, contract: Contract, gates: Mapping[str, float]) -> Contract:
        places = _places(contract)
        own = {key: gates[key] for key in gates if key in places or key not in self.keys}
        if not own:
            return contract
        earlier = {key: value for key, value in contract.overrides.items() if key not in own}
        return compile_contract(contract.text, self._capabilities, overrides={**earlier, **own})

    def _again(self, group: _Group, new: Decision) -> tuple[Redecided, ...]:
        kept = self._known.setdefault(group, {})
        wanted = tuple(rule.predicate.threshold for rule in new.policy.rules)
        found = kept.get(wanted)
        if found is None:
            found = tuple(resettle(pending, new) for _, pending in self._groups[group])
            while len(kept) >= _REMEMBERED:
                kept.pop(next(iter(kept)), None)
            kept[wanted] = found
        return found

    def _thresholds(self) -> Iterator[Threshold]:
        keys = dict.fromkeys(key for contract in self.contracts for key in _named(contract).values())
        for key in keys:
            owners = dict(self._owners(key))
            newest = next(iter(owners))
            name, rule = owners[newest]
            recorded = [rule.predicate.threshold for _, rule in owners.values()]
            yield Threshold(
                key=key,
                decision=self._contracts[newest].decisions[name],
                rule=rule,
                recorded=tuple(dict.fromkeys(value for value in recorded if value is not None)),
                runs=sum(run.contract is not None and run.contract.digest in owners for run in self.runs),
                values=tuple(value for digest in owners for value in self._compared(digest, *owners[digest])),
            )

    def _owners(self, key: str) -> Iterator[tuple[str, tuple[str, Rule]]]:
        """Yield digest of a contract, decision and rule of every threshold that `key` names."""
        for digest, contract in self._contracts.items():
            name, at = _places(contract).get(key, ("", 0))
            if name:
                yield digest, (name, contract.decisions[name].policy.rules[at])

    def _compared(self, digest: str, name: str, rule: Rule) -> Iterator[float]:
        for _, pending in self._groups.get((digest, name), ()):
            found = _measured(rule, pending)
            if found is not None and found.value is not None:
                yield found.value


def _measured(rule: Rule, pending: Pending) -> Measure | None:
    """Return what a rule makes of recorded answers; None where it reads none."""
    question = rule.predicate.question
    reading = None if question is None else pending.recorded.readings.get(question)
    if reading is None or reading.answer is None or pending.refuses:
        return None
    floors = {floor.question: floor.value for floor in pending.recorded.floors}
    return measure(rule.predicate, reading.answer, floors.get(question or ""))


def _slim(item: Pending | Redecided) -> Pending | Redecided:
    """Return the item without the body of its record, which takes most of the room and is not needed any more."""
    return item if isinstance(item, Redecided) else replace(item, recorded=replace(item.recorded, body=_NOTHING))


def _grouped(runs: Sequence[HeldRun]) -> dict[_Group, list[tuple[int, Pending]]]:
    """Return what is pending by contract and decision, each with its place among all."""
    found: dict[_Group, list[tuple[int, Pending]]] = {}
    places = ((run, item) for run in runs for item in run.items)
    for at, (run, item) in enumerate(places):
        if isinstance(item, Pending) and run.contract is not None:
            found.setdefault((run.contract.digest, item.recorded.decision), []).append((at, item))
    return found


def _in_order(items: Iterable[Redecided]) -> Iterator[Redecided]:
    run_id, changed = "", False
    for item in items:
        changed = changed and item.run_id == run_id
        run_id = item.run_id
        yield replace(item, follows_a_change=True) if changed else item
        changed = changed or item.status in CHANGES


def _places(contract: Contract) -> Mapping[str, tuple[str, int]]:
    """Return every key of a threshold → its decision and the index of its rule."""
    return {
        key: (name, index)
        for name, decision in contract.decisions.items()
        for key, index in override_keys(name, decision.policy, decision.questions).items()
    }


def _named(contract: Contract) -> dict[str, str]:
    """Return every key of a threshold → the shortest one that means the same."""
    places = _places(contract)
    shortest: dict[tuple[str, int], str] = {}
    for key, place in places.items():
        if len(key) < len(shortest.get(place, key + " ")):
            shortest[place] = key
    return {key: shortest[place] for key, place in places.items()}
