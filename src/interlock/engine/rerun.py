"""A recorded run, read back with its prompts so that it can be run again as it was.

Source: decision-engine specification, versions and registry.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import get_args

from interlock.actions import ActionSpace, Deliberate, SpaceAction
from interlock.engine.limits import Limits
from interlock.engine.modes import EngineOptions, Mode
from interlock.errors import JournalError, PromptError
from interlock.journal.base import JournalView
from interlock.journal.fields import items, objects, one_of, optional_text, optional_whole, section, text, whole
from interlock.journal.records import Body, read_rows
from interlock.prompts import LAYERS, Layer, LayerRef, ObservationRole, PromptPack
from interlock.prompts.layers import text_digest
from interlock.questions import Json

__all__ = ["RecordedRun", "recorded_run"]

_MODES: tuple[Mode, ...] = get_args(Mode)
_DEPTHS: tuple[Deliberate, ...] = get_args(Deliberate)
_ROLES: tuple[ObservationRole, ...] = get_args(ObservationRole)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRun:
    """What a run was told at its beginning."""

    goal: str
    memory_summary: str
    pack: PromptPack
    """Its layers character for character, each with its name, version and digest."""
    options: EngineOptions
    limits: Limits
    max_retries: int
    tools: tuple[str, ...]
    """The names of its tools."""
    origin: Mapping[str, Json]
    """Where model, judge and tools came from, as far as the caller said so."""


def recorded_run(view: JournalView, run_id: str) -> RecordedRun:
    """Return the beginning of a run of the engine.

    Raises:
        JournalError: it is no run of the engine, a part cannot be read, or a prompt is not what its digest says.
    """
    started = next(read_rows(view.rows(run_id, ["engine_started"])), None)
    if started is None:
        raise JournalError(f"run `{run_id}`: is no run of the engine; `interlock runs list` names the runs")
    try:
        return _run(started.body)
    except (JournalError, PromptError, ValueError, InvalidOperation) as error:
        raise JournalError(f"run `{run_id}`: cannot be run again: {error}") from error


def _run(body: Body) -> RecordedRun:
    limits = section(body, "limits")
    cost = optional_text(limits, "max_cost_usd")
    return RecordedRun(
        goal=text(body, "task"),
        memory_summary=text(body, "memory_summary"),
        pack=_pack(body),
        options=EngineOptions(
            mode=one_of(body, "mode", _MODES),
            form=one_of(body, "form", ("json", "lines")),
            deliberate=one_of(body, "deliberate", _DEPTHS),
            observation_role=one_of(body, "observation_role", _ROLES),
            space=ActionSpace(
                actions=tuple(
                    SpaceAction(name=text(item, "name"), description=text(item, "description"))
                    for item in objects(body, "space")
                )
            ),
        ),
        limits=Limits(
            max_steps=whole(limits, "max_steps"),
            max_tool_calls=whole(limits, "max_tool_calls"),
            max_tokens=optional_whole(limits, "max_tokens"),
            max_cost_usd=None if cost is None else Decimal(cost),
        ),
        max_retries=whole(body, "max_retries"),
        tools=tuple(str(item) for item in items(body, "tools")),
        origin=section(body, "origin"),
    )


def _pack(body: Body) -> PromptPack:
    layers = section(body, "layers")
    parts = {layer: section(layers, layer) for layer in LAYERS}
    texts = {layer: _checked(layer, part) for layer, part in parts.items()}
    refs = {
        layer: LayerRef(name=optional_text(part, "name"), version=text(part, "version"), digest=text(part, "digest"))
        for layer, part in parts.items()
    }
    return PromptPack(
        system=texts["system"],
        role=texts["role"],
        loop=json.loads(texts["loop"]),
        loop_text=texts["loop"],
        version=" ".join(str(ref) for ref in refs.values()),
        experiment=optional_text(body, "experiment"),
        sources=refs,
    )


def _checked(layer: Layer, part: Mapping[str, Json]) -> str:
    written = text(part, "text")
    if text_digest(written) != text(part, "digest"):
        raise JournalError(f"the {layer} layer is not what its digest says")
    return written
