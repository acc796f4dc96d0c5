"""What may be written as `expose` and `render_range`, and what is refused in words."""

from __future__ import annotations

import pytest

from interlock.functions.visibility import check_expose, check_render_range


@pytest.mark.parametrize("value", ["io", "llm", "full", "hidden"])
def test_each_way_to_be_shown_is_taken(value: str) -> None:
    check_expose(value, "f")


def test_any_other_way_is_refused() -> None:
    with pytest.raises(ValueError, match=r"`f`: expose is 'all'; write one of io, llm, full, hidden"):
        check_expose("all", "f")


@pytest.mark.parametrize(
    "value", [{}, {"callers": None, "subcalls": -1}, {"callers": 0, "subcalls": 0}, {"callers": 3}, {"subcalls": 2}]
)
def test_a_range_is_two_counts_or_all(value: object) -> None:
    check_render_range(value, "f")


@pytest.mark.parametrize(
    ("value", "says"),
    [
        pytest.param(3, "render_range is a dict of `callers` and `subcalls`, got 3", id="no-dict"),
        pytest.param({"depth": 1}, "has the unknown key `depth`; write `callers` or `subcalls`", id="another-key"),
        pytest.param({"callers": -1}, "`callers` is -1; write None or a count", id="callers-below-none"),
        pytest.param({"subcalls": None}, "`subcalls` is None; write -1 or a count", id="subcalls-none"),
        pytest.param({"subcalls": True}, "`subcalls` is True; write -1 or a count", id="a-bool"),
        pytest.param({"callers": 1.5}, "`callers` is 1.5; write None or a count", id="no-count"),
    ],
)
def test_any_other_range_is_refused(value: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        check_render_range(value, "f")
