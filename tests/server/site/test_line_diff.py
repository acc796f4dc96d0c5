"""How one text becomes another, as lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.server.site.line_diff import beginning, difference

LINES = st.lists(st.sampled_from(["a", "b", "", "\r", "\u202e"]), max_size=12)


def drawn(old: str, new: str) -> list[str]:
    return [f"{line.sign}{line.text}" for line in difference(old, new).lines]


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        pytest.param("", "", [], id="nothing"),
        pytest.param("a\n", "a\n", [], id="the-same"),
        pytest.param("", "a\nb\n", ["@1", "+a", "+b"], id="new"),
        pytest.param("a\n", "", ["@1", "-a"], id="emptied"),
        pytest.param("a\nb\nc\n", "a\nB\nc\n", ["@1", " a", "-b", "+B", " c"], id="one-line"),
        pytest.param("a\n", "a", ["@1", "-a", "+a[no line end]"], id="line-end-lost"),
        pytest.param("a\r\n", "a\n", ["@1", "-a\\r", "+a"], id="carriage-return"),
        pytest.param("x\n" * 9, "x\n" * 9 + "y\n", ["@7", " x", " x", " x", "+y"], id="far-from-the-start"),
        pytest.param("\u202ea\x1b\n", "", ["@1", "-\\u202ea\\x1b"], id="what-could-steer"),
    ],
)
def test_a_difference_is_drawn_line_by_line(old: str, new: str, lines: list[str]) -> None:
    assert drawn(old, new) == lines


def test_a_long_line_says_how_long_it_is_and_differs_beyond_what_is_shown() -> None:
    found = difference("x" * 500 + "a\n", "x" * 500 + "b\n")

    assert [line.sign for line in found.lines] == ["@", "-", "+"]
    assert found.lines[1].text == "x" * 400 + "[101 more characters]"


def test_what_is_not_shown_is_counted() -> None:
    found = difference("", "x\n" * 5_000)

    assert (found.added, found.removed, len(found.lines), found.more) == (5_000, 0, 400, 4_601)


def test_the_beginning_of_a_text_is_its_first_lines() -> None:
    lines, more = beginning("a\nb\nc", 2, sign="-")

    assert ([line.text for line in lines], more) == (["a", "b"], 1)


@given(LINES, LINES)
def test_added_and_removed_lines_turn_one_text_into_the_other(old: list[str], new: list[str]) -> None:
    found = difference("".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new))

    assert len(old) - found.removed + found.added == len(new)
    assert found.more == 0
    assert all(line.text.isprintable() for line in found.lines)
