"""The waves of a contract: what is asked together, what ahead of its turn, and why the rest is not.

Pure and deterministic: the same contract and the same judge give the same plan. Knows no state and asks nobody.
Source: reference loop specification, the planner.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from interlock.actions.meaning import ACTIONS, POSITIONS
from interlock.contract.compiled import Contract, Decision
from interlock.judge.base import Caps
from interlock.pipeline.plan_pairs import DataNeeds, Equality, Pair, Refusal, compare, grouped, needs_of

__all__ = ["CALLS_AHEAD", "PLANS", "Group", "Plan", "PlanName", "PlannedWave", "plan_contract"]

PlanName: TypeAlias = Literal["sequential", "fused", "next", "full"]
"""`sequential`: one decision, one request. `fused`: decisions that may share a request do. `next`: what comes after is
asked in the same wave, up to the next call. `full`: the risk of the likeliest calls too."""
PLANS: tuple[PlanName, ...] = get_args(PlanName)

CALLS_AHEAD = 3
"""The most calls whose risk is asked about before one of them is picked."""

_BINDS = frozenset(("call", "use"))
"""Actions after which the state holds what was picked."""
_NEXT_STEP = "next_step"
_STEP_START = "step-start"
_BEFORE_CALL = "before-call"

_WHEN: Mapping[str, str] = {
    "step-start": "a step starts",
    "tool-choice": "a tool is to be picked",
    "input-choice": "the input of a tool is to be picked",
    "before-call": "a call is about to run",
    "after-tool": "a tool has returned",
    "after-generate": "a draft has been written",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Decisions of one request; with more than one, the equalities must hold on the built frames."""

    decisions: tuple[str, ...]
    equalities: tuple[Equality, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedWave:
    """What is asked at once when a decision is due."""

    when: str
    due: str
    ahead: tuple[str, ...]
    """Asked before it is known whether they will be due, in the order in which they would be."""
    requests: tuple[Group, ...]
    refusals: tuple[Refusal, ...]
    """Why decisions of this wave are not in one request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How the decisions of one contract are asked of one judge."""

    name: PlanName
    contract_digest: str
    needs: tuple[DataNeeds, ...]
    pairs: tuple[Pair, ...]
    """Every two decisions, whether or not they are ever asked at once."""
    waves: tuple[PlannedWave, ...]
    ahead: Mapping[str, tuple[str, ...]]
    """Decision that is due → decisions asked in the same wave."""
    max_questions: int | None
    """The most questions of one request; None is no limit."""

    def may_share(self, first: str, second: str) -> bool:
        """Return whether two decisions may share a request when the equalities hold; never with itself."""
        return any(set(pair.decisions) == {first, second} and not pair.refusals for pair in self.pairs)


def plan_contract(contract: Contract, caps: Caps, *, name: PlanName) -> Plan:
    """Return the plan called `name` for the decisions of `contract`, asked of a judge that declares `caps`."""
    needs = tuple(needs_of(decision) for decision in contract.decisions.values())
    pairs = tuple(_pairs(contract, caps))
    groups = _Groups(needs, pairs, caps.max_questions, fuse=name != "sequential")
    ahead = {one: tuple(_ahead(contract, one, name, groups)) for one in contract.decisions}
    return Plan(
        name=name,
        contract_digest=contract.digest,
        needs=needs,
        pairs=pairs,
        waves=tuple(_waves(contract, ahead, groups)),
        ahead=ahead,
        max_questions=caps.max_questions,
    )


def _pairs(contract: Contract, caps: Caps) -> Iterator[Pair]:
    decisions = list(contract.decisions.values())
    for at, first in enumerate(decisions):
        for second in decisions[at + 1 :]:
            yield compare(first, second, contract.capabilities.cells, caps)


@dataclass(frozen=True, slots=True)
class _Reached:
    """A decision that may follow, and whether the state then holds a pick that is not made yet."""

    decision: str
    picks: bool


class _Groups:
    """Which decisions of a wave share a request."""

    def __init__(
        self, needs: Sequence[DataNeeds], pairs: Sequence[Pair], max_questions: int | None, *, fuse: bool
    ) -> None:
        self._questions = {one.decision: one.questions for one in needs}
        self._pairs = {frozenset(pair.decisions): pair for pair in pairs}
        self._max_questions = max_questions
        self._fuse = fuse

    def of(self, items: Sequence[_Reached]) -> tuple[Group, ...]:
        """Return the requests of a wave."""
        return tuple(self._group([item.decision for item in group]) for group in grouped(items, self._joins))

    def refusals(self, items: Sequence[_Reached]) -> Iterator[Refusal]:
        """Yield why decisions of a wave are not in one request."""
        for at, first in enumerate(items):
            for second in items[at + 1 :]:
                if first.picks or second.picks:
                    yield _other_state(first, second)
                yield from self._pairs[frozenset((first.decision, second.decision))].refusals

    def _joins(self, group: Sequence[_Reached], item: _Reached) -> bool:
        if not self._fuse or item.picks:
            return False
        asked = sum(self._questions[one.decision] for one in (*group, item))
        if self._max_questions is not None and asked > self._max_questions:
            return False
        return all(
            not one.picks and not self._pairs[frozenset((one.decision, item.decision))].refusals for one in group
        )

    def _group(self, ids: Sequence[str]) -> Group:
        between = [self._pairs[frozenset((first, second))] for at, first in enumerate(ids) for second in ids[at + 1 :]]
        return Group(decisions=tuple(ids), equalities=tuple(one for pair in between for one in pair.equalities))


def _other_state(first: _Reached, second: _Reached) -> Refusal:
    later = second.decision if second.picks else first.decision
    return Refusal(
        kind="other_state",
        decisions=(first.decision, second.decision),
        subject=later,
        by=None,
        text=f"`{later}` is asked on the state after a pick that is not made yet",
    )


def _ahead(contract: Contract, due: str, name: PlanName, groups: _Groups) -> Iterator[str]:
    """Yield the decisions asked in the wave in which `due` is due."""
    if name == "sequential" or contract.decisions[due].frame is None:
        return
    reached = _reached(contract, due, calls=name == "full")
    if name != "fused":
        yield from (one.decision for one in reached)
        return
    first = groups.of([_Reached(due, picks=False), *reached])[0]
    yield from first.decisions[1:]


def _reached(contract: Contract, due: str, *, calls: bool) -> list[_Reached]:
    """Return the decisions that may follow `due` before the loop acts, nearest first."""
    found: dict[str, _Reached] = {}
    waiting = [_Reached(due, picks=False)]
    while waiting:
        now = waiting.pop(0)
        for action, follower in _followers(contract, contract.decisions[now.decision]):
            if follower.id == due or follower.id in found or follower.frame is None:
                continue
            if follower.position == _BEFORE_CALL and not calls:
                continue
            reached = _Reached(follower.id, picks=now.picks or action in _BINDS)
            found[follower.id] = reached
            waiting.append(reached)
    return list(found.values())


def _followers(contract: Contract, decision: Decision) -> Iterator[tuple[str, Decision]]:
    """Yield the actions of a policy that lead straight to another decision, and that decision."""
    for action in dict.fromkeys(rule.action for rule in decision.policy.rules):
        meaning = ACTIONS.get(action)
        if meaning is None or meaning.ends_loop:
            continue
        for node in meaning.next:
            yield from ((action, follower) for follower in _named(contract, node))


def _named(contract: Contract, node: str) -> Iterator[Decision]:
    if node == _NEXT_STEP:
        first = next((one for one in contract.decisions.values() if one.position == _STEP_START), None)
        if first is not None:
            yield first
    elif node in contract.decisions:
        yield contract.decisions[node]


def _waves(contract: Contract, ahead: Mapping[str, tuple[str, ...]], groups: _Groups) -> Iterator[PlannedWave]:
    """Yield a wave for every decision that no wave before it asks, in the order of a run."""
    covered: set[str] = set()
    for decision in sorted(contract.decisions.values(), key=_place):
        if decision.id in covered:
            continue
        covered |= {decision.id, *ahead[decision.id]}
        reached = {one.decision: one for one in _reached(contract, decision.id, calls=True)}
        items = [_Reached(decision.id, picks=False), *(reached[one] for one in ahead[decision.id])]
        yield PlannedWave(
            when=_WHEN.get(decision.position, f"the host asks at `{decision.position}`"),
            due=decision.id,
            ahead=ahead[decision.id],
            requests=groups.of(items),
            refusals=tuple(groups.refusals(items)),
        )


def _place(decision: Decision) -> int:
    """Return where a position stands in a run; those of a host come last, in the order of the file."""
    known = list(POSITIONS)
    return known.index(decision.position) if decision.position in known else len(known)
