"""How whatever may hold connections is closed: judges, writers and text models alike."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

__all__ = ["Closeable", "close"]


@runtime_checkable
class Closeable(Protocol):
    """Holds something open."""

    async def aclose(self) -> None:
        """Let go of it; a second call does nothing."""
        ...


async def close(*things: object) -> None:
    """Close every one of `things` that can be closed."""
    for thing in things:
        if isinstance(thing, Closeable):
            await thing.aclose()
