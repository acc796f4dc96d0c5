"""What deciding again came to: counts per decision, the changes, and what needs a fresh judgement at what cost.

Pure; keeps what is told one by one, and only counts the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from interlock.journal.replay import Redecided, Status
from interlock.questions import Json

__all__ = ["Cost", "ReplayReport", "redecided_json", "report", "report_json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What the judgements that are missing would take."""

    requests: int
    """Decisions that were asked together count once."""
    tokens: int
    """Of the requests below, when they were made."""
    known: int
    """For how many requests the tokens are known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayReport:
    """Every recorded decision under the new contract, summed up."""

    runs: int
    decisions: Mapping[str, Mapping[Status, int]]
    """Decision id → status → how many records came to it."""
    moves: Mapping[str, Mapping[tuple[str | None, str | None], int]]
    """Decision id → (action before, action now) → how many records changed so; None is no action."""
    changed: tuple[Redecided, ...]
    """Records whose action is another one now, or whose decision is gone."""
    fresh: tuple[Redecided, ...]
    cost: Cost

    def count(self, status: Status) -> int:
        """Return how many records came to `status`."""
        return sum(counts.get(status, 0) for counts in self.decisions.values())


def report(found: Iterable[Redecided]) -> ReplayReport:
    """Return the sum of what `redecide` yields."""
    runs: set[str] = set()
    decisions: dict[str, Counter[Status]] = {}
    moves: dict[str, Counter[tuple[str | None, str | None]]] = {}
    changed: list[Redecided] = []
    fresh: list[Redecided] = []
    for item in found:
        runs.add(item.run_id)
        decisions.setdefault(item.decision, Counter())[item.status] += 1
        if item.status in ("changed", "gone"):
            changed.append(item)
            moves.setdefault(item.decision, Counter())[item.was, _now(item)] += 1
        elif item.status == "fresh":
            fresh.append(item)
    return ReplayReport(
        runs=len(runs),
        decisions=decisions,
        moves=moves,
        changed=tuple(changed),
        fresh=tuple(fresh),
        cost=_cost(fresh),
    )


def report_json(told: ReplayReport) -> dict[str, Json]:
    """Return the report as it is printed for machines."""
    return {
        "runs": told.runs,
        "decisions": sum(sum(counts.values()) for counts in told.decisions.values()),
        "counts": {name: _counts_json(counts) for name, counts in told.decisions.items()},
        "moves": [
            {"decision": name, "was": was, "now": now, "records": count}
            for name, counts in told.moves.items()
            for (was, now), count in counts.items()
        ],
        "changed": [redecided_json(item) for item in told.changed],
        "fresh": [redecided_json(item) for item in told.fresh],
        "cost": {"requests": told.cost.requests, "tokens": told.cost.tokens, "tokens_known_for": told.cost.known},
    }


def redecided_json(item: Redecided) -> dict[str, Json]:
    """Return one decision as it is printed for machines."""
    outcome = item.outcome
    return {
        "run_id": item.run_id,
        "seq": item.seq,
        "step": item.step,
        "decision": item.decision,
        "status": item.status,
        "mode": item.mode,
        "was": item.was,
        "now": _now(item),
        "rule": None if outcome is None else outcome.rule_text,
        "value": None if outcome is None else outcome.value,
        "threshold": None if outcome is None else outcome.threshold,
        "margin": None if outcome is None else outcome.margin,
        "reason": item.reason or (None if outcome is None else outcome.reason),
        "follows_a_change": item.follows_a_change,
    }


def _counts_json(counts: Mapping[Status, int]) -> dict[str, Json]:
    return {status: counts[status] for status in counts}


def _now(item: Redecided) -> str | None:
    return None if item.outcome is None else item.outcome.action


def _cost(fresh: Iterable[Redecided]) -> Cost:
    requests = {(item.run_id, item.request): item.tokens for item in fresh if item.request is not None}
    known = [tokens for tokens in requests.values() if tokens is not None]
    return Cost(requests=len(requests), tokens=sum(known), known=len(known))
