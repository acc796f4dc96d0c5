"""A message of a chat, as every text model takes it.

Knows nothing of models or prompts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["ImagePart", "Message", "Part", "Role", "TextPart", "ToolCall"]

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPart:
    """One piece of text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePart:
    """One image, as the bytes of its file."""

    data: bytes
    media_type: str
    """Such as `image/png`."""


Part: TypeAlias = TextPart | ImagePart


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A native tool call that a model asked for."""

    id: str
    name: str
    arguments: str
    """JSON text as the model wrote it, unchecked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message."""

    role: Role
    content: str | tuple[Part, ...]
    tool_calls: tuple[ToolCall, ...] = ()
    """On an assistant's message, the calls it asked for."""
    tool_call_id: str | None = None
    """On a tool's message, the call it answers."""
