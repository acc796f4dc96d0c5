"""What changed between two policies: rules by what they test and do, thresholds by their number.

Source: decision-contract/v1, policy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TypeAlias

from interlock.contract.change import Change, Part, Way
from interlock.policy.rules import Policy, Rule

__all__ = ["ASKS", "policy_changes"]

ASKS = "ask_human"
"""The action that makes a rule a gate."""

_Key: TypeAlias = tuple[str, str | None, str | None, str | None, str]


def policy_changes(decision: str, old: Policy, new: Policy) -> Iterator[Change]:
    """Yield every difference, in the order of the new rules.

    Rules that stand in another order and do the same are one change, not some lost and some added.
    """
    before, after = [_key(rule) for rule in old.rules], [_key(rule) for rule in new.rules]
    if before != after and Counter(before) == Counter(after):
        orders = _texts(old.rules), _texts(new.rules)
        yield Change(
            decision=decision, part="rule", way="changed", what="order of the rules", old=orders[0], new=orders[1]
        )
        yield from _moved_thresholds(decision, old.rules, new.rules)
    else:
        yield from _aligned(decision, old.rules, new.rules)
    if old.on_missing != new.on_missing:
        what = "action without an answer"
        yield Change(decision=decision, part="rule", way="changed", what=what, old=old.on_missing, new=new.on_missing)


def _aligned(decision: str, old: Sequence[Rule], new: Sequence[Rule]) -> Iterator[Change]:
    matcher = SequenceMatcher(None, [_key(rule) for rule in old], [_key(rule) for rule in new], autojunk=False)
    for tag, start, end, first, last in matcher.get_opcodes():
        if tag == "equal":
            yield from _thresholds(decision, old[start:end], new[first:last])
        else:
            yield from (_whole(decision, rule, "lost") for rule in old[start:end])
            yield from (_whole(decision, rule, "added") for rule in new[first:last])


def _moved_thresholds(decision: str, old: Sequence[Rule], new: Sequence[Rule]) -> Iterator[Change]:
    left = list(old)
    for rule in new:
        twin = next(item for item in left if _key(item) == _key(rule))
        left.remove(twin)
        yield from _thresholds(decision, [twin], [rule])


def _thresholds(decision: str, old: Sequence[Rule], new: Sequence[Rule]) -> Iterator[Change]:
    for before, after in zip(old, new, strict=True):
        low, high = before.predicate.threshold, after.predicate.threshold
        if low is not None and high is not None and low != high:
            what = f"threshold of `{before.text}`"
            yield Change(
                decision=decision, part="threshold", way="changed", what=what, old=f"{low:.15g}", new=f"{high:.15g}"
            )


def _whole(decision: str, rule: Rule, how: Way) -> Change:
    part: Part = "gate" if rule.action == ASKS else "rule"
    return Change(decision=decision, part=part, way=how, what=f"`{rule.text}`")


def _key(rule: Rule) -> _Key:
    predicate = rule.predicate
    return predicate.kind, predicate.question, predicate.comparison, predicate.option, rule.action


def _texts(rules: Sequence[Rule]) -> str:
    return "; ".join(rule.text for rule in rules)
