"""What holds for any text."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interlock.contract import CODES, Capabilities, check_contract, compile_contract
from interlock.contract.fix import apply_edits

FRAGMENTS = st.sampled_from([
    "# t", "schema: decision-contract/v1", "## a", "## b", "## generator", "### q", "##", "###x",
    "kind: noul", "kind: choice", "kind: score", "kind: mixed", "kind: rule", "kind：noul", "kind noul",
    "when: step-start —— x", "when: before-call", "when: host:triage -- x", "when: step-start — x", "when:",
    "dynamic: fileOptions(ctx: files, canWrite) → candidates —— x", "dynamic: f(ctx)", "dynamic f(ctx: a) → b",
    "ask: x", "ask:", "- true — a", "- false — b", "- c — d", "- e", "- — f", "- g —", "-", "+ h", "* i -- j",
    "frame:", "+ task 400 —— x", "+ output 30 outputMaybe —— x", "- files —— x", "- draft", "+ n 0 —— x", "- —— x",
    "policy:", "- else → answer", "- else -> auto", "- top >= 0.5 → answer", "- prob:q >= 0.6 → answer",
    "- prob:a < 0.4 → escalate", "- score:q >= 1 → ask_human", "- picked:q = c → use_tool", "- top >= 2 → x", "- →",
    "- prob:q ≥ 0.5 => answer", "else → answer", "prose", "注意：x", "x: y", "```", "~~~", "<!--", "-->", "",
])  # fmt: skip


@given(st.text(max_size=300))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_answered(host: Capabilities, text: str) -> None:
    """With a result; nothing is raised."""
    result = check_contract(text, host)

    assert {item.code for item in result.diagnostics} <= set(CODES)
    assert (result.contract is None) == any(item.severity == "error" for item in result.diagnostics)


@given(st.lists(FRAGMENTS, max_size=40), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_lines_are_answered_in_place(host: Capabilities, lines: list[str], ending: str) -> None:
    """Every finding points into the file, in order, and says what it is about."""
    text = ending.join(lines)
    written = text.replace("\r\n", "\n").split("\n")
    for capabilities in (host, None):
        found = check_contract(text, capabilities).diagnostics
        assert list(found) == sorted(found, key=lambda item: (item.span.line, item.span.column))
        for item in found:
            assert 1 <= item.span.line == item.span.end_line <= len(written)
            assert 1 <= item.span.column <= item.span.end_column <= len(written[item.span.line - 1]) + 1
            assert item.message
            assert item.fix


@given(st.lists(FRAGMENTS, max_size=40))
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_safe_fixes_never_break_what_compiled(host: Capabilities, lines: list[str]) -> None:
    """They leave a valid file alone, and come to an end."""
    text = "\n".join(lines)
    result = check_contract(text, host)
    fixed = apply_edits(text, result.diagnostics)
    again = apply_edits(fixed, check_contract(fixed, host).diagnostics)

    assert apply_edits(again, check_contract(again, host).diagnostics) == again
    if result.contract is not None:
        assert compile_contract(fixed, host).digest == result.contract.digest


@given(st.integers(min_value=0, max_value=40), st.sampled_from([" ", "  ", "\t"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_space_around_a_line_means_nothing(every_kind: str, host: Capabilities, line: int, space: str) -> None:
    """Indentation and trailing space, on any line outside of the section for the writer."""
    lines = every_kind.split("\n")
    lines[line] = space + lines[line] + space

    assert compile_contract("\n".join(lines), host).digest == compile_contract(every_kind, host).digest


HEAD = "# t\nschema: decision-contract/v1\n## a\nkind: mixed\nwhen: step-start\n"
MANY = 100_000


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(HEAD + "- a" + " " * MANY + "b", id="spaces-in-an-option"),
        pytest.param(HEAD + "- a" + " —" * MANY, id="dashes-in-an-option"),
        pytest.param(HEAD + "- a" + "\u0316\u0300" * MANY + " — b\n- c — d", id="accents-in-a-label"),
        pytest.param(HEAD + "### a" + "\u0316\u0300" * MANY, id="accents-in-an-id"),
        pytest.param(HEAD + "policy:\n- prob:a " + "<" * MANY + " x y → answer", id="comparisons"),
        pytest.param(HEAD + "### " + "9" * MANY + "\nask: x\n- true — a\n- false — b\npolicy:\n- prob:" + "9" * MANY
                     + " >= 2 → answer", id="digits-in-an-id"),
        pytest.param(HEAD + "policy:\n- top >= " + "9" * MANY + " → answer", id="digits-in-a-number"),
        pytest.param(HEAD + "policy:\n- picked:a " + "=" * MANY, id="equal-signs"),
        pytest.param(HEAD + "policy:\n- a " + "=>" * MANY, id="other-arrows"),
        pytest.param(HEAD + "policy:\n- a " + "→" * MANY, id="arrows"),
        pytest.param(HEAD + "dynamic" + " " * MANY + "x", id="spaces-behind-a-key"),
        pytest.param(HEAD + "policy" + "!" * MANY + "x", id="signs-behind-a-key"),
        pytest.param(HEAD + "dynamic: f(ctx: " + "a, " * MANY + ") → c", id="cells-of-a-provider"),
        pytest.param(HEAD + "### a\nask: " + "b " * MANY + "\n### b\nask: a", id="names-of-a-sibling"),
        pytest.param(HEAD + "dynamic: f(ctx:" + ") " * MANY, id="brackets-of-a-provider"),
        pytest.param(HEAD + "frame:\n- a" + " -" * MANY, id="hyphens-in-a-frame"),
        pytest.param(HEAD + "frame:\n+ " + "a " * MANY + "—— b", id="words-in-a-frame"),
        pytest.param(HEAD + "a" * MANY + " :" * MANY, id="one-long-key"),
        pytest.param(HEAD + "` `` ``` " * (MANY // 4) + "<!--", id="backticks-before-a-comment"),
        pytest.param(HEAD + "`<!---->`` " * (MANY // 4), id="comments-among-backticks"),
        pytest.param(HEAD + "x ``` " * (MANY // 2), id="fences-in-a-line"),
        pytest.param(HEAD + "\n".join("`" * (3 + n % 300) for n in range(MANY // 50)), id="growing-fences"),
        pytest.param(HEAD + "policy:\n" + "\n".join(f"- top >= 0.{n} → a{n}" for n in range(MANY // 50)), id="rules"),
    ],
)  # fmt: skip
def test_no_text_takes_long(text: str, host: Capabilities) -> None:
    """The time grows with the length; its square would take minutes here."""
    started = time.process_time()
    check_contract(text, host)

    assert time.process_time() - started < 10
