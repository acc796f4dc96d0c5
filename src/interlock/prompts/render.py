"""A pack as the messages that a model reads.

Source: decision-engine specification, three layers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from interlock.actions import STANDARD_SPACE, ActionSpace, Deliberate, Observation, ToolSpec
from interlock.errors import PromptError
from interlock.messages import Message, ToolCall
from interlock.prompts.pack import PromptPack
from interlock.prompts.wording import ReplyForm, schema_text, thought_text
from interlock.questions import Json

__all__ = ["ObservationRole", "Wanted", "fill_system", "observation_messages", "render_pack"]

ObservationRole: TypeAlias = Literal["system", "user", "tool"]
"""Who observations come from; anything but `system` is for providers that take one system message only."""

_PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a reply may be, as the system layer states it."""

    space: ActionSpace = STANDARD_SPACE
    tools: tuple[ToolSpec, ...] = ()
    form: ReplyForm = "json"
    deliberate: Deliberate = "none"


def render_pack(
    pack: PromptPack, loop: Mapping[str, Json], wanted: Wanted, *, one_system: bool = False
) -> tuple[Message, ...]:
    """Return the three messages of a turn: rules, role, state; `one_system` joins the first two.

    Raises:
        PromptError: the system layer has an unknown placeholder, or does not name an action of the space.
    """
    system = fill_system(pack.system.strip(), wanted)
    role = f"ROLE:\n{pack.role.strip()}"
    heads = [f"{system}\n\n{role}"] if one_system else [system, role]
    state = json.dumps(loop, ensure_ascii=False)
    return (*(Message(role="system", content=text) for text in heads), Message(role="user", content=state))


def observation_messages(observations: Sequence[Observation], role: ObservationRole) -> tuple[Message, ...]:
    """Return the messages that show what was observed; role `tool` also shows the call that each answers."""
    return tuple(message for observation in observations for message in _observation(observation, role))


def _observation(observation: Observation, role: ObservationRole) -> tuple[Message, ...]:
    text = f"Observation {observation.id}:\n{observation.text}"
    if role != "tool":
        return (Message(role=role, content=text),)
    if observation.tool_input is None:
        return (Message(role="user", content=text),)
    call_id = f"call_{observation.name}_{observation.number}"
    arguments = json.dumps(observation.tool_input, ensure_ascii=False)
    call = ToolCall(id=call_id, name=observation.name, arguments=arguments)
    return (
        Message(role="assistant", content="", tool_calls=(call,)),
        Message(role="tool", content=text, tool_call_id=call_id),
    )


def fill_system(system: str, wanted: Wanted) -> str:
    """Return the system layer with its placeholders filled.

    Raises:
        PromptError: it has an unknown placeholder, or does not name an action of the space.
    """
    texts = {
        "actions": _actions(wanted.space),
        "tools": ", ".join(json.dumps(tool.name, ensure_ascii=False) for tool in wanted.tools) or "none",
        "schema": schema_text(wanted.form, wanted.space.names, thinks=wanted.deliberate != "none"),
        "thought": thought_text(wanted.form, wanted.deliberate),
    }
    unknown = [name for name in _PLACEHOLDER.findall(system) if name not in texts]
    if unknown:
        raise PromptError(f"system layer: no placeholder `{{{{{unknown[0]}}}}}`; write one of {', '.join(texts)}")
    filled = _PLACEHOLDER.sub(lambda found: texts[found[1]], system)
    unnamed = [name for name in wanted.space.names if name not in filled]
    if unnamed:
        raise PromptError(f"system layer: does not name the action `{unnamed[0]}`; name it, or write `{{{{actions}}}}`")
    return filled


def _actions(space: ActionSpace) -> str:
    return "\n".join(f"- {action.name}: {action.description}" for action in space.actions)
