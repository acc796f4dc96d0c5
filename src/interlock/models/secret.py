"""A key that cannot be printed."""

from __future__ import annotations

from typing import Final

__all__ = ["Secret"]


class Secret:
    """Holds a key; its text and its representation are masked."""

    __slots__ = ("_value",)

    MASK: Final = "***"

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the key, for the one place that builds a header."""
        return self._value

    def __repr__(self) -> str:
        return f"Secret({self.MASK})"

    def __str__(self) -> str:
        return self.MASK

    def __reduce__(self) -> str:
        raise TypeError("a secret cannot be pickled; pass it where it is used")
