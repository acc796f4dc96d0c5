"""Findings on one contract in the four forms that `check` prints: text, JSON, SARIF and GitHub annotations."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from interlock.cli._findings import FileFindings, counts, diagnostic_json, github, sarif, tally
from interlock.contract.codes import CODES, LINT_CODES
from interlock.contract.compile import CheckResult
from interlock.diagnostics import render

__all__ = ["FORMATS", "Report", "census"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was found in one file."""

    file: str
    """As the command line names it."""
    result: CheckResult

    @property
    def findings(self) -> FileFindings:
        """The findings alone."""
        return FileFindings(file=self.file, diagnostics=self.result.diagnostics)


def census(result: CheckResult) -> dict[str, int]:
    """Return how many decisions there are, and how many go to a judge, are code, and are gates."""
    return {
        "decisions": result.decisions,
        "judged": result.judged,
        "code": result.code,
        "gates": result.gates,
    }


def _text(report: Report) -> str:
    findings = render(report.result.diagnostics, report.file)
    last = f"{report.file}: {tally(report.result.diagnostics)}"
    if report.result.verdict == "ok":
        last += f"; {report.result.sentence}"
    return f"{findings}\n{last}" if findings else last


def _json(report: Report) -> str:
    whole = {
        "file": report.file,
        "schema": report.result.schema,
        "summary": counts(report.result.diagnostics) | census(report.result),
        "diagnostics": [diagnostic_json(item) for item in report.result.diagnostics],
    }
    return json.dumps(whole, ensure_ascii=False, indent=2)


def _sarif(report: Report) -> str:
    return sarif([report.findings], {code: entry.meaning for code, entry in {**CODES, **LINT_CODES}.items()})


def _github(report: Report) -> str:
    return github([report.findings])


FORMATS: Mapping[str, Callable[[Report], str]] = {"text": _text, "json": _json, "sarif": _sarif, "github": _github}
"""Name of a form → what prints it."""
