"""The seam to whatever writes text for the loop: final answers and the inputs of tools.

Knows nothing of judges or policies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from interlock.judge.base import Usage
from interlock.questions import Json
from interlock.tools.base import Tool

__all__ = ["Draft", "Evidence", "ProvidedInput", "WriteRequest", "Writer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One finished step as shown to a writer."""

    tool: str
    input: str
    result: str
    dropped_chars: int = 0
    """Characters cut from the middle of the result; head and tail are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRequest:
    """What a writer is given; tool text is data, never instructions."""

    system: str | None
    """The contract's generator section."""
    task: str
    earlier: str
    evidence: tuple[Evidence, ...]
    facts: tuple[str, ...]
    """Host-checked facts, such as `summary.ts exists, 64 bytes, sha256 …`."""
    halt: str
    """Why the tool loop ended."""
    revision_of: str | None = None
    """The refused draft; None on the first draft."""
    reason: str | None = None
    """Why the gate refused it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A writer's text; not an answer until it is delivered."""

    text: str
    degraded: bool
    usage: Usage | None
    failure: str | None = None
    """One sentence when the writer failed; `text` is then empty."""
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvidedInput:
    """Arguments for one tool call; None when they are unclear, with the reason."""

    arguments: Mapping[str, Json] | None
    reason: str | None
    usage: Usage | None


class Writer(Protocol):
    """Writes drafts and tool inputs."""

    @property
    def id(self) -> str:
        """Such as `extractive` or `openai:MODEL`."""
        ...

    async def write(self, request: WriteRequest) -> Draft:
        """Return a draft; a failure is a value, never an exception."""
        ...

    async def provide(self, tool: Tool, request: WriteRequest) -> ProvidedInput:
        """Return the arguments for `tool`, or None with the reason; never a placeholder."""
        ...
