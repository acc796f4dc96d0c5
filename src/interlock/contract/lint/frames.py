"""Advice on what a judge is shown: too much, too little, or text that others wrote.

Source: backends specification, section 11.
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock._canonical import compact_json
from interlock.contract.capabilities import Capabilities
from interlock.contract.draft import DraftDecision, DraftField, DraftFrame
from interlock.contract.findings import Findings, quoted
from interlock.contract.lint.place import at_entry
from interlock.contract.lint.target import Sizes, Target
from interlock.diagnostics import Severity
from interlock.frame.spec import CellType, Provenance
from interlock.questions import as_json

__all__ = ["advise_on_frame"]

ALL_TOKENS = 64_000
LONGEST_TOKENS = 32_000
"""What the hosted decision model that is used most takes: state with all questions, state with the longest one."""
BYTES_PER_TOKEN = 3.5
ITEM_CHARS = 80
"""A list is bounded by its items; so long is one taken to be."""
_OPENS = frozenset({"auto", "auto_audit"})
_OTHERS: frozenset[Provenance] = frozenset({"tool", "caller", "model"})


def advise_on_frame(
    draft: DraftDecision,
    capabilities: Capabilities | None,
    targets: Sequence[Target],
    sizes: Sizes,
    findings: Findings,
) -> None:
    """Report a frame that is too large, fields that are cut too short, and text of others before an effect."""
    if draft.frame is None:
        return
    _too_large(draft, draft.frame, capabilities, targets, findings)
    for field in draft.frame.fields:
        _tight(draft, field, sizes, findings)
    if capabilities is not None:
        _untrusted(draft, capabilities, findings)


def _too_large(
    draft: DraftDecision,
    frame: DraftFrame,
    capabilities: Capabilities | None,
    targets: Sequence[Target],
    findings: Findings,
) -> None:
    state = sum(_chars(field, capabilities) for field in frame.fields)
    asked = [
        len(compact_json(as_json(item.question)).encode()) for item in draft.questions if item.question is not None
    ]
    all_limit: int | None = ALL_TOKENS
    longest_limit: int | None = LONGEST_TOKENS
    if targets:
        all_limit = _least([target.caps.context_tokens for target in targets])
        longest_limit = _least([target.caps.longest_question_tokens for target in targets])
    estimates = [
        (round((state + size) / BYTES_PER_TOKEN), limit, what)
        for size, limit, what in (
            (sum(asked), all_limit, "all questions"),
            (max(asked, default=0), longest_limit, "the longest question"),
        )
        if limit is not None
    ]
    tokens, limit, what = max(estimates, key=lambda item: item[0] / item[1], default=(0, 1, ""))
    if tokens * 2 <= limit:
        return
    message = f"the frame with {what} may come to {tokens:,} tokens, and {limit:,} is the limit"
    severity: Severity = "warning" if tokens > limit else "info"
    fix = "lower the bounds; what is not needed also lowers accuracy"
    at_entry(findings, "frame-too-large", frame.entry, message, fix, severity=severity)


def _least(limits: Sequence[int | None]) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)


def _chars(field: DraftField, capabilities: Capabilities | None) -> int:
    match _shown(field, capabilities):
        case "list":
            return field.bound * ITEM_CHARS
        case "number" | "bool":
            return len(field.key)
        case _:
            return field.bound


def _shown(field: DraftField, capabilities: Capabilities | None) -> CellType:
    if capabilities is None:
        return "text"
    if field.projection is not None:
        return capabilities.projections[field.projection].shape
    return capabilities.cells[field.key].type


def _tight(draft: DraftDecision, field: DraftField, sizes: Sizes, findings: Findings) -> None:
    size = sizes.get((draft.id, field.key))
    if size is not None and size > field.bound:
        message = f"{quoted(field.key)} is cut at {field.bound}, and recorded values came to {size} (95th percentile)"
        fix = f"write a bound of {size} or more, if what is cut off matters"
        at_entry(findings, "tight-bound", field.entry, message, fix)


def _untrusted(draft: DraftDecision, capabilities: Capabilities, findings: Findings) -> None:
    """Report text that others wrote in the frame of a decision which lets a call run."""
    if draft.policy is None or draft.frame is None:
        return
    if not any(rule.action in _OPENS for rule in draft.policy.rules):
        return
    read = [(field, _cell(field, capabilities)) for field in draft.frame.fields]
    others = [field for field, cell in read if capabilities.cells[cell].provenance in _OTHERS]
    if not others:
        return
    names = ", ".join(quoted(field.key) for field in others)
    message = f"{names} may hold text that others wrote, and this decision lets calls run"
    floored = any(f"{draft.id}.{question.id}" in capabilities.floors for question in draft.questions)
    fix = "leave it out, or bound a score from below by a fact of the host"
    severity: Severity = "info" if floored else "warning"
    at_entry(findings, "untrusted-into-gate", others[0].entry, message, fix, severity=severity)


def _cell(field: DraftField, capabilities: Capabilities) -> str:
    return field.key if field.projection is None else capabilities.projections[field.projection].cell
