"""Runs every rule of advice on a contract that has no errors.

Source: backends specification, section 11.
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock.contract.capabilities import Capabilities
from interlock.contract.compile import Lint
from interlock.contract.draft import DraftDecision
from interlock.contract.findings import Findings
from interlock.contract.lint.frames import advise_on_frame
from interlock.contract.lint.judges import advise_for_judge, advise_on_model, advise_without_judge
from interlock.contract.lint.options import advise_on_options
from interlock.contract.lint.policies import advise_on_policy, ported_thresholds
from interlock.contract.lint.repeats import repeated_questions
from interlock.contract.lint.target import Sizes, Target
from interlock.contract.lint.wording import advise_on_wording

__all__ = ["linter"]


def linter(*, targets: Sequence[Target] = (), sizes: Sizes | None = None) -> Lint:
    """Return the advice as `check_contract` takes it; without targets nothing about a judge is said."""

    def advise(drafts: Sequence[DraftDecision], capabilities: Capabilities | None, findings: Findings) -> None:
        judged = [draft for draft in drafts if draft.kind != "rule"]
        for draft in judged:
            findings.decision = draft.id
            advise_on_wording(draft, findings)
            advise_on_options(draft, findings)
            advise_on_policy(draft, findings)
            advise_on_frame(draft, capabilities, targets, sizes or {}, findings)
            if not targets:
                advise_without_judge(draft, findings)
            for target in targets:
                advise_for_judge(draft, target, findings)
        findings.decision = None
        for target in targets:
            advise_on_model(target, findings)
        ported_thresholds(judged, findings)
        repeated_questions(judged, findings)

    return advise
