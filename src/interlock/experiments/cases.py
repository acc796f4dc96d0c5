"""The cases of an experiment: states to decide on, some with the step that would be right.

Source: decision-engine specification, experiments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from interlock._canonical import compact_json, sha256_hex
from interlock.actions import STANDARD_SPACE, ActionDecision, check_tools
from interlock.errors import ExperimentError, PromptError
from interlock.judge.wire import parse_json
from interlock.prompts import EMPTY_LOOP, fill_loop, read_tools
from interlock.questions import Json

__all__ = ["Case", "cases_digest", "is_expected", "read_cases"]

_KEYS = ("id", "loop", "expect")
_EXPECT = ("action", "tool", "tool_input")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One state."""

    id: str
    """The line's number unless it gives one."""
    loop: Mapping[str, Json]
    """Keys of the loop layer, `tools_available` among them."""
    expect: Mapping[str, Json] | None = None
    """`action`, `tool` or `tool_input` of the step that is right; None when nobody said."""


def read_cases(text: str, place: str) -> tuple[Case, ...]:
    """Return the cases of a file, one JSON object `{"loop": …, "expect": …}` per line; blank lines are passed over.

    Raises:
        ExperimentError: a line is not of this form, an id is there twice, or there is no case.
    """
    found: dict[str, Case] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if not line.strip():
            continue
        case = _case(line, f"{place}:{number}", str(number))
        if case.id in found:
            raise ExperimentError(f"{place}:{number}: the id `{case.id}` is there twice")
        found[case.id] = case
    if not found:
        raise ExperimentError(f"{place}: holds no case; write one JSON object with `loop` per line")
    return tuple(found.values())


def cases_digest(cases: Sequence[Case]) -> str:
    """Return a digest over what the cases say."""
    return sha256_hex(compact_json([[case.id, case.loop, case.expect] for case in cases]))


def is_expected(case: Case, decision: ActionDecision) -> bool | None:
    """Return whether a decision is the step that is right; None when nobody said which is."""
    if case.expect is None:
        return None
    return all(decision.fields[key] == value for key, value in case.expect.items())


def _case(line: str, place: str, number: str) -> Case:
    try:
        value = parse_json(line)
        compact_json(value)  # a number beyond every float is read as infinity, which is not JSON
    except ValueError as error:
        raise ExperimentError(f"{place}: is not JSON") from error
    if not isinstance(value, dict) or not isinstance(value.get("loop"), dict):
        raise ExperimentError(f'{place}: is no case; write {{"loop": {{…}}, "expect": {{…}}}}')
    unknown = next((key for key in value if key not in _KEYS), None)
    if unknown is not None:
        raise ExperimentError(f"{place}: no key `{unknown}`; write `loop`, `expect` and `id`")
    given = value.get("id", number)
    if not isinstance(given, str) or not given:
        raise ExperimentError(f"{place}: `id` is text")
    _check_loop(value["loop"], place)
    return Case(id=given, loop=value["loop"], expect=_expect(value.get("expect"), place))


def _check_loop(loop: Mapping[str, Json], place: str) -> None:
    try:
        check_tools(read_tools(fill_loop(EMPTY_LOOP, loop, None)), STANDARD_SPACE)
    except (PromptError, ValueError) as error:
        raise ExperimentError(f"{place}: {error}") from error


def _expect(value: Json, place: str) -> Mapping[str, Json] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping) or not value or any(key not in _EXPECT for key in value):
        raise ExperimentError(f"{place}: `expect` holds `action`, `tool` or `tool_input` of the step that is right")
    return value
