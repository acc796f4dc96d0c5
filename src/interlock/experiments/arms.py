"""Two arms that differ in exactly one layer, and which of them a key gets.

Source: decision-engine specification, experiments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from interlock.errors import ExperimentError
from interlock.prompts import LAYERS, Layer, LayerRef, PromptPack
from interlock.registry import sticky

__all__ = ["ARMS", "ArmName", "Experiment", "make_experiment"]

ArmName: TypeAlias = Literal["A", "B"]
ARMS: tuple[ArmName, ArmName] = ("A", "B")


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """One comparison: `A` is what there is, `B` what might replace it."""

    name: str
    layer: Layer
    """The one that differs."""
    packs: Mapping[ArmName, PromptPack]
    """Arm → its pack, marked with the experiment and the arm."""

    def ref(self, arm: ArmName) -> LayerRef:
        """Return the version of the layer that an arm tries."""
        return self.packs[arm].refs()[self.layer]

    def assign(self, key: str, *, share_of_b: float = 0.5) -> ArmName:
        """Return the arm of a key: always the same for the same key, and independent of other experiments.

        Raises:
            ExperimentError: the share is not a part of one.
        """
        if not 0 <= share_of_b <= 1:
            raise ExperimentError(f"experiment `{self.name}`: a share is from 0 to 1, not {share_of_b:g}")
        return "B" if sticky(f"experiment {self.name}", key) < share_of_b else "A"


def make_experiment(name: str, first: PromptPack, second: PromptPack) -> Experiment:
    """Return the comparison of two packs.

    Raises:
        ExperimentError: they differ in no layer, or in more than one, so that no difference could be explained.
    """
    if not name or "/" in name:
        raise ExperimentError(f"experiment `{name}`: the name is text without `/`")
    refs = (first.refs(), second.refs())
    differing = [layer for layer in LAYERS if refs[0][layer].digest != refs[1][layer].digest]
    if not differing:
        raise ExperimentError(f"experiment `{name}`: the arms are equal; let one layer differ")
    if len(differing) > 1:
        raise ExperimentError(
            f"experiment `{name}`: the arms differ in {' and '.join(differing)}; let one layer differ, "
            "or nobody can say which of them made a difference"
        )
    packs: Mapping[ArmName, PromptPack] = {
        "A": replace(first, experiment=f"{name}/A"),
        "B": replace(second, experiment=f"{name}/B"),
    }
    return Experiment(name=name, layer=differing[0], packs=packs)
