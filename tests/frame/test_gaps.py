"""Which fields are gaps."""

from __future__ import annotations

import pytest

from interlock.frame import FieldStatus, Frame, FrameEntry, Provenance, gaps, is_gap


def entry(status: FieldStatus, provenance: Provenance = "host", key: str = "k") -> FrameEntry:
    return FrameEntry(
        key=key, value=None, cell=key, provenance=provenance, status=status, defaulted=False, truncated=None
    )


@pytest.mark.parametrize(
    ("status", "provenance", "gap"),
    [
        pytest.param("present", "tool", False, id="present"),
        pytest.param("absent", "tool", False, id="absent-is-a-normal-state"),
        pytest.param("unfilled", "host", True, id="unfilled"),
        pytest.param("wrong_type", "host", True, id="wrong-type"),
        pytest.param("empty", "tool", True, id="a-tool-that-gave-nothing"),
        pytest.param("empty", "host", False, id="an-empty-host-fact"),
        pytest.param("empty", "caller", False, id="no-earlier-turns"),
        pytest.param("empty", "model", False, id="an-empty-draft"),
    ],
)
def test_a_gap_is_what_a_judge_was_to_see_and_does_not(status: FieldStatus, provenance: Provenance, gap: bool) -> None:
    """An empty field is one only where a tool was to fill it."""
    assert is_gap(entry(status, provenance)) is gap


def test_gaps_are_named_in_declaration_order() -> None:
    """Key and status, no values."""
    frame = Frame(
        decision="d",
        entries=(entry("unfilled", key="a"), entry("present", key="b"), entry("empty", "tool", key="c")),
        exclusions=(),
        sent={},
        digest="",
    )

    assert gaps(frame) == ("a: unfilled", "c: empty")
