"""Safe fixes change what they name and nothing else."""

from __future__ import annotations

import pytest

from interlock.contract.compile import check_contract
from interlock.contract.fix import apply_edits
from interlock.diagnostics import Diagnostic, Edit, Span
from interlock.loop.capabilities import REFERENCE


def finding(line: int, column: int, end_column: int, text: str | None) -> Diagnostic:
    span = Span(line=line, column=column, end_line=line, end_column=end_column)
    return Diagnostic(
        code="unknown-key",
        severity="error",
        layer="syntax",
        decision=None,
        span=span,
        message="m",
        fix=None,
        edit=None if text is None else Edit(span=span, text=text),
    )


@pytest.mark.parametrize(
    ("edits", "fixed"),
    [
        pytest.param([(1, 1, 2, "X")], "Xbc\r\ndéf", id="one-character"),
        pytest.param([(2, 2, 3, "")], "abc\r\ndf", id="columns-count-characters"),
        pytest.param([(1, 4, 4, "!")], "abc!\r\ndéf", id="at-the-end-of-a-line"),
        pytest.param([(1, 1, 2, "X"), (1, 3, 4, "Z")], "XbZ\r\ndéf", id="two-in-a-line"),
        pytest.param([(1, 1, 2, "X"), (2, 1, 2, "Y")], "Xbc\r\nYéf", id="two-lines"),
        pytest.param([(1, 1, 3, "X"), (1, 2, 4, "Y")], "aY\r\ndéf", id="of-two-that-overlap-one-waits"),
        pytest.param([(1, 1, 2, None)], "abc\r\ndéf", id="no-edit"),
        pytest.param([(9, 1, 2, "X"), (1, 3, 9, "X")], "abc\r\ndéf", id="outside-of-the-text"),
    ],
)
@pytest.mark.parametrize("mark", [pytest.param("", id="plain"), pytest.param("\ufeff", id="byte-order-mark")])
def test_an_edit_changes_its_span_only(mark: str, edits: list[tuple[int, int, int, str | None]], fixed: str) -> None:
    """Line ends and the byte order mark stay."""
    assert apply_edits(mark + "abc\r\ndéf", [finding(*edit) for edit in edits]) == mark + fixed


def test_what_the_compiler_offers_is_right() -> None:
    """After its safe fixes the file has none of the findings that carried them."""
    text = (
        "# T\nschema: decision-contract/v1\n##d\nkind: noul\nwhen: step-start - why\nask：What now?\n"
        "- true — a\n- false — b\nframe:\n  + task 9 —— r\npolicy:\n  prob:d ≥ 0.7 => answer\n  - else => use_tool\n"
    )
    found = check_contract(text, REFERENCE).diagnostics
    for _ in range(3):
        text = apply_edits(text, check_contract(text, REFERENCE).diagnostics)
    left = {item.code for item in check_contract(text, REFERENCE).diagnostics}

    assert {item.code for item in found if item.edit} & left == set()
    assert "##" in text
    assert text.splitlines()[-2:] == ["  - prob:d >= 0.7 → answer", "  - else → use_tool"]
