"""The law of the planner: the plan changes how long a run waits, never what it does."""

from __future__ import annotations

import pytest
from bench.plan_law import World, differing, main, worlds
from hypothesis import HealthCheck, given, settings

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(worlds())
def test_every_plan_comes_to_the_same_actions_frames_answers_and_effects(world: World) -> None:
    """Judges that answer each question from its own decision's fields, failures by decision and frame."""
    assert differing(world, strictly=True) == []


def test_the_bench_prints_how_often_a_judge_that_mixes_questions_breaks_the_law(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--runs", "4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = {line.split("|")[1].strip(): line for line in lines if line.startswith("| ")}
    assert rows["answers each question alone"].endswith("| 0 | 0 | 0 | 0 (0.0%) |")
    assert rows["mixes questions, caps say so"].endswith("| 0 | 0 | 0 | 0 (0.0%) |")
    assert not rows["mixes questions, caps deny it"].endswith("| 0 (0.0%) |")
