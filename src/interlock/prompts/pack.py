"""A prompt in three layers, each with its version.

Knows nothing of models and of where layers are kept.
Source: decision-engine specification, three layers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from interlock.prompts.layers import LAYERS, Layer, LayerRef, json_digest, text_digest
from interlock.prompts.loop import EMPTY_LOOP, check_template
from interlock.questions import Json

__all__ = ["PromptPack"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPack:
    """What a model is told: lasting rules, a job, and the form of the state that each turn fills."""

    system: str
    role: str
    loop: Mapping[str, Json] = field(default_factory=lambda: dict(EMPTY_LOOP))
    """The seven keys in the order in which they are shown, each with the value it has when the state says nothing."""
    version: str
    """Of the pack as a whole; also that of each layer without an entry in `sources`."""
    experiment: str | None = None
    """The experiment and arm that this pack belongs to; None outside of experiments."""
    sources: Mapping[Layer, LayerRef] = field(default_factory=dict)
    """Where a registry keeps each layer; empty for a pack that was written in code."""

    def __post_init__(self) -> None:
        check_template(self.loop)

    def refs(self) -> dict[Layer, LayerRef]:
        """Return name, version and digest of each layer."""
        return {layer: self.sources.get(layer) or self._own(layer) for layer in LAYERS}

    def _own(self, layer: Layer) -> LayerRef:
        digests = {
            "system": lambda: text_digest(self.system),
            "role": lambda: text_digest(self.role),
            "loop": lambda: json_digest(self.loop),
        }
        return LayerRef(name=None, version=self.version, digest=digests[layer]())
