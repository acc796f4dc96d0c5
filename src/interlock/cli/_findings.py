"""Findings in files in the forms that commands print them: lines, JSON, SARIF and GitHub annotations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from interlock.cli._output import counted
from interlock.diagnostics import Diagnostic, Severity

__all__ = ["FileFindings", "counts", "diagnostic_json", "github", "sarif", "tally"]

_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_SARIF_LEVELS: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}
_GITHUB_LEVELS: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}
_NOUNS: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFindings:
    """What was found in one file."""

    file: str
    """As the command line names it."""
    diagnostics: Sequence[Diagnostic]


def counts(diagnostics: Sequence[Diagnostic]) -> dict[str, int]:
    """Return how many findings there are of each severity, under the names of JSON output."""
    return {f"{severity}s": sum(item.severity == severity for item in diagnostics) for severity in _NOUNS}


def tally(diagnostics: Sequence[Diagnostic]) -> str:
    """Return the counts in words: `1 error, 2 warnings, 0 notes`."""
    numbers = zip(counts(diagnostics).values(), _NOUNS.values(), strict=True)
    return ", ".join(counted(number, noun) for number, noun in numbers)


def diagnostic_json(item: Diagnostic) -> dict[str, str | int | None]:
    """Return a finding as JSON."""
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


def sarif(found: Sequence[FileFindings], meanings: Mapping[str, str]) -> str:
    """Return the findings as a SARIF log; `meanings`: code → one sentence about it."""
    codes = sorted({item.code for each in found for item in each.diagnostics})
    rules = [{"id": code, "shortDescription": {"text": meanings[code]}} for code in codes]
    run = {
        "tool": {"driver": {"name": "interlock", "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(item, each.file) for each in found for item in each.diagnostics],
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


def github(found: Sequence[FileFindings]) -> str:
    """Return the findings as workflow commands that annotate a pull request."""
    return "\n".join(_github_line(item, each.file) for each in found for item in each.diagnostics)


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
