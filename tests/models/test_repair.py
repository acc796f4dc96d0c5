"""What is no number of JSON is refused, and no repair makes one of it."""

from __future__ import annotations

import pytest

from interlock.models.repair import read_object
from interlock.models.reply import extract_action


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_is_not_finite_is_refused(number: str) -> None:
    for text in (f'{{"a": {number}}}', f"{{'a': {number},}}"):
        with pytest.raises(ValueError, match=r"JSON|out of range"):
            read_object(text)


@pytest.mark.parametrize(
    ("text", "picked"),
    [
        pytest.param('["one" "two"] then {"call": "go"}', "go", id="two-strings-side-by-side"),
        pytest.param('He said ["hm. Then {"call": "go"}', "go", id="a-quote-in-prose"),
        pytest.param('["one" /* and */ "two"] then {"call": "go"}', "go", id="a-comment-between"),
    ],
)
def test_a_list_that_does_not_fit_hides_no_object_behind_it(text: str, picked: str) -> None:
    assert extract_action(text) == {"call": picked}
