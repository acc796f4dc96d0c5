"""Thresholds set from outside a contract: `decision.question[i]=n`, parsed and put into policies.

Does not judge the new numbers; whoever compiles checks them by the same rules as the file's.
Source: decision-contract/v1, threshold overrides.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace

from interlock._text import nearest, plain_number
from interlock.errors import UsageError
from interlock.policy.predicates import rule_text
from interlock.policy.rules import Policy, Rule

__all__ = ["apply_overrides", "override_keys", "parse_override"]


def parse_override(text: str) -> tuple[str, float]:
    """Return key and threshold of what `text` spells, such as `grade_risk.risk[0]=3`.

    Raises:
        UsageError: there is no `=`, no key, or the value is not a finite number.
    """
    key, separator, value = (part.strip() for part in text.rpartition("="))
    if not separator or not key:
        raise UsageError(f"gate `{text}`: write `decision.question=number`")
    threshold = plain_number(value)
    if threshold is None:
        raise UsageError(f"gate `{key}`: `{value}` is not a number; write one such as `0.6`")
    return key, threshold


def override_keys(decision: str, policy: Policy, questions: Collection[str]) -> dict[str, int]:
    """Return every key of one decision's thresholds → the index of its rule, in the order of the rules.

    A decision with one question has its thresholds under `DECISION` too. A tier is numbered from 0 among the rules
    on its question; the number may be left out where there is one tier.
    """
    tiers: dict[str, list[int]] = {}
    for index, rule in enumerate(policy.rules):
        if rule.predicate.threshold is not None and rule.predicate.question is not None:
            tiers.setdefault(rule.predicate.question, []).append(index)
    keys: dict[str, int] = {}
    for question, indices in tiers.items():
        names = [f"{decision}.{question}", decision] if len(questions) == 1 else [f"{decision}.{question}"]
        for name in names:
            if len(indices) == 1:
                keys[name] = indices[0]
            keys.update({f"{name}[{tier}]": index for tier, index in enumerate(indices)})
    return keys


def apply_overrides(
    policies: Mapping[str, Policy], questions: Mapping[str, Collection[str]], overrides: Mapping[str, float]
) -> dict[str, Policy]:
    """Return the policies, by decision id, with the overrides in effect; of two with one meaning the later wins.

    `questions`: decision id → the ids of its questions. `overrides`: key → threshold.

    Raises:
        UsageError: a key is unknown; the message lists those that exist. Or a threshold is no finite number.
    """
    places = {
        key: (decision, index)
        for decision, policy in policies.items()
        for key, index in override_keys(decision, policy, questions[decision]).items()
    }
    changed = dict(policies)
    for key, threshold in overrides.items():
        if key not in places:
            raise UsageError(_unknown(key, places))
        if not _is_number(threshold):
            raise UsageError(f"gate `{key}`: `{threshold!r}` is not a number; write one such as `0.6`")
        decision, index = places[key]
        changed[decision] = _with_threshold(changed[decision], index, threshold)
    return changed


def _is_number(threshold: object) -> bool:
    """Return whether a threshold from a caller's code is a finite number; neither a flag nor text is."""
    if isinstance(threshold, bool) or not isinstance(threshold, int | float):
        return False
    try:
        return math.isfinite(threshold)
    except OverflowError:
        return False


def _with_threshold(policy: Policy, index: int, threshold: float) -> Policy:
    rules = list(policy.rules)
    rules[index] = _retuned(rules[index], threshold)
    return replace(policy, rules=tuple(rules))


def _retuned(rule: Rule, threshold: float) -> Rule:
    predicate = replace(rule.predicate, threshold=threshold)
    return replace(rule, predicate=predicate, text=rule_text(predicate, rule.action))


def _unknown(key: str, places: Mapping[str, tuple[str, int]]) -> str:
    if not places:
        return f"gate `{key}`: the contract has no thresholds"
    near = nearest(key, places)
    hint = f"did you mean `{near}`? " if near is not None else ""
    known: dict[tuple[str, int], str] = {}
    for name, place in places.items():
        known.setdefault(place, name)
    return f"gate `{key}`: no such threshold; {hint}known: {', '.join(f'`{name}`' for name in known.values())}"
