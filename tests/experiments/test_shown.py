"""A number that is not known is shown as a dash."""

from __future__ import annotations

from interlock.experiments.shown import percent, points


def test_what_is_not_known_is_a_dash() -> None:
    assert (percent(None), points(None)) == ("-", "-")
