"""What is no number of JSON is refused, and no repair makes one of it."""

from __future__ import annotations

import pytest

from interlock.models.repair import read_object


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_is_not_finite_is_refused(number: str) -> None:
    for text in (f'{{"a": {number}}}', f"{{'a': {number},}}"):
        with pytest.raises(ValueError, match=r"JSON|out of range"):
            read_object(text)
