"""The reference host's declaration agrees with itself and with the table of actions."""

from __future__ import annotations

import pytest

from interlock.actions.meaning import ANYWHERE, POSITIONS
from interlock.loop.capabilities import REFERENCE


def test_every_projection_reads_a_declared_cell() -> None:
    """A projection over an unknown cell could never be filled."""
    unknown = {name: spec.cell for name, spec in REFERENCE.projections.items() if spec.cell not in REFERENCE.cells}

    assert unknown == {}


def test_every_provider_reads_declared_cells() -> None:
    """A provider is given only the cells it declares."""
    unknown = [cell for spec in REFERENCE.providers.values() for cell in spec.reads if cell not in REFERENCE.cells]

    assert unknown == []


def test_facts_are_the_only_extension() -> None:
    """Files written before `facts` existed stay complete."""
    assert [name for name, cell in REFERENCE.cells.items() if cell.extension] == ["facts"]


def test_what_a_tool_returned_is_marked_as_such() -> None:
    """Provenance is what keeps tool text apart in what a judge is sent."""
    from_tools = {name for name, cell in REFERENCE.cells.items() if cell.provenance == "tool"}

    assert from_tools == {"files", "readFiles", "history", "lastResult"}


def test_an_unknown_tool_has_no_risk_field_and_a_floor_of_two() -> None:
    """A risk of 0 would mean read-only; absent is not 0."""
    floor = REFERENCE.floors["grade_risk.risk"]

    assert REFERENCE.projections[floor.projection].absent
    assert floor.absent == 2


@pytest.mark.parametrize(
    ("projection", "default"),
    [
        pytest.param("lastOrNone", "none yet", id="no-result-so-far"),
        pytest.param("toolOrUnknown", "unknown", id="no-tool-so-far"),
        pytest.param("describeDone", "nothing yet", id="nothing-done"),
        pytest.param("writeEvidence", "no tool was called", id="no-evidence"),
    ],
)
def test_defaults_that_carry_the_criterion_are_not_empty(projection: str, default: str) -> None:
    """A judge must be able to tell `nothing yet` from an empty result."""
    assert REFERENCE.projections[projection].default == default


def test_safe_defaults_are_actions_of_some_position() -> None:
    """Modes `shadow` and `off` act as the safe default, so it must be an action."""
    known = {action for actions in POSITIONS.values() for action in actions} | set(ANYWHERE)

    assert set(REFERENCE.safe_defaults.values()) <= known
