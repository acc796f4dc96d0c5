"""A pack from published layers, looked for in one registry after another.

Source: decision-engine specification, versions and registry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from interlock.errors import PromptError
from interlock.prompts import LAYERS, Layer, PromptPack
from interlock.registry.base import Prompt, PromptRegistry, parse_ref, read_loop
from interlock.registry.place import shipped_registry

__all__ = ["STANDARD_LAYERS", "find_prompt", "load_pack", "pack_of"]

STANDARD_LAYERS: Mapping[Layer, str] = {"system": "decision_engine", "role": "web_research", "loop": "state_schema"}
"""Layer → the shipped prompt that is used when none is named."""


def find_prompt(registries: Sequence[PromptRegistry], ref: str, *, key: str | None = None) -> Prompt:
    """Return what `NAME@VERSION` or `NAME@LABEL` means in the first registry that has it.

    Raises:
        PromptError: none has it.
    """
    wanted = parse_ref(ref)
    problems: list[PromptError] = []
    for registry in registries:
        entry = registry.index().entries.get(wanted.name)
        if entry is None:
            continue
        try:
            entry.resolve(wanted.which)
        except PromptError as problem:
            problems.append(problem)
        else:
            return registry.get(wanted.name, wanted.which, key=key)
    if problems:
        raise problems[0]
    places = ", ".join(f"`{registry.place}`" for registry in registries)
    raise PromptError(f"no prompt `{wanted.name}` in {places}; `interlock prompts list` names them")


def load_pack(
    registries: Sequence[PromptRegistry] | None = None,
    *,
    system: str = STANDARD_LAYERS["system"],
    role: str = STANDARD_LAYERS["role"],
    loop: str = STANDARD_LAYERS["loop"],
    key: str | None = None,
) -> PromptPack:
    """Return the pack of three published layers, each `NAME`, `NAME@VERSION` or `NAME@LABEL`.

    Without registries the shipped one is meant. A `key` lets labels with a share decide, the same for the same key.

    Raises:
        PromptError: a layer is not there, is not of its kind, or is not what was published.
    """
    places = [shipped_registry()] if registries is None else registries
    refs: Mapping[Layer, str] = {"system": system, "role": role, "loop": loop}
    found = {layer: find_prompt(places, ref, key=key) for layer, ref in refs.items()}
    return pack_of(found)


def pack_of(layers: Mapping[Layer, Prompt]) -> PromptPack:
    """Return the pack of three prompts.

    Raises:
        PromptError: one is not of its kind.
    """
    for layer in LAYERS:
        prompt = layers[layer]
        if prompt.layer != layer:
            raise PromptError(f"`{prompt.name}@{prompt.version}` is a {prompt.layer} layer; name a {layer} layer here")
    refs = {layer: layers[layer].ref() for layer in LAYERS}
    return PromptPack(
        system=layers["system"].text,
        role=layers["role"].text,
        loop=read_loop(layers["loop"].text),
        version=" ".join(str(ref) for ref in refs.values()),
        sources=refs,
        loop_text=layers["loop"].text,
    )
