"""A report as `report_json` writes it, read back; a file that was changed or cut is found out.

Source: decision-engine specification, experiments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite

from pydantic import TypeAdapter, ValidationError

from interlock.errors import ExperimentError
from interlock.experiments.report import Report
from interlock.experiments.stopping import METRICS
from interlock.judge.wire import parse_json
from interlock.questions import Json

__all__ = ["read_report"]


def read_report(text: str | bytes, place: str) -> Report:
    """Return the report that `interlock prompts ab --json` wrote; `place` is what errors name.

    Raises:
        ExperimentError: it is not such a report, or its parts disagree.
    """
    try:
        value = parse_json(text)
    except ValueError as error:
        raise ExperimentError(f"{place}: is not JSON in UTF-8, or names a key twice") from error
    if not isinstance(value, Mapping) or "experiment" not in value or "comparison" not in value:
        raise ExperimentError(f"{place}: is no report; write one with `interlock prompts ab --json`")
    try:
        report = _REPORT.validate_python(_as_fields(value))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        at = ".".join(str(part) for part in first["loc"])
        raise ExperimentError(f"{place}: `{at}`: {first['msg'].lower()}") from error
    _check(report, value, place)
    return report


_REPORT: TypeAdapter[Report] = TypeAdapter(Report)


def _as_fields(value: Mapping[str, Json]) -> dict[str, Json]:
    """Return the fields of a report under their own names."""
    arms = value.get("arms")
    named = [_arm_fields(arm) for arm in arms] if isinstance(arms, list) else arms
    kept = {name: value.get(name) for name in ("layer", "planned", "looks", "comparison") if name in value}
    return {"name": value["experiment"], "arms": named, **kept}


def _arm_fields(arm: Json) -> Json:
    """Return the fields of an arm; a metric that is younger than the report has no rate."""
    if not isinstance(arm, Mapping):
        return arm
    rates = arm.get("rates")
    known: Json = {**dict.fromkeys(METRICS), **rates} if isinstance(rates, Mapping) else rates
    return {**{name: item for name, item in arm.items() if name != "layer"}, "ref": arm.get("layer"), "rates": known}


def _check(report: Report, value: Json, place: str) -> None:
    """Refuse numbers that no experiment comes to."""
    if not all(_is_usable(number) for number in _numbers(value)):
        raise ExperimentError(f"{place}: holds a number that is too large")
    if [arm.arm for arm in report.arms] != ["A", "B"]:
        raise ExperimentError(f"{place}: `arms`: are A and B, in this order")
    for at, arm in enumerate(report.arms):
        if min(arm.answers, arm.failures, *arm.actions.values(), 0) < 0 or sum(arm.actions.values()) > arm.answers:
            raise ExperimentError(f"{place}: `arms.{at}.actions`: do not fit {arm.answers} answers")
    if report.planned < 0 or report.looks < 1:
        raise ExperimentError(f"{place}: `planned` and `looks` are counts")


def _is_usable(number: float) -> bool:
    try:
        return isfinite(number)
    except OverflowError:
        return False


def _numbers(value: Json) -> Iterator[float]:
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _numbers(item)
    elif isinstance(value, list):
        for item in value:
            yield from _numbers(item)
