"""A finding on one line, and what to write instead of a name that is not known."""

from __future__ import annotations

import pytest

from interlock.diagnostics import Diagnostic, Severity, Span, did_you_mean, render


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        pytest.param("step_okk", ["step_ok", "is_done"], "did you mean `step_ok`?", id="near"),
        pytest.param("x", ["step_ok", "is_done"], "write one of: `step_ok`, `is_done`", id="far"),
        pytest.param("x", [], "none is declared", id="nothing-known"),
    ],
)
def test_a_name_that_is_not_known_gets_the_nearest_or_the_list(name: str, known: list[str], said: str) -> None:
    assert did_you_mean(name, known) == said


@pytest.mark.parametrize(
    ("severity", "fix", "line"),
    [
        pytest.param("error", None, "a.md:3:5: code-x: is wrong", id="error"),
        pytest.param("warning", "write y", "a.md:3:5: warning: code-x: is wrong; write y", id="warning-with-a-fix"),
    ],
)
def test_a_finding_is_one_line(severity: Severity, fix: str | None, line: str) -> None:
    found = Diagnostic(
        code="code-x",
        severity=severity,
        layer="syntax",
        decision=None,
        span=Span(line=3, column=5, end_line=3, end_column=6),
        message="is wrong",
        fix=fix,
    )
    assert render([found], "a.md") == line
    assert render([], "a.md") == ""
