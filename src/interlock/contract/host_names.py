"""The names of a host that the checks look up, worked out once for a contract.

Source: decision-contract/v1, compile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from interlock.actions.meaning import ANYWHERE
from interlock.contract.capabilities import Capabilities
from interlock.contract.draft import DraftDecision

__all__ = ["HostNames", "host_names"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostNames:
    """What one host declares, for one file."""

    capabilities: Capabilities
    handled: Mapping[str, frozenset[str]]
    """Position → the actions that it handles, those handled everywhere included."""
    actions: frozenset[str]
    """The actions that some position handles."""
    accountable: frozenset[str]
    """The cells that every frame of the file reads or excludes: an extension only when the file names it."""


def host_names(capabilities: Capabilities, drafts: Sequence[DraftDecision]) -> HostNames:
    """Return the names of `capabilities` as the file with `drafts` has to know them."""
    handled = {position: frozenset(actions).union(ANYWHERE) for position, actions in capabilities.positions.items()}
    extensions = {name for name, cell in capabilities.cells.items() if cell.extension}
    return HostNames(
        capabilities=capabilities,
        handled=handled,
        actions=frozenset(ANYWHERE).union(*handled.values()),
        accountable=frozenset(capabilities.cells)
        - (extensions - _named(capabilities, drafts) if extensions else set()),
    )


def _named(capabilities: Capabilities, drafts: Sequence[DraftDecision]) -> set[str]:
    """Return every cell that a frame or a provider of the file names, directly or through a projection."""
    named: set[str] = set()
    for draft in drafts:
        if draft.dynamic is not None:
            named.update(draft.dynamic.reads)
        if draft.frame is None:
            continue
        named.update(exclusion.cell for exclusion in draft.frame.exclusions)
        for field in draft.frame.fields:
            spec = None if field.projection is None else capabilities.projections.get(field.projection)
            named.add(field.key if spec is None else spec.cell)
    return named
