"""Advice on a question that stands twice in a file.

Source: backends specification, section 11.
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock._canonical import compact_json, pairs
from interlock.contract.draft import DraftDecision
from interlock.contract.findings import Findings, quoted
from interlock.contract.lint.place import at_entry
from interlock.questions import as_json

__all__ = ["repeated_questions"]


def repeated_questions(drafts: Sequence[DraftDecision], findings: Findings) -> None:
    """Report a question with the same words, options and criteria as an earlier one."""
    seen: dict[str, str] = {}
    for draft in drafts:
        for question in draft.questions:
            if question.question is None or question.ask is None:
                continue
            name = draft.id if len(draft.questions) == 1 else f"{draft.id}.{question.id}"
            first = seen.setdefault(compact_json(pairs(as_json(question.question))), name)
            if first != name:
                findings.decision = draft.id
                message = f"{quoted(first)} asks the same, so on one state both get the same answer"
                at_entry(findings, "repeated-question", question.ask, message, "keep one, or say how they differ")
    findings.decision = None
