"""Axes with round ticks, and marks that stay on them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.experiments.plots import EDGE, WIDTH, Row, axis_over, whiskers
from interlock.experiments.stats import Interval


def written(item: Interval | None) -> str:
    return "-" if item is None else f"{item.value:g}"


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        pytest.param(0.0, 1.0, [0, 0.25, 0.5, 0.75, 1], id="parts-of-one"),
        pytest.param(0.0, 1395.0, [0, 500, 1000, 1500], id="tokens"),
        pytest.param(0.0, 0.0, [0, 0.25], id="nothing-but-zero"),
        pytest.param(0.0, 5e-324, [0, 0.25], id="next-to-nothing"),
        pytest.param(-0.289, 0.146, [-0.4, -0.2, 0, 0.2], id="both-sides"),
        pytest.param(-0.401, -0.027, [-0.6, -0.4, -0.2, 0], id="below"),
        pytest.param(0.0, 0.0004, [0, 0.0001, 0.0002, 0.0003, 0.0004], id="small"),
    ],
)
def test_ticks_are_round_and_hold_every_value(low: float, high: float, ticks: list[float]) -> None:
    assert axis_over(low, high, str).ticks == pytest.approx(ticks)


@settings(deadline=None)
@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_an_axis_holds_zero_and_its_ends_in_few_ticks(first: float, second: float) -> None:
    low, high = sorted((first, second))
    ticks = axis_over(low, high, str).ticks

    slack = (ticks[-1] - ticks[0]) * 1e-6
    assert ticks[0] - slack <= min(low, 0)
    assert max(high, 0) <= ticks[-1] + slack
    assert 2 <= len(ticks) <= 7


def test_a_mark_beyond_the_axis_is_drawn_at_its_end() -> None:
    axis = axis_over(0.0, 1.0, str)

    assert (axis.place(-0.5), axis.place(0.5), axis.place(2.0)) == (EDGE, WIDTH / 2, WIDTH - EDGE)


def test_arms_differ_in_shape_as_well_as_in_colour() -> None:
    both = Interval(value=0.5, low=0.4, high=0.6)
    rows = [Row(label="<rate>", values={"A": both, "B": both, "B less A": both}), Row(label="none", values={"A": None})]
    drawn = ET.fromstring(whiskers("rates", "Rates & more", rows, axis_over(0.0, 1.0, "{:g}".format), written))

    marks = [(mark.tag, mark.get("class")) for mark in drawn if mark.tag in ("circle", "rect")]
    assert marks == [("circle", "a"), ("rect", "b"), ("circle", "other")]
    texts = [text.text for text in drawn if text.tag == "text" and text.get("class") != "tick"]
    assert texts == ["<rate>", "A 0.5", "B 0.5", "B less A 0.5", "none", "A -"]
    assert drawn[1].text == "<rate>: A 0.5, B 0.5, B less A 0.5; none: A -"
    (_, _, width, height) = map(float, str(drawn.get("viewBox")).split())
    places = [
        float(place) for mark in drawn for place in re.findall(r"[\d.]+", str(mark.get("y") or mark.get("cy") or 0))
    ]
    assert width == WIDTH
    assert max(places) <= height
