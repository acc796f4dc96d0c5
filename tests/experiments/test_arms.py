"""Two arms differ in exactly one layer, and a key gets one of them for ever."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.errors import ExperimentError
from interlock.experiments import Experiment, make_experiment
from interlock.prompts import EMPTY_LOOP, PromptPack

SYSTEM = "Take finish, tool_call, ask_user or replan."
OTHER_LOOP = {**EMPTY_LOOP, "memory_summary": "nothing yet"}


def pack(**parts: Any) -> PromptPack:
    return PromptPack(**{"system": SYSTEM, "role": "first", "version": "1", **parts})


@pytest.mark.parametrize(
    ("parts", "layer"),
    [
        pytest.param({"system": f"{SYSTEM} Be brief."}, "system", id="system"),
        pytest.param({"role": "second"}, "role", id="role"),
        pytest.param({"loop": OTHER_LOOP}, "loop", id="loop"),
    ],
)
def test_one_layer_differs(parts: dict[str, Any], layer: str) -> None:
    found = make_experiment("tone", pack(), pack(**parts))

    assert found.layer == layer
    assert found.ref("A") != found.ref("B")
    assert [found.packs[arm].experiment for arm in ("A", "B")] == ["tone/A", "tone/B"]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        pytest.param({}, "the arms are equal", id="nothing"),
        pytest.param({"version": "2"}, "the arms are equal", id="a-number-only"),
        pytest.param({"role": "second", "system": f"{SYSTEM} x"}, "differ in system and role", id="two"),
        pytest.param(
            {"role": "b", "system": f"{SYSTEM} x", "loop": OTHER_LOOP}, "system and role and loop", id="three"
        ),
        pytest.param({"role": "second", "loop": OTHER_LOOP}, "differ in role and loop", id="role-and-loop"),
    ],
)
def test_a_second_difference_is_refused(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(ExperimentError, match=message):
        make_experiment("tone", pack(), pack(**parts))


@pytest.mark.parametrize("name", ["", "tone/A"])
def test_a_name_that_could_not_be_told_from_an_arm_is_refused(name: str) -> None:
    with pytest.raises(ExperimentError, match="without `/`"):
        make_experiment(name, pack(), pack(role="second"))


def test_a_key_gets_the_same_arm_for_ever(experiment: Experiment) -> None:
    keys = [f"user-{n}" for n in range(2000)]
    given = [experiment.assign(key) for key in keys]

    assert given == [experiment.assign(key) for key in keys]
    assert 900 <= given.count("B") <= 1100
    assert experiment.assign("user-1") == experiment.assign("user-1", share_of_b=0.5)


def test_the_share_of_an_arm_is_kept(experiment: Experiment) -> None:
    keys = [f"user-{n}" for n in range(2000)]
    few = {key for key in keys if experiment.assign(key, share_of_b=0.1) == "B"}
    more = {key for key in keys if experiment.assign(key, share_of_b=0.3) == "B"}

    assert 140 <= len(few) <= 260
    assert few < more
    assert not [key for key in keys if experiment.assign(key, share_of_b=0.0) == "B"]
    assert len([key for key in keys if experiment.assign(key, share_of_b=1.0) == "B"]) == 2000


def test_two_experiments_assign_independently(experiment: Experiment) -> None:
    """Otherwise the users of one arm would always meet the same arm of the next experiment."""
    other = make_experiment("speed", pack(), pack(role="second"))
    keys = [f"user-{n}" for n in range(2000)]
    both = sum(experiment.assign(key) == other.assign(key) == "B" for key in keys)

    assert 420 <= both <= 580


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_a_share_is_a_part_of_one(experiment: Experiment, share: float) -> None:
    with pytest.raises(ExperimentError, match="a share is from 0 to 1"):
        experiment.assign("x", share_of_b=share)
