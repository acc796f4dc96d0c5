"""What a report says, and that it never says more than was shown."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import pytest

from interlock.engine import RunOptions, Waiting, run_engine
from interlock.errors import ExperimentError
from interlock.experiments import (
    Experiment,
    Outcome,
    Report,
    make_experiment,
    make_report,
    online_outcomes,
    report_json,
    report_page,
    report_table,
)
from interlock.journal import MemoryJournal
from interlock.models.scripted import ScriptedModel
from interlock.prompts import PromptPack

Made = Callable[..., Outcome]
VALID = json.dumps({"action": "finish", "tool": None, "tool_input": None, "final": "done"})


def outcomes(made: Made, only_a: int, only_b: int, both: int = 0, neither: int = 0, **parts: Any) -> list[Outcome]:
    """Return pairs of outcomes by how often the metric holds in each arm."""
    kinds = [(True, False)] * only_a + [(False, True)] * only_b + [(True, True)] * both + [(False, False)] * neither
    return [
        made(arm, case, holds[at], **parts) for case, holds in enumerate(kinds) for at, arm in enumerate(("A", "B"))
    ]


def report(experiment: Experiment, found: list[Outcome], planned: int, **options: Any) -> Report:
    return make_report(experiment, found, planned=planned, **options)


def test_a_difference_is_shown_with_its_size_and_p(experiment: Experiment, made: Made) -> None:
    found = report(experiment, outcomes(made, 2, 20, both=70, neither=8), 100)

    assert found.comparison.verdict == "difference"
    assert found.sentence == "B has 18.0 points more `valid_at_first` than A (p = 0.0001 at 0.05)"
    pairs = found.comparison.pairs
    assert pairs is not None
    assert (pairs.both, pairs.only_a, pairs.only_b, pairs.neither) == (70, 2, 20, 8)


def test_no_difference_shown_is_a_result(experiment: Experiment, made: Made) -> None:
    """It is not said that the arms are equal, and how many cases would be needed is told."""
    found = report(experiment, outcomes(made, 5, 8, both=80, neither=7), 100)

    assert found.comparison.verdict == "no difference shown"
    assert found.sentence == "no difference shown in `valid_at_first` (p = 0.5811 at 0.05; observed 3.0 points)"
    assert found.comparison.needed == 100
    assert "To show 10 points four times in five, 100 cases are needed; there are 100." in report_table(found)
    assert "equal" not in report_table(found)


def test_before_all_cases_are_done_nothing_is_decided(experiment: Experiment, made: Made) -> None:
    found = report(experiment, outcomes(made, 5, 8, both=20), 100)

    assert found.comparison.verdict == "go on"
    assert found.sentence.startswith("not decided: go on until 100 cases are done")


def test_several_looks_share_the_error(experiment: Experiment, made: Made) -> None:
    """A p of 0.03 is a difference for one look and none for five."""
    pairs = outcomes(made, 3, 12, both=85)

    assert report(experiment, pairs, 100).comparison.verdict == "difference"
    assert report(experiment, pairs, 100, looks=5).comparison.verdict == "no difference shown"
    assert report(experiment, pairs, 100, looks=5).comparison.alpha == 0.01


def test_failures_count_for_nothing(experiment: Experiment, made: Made) -> None:
    lost = [made("A", "lost", failure="auth", action=None), made("B", "lost")]
    found = report(experiment, [*outcomes(made, 1, 1, both=8), *lost], 10)

    assert (found.arms[0].answers, found.arms[0].failures) == (10, 1)
    assert (found.arms[1].answers, found.arms[1].failures) == (11, 0)
    assert found.comparison.pairs is not None
    assert found.comparison.pairs.count == 10


def test_only_labelled_cases_say_what_is_right(experiment: Experiment, made: Made) -> None:
    pairs = [made(arm, case, expected=case < 3 if arm == "A" else True) for case in range(5) for arm in ("A", "B")]
    unlabelled = [made(arm, "other") for arm in ("A", "B")]
    found = report(experiment, [*pairs, *unlabelled], 6, metric="expected")

    assert found.comparison.pairs is not None
    assert (found.comparison.pairs.count, found.comparison.pairs.only_b) == (5, 2)
    assert found.arms[0].rates["expected"] is not None
    assert found.arms[0].rates["expected"].value == 0.6


def test_nothing_to_compare_is_said(experiment: Experiment, made: Made) -> None:
    found = report(experiment, outcomes(made, 1, 1), 2, metric="expected")

    assert found.sentence == "nothing to compare: no case has `expected` in both arms"
    assert found.comparison.needed is None
    assert report_table(found)
    assert report_page(found)


def test_actions_checks_and_means_are_counted(experiment: Experiment, made: Made) -> None:
    found = report(
        experiment,
        [
            made("A", 1, action="ask_user", checks=(1, 9), elapsed_s=1.0, cost_usd="0.5"),
            made("A", 2, action="tool_call", tool="search", checks=(1,), elapsed_s=3.0, cost_usd="1.5"),
            made("B", 1, tokens_estimated=True),
        ],
        2,
    )
    a, b = found.arms

    assert a.actions == {"ask_user": 1, "tool_call": 1}
    assert a.checks == {1: 2, 9: 1}
    assert a.rates["asked"] is not None
    assert a.rates["asked"].value == 0.5
    assert a.latency_s is not None
    assert a.latency_s.value == 2.0
    assert a.cost_usd is not None
    assert a.cost_usd.value == 1.0
    assert b.cost_usd is None
    assert b.tokens_estimated


@pytest.mark.parametrize("detect", [0.0, 1.0, -0.1])
def test_a_difference_to_detect_is_a_part_of_one(detect: float, experiment: Experiment, made: Made) -> None:
    with pytest.raises(ExperimentError, match="is a part of one"):
        report(experiment, outcomes(made, 1, 1), 2, detect=detect)


def test_the_table_is_aligned_and_says_what_validity_is_not(experiment: Experiment, made: Made) -> None:
    table = report_table(report(experiment, outcomes(made, 2, 20, both=70, neither=8), 100))
    lines = table.splitlines()

    assert lines[0] == "experiment tone: the role layer differs, the rest is identical"
    assert lines[2].split() == ["A", "unnamed@1", "B", "unnamed@2"]
    row = next(line for line in lines if line.startswith("valid at first attempt"))
    assert row.split("  ")[0] == "valid at first attempt"
    assert "72.0 % (62.5 to 79.9)" in row
    assert "90.0 % (82.6 to 94.5)" in row
    assert "exact McNemar test" in table
    assert lines[-1] == "Valid form is not quality: only `expect` in the cases says whether a step was right."


def test_the_json_holds_what_the_table_says(experiment: Experiment, made: Made) -> None:
    found = report(experiment, outcomes(made, 2, 20, both=70, neither=8), 100)
    written = json.loads(json.dumps(report_json(found), allow_nan=False))

    assert written["comparison"]["pairs"] == {"both": 70, "only_a": 2, "only_b": 20, "neither": 8}
    assert written["comparison"]["verdict"] == "difference"
    assert written["arms"][0]["rates"]["valid_at_first"]["value"] == 0.72
    assert written["arms"][0]["layer"]["version"] == "1"
    assert written["sentence"] == found.sentence


def test_the_page_needs_no_network_and_no_script(experiment: Experiment, made: Made) -> None:
    page = report_page(report(experiment, outcomes(made, 2, 20, both=70, cost_usd="0.01"), 92))

    assert "<script" not in page
    assert "http://" not in page
    assert "https://" not in page
    assert "src=" not in page
    assert "default-src 'none'" in page
    plots = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    names = ["difference", "rates", "actions", "tokens", "latency", "cost"]
    assert len(plots) == len(names)
    for name, plot in zip(names, plots, strict=True):
        drawn = ET.fromstring(plot)
        assert drawn.get("role") == "img"
        assert drawn.get("aria-labelledby") == f"{name}-title {name}-desc"
        assert [(part.tag, part.get("id")) for part in drawn[:2]] == [
            ("title", f"{name}-title"),
            ("desc", f"{name}-desc"),
        ]


def test_what_comes_from_outside_is_escaped(made: Made) -> None:
    first = PromptPack(system="finish tool_call ask_user replan", role="a", version="<script>1</script>")
    second = PromptPack(system="finish tool_call ask_user replan", role="b", version="2")
    hostile = make_experiment('<img src="x">', first, second)
    page = report_page(report(hostile, [made("A", 1, action="<b>"), made("B", 1, action="finish")], 1))

    assert "<script" not in page
    assert "<img" not in page
    assert "<b>" not in page


def test_the_page_reads_its_plots_aloud_and_sets_names_as_code(experiment: Experiment, made: Made) -> None:
    page = report_page(report(experiment, outcomes(made, 2, 20, both=70, neither=8), 100))

    assert "valid at first attempt: A 72.0 % (62.5 to 79.9), B 90.0 % (82.6 to 94.5); valid after retries: A" in page
    assert '<desc id="difference-desc">valid at first attempt: B less A +18.0 points (+9.1 to +26.2)</desc>' in page
    assert "B has 18.0 points more <code>valid_at_first</code> than A" in page
    assert "the step that is right: A -, B -" in page


def test_a_page_without_answers_leaves_out_what_there_is_not(experiment: Experiment, made: Made) -> None:
    page = report_page(report(experiment, [made("A", 1, action=None, failure="timeout")], 1))

    assert "nothing to compare" in page
    assert re.findall(r'<svg[^>]*aria-labelledby="(\w+)-title', page) == ["rates"]


def test_an_experiment_in_production_is_read_from_the_journal(
    experiment: Experiment, pack: PromptPack, waiting: Waiting
) -> None:
    """Each run has its arm; keys are not paired, so the test is Fisher's."""
    journal = MemoryJournal()

    class Plain:
        judge = None

        def __init__(self, *replies: str) -> None:
            self.model = ScriptedModel(replies)

    for number in range(12):
        arm = experiment.assign(f"user-{number}")
        runtime = Plain("no object", VALID) if arm == "A" else Plain(VALID)
        run = RunOptions(max_retries=1, waiting=waiting)
        run_engine("g", [], runtime=runtime, pack=experiment.packs[arm], run=run, journal=journal)
    run_engine("g", [], runtime=Plain(VALID), pack=pack, journal=journal)
    with journal.snapshot() as view:
        found = list(online_outcomes(view, "tone"))
    made = make_report(experiment, found, planned=3, pairing="unpaired")

    assert len(found) == 12
    assert {item.arm for item in found} == {"A", "B"}
    assert made.arms[0].rates["valid_at_first"] is not None
    assert made.arms[0].rates["valid_at_first"].value == 0.0
    assert made.comparison.pairs is None
    assert made.comparison.verdict == "difference"
    assert "exact Fisher test" in report_table(made)
    assert "Pairs:" not in report_table(made)


@pytest.fixture
def pack() -> PromptPack:
    return PromptPack(system="finish tool_call ask_user replan", role="other", version="1")
