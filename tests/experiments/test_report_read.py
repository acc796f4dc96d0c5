"""A report that was written as JSON is read back as it was; a damaged one is refused with what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from interlock.errors import ExperimentError
from interlock.experiments import ArmName, Experiment, Outcome, Report, make_report, read_report, report_json

Made = Callable[..., Outcome]


@pytest.fixture
def report(experiment: Experiment, made: Made) -> Report:
    """Return a report with something in every part of it."""
    arms: tuple[ArmName, ArmName] = ("A", "B")
    found = [made(case=f"c{at}", arm=arm) for at in range(12) for arm in arms]
    return make_report(experiment, found, planned=12, looks=3, detect=0.2)


def test_what_was_written_is_read(report: Report) -> None:
    written = json.dumps(report_json(report))

    read = read_report(written, "report.json")

    assert read == report
    assert json.dumps(report_json(read)) == written


def test_a_report_from_before_a_metric_existed_has_no_rate_of_it(report: Report) -> None:
    written: Any = report_json(report)
    for arm in written["arms"]:
        del arm["rates"]["tool"]

    assert read_report(json.dumps(written), "report.json").arms[0].rates["tool"] is None


def changed(path: str, value: object) -> Callable[[Any], None]:
    *before, last = path.split(".")

    def change(written: Any) -> None:
        for part in before:
            written = written[int(part) if part.isdigit() else part]
        written[int(last) if last.isdigit() else last] = value

    return change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(changed("arms", []), "`arms", id="no-arms"),
        pytest.param(changed("arms.1.arm", "A"), "are A and B", id="two-of-a-kind"),
        pytest.param(changed("arms.0", None), "`arms.0`", id="no-arm"),
        pytest.param(changed("arms.0.layer", {"name": "x"}), "`arms.0.ref.version`: field required", id="no-version"),
        pytest.param(changed("arms.0.rates", "high"), "`arms.0.rates`", id="no-rates"),
        pytest.param(changed("arms.0.rates.valid", {"value": 1}), "`arms.0.rates.valid.low`", id="half-an-interval"),
        pytest.param(changed("arms.0.actions", {"finish": 99}), "do not fit", id="more-actions-than-answers"),
        pytest.param(changed("arms.0.answers", -1), "do not fit", id="less-than-no-answers"),
        pytest.param(changed("comparison.p", "small"), "`comparison.p`", id="no-number"),
        pytest.param(changed("comparison.metric", "charm"), "`comparison.metric`", id="unknown-metric"),
        pytest.param(changed("planned", 10**400), "too large", id="huge-number"),
        pytest.param(changed("looks", 0), "are counts", id="no-look"),
        pytest.param(changed("layer", "cake"), "`layer`", id="unknown-layer"),
    ],
)
def test_a_damaged_report_is_refused(change: Callable[[Any], None], told: str, report: Report) -> None:
    written = report_json(report)
    change(written)

    with pytest.raises(ExperimentError, match=r"^report\.json: ") as refused:
        read_report(json.dumps(written), "report.json")
    assert told in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("{", id="cut"),
        pytest.param("[]", id="list"),
        pytest.param('{"a": 1}', id="another-file"),
        pytest.param('{"experiment": NaN, "comparison": 1}', id="no-number"),
        pytest.param(b"\xff\xfe", id="no-text"),
        pytest.param("[" * 100_000, id="deep"),
    ],
)
def test_what_is_no_report_is_refused(text: str | bytes) -> None:
    with pytest.raises(ExperimentError, match=r"^report\.json: is no"):
        read_report(text, "report.json")
