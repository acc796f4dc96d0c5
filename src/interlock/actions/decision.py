"""One decision of the engine, and what it was decided from: failed attempts and observations.

Source: decision-engine specification, action space and retry.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from interlock._canonical import Json

__all__ = ["ActionDecision", "Deliberate", "FailedAttempt", "Observation", "Tolerance", "call_key"]

Deliberate: TypeAlias = Literal["none", "brief", "full"]
"""How much the model thinks in `thought` before it decides; `none` forbids it."""

Tolerance: TypeAlias = Literal["fence", "prose", "reasoning", "repaired", "text"]
"""What was let pass around or in the one object.

`fence`: a code fence. `prose`: other text. `reasoning`: a block of reasoning tags. `repaired`: nearly JSON.
`text`: an object in the text where a function call was asked for.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What one tool call, question or host action brought."""

    name: str
    """The tool, or the action for an answer that a person or the host gave."""
    number: int
    """Counts from 1 for each name."""
    text: str
    failed: bool = False
    tool_input: Mapping[str, Json] | None = None
    """The arguments of the call; None when it was no tool call."""

    @property
    def id(self) -> str:
        """The id by which an answer may cite it, such as `search#1`."""
        return f"{self.name}#{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedAttempt:
    """One reply that was no valid decision."""

    number: int
    """1-based."""
    check: int | None
    """1 to 10; None when a judge gave no pick."""
    reason: str
    reply: str | None
    """What the model wrote; None when it was not text."""
    waited_s: float
    """How long was waited before this attempt."""
    elapsed_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionDecision:
    """One legal action."""

    action: str
    tool: str | None = None
    """Only with `tool_call`."""
    tool_input: Mapping[str, Json] | None = None
    """Only with `tool_call`."""
    final: str | None = None
    """The answer, question, plan or message; None with `tool_call`."""
    thought: str | None = None
    """What the model thought, for the record only; None when it was told not to."""
    tolerance: tuple[Tolerance, ...] = ()
    """What the reply was forgiven; empty when it was nothing but the object."""
    picked_by: Literal["text", "judge"] = "text"
    probabilities: Mapping[str, float] | None = None
    """Action or tool → [0, 1] as a judge gave it; None from a text model."""
    fallback: bool = False
    """True when no attempt was valid and this action was put in its place."""
    attempts: tuple[FailedAttempt, ...] = ()
    """The failed attempts before it."""

    @property
    def fields(self) -> dict[str, Json]:
        """The four keys, as the model is asked to write them."""
        tool_input = None if self.tool_input is None else dict(self.tool_input)
        return {"action": self.action, "tool": self.tool, "tool_input": tool_input, "final": self.final}


def call_key(tool: str, tool_input: Mapping[str, Json]) -> str:
    """Return a text that is equal for equal calls, whatever the order of their arguments."""
    return json.dumps([tool, tool_input], sort_keys=True, ensure_ascii=False)
