"""The host facts that bound the scores of one decision from below.

Source: decision-contract/v1, floors.
"""

from __future__ import annotations

import math

from interlock.contract.compiled import Decision
from interlock.pipeline.host import Cells, Host
from interlock.policy.rules import Floor
from interlock.questions import Score

__all__ = ["floors_for"]


def floors_for(decision: Decision, host: Host, state: Cells) -> tuple[Floor, ...]:
    """Return the floors of the decision's scores, in the order of its questions.

    A floor that cannot be computed is the highest level.
    """
    declared = host.capabilities.floors
    found: list[Floor] = []
    for name, question in decision.questions.items():
        spec = declared.get(f"{decision.id}.{name}")
        if spec is not None and isinstance(question, Score):
            value = _value(spec.projection, host, state)
            highest = float(len(question.criteria) - 1)
            found.append(Floor(question=name, value=spec.absent if value is None else min(value, highest)))
    return tuple(found)


def _value(projection: str, host: Host, state: Cells) -> float | None:
    """Return what the projection gives as a number, None when it is absent, infinity when it is not a number."""
    cell = state.get(host.capabilities.projections[projection].cell)
    if cell is None:
        return None
    try:
        value = host.projections[projection](cell)
    except Exception:  # noqa: BLE001 - a host's function; without its fact the bound is the highest
        return math.inf
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return math.inf
    return float(value)
