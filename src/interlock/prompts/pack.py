"""A prompt in three layers, each with its version.

Knows nothing of models and of where layers are kept.
Source: decision-engine specification, three layers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import assert_never

from interlock._canonical import compact_json
from interlock.errors import PromptError
from interlock.prompts.layers import LAYERS, Layer, LayerRef, text_digest
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
    loop_text: str | None = None
    """The loop layer character for character as a registry keeps it; None for one that was written in code."""

    def __post_init__(self) -> None:
        check_template(self.loop)
        if self.loop_text is not None and list(json.loads(self.loop_text).items()) != list(self.loop.items()):
            raise PromptError("loop layer: `loop_text` says something else than `loop`; leave it out")

    def refs(self) -> dict[Layer, LayerRef]:
        """Return name, version and digest of each layer."""
        return {layer: self._ref(layer) for layer in LAYERS}

    def text(self, layer: Layer) -> str:
        """Return a layer as it is stored, which is what its digest is taken over."""
        match layer:
            case "system":
                return self.system
            case "role":
                return self.role
            case "loop":
                return compact_json(self.loop) if self.loop_text is None else self.loop_text
            case _:
                assert_never(layer)

    def _ref(self, layer: Layer) -> LayerRef:
        """Return the registry's name of a layer while its text is what is kept there."""
        digest, source = text_digest(self.text(layer)), self.sources.get(layer)
        if source is not None and source.digest == digest:
            return source
        return LayerRef(name=None, version=self.version, digest=digest)
