"""The comparison finds a difference that is there, and seldom one that is not."""

from __future__ import annotations

import asyncio

import pytest
from bench.ab_power import CASES, experiment, found, found_through_the_engine, through_the_engine

from interlock.experiments import make_report


def test_a_planted_difference_is_found() -> None:
    """70 % against 85 % on 200 cases, in at least 80 of 100 seeded repeats."""
    assert found(0.70, 0.85) >= 80


@pytest.mark.parametrize("looks", [1, 5])
def test_equal_arms_seldom_differ(looks: int) -> None:
    """At most 10 of 100, however often one looks."""
    assert found(0.70, 0.70, looks=looks) <= 10


def test_the_same_holds_when_every_attempt_goes_through_the_engine() -> None:
    """A failed first attempt is mended by a second one, and the difference is at the first."""
    assert found_through_the_engine(0.70, 0.85, repeats=5) >= 4


def test_retries_mend_what_the_first_attempt_failed() -> None:
    report = make_report(experiment(), asyncio.run(through_the_engine(1, 0.70, 0.85)), planned=CASES)

    assert report.arms[0].rates["valid"] is not None
    assert report.arms[0].rates["valid"].value == 1.0
