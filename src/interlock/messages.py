"""A message of a chat, as every text model takes it.

Knows nothing of models or prompts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Message", "Role"]

Role: TypeAlias = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message."""

    role: Role
    content: str
