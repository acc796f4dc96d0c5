"""Checks the style of functions that a model is offered, in their source and without importing it.

Source: next-step specification, section 17.
"""

from __future__ import annotations

from os import PathLike

from interlock.diagnostics import Diagnostic, Span
from interlock.functions.lint_checks import CHECKS, Finding, Subject
from interlock.functions.lint_places import Places
from interlock.functions.source import UNREADABLE, SourceModule, read_source, source_text, without_mark

__all__ = ["lint"]


def lint(source: str | PathLike[str]) -> list[Diagnostic]:
    """Return the findings in a source text, or in the file at a path, in the order of the file.

    One rule has one finding at one place, also where a subclass inherits what is there.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        text = without_mark(source if isinstance(source, str) else source_text(source))
        module = read_source(text)
    except SyntaxError as error:
        return [_not_python(error.lineno or 1, error.offset or 1, error.msg)]
    except UNREADABLE as error:
        return [_not_python(1, 1, str(error))]
    found: dict[tuple[str, Span], Finding] = {}
    for finding in _findings(module, Places(text)):
        found.setdefault((finding.code, finding.span), finding)
    return sorted(map(_diagnostic, found.values()), key=lambda item: (item.span.line, item.span.column, item.code))


def _findings(module: SourceModule, places: Places) -> list[Finding]:
    subjects = [Subject(function=function, scope=module.scope, places=places) for function in module.functions]
    found = [finding for subject in subjects for check in CHECKS for finding in check(subject)]
    return found + [
        Finding(code="F09", severity="warning", span=places.node(item.node), message=item.message, fix=None)
        for item in module.unseen
    ]


def _diagnostic(finding: Finding) -> Diagnostic:
    return Diagnostic(
        code=finding.code,
        severity=finding.severity,
        layer="function",
        decision=None,
        span=finding.span,
        message=finding.message,
        fix=finding.fix,
    )


def _not_python(line: int, column: int, reason: str) -> Diagnostic:
    span = Span(line=line, column=max(column, 1), end_line=line, end_column=max(column, 1) + 1)
    return _diagnostic(
        Finding(code="F00", severity="error", span=span, message=f"the file is not Python: {reason}", fix=None)
    )
