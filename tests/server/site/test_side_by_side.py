"""Two texts beside each other: lines that belong together, words that changed, and a bound on all of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock._text import visible
from interlock.server.site.side_by_side import Row, Side, side_by_side

LINES = st.lists(st.text("ab \u4e2d\u202e", max_size=5), max_size=12).map("\n".join)


def text(side: Side | None) -> str | None:
    return None if side is None else "".join(part.text for part in side.parts)


def shown(row: Row) -> tuple[str, str | None, str | None]:
    return row.kind, text(row.left), text(row.right)


def test_changed_words_are_marked_in_both_lines() -> None:
    found = side_by_side("one\ntwo big words\nthree\n", "one\ntwo small words\nthree\nfour\n")

    assert [shown(row) for row in found.rows] == [
        ("same", "one", "one"),
        ("changed", "two big words", "two small words"),
        ("same", "three", "three"),
        ("added", None, "four"),
    ]
    changed = found.rows[1]
    assert changed.left is not None
    assert [part.text for part in changed.left.parts if part.is_changed] == ["big"]
    assert (found.added, found.removed, found.left_out) == (2, 1, 0)


def test_what_is_far_from_a_change_is_left_out() -> None:
    before = [f"line {at}" for at in range(40)]
    after = [*before[:20], "new", *before[20:]]

    kinds = [row.kind for row in side_by_side("\n".join(before), "\n".join(after)).rows]

    assert kinds == ["gap", "same", "same", "same", "added", "same", "same", "same"]


@pytest.mark.parametrize(
    ("old", "new", "rows"),
    [
        pytest.param("same\n", "same\n", 0, id="equal"),
        pytest.param("", "", 0, id="empty"),
        pytest.param("end\n", "end", 2, id="no-line-end"),
    ],
)
def test_edges(old: str, new: str, rows: int) -> None:
    assert len(side_by_side(old, new).rows) == rows


def test_long_texts_take_no_time_and_are_cut() -> None:
    old, new = ("\n".join(f"{word} {at}" for at in range(20_000)) for word in ("old", "new"))

    found = side_by_side(old, new)

    assert found.left_out == 20_000 - len(found.rows)
    assert side_by_side("x " * 50_000, "y " * 50_000).rows[0].kind == "changed"


@given(old=LINES, new=LINES)
@settings(max_examples=150, deadline=None)
def test_every_changed_line_of_both_texts_is_there(old: str, new: str) -> None:
    rows = side_by_side(old, new).rows
    left = [text(row.left) for row in rows if row.kind in ("changed", "removed")]
    right = [text(row.right) for row in rows if row.kind in ("changed", "added")]

    assert {visible(line) for line in set(old.split("\n")) - set(new.split("\n"))} <= set(left)
    assert {visible(line) for line in set(new.split("\n")) - set(old.split("\n"))} <= set(right)
    assert (rows == ()) == (old == new)
    for row in rows:
        for side, whole in ((row.left, old), (row.right, new)):
            if side is not None:
                assert text(side) == visible(whole.split("\n")[side.number - 1])
