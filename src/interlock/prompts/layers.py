"""The three layers of a prompt, and what names one version of a layer.

Source: decision-engine specification, three layers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from interlock._canonical import sha256_hex
from interlock.questions import Json

__all__ = ["LAYERS", "Layer", "LayerRef", "text_digest"]

Layer: TypeAlias = Literal["system", "role", "loop"]
"""`system`: lasting rules. `role`: the job. `loop`: the state of one turn."""
LAYERS: tuple[Layer, ...] = get_args(Layer)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerRef:
    """One version of one layer."""

    name: str | None
    """None for a layer that was written in code."""
    version: str
    digest: str
    """SHA-256 of the text as it is stored, 64 hex characters."""

    @property
    def fields(self) -> dict[str, Json]:
        """The three of them, as a record holds them."""
        return {"name": self.name, "version": self.version, "digest": self.digest}

    def __str__(self) -> str:
        return f"{self.name or 'unnamed'}@{self.version}"


def text_digest(text: str) -> str:
    """Return the digest of a layer's text, every character counted."""
    return sha256_hex(text)
