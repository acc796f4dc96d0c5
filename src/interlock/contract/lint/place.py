"""Where a piece of advice points."""

from __future__ import annotations

import re

from interlock.contract.document import Entry
from interlock.contract.findings import Findings
from interlock.diagnostics import Severity

__all__ = ["at_entry", "at_match"]


def at_entry(
    findings: Findings, code: str, entry: Entry, message: str, fix: str, *, severity: Severity | None = None
) -> None:
    """Add one finding on the text of a line."""
    findings.add(code, entry.line, entry.text_column, len(entry.text), message, fix=fix, severity=severity)


def at_match(findings: Findings, code: str, entry: Entry, match: re.Match[str], *, message: str, fix: str) -> None:
    """Add one finding on what matched in the text of a line."""
    findings.add(code, entry.line, entry.text_column + match.start(), match.end() - match.start(), message, fix=fix)
