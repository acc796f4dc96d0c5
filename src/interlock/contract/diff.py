"""What changed in meaning between two compiled contracts; spelling, prose and reasons do not count.

Two contracts without a difference have one digest, and the other way round. Knows nothing of records.
Source: journal and safety specification, replay; decision-contract/v1, compile.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.contract.change import Change, Way, way
from interlock.contract.compiled import Contract, Decision, Dynamic
from interlock.contract.diff_frame import frame_changes
from interlock.contract.diff_policy import ASKS, policy_changes
from interlock.contract.diff_question import question_changes

__all__ = ["decision_changes", "diff_contracts"]


def diff_contracts(old: Contract, new: Contract) -> tuple[Change, ...]:
    """Return every difference in meaning, in the order of the new contract; what was lost stands last."""
    found: list[Change] = []
    if old.schema != new.schema:
        found.append(Change(decision=None, part="schema", way="changed", what="schema", old=old.schema, new=new.schema))
    for id_, decision in new.decisions.items():
        before = old.decisions.get(id_)
        found += _whole(decision, "added") if before is None else decision_changes(before, decision)
    for id_, decision in old.decisions.items():
        if id_ not in new.decisions:
            found += _whole(decision, "lost")
    if [id_ for id_ in old.decisions if id_ in new.decisions] != [id_ for id_ in new.decisions if id_ in old.decisions]:
        found.append(Change(decision=None, part="order", way="changed", what="order of the decisions"))
    if old.generator != new.generator:
        how = way(old.generator, new.generator)
        found.append(Change(decision=None, part="generator", way=how, what="generator"))
    return tuple(found)


def decision_changes(old: Decision, new: Decision) -> tuple[Change, ...]:
    """Return every difference between two versions of one decision."""
    return (
        *_head_changes(old, new),
        *question_changes(new.id, old.questions, new.questions),
        *frame_changes(new.id, old.frame, new.frame),
        *policy_changes(new.id, old.policy, new.policy),
    )


def _head_changes(old: Decision, new: Decision) -> Iterator[Change]:
    if old.kind != new.kind:
        yield Change(decision=new.id, part="kind", way="changed", what="kind", old=old.kind, new=new.kind)
    if old.position != new.position:
        yield Change(
            decision=new.id, part="position", way="changed", what="position", old=old.position, new=new.position
        )
    before, after = _candidates(old.dynamic), _candidates(new.dynamic)
    if before != after:
        how = way(before, after)
        yield Change(decision=new.id, part="candidates", way=how, what="candidates", old=before, new=after)


def _candidates(dynamic: Dynamic | None) -> str | None:
    if dynamic is None:
        return None
    return f"{dynamic.provider}({', '.join(dynamic.reads)}) → {dynamic.output}"


def _whole(decision: Decision, how: Way) -> Iterator[Change]:
    shown = f"{decision.kind} at {decision.position}"
    old, new = (shown, None) if how == "lost" else (None, shown)
    yield Change(decision=decision.id, part="decision", way=how, what="decision", old=old, new=new)
    for rule in decision.policy.rules:
        if rule.action == ASKS:
            yield Change(decision=decision.id, part="gate", way=how, what=f"`{rule.text}`")
