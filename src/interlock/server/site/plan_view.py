"""The plan of a contract as a person looks at it: waves with their requests, and which decisions may share one.

Pure; knows nothing of templates.
"""

from __future__ import annotations

from dataclasses import dataclass

from interlock.contract.compiled import Contract
from interlock.judge.base import Caps
from interlock.pipeline.plan import PlanName, plan_contract
from interlock.pipeline.plan_words import condition_text, refusal_text, role_text

__all__ = ["MAX_PLANNED", "CellRow", "PairView", "PlanView", "RequestView", "WaveView", "cells_of", "plan_view"]

MAX_PLANNED = 40
"""Decisions; every two are compared, so of more no plan is drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestView:
    """One request of a wave."""

    decisions: tuple[tuple[str, bool], ...]
    """Name, and whether it is asked ahead of its turn."""
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WaveView:
    """What is asked at once."""

    when: str
    due: str
    requests: tuple[RequestView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairView:
    """Two decisions against each other."""

    decisions: tuple[str, str]
    may_share: bool
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanView:
    """The plan that a run would follow with a judge without limits."""

    name: PlanName
    waves: tuple[WaveView, ...]
    pairs: tuple[PairView, ...]
    requests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CellRow:
    """One cell of the host, and what each decision has to do with it."""

    name: str
    type: str
    provenance: str
    seen: tuple[str, ...]
    """One per decision, in order: projections, `=` for the cell itself, `-` where it is excluded, or empty."""


def plan_view(contract: Contract, name: PlanName) -> PlanView | None:
    """Return the plan; None for a contract with very many decisions."""
    if len(contract.decisions) > MAX_PLANNED:
        return None
    plan = plan_contract(contract, Caps(), name=name)
    waves = tuple(
        WaveView(
            when=wave.when,
            due=wave.due,
            requests=tuple(
                RequestView(
                    decisions=tuple((one, one != wave.due) for one in group.decisions), role=role_text(wave, group)
                )
                for group in wave.requests
            ),
        )
        for wave in plan.waves
    )
    pairs = tuple(
        PairView(
            decisions=pair.decisions,
            may_share=not pair.refusals,
            why=refusal_text(pair) if pair.refusals else condition_text(pair),
        )
        for pair in plan.pairs
    )
    return PlanView(name=name, waves=waves, pairs=pairs, requests=sum(len(wave.requests) for wave in waves))


def cells_of(contract: Contract) -> tuple[CellRow, ...]:
    """Return the cells of the host that some decision sees or excludes."""
    decisions = list(contract.decisions.values())[:MAX_PLANNED]
    rows = []
    for name, cell in contract.capabilities.cells.items():
        seen = []
        for decision in decisions:
            fields = () if decision.frame is None else decision.frame.fields
            shown = [field.projection or "=" for field in fields if field.cell == name]
            excluded = decision.frame is not None and any(one.cell == name for one in decision.frame.exclusions)
            seen.append(", ".join(dict.fromkeys(shown)) or ("-" if excluded else ""))
        if any(seen):
            rows.append(CellRow(name=name, type=cell.type, provenance=cell.provenance, seen=tuple(seen)))
    return tuple(rows)
