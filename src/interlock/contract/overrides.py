"""Puts thresholds from outside into the rules of a file before they are checked.

Source: decision-contract/v1, threshold overrides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from interlock.contract.draft import DraftDecision
from interlock.policy.overrides import apply_overrides
from interlock.policy.rules import Policy

__all__ = ["overridden"]


def overridden(drafts: Sequence[DraftDecision], overrides: Mapping[str, float]) -> tuple[DraftDecision, ...]:
    """Return `drafts` with the thresholds of `overrides`, by key, in place of those of the file.

    Raises:
        SettingsError: a key is unknown; the message lists those that exist.
    """
    policies = {
        draft.id: Policy(rules=tuple(draft.policy.rules), on_missing="escalate")
        for draft in drafts
        if draft.policy is not None
    }
    questions = {draft.id: [question.id for question in draft.questions] for draft in drafts}
    changed = apply_overrides(policies, questions, {key: float(number) for key, number in overrides.items()})
    return tuple(
        draft if draft.policy is None else replace(draft, policy=replace(draft.policy, rules=changed[draft.id].rules))
        for draft in drafts
    )
