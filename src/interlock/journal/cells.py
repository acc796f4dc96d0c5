"""Raw state as JSON: each cell by itself, and cells that have no JSON form named instead of dropped.

Pure; knows nothing of frames or hosts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from interlock.questions import Json

__all__ = ["UNRECORDED", "cells_json", "recorded_cells"]

UNRECORDED = "$unrecorded"
"""The key under which the names of cells without a JSON form are listed."""


def cells_json(cells: Mapping[str, object]) -> dict[str, Json]:
    """Return every cell that JSON can hold, and under `UNRECORDED` the names of the others, if any."""
    known: dict[str, Json] = {}
    others: list[Json] = []
    for name, value in cells.items():
        if _fits(value):
            known[name] = _json(value)
        else:
            others.append(name)
    return known | {UNRECORDED: others} if others else known


def recorded_cells(body: Mapping[str, Json]) -> tuple[dict[str, Json], tuple[str, ...]]:
    """Return the cells written by `cells_json`, and the names of those that were not recorded."""
    others = body.get(UNRECORDED)
    names = tuple(str(name) for name in others) if isinstance(others, list) else ()
    return {name: value for name, value in body.items() if name != UNRECORDED}, names


def _fits(value: object) -> bool:
    if value is None or isinstance(value, bool | int | str):
        return True
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _fits(item) for key, item in value.items())
    return isinstance(value, list | tuple) and all(_fits(item) for item in value)


def _json(value: object) -> Json:
    if isinstance(value, Mapping):
        return {str(key): _json(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_json(item) for item in value]
    assert value is None or isinstance(value, bool | int | float | str)  # noqa: S101
    return value
