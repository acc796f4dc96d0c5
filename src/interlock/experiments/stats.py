"""The statistics of a comparison: intervals of rates and means, exact tests, and how many cases a difference needs.

Pure, and with nothing but the standard library.
Sources: Wilson 1927 (interval of a rate); McNemar 1947 in its exact binomial form (paired); Fisher 1922 (unpaired);
Agresti and Min 2005 (interval of a paired difference); Newcombe 1998 (of an unpaired one); Connor 1987 (sample size).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev

__all__ = [
    "ALPHA",
    "CONFIDENCE",
    "Interval",
    "fisher_exact",
    "mcnemar_exact",
    "mean_interval",
    "paired_interval",
    "required_cases",
    "unpaired_interval",
    "wilson",
]

CONFIDENCE = 0.95
ALPHA = 0.05
POWER = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A value with the range that holds the true one in `CONFIDENCE` of all samples."""

    value: float
    low: float
    high: float


def wilson(successes: int, count: int) -> Interval | None:
    """Return a rate with its Wilson interval; None when nothing was counted."""
    if count == 0:
        return None
    z = _z(CONFIDENCE)
    rate = successes / count
    centre = (rate + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(rate * (1 - rate) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return Interval(value=rate, low=max(0.0, min(rate, centre - half)), high=min(1.0, max(rate, centre + half)))


def mean_interval(values: Sequence[float]) -> Interval | None:
    """Return a mean with its interval by the normal approximation; None when there are no values."""
    if not values:
        return None
    mean = fmean(values)
    half = _z(CONFIDENCE) * stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return Interval(value=mean, low=mean - half, high=mean + half)


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Return the two-sided p of a paired comparison from its discordant pairs; 1 when there are none."""
    discordant = only_first + only_second
    tail = sum(math.comb(discordant, k) for k in range(min(only_first, only_second) + 1))
    return min(1.0, float(2 * tail / 2**discordant))


def fisher_exact(first: int, first_count: int, second: int, second_count: int) -> float:
    """Return the two-sided p of an unpaired comparison of two rates; 1 when an arm is empty."""
    total, successes = first_count + second_count, first + second
    low, high = max(0, successes - second_count), min(successes, first_count)
    ways = {k: math.comb(first_count, k) * math.comb(second_count, successes - k) for k in range(low, high + 1)}
    extreme = sum(way for way in ways.values() if way <= ways[first])
    return extreme / math.comb(total, successes)


def paired_interval(only_first: int, only_second: int, pairs: int) -> Interval | None:
    """Return the second rate less the first with its interval; None when there are no pairs."""
    if pairs == 0:
        return None
    more, less, count = only_second + 0.5, only_first + 0.5, pairs + 2
    adjusted = (more - less) / count
    half = _z(CONFIDENCE) * math.sqrt(more + less - (more - less) ** 2 / count) / count
    value = (only_second - only_first) / pairs
    return Interval(value=value, low=max(-1.0, adjusted - half), high=min(1.0, adjusted + half))


def unpaired_interval(first: Interval | None, second: Interval | None) -> Interval | None:
    """Return the second rate less the first with its interval, from the Wilson intervals of both."""
    if first is None or second is None:
        return None
    value = second.value - first.value
    below = math.hypot(second.value - second.low, first.high - first.value)
    above = math.hypot(second.high - second.value, first.value - first.low)
    return Interval(value=value, low=value - below, high=value + above)


def required_cases(difference: float, discordance: float) -> int:
    """Return the pairs that show `difference` in `POWER` of all samples at `ALPHA`.

    `discordance`: the part of pairs whose two outcomes differ; it is at least the difference.

    Raises:
        ValueError: the difference or the discordance is not a part of one.
    """
    if not 0 < difference < 1 or not 0 < discordance <= 1:
        raise ValueError("a difference and a discordance are parts of one, such as 0.1")
    psi = max(discordance, difference)
    both = _z(1 - ALPHA) * math.sqrt(psi) + NormalDist().inv_cdf(POWER) * math.sqrt(psi - difference**2)
    return math.ceil((both / difference) ** 2)


def _z(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2)
