"""Cutting text and recognising a tool's notes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.tools.text import cut_label, head_and_tail, is_note, one_line


@given(text=st.text(max_size=400), bound=st.integers(min_value=40, max_value=300))
@settings(deadline=None)
def test_cutting_keeps_head_and_tail_within_the_bound(text: str, bound: int) -> None:
    shown = head_and_tail(text, bound)
    assert len(shown) <= bound
    assert head_and_tail(shown, bound) == shown
    if shown != text:
        head, tail = shown.split(shown[shown.index("\n[cut: ") : shown.rindex(" characters]\n") + 13], 1)
        assert text.startswith(head)
        assert text.endswith(tail)


def test_a_text_within_the_bound_stays_as_it_is() -> None:
    assert head_and_tail("x" * 40, 40) == "x" * 40


@pytest.mark.parametrize(
    ("line", "note"),
    [
        (cut_label(3, "characters"), True),
        ("[left out: files that are not text, too large or too many (1)]", True),
        ("[not UTF-8: bytes shown as \ufffd (2)]", True),
        ("[cut]", False),
        ("x [cut: 3 bytes]", False),
        ("src/a.ts", False),
        ("[id].tsx", False),
    ],
)
def test_notes_are_told_from_content(line: str, note: bool) -> None:
    assert is_note(line) is note


@given(text=st.text(max_size=200))
@settings(deadline=None)
def test_one_line_is_one_line(text: str) -> None:
    shown = one_line(text, 50)
    assert len(shown.splitlines()) <= 1
    assert len(shown) <= 50
    assert shown.isprintable()
