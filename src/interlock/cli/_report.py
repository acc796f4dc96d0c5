"""Findings on one file in the four forms that `check` prints: text, JSON, SARIF and GitHub annotations."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from interlock.contract.codes import CODES
from interlock.contract.compile import CheckResult
from interlock.diagnostics import Diagnostic, Severity, render

__all__ = ["FORMATS", "Report", "census"]

_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_SARIF_LEVELS: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}
_GITHUB_LEVELS: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was found in one file."""

    file: str
    """As the command line names it."""
    result: CheckResult

    def count(self, severity: Severity) -> int:
        """Return how many findings have that severity."""
        return sum(item.severity == severity for item in self.result.diagnostics)


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
    counts = [_counted(report.count(severity), noun) for severity, noun in _NOUNS.items()]
    last = f"{report.file}: {', '.join(counts)}"
    if report.result.verdict == "ok":
        last += f"; {report.result.sentence}"
    return f"{findings}\n{last}" if findings else last


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


_NOUNS: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}


def _json(report: Report) -> str:
    summary = {
        "errors": report.count("error"),
        "warnings": report.count("warning"),
        "infos": report.count("info"),
    }
    whole = {
        "file": report.file,
        "schema": report.result.schema,
        "summary": summary | census(report.result),
        "diagnostics": [_diagnostic_json(item) for item in report.result.diagnostics],
    }
    return json.dumps(whole, ensure_ascii=False, indent=2)


def _diagnostic_json(item: Diagnostic) -> dict[str, str | int | None]:
    return {
        "code": item.code,
        "severity": item.severity,
        "layer": item.layer,
        "decision": item.decision,
        "line": item.span.line,
        "column": item.span.column,
        "end_line": item.span.end_line,
        "end_column": item.span.end_column,
        "message": item.message,
        "fix": item.fix,
    }


def _sarif(report: Report) -> str:
    codes = sorted({item.code for item in report.result.diagnostics})
    rules = [{"id": code, "shortDescription": {"text": CODES[code].meaning}} for code in codes]
    results = [_sarif_result(item, report.file) for item in report.result.diagnostics]
    run = {
        "tool": {"driver": {"name": "interlock", "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return json.dumps({"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2)


def _sarif_result(item: Diagnostic, file: str) -> dict[str, object]:
    region = {
        "startLine": item.span.line,
        "startColumn": item.span.column,
        "endLine": item.span.end_line,
        "endColumn": item.span.end_column,
    }
    return {
        "ruleId": item.code,
        "level": _SARIF_LEVELS[item.severity],
        "message": {"text": _sentence(item)},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": file}, "region": region}}],
    }


def _github(report: Report) -> str:
    return "\n".join(_github_line(item, report.file) for item in report.result.diagnostics)


def _github_line(item: Diagnostic, file: str) -> str:
    properties = {
        "file": file,
        "line": item.span.line,
        "endLine": item.span.end_line,
        "col": item.span.column,
        "endColumn": item.span.end_column,
        "title": item.code,
    }
    written = ",".join(f"{name}={_escaped(str(value), in_property=True)}" for name, value in properties.items())
    return f"::{_GITHUB_LEVELS[item.severity]} {written}::{_escaped(_sentence(item), in_property=False)}"


def _escaped(text: str, *, in_property: bool) -> str:
    """Return `text` with the characters escaped that end a workflow command or one of its properties."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if in_property else text


def _sentence(item: Diagnostic) -> str:
    return f"{item.message}; {item.fix}" if item.fix else item.message


FORMATS: Mapping[str, Callable[[Report], str]] = {"text": _text, "json": _json, "sarif": _sarif, "github": _github}
"""Name of a form → what prints it."""
