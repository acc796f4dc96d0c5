"""How a judge reaches what answers it: a body there, a body back.

Knows nothing of HTTP, models or what bodies say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from interlock.judge.base import Failure

__all__ = ["HttpReply", "Sender"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReply:
    """A whole response, whatever its status."""

    status: int
    headers: Mapping[str, str]
    """Lower-case names."""
    body: bytes


class Sender(Protocol):
    """Carries requests; knows nothing of what they say."""

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], /) -> HttpReply | Failure:
        """Return the response, or why there is none."""
        ...

    async def get(self, url: str, headers: Mapping[str, str], /) -> HttpReply | Failure:
        """Return what is at an address, or why there is nothing."""
        ...

    async def aclose(self) -> None:
        """Let go of what requests are carried over."""
        ...
