"""Runs every check on every decision of a file.

Source: decision-contract/v1, compile.
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock.contract.capabilities import Capabilities
from interlock.contract.check_frame import check_frame
from interlock.contract.check_policy import check_policy
from interlock.contract.check_questions import check_questions
from interlock.contract.document import Document
from interlock.contract.draft import DraftDecision
from interlock.contract.findings import Findings, quoted
from interlock.contract.host_names import host_names

__all__ = ["SCHEMA", "check", "check_document"]

SCHEMA = "decision-contract/v1"
"""The one schema that this release reads."""


def check_document(document: Document, findings: Findings) -> bool:
    """Report what is wrong with the file as a whole; return False when its schema cannot be read."""
    schema = document.schema
    if schema is None:
        if not document.schema_in_decision:
            message = "the file names no schema"
            findings.add("missing-schema", 1, 1, 0, message, fix=f"write `schema: {SCHEMA}` before the first `##`")
    elif schema.text != SCHEMA:
        message, fix = f"no schema {quoted(schema.text)}", f"this release reads `{SCHEMA}`"
        findings.add("unknown-schema", schema.line, schema.text_column, len(schema.text), message, fix=fix)
        return False
    if document.title is None:
        findings.add("missing-title", 1, 1, 0, "the file has no title", fix="begin it with `# title`")
    if not document.blocks:
        findings.add("no-decisions", 1, 1, 0, "the file declares no decision", fix="open one with `## id`")
    if not document.generator_text:
        line, column, width = 1, 1, 0
        if document.generator is not None:
            heading = document.generator
            line, column, width = heading.line, heading.column, heading.width
        message = "the file has no text for the writer, which gets the host's default"
        findings.add("missing-generator", line, column, width, message, fix="write it under `## generator`")
    return True


def check(drafts: Sequence[DraftDecision], capabilities: Capabilities | None, findings: Findings) -> None:
    """Report what is wrong with each decision; without capabilities, say what was not compared."""
    host = None if capabilities is None else host_names(capabilities, drafts)
    for draft in drafts:
        findings.decision = draft.id or None
        check_questions(draft, findings)
        check_policy(draft, host, findings)
        check_frame(draft, host, findings)
    findings.decision = None
    if host is None:
        _say_what_is_unverified(drafts, findings)


def _say_what_is_unverified(drafts: Sequence[DraftDecision], findings: Findings) -> None:
    positions = {draft.position for draft in drafts if draft.position is not None}
    actions = {rule.action for draft in drafts if draft.policy is not None for rule in draft.policy.rules}
    message = f"positions ({len(positions)}) and actions ({len(actions)}) are not compared with a host"
    findings.add("unverified-policy", 1, 1, 0, message, fix="pass the capabilities of the host")
    frames = [draft.frame for draft in drafts if draft.frame is not None]
    lines = sum(len(frame.fields) + len(frame.exclusions) for frame in frames)
    providers = sum(draft.dynamic_entry is not None for draft in drafts)
    message = f"lines of frames ({lines}), providers ({providers}) and missing cells are not compared with a host"
    findings.add("unverified-frame", 1, 1, 0, message, fix="pass the capabilities of the host")
