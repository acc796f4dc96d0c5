"""The ten checks of a reply, in order; the first that fails is told to the model.

Pure: the situation is given, and nothing is asked or called.
Source: decision-engine specification, checks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from interlock._canonical import Json
from interlock.actions import (
    ASK_USER,
    REPLAN,
    STANDARD_SPACE,
    TOOL_CALL,
    ActionDecision,
    ActionSpace,
    Deliberate,
    Observation,
    ToolSpec,
    call_key,
)
from interlock.engine.claims import find_claim, named_ids
from interlock.engine.forms import KEYS, THOUGHT, Draft, Failed
from interlock.schema.conforms import find_misfit

__all__ = ["CHECKS", "JSON_WORDS", "LINE_WORDS", "Situation", "Words", "check_draft"]

CHECKS: Mapping[int, str] = {
    1: "one object carries the keys",
    2: "exactly the keys, none missing and none extra",
    3: "the action is in the space",
    4: "the tool is available now",
    5: "the input fits the tool",
    6: "a tool call has no final",
    7: "any other action has no tool",
    8: "any other action has a final text",
    9: "no observation, no claim",
    10: "not the same failing call again",
}
"""Number → what it holds, in the order in which they are made."""

_SHOWN_CHARS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """How the parts of a reply are called in the form that was asked for."""

    action: str
    tool: str
    tool_input: str
    final: str


JSON_WORDS = Words(action="`action`", tool="`tool`", tool_input="`tool_input`", final="`final`")
LINE_WORDS = Words(action="`Action`", tool="`Action`", tool_input="`Action Input`", final="`Action Input`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What a reply is checked against."""

    space: ActionSpace = STANDARD_SPACE
    tools: tuple[ToolSpec, ...] = ()
    """Those that are available now."""
    deliberate: Deliberate = "none"
    thought_is_optional: bool = False
    """True where the provider may leave the text beside a function call empty."""
    observations: tuple[Observation, ...] = ()
    last_observation: str | None = None
    """What was observed before this conversation; None when nothing was."""
    said: tuple[str, ...] = ()
    """Texts of the conversation that no model wrote; an id-like word in them may be repeated."""
    failed_calls: Mapping[str, str] = field(default_factory=dict)
    """`call_key` → the error of the call."""
    words: Words = JSON_WORDS

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The names of the tools, in order."""
        return tuple(tool.name for tool in self.tools)


Keys: TypeAlias = Mapping[str, Json]
Check: TypeAlias = Callable[[Keys, Situation], str | None]
"""Returns what is wrong, None when nothing is."""


def check_draft(draft: Draft, situation: Situation) -> ActionDecision | Failed:
    """Return the decision, or the first check that the reply fails; `thought` is taken off after check 2."""
    keys = draft.keys
    for number, check in _CHECKS:
        reason = check(keys, situation)
        if reason is not None:
            return Failed(check=number, reason=reason)
    return ActionDecision(
        action=str(keys["action"]),
        tool=cast("str | None", keys["tool"]),
        tool_input=cast("Mapping[str, Json] | None", keys["tool_input"]),
        final=cast("str | None", keys["final"]),
        thought=cast("str | None", keys.get(THOUGHT)),
        tolerance=draft.tolerance,
    )


def _exact_keys(keys: Keys, situation: Situation) -> str | None:
    thinks = situation.deliberate != "none"
    is_optional = thinks and situation.thought_is_optional
    wanted = (THOUGHT, *KEYS) if thinks and not is_optional else KEYS
    allowed = (*wanted, THOUGHT) if is_optional else wanted
    missing, extra = [key for key in wanted if key not in keys], [key for key in keys if key not in allowed]
    named = _listed(wanted)
    if missing:
        return f"the object lacks {_listed(missing)}; write exactly {named}"
    if extra == [THOUGHT]:
        return f"`{THOUGHT}` is not asked for; write exactly {named}"
    if extra:
        return f"the object has {_listed(extra)} besides; write exactly {named}"
    if THOUGHT in keys and not isinstance(keys[THOUGHT], str):
        return f"`{THOUGHT}` must be text"
    return None


def _known_action(keys: Keys, situation: Situation) -> str | None:
    if keys["action"] in situation.space.names:
        return None
    tools = f" or a tool: {_listed(situation.tool_names)}" if situation.words is LINE_WORDS and situation.tools else ""
    return f"{situation.words.action} is {_shown(keys['action'])}; write one of {_listed(situation.space.names)}{tools}"


def _available_tool(keys: Keys, situation: Situation) -> str | None:
    if keys["action"] != TOOL_CALL or keys["tool"] in situation.tool_names:
        return None
    if not situation.tools:
        others = [name for name in (ASK_USER, REPLAN) if name in situation.space.names]
        return f"no tool is available now; take {_either(others or situation.space.names)}"
    is_missing = keys["tool"] is None
    said = "is missing" if is_missing else f"is {_shown(keys['tool'])}, which is not available now"
    return f"{situation.words.tool} {said}; the tools are {_listed(situation.tool_names)}"


def _fitting_input(keys: Keys, situation: Situation) -> str | None:
    if keys["action"] != TOOL_CALL:
        return None
    given, word = keys["tool_input"], situation.words.tool_input
    tool = next(item for item in situation.tools if item.name == keys["tool"])
    if not isinstance(given, Mapping):
        return f"{word} must be one JSON object with the arguments of `{tool.name}`"
    misfit = find_misfit(given, tool.parameters, "tool_input")
    if misfit is not None:
        return f"`{misfit.path}` {misfit.message}"
    return None if tool.fits is None else tool.fits(given)


def _no_final(keys: Keys, situation: Situation) -> str | None:
    if keys["action"] != TOOL_CALL or keys["final"] is None:
        return None
    return f"{situation.words.final} must be null when {situation.words.action} is `{TOOL_CALL}`"


def _no_tool(keys: Keys, situation: Situation) -> str | None:
    if keys["action"] == TOOL_CALL or (keys["tool"] is None and keys["tool_input"] is None):
        return None
    words = situation.words
    return f"{words.tool} and {words.tool_input} must be null when {words.action} is `{keys['action']}`"


def _final_text(keys: Keys, situation: Situation) -> str | None:
    final = keys["final"]
    if keys["action"] == TOOL_CALL or (isinstance(final, str) and final.strip()):
        return None
    is_empty = isinstance(final, str)
    said = "is empty" if is_empty else "must be text"
    return f"{situation.words.final} {said}; write what `{keys['action']}` is to say"


def _no_claim(keys: Keys, situation: Situation) -> str | None:
    final = keys["final"]
    if not isinstance(final, str):
        return None
    known = {item.id for item in situation.observations}
    unknown = [item for item in _cited(final, situation) if item not in known]
    if unknown:
        there = f"the observations are {_listed(sorted(known))}" if known else "there is no observation yet"
        return f"{situation.words.final} names `{unknown[0]}`, which is no observation of this conversation; {there}"
    claim = None if known or situation.last_observation is not None else find_claim(final)
    if claim is None:
        return None
    return (
        f"{situation.words.final} says `{claim}`, and there is no observation; "
        "call a tool first, or answer without claiming a result"
    )


def _cited(final: str, situation: Situation) -> Sequence[str]:
    """Return the observation ids that `final` names; words of the conversation that only look like one are left out."""
    observed = {item.name for item in situation.observations}
    names = {*situation.tool_names, *situation.space.names, *observed}
    said = {word for text in situation.said for word in named_ids(text)}
    return [word for word in named_ids(final, sorted(names)) if word.rpartition("#")[0] in names or word not in said]


def _new_call(keys: Keys, situation: Situation) -> str | None:
    if keys["action"] != TOOL_CALL:
        return None
    error = situation.failed_calls.get(call_key(str(keys["tool"]), cast("Mapping[str, Json]", keys["tool_input"])))
    if error is None:
        return None
    ways = [name for name in (ASK_USER, REPLAN) if name in situation.space.names]
    other = f", or take {_either(ways)}" if ways else ""
    return f"this call of `{keys['tool']}` failed before ({error}); change {situation.words.tool_input}{other}"


_CHECKS: tuple[tuple[int, Check], ...] = (
    (2, _exact_keys),
    (3, _known_action),
    (4, _available_tool),
    (5, _fitting_input),
    (6, _no_final),
    (7, _no_tool),
    (8, _final_text),
    (9, _no_claim),
    (10, _new_call),
)
"""Check 1 is made where the reply is read; each of these relies on those before it."""


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _either(names: Sequence[str]) -> str:
    return " or ".join(f"`{name}`" for name in names)


def _shown(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return f"`{text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 1] + '…'}`"
