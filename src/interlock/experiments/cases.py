"""The cases of an experiment: states to decide on, some with the step that would be right.

Source: decision-engine specification, experiments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from interlock._canonical import compact_json, sha256_hex
from interlock.actions import STANDARD_SPACE, ActionDecision, check_tools
from interlock.diagnostics import did_you_mean
from interlock.errors import ExperimentError, PromptError
from interlock.judge.wire import parse_json
from interlock.prompts import EMPTY_LOOP, fill_loop, read_tools
from interlock.questions import Json

__all__ = ["Case", "calls_expected", "cases_digest", "is_expected", "read_cases"]

_KEYS = ("id", "loop", "expect")
_EXPECT: Mapping[str, tuple[type, ...]] = {
    "action": (str,),
    "tool": (str, type(None)),
    "tool_input": (dict, type(None)),
}


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


def calls_expected(case: Case, decision: ActionDecision) -> bool | None:
    """Return whether a decision calls the tool that is right; None when nobody said which is."""
    if case.expect is None or "tool" not in case.expect:
        return None
    return decision.tool == case.expect["tool"]


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
    tools = _tools(value["loop"], place)
    return Case(id=given, loop=value["loop"], expect=_expect(value.get("expect"), tools, place))


def _tools(loop: Mapping[str, Json], place: str) -> tuple[str, ...]:
    """Return the names of the tools of a state, which is checked."""
    try:
        tools = read_tools(fill_loop(EMPTY_LOOP, loop, None))
        check_tools(tools, STANDARD_SPACE)
    except (PromptError, ValueError) as error:
        raise ExperimentError(f"{place}: {error}") from error
    return tuple(tool.name for tool in tools)


def _expect(value: Json, tools: Sequence[str], place: str) -> Mapping[str, Json] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping) or not value or any(key not in _EXPECT for key in value):
        raise ExperimentError(f"{place}: `expect` holds `action`, `tool` or `tool_input` of the step that is right")
    wrong = next((key for key, given in value.items() if not isinstance(given, _EXPECT[key])), None)
    if wrong is not None:
        raise ExperimentError(f"{place}: `expect.{wrong}` is of another type than a decision has")
    tool = value.get("tool")
    if isinstance(tool, str) and tool not in tools:
        raise ExperimentError(f"{place}: `expect.tool`: no tool `{tool}` in this case; {did_you_mean(tool, tools)}")
    return value
