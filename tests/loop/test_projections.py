"""What each projection shows of its cell."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.frame.spec import Project
from interlock.loop.capabilities import REFERENCE
from interlock.loop.projections import projections
from interlock.tools.table import reference_table

TABLE = {**reference_table(), "unrated": replace(reference_table()["read_file"], name="unrated", base_risk=None)}
PROJECTIONS = projections(TABLE)


def _steps(*steps: tuple[str, str, str | None]) -> list[dict[str, object]]:
    return [
        {"step": number, "tool": tool, "input": given, "result": result}
        for number, (tool, given, result) in enumerate(steps, start=1)
    ]


def test_every_declared_projection_is_here_and_no_other() -> None:
    assert set(PROJECTIONS) == set(REFERENCE.projections)


@pytest.mark.parametrize(
    "name", ["earlierMaybe", "resultMaybe", "draftMaybe", "toolOrEmpty", "lastOrNone", "toolOrUnknown"]
)
@pytest.mark.parametrize(("value", "shown"), [(None, None), ("", None), ("text\n", "text\n"), (7, 7)])
def test_text_is_shown_as_it_is_and_nothing_as_nothing(name: str, value: object, shown: object) -> None:
    assert PROJECTIONS[name](value) == shown


@pytest.mark.parametrize("name", ["filesMaybe", "readMaybe", "hostFacts"])
@pytest.mark.parametrize(("value", "shown"), [(None, None), ([], None), (["a", "b"], ["a", "b"]), ("x", "x")])
def test_a_list_is_shown_as_it_is_and_nothing_as_nothing(name: str, value: object, shown: object) -> None:
    assert PROJECTIONS[name](value) == shown


@pytest.mark.parametrize(("value", "shown"), [(None, None), ([], 0), (["a", "b"], 2), ("x", "x")])
def test_what_was_read_is_counted(value: object, shown: object) -> None:
    assert PROJECTIONS["readCount"](value) == shown


@pytest.mark.parametrize(
    ("tool", "risk"),
    [
        ("list_dir", 0),
        ("write_file", 1),
        ("move_file", 2),
        ("delete_file", 3),
        pytest.param("rm_rf", None, id="unknown-is-absent-never-nought"),
        pytest.param("unrated", None, id="undeclared-is-absent"),
        (None, None),
        (3, None),
    ],
)
def test_the_base_risk_is_the_one_the_table_declares(tool: object, risk: int | None) -> None:
    assert PROJECTIONS["localToolRisk"](tool) == risk


HISTORY_NAMES = ["describeDone", "lastInput", "recentSteps", "writeEvidence"]


@pytest.mark.parametrize("name", HISTORY_NAMES)
@pytest.mark.parametrize(("value", "shown"), [(None, None), ([], None), ("x", "x")])
def test_an_empty_history_has_nothing_to_show(name: str, value: object, shown: object) -> None:
    assert PROJECTIONS[name](value) == shown


@pytest.mark.parametrize("name", HISTORY_NAMES)
def test_a_step_that_is_no_mapping_is_a_mistake_of_the_caller(name: str) -> None:
    with pytest.raises(TypeError, match="a step is a mapping"):
        PROJECTIONS[name](["list_dir"])


@pytest.mark.parametrize("name", ["describeDone", "recentSteps", "writeEvidence"])
def test_a_pending_step_is_not_something_done(name: str) -> None:
    done, pending = ("list_dir", ".", "a.txt"), ("delete_file", "a.txt", None)
    assert PROJECTIONS[name](_steps(done, pending)) == PROJECTIONS[name](_steps(done))
    assert PROJECTIONS[name](_steps(pending)) is None


def test_what_was_done_is_told_in_order_and_not_merged() -> None:
    history = _steps(
        ("list_dir", ".", "a.txt"),
        ("read_file", "a.txt", "alpha"),
        ("read_file", "a.txt", "alpha"),
        ("write_file", "b.txt\nalpha\nbeta", "wrote"),
        ("own", "", "x"),
    )
    assert PROJECTIONS["describeDone"](history) == (
        "list_dir .; read_file a.txt; read_file a.txt; write_file b.txt; own"
    )


@pytest.mark.parametrize(
    ("steps", "shown"),
    [
        pytest.param([("read_file", "a", "x"), ("delete_file", "b", None)], "b", id="pending"),
        pytest.param([("read_file", "a", "x")], "a", id="last"),
        pytest.param([("write_file", "a\ncontent\n", None)], "a\ncontent\n", id="whole-input"),
        pytest.param([("own", "", None)], "", id="an-empty-input-stays-empty"),
    ],
)
def test_the_input_shown_before_a_call_is_the_one_about_to_run(
    steps: list[tuple[str, str, str | None]], shown: str
) -> None:
    assert PROJECTIONS["lastInput"](_steps(*steps)) == shown


def test_the_last_five_steps_are_shown_clipped() -> None:
    history = _steps(
        *((f"tool{number}", "in", "out") for number in range(4)),
        ("write_file", "p" * 70 + "\ncontent", "r" * 300),
        ("read_file", "a", "one\ntwo"),
    )
    shown = PROJECTIONS["recentSteps"](history)
    assert shown == [
        "tool1 in -> out",
        "tool2 in -> out",
        "tool3 in -> out",
        f"write_file {'p' * 59}… -> {'r' * 199}…",
        "read_file a -> one\ntwo",
    ]


def test_evidence_is_newest_first_and_keeps_what_was_written() -> None:
    history = _steps(
        ("list_dir", ".", "forgotten"),
        ("read_file", "a\nrest", "r" * 300),
        ("write_file", "b\n" + "w" * 700, "s" * 300),
        ("read_file", "c" * 300, "t" * 700),
    )
    shown = PROJECTIONS["writeEvidence"](history)
    assert shown == "\n".join(
        [
            f"read_file {'c' * 199}… -> {'t' * 599}…",
            f"write_file b\n{'w' * 597}… -> {'s' * 199}…",
            f"read_file a -> {'r' * 199}…",
        ]
    )


_JSON = st.recursive(
    st.none() | st.text(max_size=5) | st.integers() | st.booleans(), lambda inner: st.lists(inner, max_size=3)
)


@given(value=_JSON)
@settings(deadline=None)
def test_any_value_of_a_cell_without_steps_can_be_projected(value: object) -> None:
    """A wrong type is passed on for the frame to report; it is never shown as something else."""
    for name in PROJECTIONS:
        if name in HISTORY_NAMES and isinstance(value, list) and value:
            continue
        shown = PROJECTIONS[name](value)
        assert shown is None or shown == value or name in {"readCount", "localToolRisk"}


def test_projections_look_at_nothing_but_their_cell() -> None:
    project: Project = PROJECTIONS["writeEvidence"]
    history = _steps(("read_file", "a", "x"))
    assert project(history) == project(tuple(history))
