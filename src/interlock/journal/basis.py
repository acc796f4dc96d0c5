"""Under which contract a run is decided again, and under which its decisions were taken.

Pure; contracts are compiled from their text, once each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import get_args

from interlock.contract.capabilities import Capabilities
from interlock.contract.compile import compile_contract
from interlock.contract.compiled import Contract
from interlock.errors import ContractError, JournalError, SettingsError
from interlock.journal.fields import number, one_of, section, text
from interlock.journal.records import Record
from interlock.pipeline.gating import GapPolicy, Gating

__all__ = ["Bases", "Basis"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What one run is decided again under."""

    new: Contract | None
    """None when no contract was named and the run holds none that compiles here."""
    known: Mapping[str, Contract]
    """Digest → contract, of those under which its decisions may have been taken."""
    gating: Gating | None = None
    """The gap policies that were set when it ran; None when it does not say."""


class Bases:
    """Finds the basis of every run: one contract for all, or each run's own with other thresholds."""

    def __init__(
        self,
        capabilities: Capabilities,
        *,
        contract: Contract | None,
        gates: Mapping[str, float],
        earlier: Iterable[Contract] = (),
    ) -> None:
        """Take what is to be decided under.

        Args:
            capabilities: the host that the recorded runs had.
            contract: decides every run, with its own thresholds; None is the contract that a run holds.
            gates: thresholds set in the contracts that runs hold, over those that were set when they ran.
            earlier: contracts under which decisions may have been taken whose runs do not hold them.
        """
        self._capabilities = capabilities
        self._contract = contract
        self._gates = dict(gates)
        self._compiled: dict[tuple[str, tuple[tuple[str, float], ...]], Contract] = {}
        self._given: dict[str, Contract] = {}
        for known in (*earlier, *(() if contract is None else (contract,))):
            self._given |= self._versions(known)

    def of_run(self, first: Record) -> Basis:
        """Return the basis of the run that `first` begins.

        Raises:
            JournalError: the record does not say what such a record says.
            SettingsError: a threshold does not exist in it.
            ContractError: it does not compile with the thresholds that are set.
        """
        if first.type != "run_started":
            return Basis(new=self._contract, known=self._given)
        held, set_then = _held(first)
        old = self._old(held, set_then)
        if old is None:
            return Basis(new=self._contract, known=self._given, gating=_gating(first))
        new = self._contract or self._compile(held, {**_without(set_then, self._gates), **self._gates})
        return Basis(new=new, known={**self._given, old.digest: old}, gating=_gating(first))

    def _old(self, held: str, set_then: Mapping[str, float]) -> Contract | None:
        try:
            return self._compile(held, set_then)
        except (ContractError, SettingsError):
            return None

    def _versions(self, contract: Contract) -> dict[str, Contract]:
        """Return the contract with and without the thresholds set from outside, by digest."""
        versions = {contract.digest: contract}
        if contract.overrides and contract.text:
            plain = self._compile(contract.text, {})
            versions[plain.digest] = plain
        return versions

    def _compile(self, held: str, overrides: Mapping[str, float]) -> Contract:
        key = (held, tuple(overrides.items()))
        if key not in self._compiled:
            self._compiled[key] = compile_contract(held, self._capabilities, overrides=overrides)
        return self._compiled[key]


def _held(first: Record) -> tuple[str, Mapping[str, float]]:
    try:
        overrides = section(first.body, "overrides")
        return text(first.body, "contract_text"), {key: number(overrides, key) for key in overrides}
    except JournalError as cause:
        raise JournalError(f"run `{first.run_id}` row {first.seq}: {cause}; run `interlock verify`") from cause


def _gating(first: Record) -> Gating | None:
    """Return what the run says of its gaps; one that was recorded by an earlier release says nothing."""
    if "gaps" not in first.body:
        return None
    try:
        gaps = section(first.body, "gaps")
        return Gating(gaps={name: one_of(gaps, name, _GAP_POLICIES) for name in gaps})
    except JournalError as cause:
        raise JournalError(f"run `{first.run_id}` row {first.seq}: {cause}; run `interlock verify`") from cause


_GAP_POLICIES: tuple[GapPolicy, ...] = get_args(GapPolicy)


def _without(overrides: Mapping[str, float], others: Mapping[str, float]) -> dict[str, float]:
    """Return the overrides that `others` does not set anew: of two keys with one meaning the later one holds."""
    return {key: threshold for key, threshold in overrides.items() if key not in others}
