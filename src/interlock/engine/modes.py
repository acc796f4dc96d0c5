"""How a model is asked for a decision: as text, by a schema, or by a provider's function calls.

Builds requests and reads replies; sends nothing.
Source: decision-engine specification, modes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never, get_args

from interlock.actions import STANDARD_SPACE, TOOL_CALL, ActionDecision, ActionSpace, Deliberate
from interlock.engine.forms import THOUGHT, Draft, Failed, read_calls, read_lines, read_object_form
from interlock.engine.validate import Situation, check_draft
from interlock.models.base import NOT_TEXT, TextReply
from interlock.prompts import ObservationRole, ReplyForm
from interlock.questions import Json
from interlock.schema.json_schema import hoisted

__all__ = [
    "CHAINS",
    "STANDARD_OPTIONS",
    "EngineOptions",
    "Mode",
    "check_reply",
    "decision_schema",
    "feedback",
    "function_specs",
    "reply_form",
    "written",
]

Mode: TypeAlias = Literal["text", "tools", "json", "cot"]
"""`text`: plain text. `tools`: function calling. `json`: held to a schema. `cot`: text with full reasoning."""

CHAINS: Mapping[Mode, tuple[Mode, ...]] = {
    "tools": ("tools", "json", "text"),
    "json": ("json", "text"),
    "text": ("text",),
    "cot": ("cot",),
}
"""Mode → the modes that are tried in turn where a provider lacks one."""

_AGAIN: Mapping[ReplyForm, str] = {
    "json": "Output only one valid JSON object that matches the schema.",
    "lines": "Output only the lines of the schema, each once.",
    "functions": "Call exactly one of the functions on offer.",
}


TextForm: TypeAlias = Literal["json", "lines"]
_WORDS: Mapping[str, tuple[str, ...]] = {
    "mode": get_args(Mode),
    "form": get_args(TextForm),
    "deliberate": get_args(Deliberate),
    "observation_role": get_args(ObservationRole),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """How decisions are asked for."""

    mode: Mode = "text"
    form: TextForm = "json"
    """Of a text reply: one JSON object, or Thought, Action and Action Input."""
    deliberate: Deliberate = "none"
    space: ActionSpace = STANDARD_SPACE
    observation_role: ObservationRole = "system"
    max_reply_tokens: int | None = None
    """Most tokens of one reply; None leaves it to the backend."""

    def __post_init__(self) -> None:
        for name, words in _WORDS.items():
            if getattr(self, name) not in words:
                raise ValueError(f"{name} is {getattr(self, name)!r}; write one of {', '.join(words)}")

    @property
    def depth(self) -> Deliberate:
        """How much the model thinks; the mode `cot` thinks in full."""
        return "full" if self.mode == "cot" else self.deliberate


STANDARD_OPTIONS = EngineOptions()


def reply_form(mode: Mode, form: ReplyForm) -> ReplyForm:
    """Return the form of a reply in a mode."""
    match mode:
        case "tools":
            return "functions"
        case "json":
            return "json"
        case "text" | "cot":
            return form
        case _:
            assert_never(mode)


def check_reply(reply: TextReply, form: ReplyForm, situation: Situation) -> ActionDecision | Failed:
    """Return the decision that a reply is, or the first check it fails."""
    draft = _draft(reply, form, situation)
    if isinstance(draft, Draft):
        return check_draft(draft, situation)
    if draft.check == 1 and reply.finish == "length":
        return Failed(check=1, reason=f"{draft.reason}; the reply was cut off at its length limit, write less")
    return draft


def _draft(reply: TextReply, form: ReplyForm, situation: Situation) -> Draft | Failed:
    if reply.failure is not None and reply.failure.reason == NOT_TEXT:
        return Failed(check=1, reason="the reply is not text")
    match form:
        case "json":
            return read_object_form(reply.text)
        case "lines":
            return read_lines(reply.text, situation.tool_names)
        case "functions":
            draft = read_calls(reply.tool_calls, reply.text, situation.tool_names, situation.space.names)
            return draft if isinstance(draft, Failed) else _fitted(draft, situation.deliberate)
        case _:
            assert_never(form)


def _fitted(draft: Draft, deliberate: Deliberate) -> Draft:
    """Return a function call without the text beside it where no thought is asked for."""
    if deliberate != "none" or THOUGHT not in draft.keys:
        return draft
    keys = {key: value for key, value in draft.keys.items() if key != THOUGHT}
    return Draft(keys=keys, tolerance=(*draft.tolerance, "prose"))


def written(reply: TextReply) -> str | None:
    """Return what a model wrote, its function calls included; None when it was not text."""
    if reply.failure is not None:
        return None
    calls = [f"{call.name}({call.arguments})" for call in reply.tool_calls]
    return "\n".join([*([reply.text] if reply.text or not calls else []), *calls])


def feedback(failed: Failed, form: ReplyForm) -> str:
    """Return what a model is told after a reply that failed a check."""
    return f"Your previous output failed check {failed.check}: {failed.reason}. {_AGAIN[form]}"


def function_specs(situation: Situation) -> tuple[Mapping[str, Json], ...]:
    """Return one function per tool, and one with the argument `final` for every other action."""
    tools: list[Mapping[str, Json]] = [
        {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
        for tool in situation.tools
    ]
    final: Json = {
        "type": "object",
        "properties": {"final": {"type": "string"}},
        "required": ["final"],
        "additionalProperties": False,
    }
    others: list[Mapping[str, Json]] = [
        {"name": action.name, "description": action.description, "parameters": final}
        for action in situation.space.actions
        if action.name != TOOL_CALL
    ]
    return (*tools, *others)


def decision_schema(situation: Situation) -> dict[str, Json]:
    """Return the JSON Schema of a valid reply: one alternative per tool, one for all actions with a text."""
    found = hoisted([tool.parameters for tool in situation.tools])
    null: Json = {"type": "null"}
    text: Json = {"type": "string", "minLength": 1}
    alternatives = [
        _alternative(situation, [TOOL_CALL], _word(tool.name), node, null)
        for tool, node in zip(situation.tools, found.nodes, strict=True)
        if TOOL_CALL in situation.space.names
    ]
    others = [name for name in situation.space.names if name != TOOL_CALL]
    if others:
        alternatives.append(_alternative(situation, others, null, null, text))
    schema: dict[str, Json] = {"anyOf": alternatives} if len(alternatives) > 1 else dict(alternatives[0])
    return {**schema, "$defs": found.definitions} if found.definitions else schema


def _alternative(
    situation: Situation, actions: Sequence[str], tool: Json, tool_input: Json, final: Json
) -> dict[str, Json]:
    thought: dict[str, Json] = {} if situation.deliberate == "none" else {THOUGHT: {"type": "string"}}
    properties: dict[str, Json] = {
        **thought,
        "action": {"type": "string", "enum": list(actions)},
        "tool": tool,
        "tool_input": tool_input,
        "final": final,
    }
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _word(name: str) -> Json:
    return {"type": "string", "enum": [name]}
