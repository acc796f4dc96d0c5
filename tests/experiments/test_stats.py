"""The statistics, against published or hand-computed figures and against their own laws."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.experiments.stats import (
    fisher_exact,
    mcnemar_exact,
    mean_interval,
    paired_interval,
    required_cases,
    unpaired_interval,
    wilson,
)


@pytest.mark.parametrize(
    ("successes", "count", "low", "high"),
    [
        pytest.param(81, 263, 0.2553, 0.3662, id="as-published-by-newcombe"),
        pytest.param(15, 148, 0.0624, 0.1605, id="a-small-rate"),
        pytest.param(0, 20, 0.0, 0.1611, id="nothing"),
        pytest.param(20, 20, 0.8389, 1.0, id="everything"),
    ],
)
def test_wilson_intervals(successes: int, count: int, low: float, high: float) -> None:
    found = wilson(successes, count)

    assert found is not None
    assert found.value == successes / count
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


def test_nothing_counted_has_no_rate() -> None:
    assert wilson(0, 0) is None
    assert mean_interval([]) is None
    assert paired_interval(0, 0, 0) is None
    assert unpaired_interval(None, wilson(1, 2)) is None


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [
        pytest.param(0, 0, 1.0, id="no-discordant-pair"),
        pytest.param(1, 5, 14 / 64, id="by-hand"),
        pytest.param(5, 1, 14 / 64, id="the-other-way-round"),
        pytest.param(0, 6, 2 / 64, id="all-on-one-side"),
        pytest.param(3, 3, 1.0, id="in-balance"),
        pytest.param(4, 17, 2 * sum(math.comb(21, k) for k in range(5)) / 2**21, id="a-binomial-tail"),
    ],
)
def test_the_exact_paired_test(only_first: int, only_second: int, p: float) -> None:
    assert mcnemar_exact(only_first, only_second) == pytest.approx(p)


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [
        pytest.param((3, 4), (1, 4), 0.48571, id="tea"),
        pytest.param((1, 10), (11, 14), 0.00276, id="as-in-textbooks"),
        pytest.param((0, 0), (3, 9), 1.0, id="an-empty-arm"),
    ],
)
def test_the_exact_unpaired_test(first: tuple[int, int], second: tuple[int, int], p: float) -> None:
    assert fisher_exact(*first, *second) == pytest.approx(p, abs=5e-5)


@given(st.integers(0, 60), st.integers(0, 60))
@settings(max_examples=100, deadline=None)
def test_an_exact_test_is_never_wrong_more_often_than_it_says(only_first: int, only_second: int) -> None:
    """Under equal arms, the chance of a p at or below 0.05 is at most 0.05."""
    count = only_first + only_second
    chance = sum(math.comb(count, k) for k in range(count + 1) if mcnemar_exact(k, count - k) <= 0.05) / 2**count

    assert chance <= 0.05
    assert mcnemar_exact(only_first, only_second) == mcnemar_exact(only_second, only_first)


@given(st.integers(0, 300), st.integers(1, 300))
@settings(max_examples=100, deadline=None)
def test_an_interval_holds_its_rate(successes: int, count: int) -> None:
    found = wilson(min(successes, count), count)

    assert found is not None
    assert 0 <= found.low <= found.value <= found.high <= 1


@pytest.mark.parametrize(
    ("difference", "discordance", "cases"),
    [
        pytest.param(0.15, 0.36, 124, id="seventy-against-eighty-five"),
        pytest.param(0.1, 0.1, 77, id="one-sided-discordance"),
        pytest.param(0.05, 0.3, 940, id="a-small-difference"),
    ],
)
def test_required_cases(difference: float, discordance: float, cases: int) -> None:
    assert required_cases(difference, discordance) == cases


def test_a_smaller_difference_needs_more_cases() -> None:
    assert required_cases(0.05, 0.3) > required_cases(0.1, 0.3) > required_cases(0.2, 0.3)


@pytest.mark.parametrize(("difference", "discordance"), [(0.0, 0.1), (1.0, 0.1), (0.1, 0.0), (0.1, 1.1)])
def test_a_difference_is_a_part_of_one(difference: float, discordance: float) -> None:
    with pytest.raises(ValueError, match="parts of one"):
        required_cases(difference, discordance)


def test_means_have_intervals() -> None:
    found = mean_interval([1.0, 2.0, 3.0, 4.0])

    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((2.5, 1.23485, 3.76515), abs=5e-5)
    single = mean_interval([7.0])
    assert single is not None
    assert (single.low, single.high) == (7.0, 7.0)


def test_differences_have_intervals() -> None:
    paired, unpaired = paired_interval(10, 30, 200), unpaired_interval(wilson(140, 200), wilson(170, 200))

    assert paired is not None
    assert paired.value == 0.1
    assert 0 < paired.low < 0.1 < paired.high
    assert unpaired is not None
    assert unpaired.value == pytest.approx(0.15)
    assert (unpaired.low, unpaired.high) == pytest.approx((0.0684, 0.2294), abs=5e-5)
