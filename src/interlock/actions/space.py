"""The closed set of actions that a model may take, and the tools it may name.

Knows nothing of prompts, replies or models.
Source: decision-engine specification, action space.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from interlock._canonical import Json
from interlock._text import has_control

__all__ = [
    "ASK_USER",
    "FINISH",
    "REPLAN",
    "STANDARD_SPACE",
    "TOOL_CALL",
    "ActionSpace",
    "SpaceAction",
    "ToolSpec",
    "check_tools",
]

FINISH = "finish"
TOOL_CALL = "tool_call"
ASK_USER = "ask_user"
REPLAN = "replan"

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")

Fits: TypeAlias = Callable[[Mapping[str, Json]], str | None]
"""Returns what is wrong with the arguments of a call, None when nothing is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceAction:
    """One action of a space."""

    name: str
    description: str
    """When it is taken and what its `final` holds, in one sentence that a model reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """One tool that may be named now."""

    name: str
    description: str
    parameters: Mapping[str, Json]
    """JSON Schema of its arguments, an object."""
    fits: Fits | None = None
    """What the schema cannot say; None when the schema says everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionSpace:
    """Every action that exists; whatever is not listed cannot be taken."""

    actions: tuple[SpaceAction, ...]

    def __post_init__(self) -> None:
        for at, name in enumerate(self.names):
            if not _NAME.fullmatch(name):
                raise ValueError(f"action `{name}`: is not a name; write lower-case letters, digits and `_`")
            if name in self.names[:at]:
                raise ValueError(f"action `{name}`: is there twice; actions are a closed set of different names")

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in the order in which they are shown."""
        return tuple(action.name for action in self.actions)

    def added(self, *actions: SpaceAction) -> ActionSpace:
        """Return the space with actions of a host behind its own.

        Raises:
            ValueError: a name is taken, or is not one lower-case word.
        """
        return ActionSpace(actions=(*self.actions, *actions))

    def only(self, name: str) -> ActionSpace:
        """Return the space that holds nothing but the action `name`."""
        return ActionSpace(actions=tuple(action for action in self.actions if action.name == name))


STANDARD_SPACE = ActionSpace(
    actions=(
        SpaceAction(name=FINISH, description="the goal is reached; `final` is the whole answer"),
        SpaceAction(
            name=TOOL_CALL, description="a tool is needed; `tool` names it and `tool_input` holds its arguments"
        ),
        SpaceAction(
            name=ASK_USER, description="something is missing that no tool can tell; `final` is one clear question"
        ),
        SpaceAction(name=REPLAN, description="the present way has failed; `final` is the new plan"),
    )
)
"""What every engine offers; a host may add to it."""


def check_tools(tools: Sequence[ToolSpec], space: ActionSpace) -> None:
    """Refuse tools that a reply could not name without doubt.

    Raises:
        ValueError: two tools share a name, or one is named like an action.
    """
    seen: set[str] = set()
    for tool in tools:
        if not tool.name or has_control(tool.name) or tool.name != tool.name.strip():
            raise ValueError(f"tool name {tool.name!r} is not one word; write letters, digits and `_`")
        if tool.name in space.names:
            raise ValueError(f"tool `{tool.name}` is named like an action; rename the tool")
        if tool.name in seen:
            raise ValueError(f"two tools are named `{tool.name}`; rename one")
        seen.add(tool.name)
