"""How an id of a judge or writer is read.

Source: backends specification, section 9.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from interlock.errors import UsageError

__all__ = ["Id", "backticked", "chain_of", "id_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Id:
    """`provider:model`, split at the first colon."""

    text: str
    provider: str
    model: str
    """Empty when there is none."""

    @property
    def address(self) -> str | None:
        """The base URL, when the model part is one; `#model` is cut off."""
        return self.model.partition("#")[0] if self.model.startswith("http") else None

    @property
    def name(self) -> str:
        """The model's name, empty when there is none."""
        return self.model.partition("#")[2] if self.model.startswith("http") else self.model


def id_of(text: str) -> Id:
    """Return one id."""
    provider, _, model = text.partition(":")
    return Id(text=text, provider=provider, model=model)


def chain_of(text: str) -> tuple[Id, ...]:
    """Return the ids of a chain, separated by commas.

    Raises:
        UsageError: one of several is empty.
    """
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 1 and not all(parts):
        raise UsageError("judge: an id of the chain is empty; write `ID,ID`")
    return tuple(id_of(part) for part in parts)


def backticked(names: Sequence[str]) -> str:
    """Return the names as a message lists them."""
    return ", ".join(f"`{name}`" for name in names)
