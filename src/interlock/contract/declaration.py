"""Capabilities as JSON and back; what a reader gets wrong is named by its path.

Knows nothing of files.
Source: decision-contract/v1, compile; `spec/capabilities.schema.json` is the same shape for other tools.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, TypeVar, cast, get_args

from interlock.contract.capabilities import Capabilities, Cell, FloorSpec, ProjectionSpec, ProviderSpec
from interlock.diagnostics import did_you_mean
from interlock.errors import HostError
from interlock.frame.spec import CellType, Exclusion, FrameField, FrameSpec, Provenance
from interlock.questions import Json

__all__ = ["capabilities_from_json", "capabilities_to_json"]

T = TypeVar("T")
Object: TypeAlias = Mapping[str, object]

_TYPES: tuple[str, ...] = get_args(CellType)
_PROVENANCES: tuple[str, ...] = get_args(Provenance)


def capabilities_to_json(capabilities: Capabilities) -> dict[str, Json]:
    """Return `capabilities` as JSON values; what has its default is left out of an entry."""
    return {
        "cells": {name: _cell_json(cell) for name, cell in capabilities.cells.items()},
        "projections": {name: _projection_json(spec) for name, spec in capabilities.projections.items()},
        "providers": {
            name: {"reads": list(spec.reads), "output": spec.output} for name, spec in capabilities.providers.items()
        },
        "positions": {name: list(actions) for name, actions in capabilities.positions.items()},
        "rules": list(capabilities.rules),
        "safe_defaults": dict(capabilities.safe_defaults),
        "floors": {
            name: {"projection": spec.projection, "absent": spec.absent} for name, spec in capabilities.floors.items()
        },
        "frames": {name: _frame_json(frame) for name, frame in capabilities.frames.items()},
    }


def capabilities_from_json(value: object) -> Capabilities:
    """Return the capabilities that `value`, as read from JSON, declares.

    Raises:
        HostError: something is missing, unknown or of the wrong type; the message begins with its path.
    """
    top = _object(value, "capabilities", required=("cells",), optional=_PARTS)
    cells = _entries(top, "cells", _cell)
    projections = _entries(top, "projections", lambda item, path: _projection(item, path, cells))
    return Capabilities(
        cells=cells,
        projections=projections,
        providers=_entries(top, "providers", lambda item, path: _provider(item, path, cells)),
        positions=_entries(top, "positions", _names),
        rules=_names(top.get("rules", []), "rules"),
        safe_defaults=_entries(top, "safe_defaults", _text),
        floors=_entries(top, "floors", lambda item, path: _floor(item, path, projections)),
        frames=_entries(top, "frames", lambda item, path: _frame(item, path, cells, projections)),
    )


_PARTS = ("projections", "providers", "positions", "rules", "safe_defaults", "floors", "frames")


def _cell_json(cell: Cell) -> dict[str, Json]:
    entry: dict[str, Json] = {"type": cell.type, "provenance": cell.provenance}
    return entry | {"extension": True} if cell.extension else entry


def _projection_json(spec: ProjectionSpec) -> dict[str, Json]:
    entry: dict[str, Json] = {"cell": spec.cell, "shape": spec.shape}
    if spec.absent:
        return entry | {"absent": True}
    return entry if spec.default is None else entry | {"default": _as_lists(spec.default)}


def _frame_json(frame: FrameSpec) -> dict[str, Json]:
    return {
        "fields": [
            {"key": item.key, "bound": item.bound, "projection": item.projection, "reason": item.reason}
            for item in frame.fields
        ],
        "exclusions": [{"cell": item.cell, "reason": item.reason} for item in frame.exclusions],
    }


def _cell(value: object, path: str) -> Cell:
    item = _object(value, path, required=("type", "provenance"), optional=("extension",))
    return Cell(
        type=cast("CellType", _one_of(item["type"], f"{path}.type", _TYPES)),
        provenance=cast("Provenance", _one_of(item["provenance"], f"{path}.provenance", _PROVENANCES)),
        extension=_flag(item.get("extension", False), f"{path}.extension"),
    )


def _projection(value: object, path: str, cells: Mapping[str, Cell]) -> ProjectionSpec:
    item = _object(value, path, required=("cell", "shape"), optional=("default", "absent"))
    shape = _one_of(item["shape"], f"{path}.shape", _TYPES)
    default = cast("Json", _as_tuples(item.get("default")))
    if default is not None and _type_of(default) != shape:
        raise HostError(f"{path}.default: is not a {shape}; promise a value of the projection's shape")
    return ProjectionSpec(
        cell=_one_of(item["cell"], f"{path}.cell", list(cells), what="cell"),
        shape=cast("CellType", shape),
        default=default,
        absent=_flag(item.get("absent", False), f"{path}.absent"),
    )


def _provider(value: object, path: str, cells: Mapping[str, Cell]) -> ProviderSpec:
    item = _object(value, path, required=("reads",), optional=("output",))
    reads = _names(item["reads"], f"{path}.reads")
    for index, name in enumerate(reads):
        _one_of(name, f"{path}.reads[{index}]", list(cells), what="cell")
    return ProviderSpec(reads=reads, output=_text(item.get("output", "candidates"), f"{path}.output"))


def _floor(value: object, path: str, projections: Mapping[str, ProjectionSpec]) -> FloorSpec:
    item = _object(value, path, required=("projection", "absent"))
    absent = item["absent"]
    if isinstance(absent, bool) or not isinstance(absent, int | float):
        raise HostError(f"{path}.absent: is not a number")
    name = _one_of(item["projection"], f"{path}.projection", list(projections), what="projection")
    return FloorSpec(projection=name, absent=absent)


def _frame(value: object, path: str, cells: Mapping[str, Cell], projections: Mapping[str, ProjectionSpec]) -> FrameSpec:
    item = _object(value, path, required=("fields", "exclusions"))
    fields = _array(item["fields"], f"{path}.fields")
    exclusions = _array(item["exclusions"], f"{path}.exclusions")
    return FrameSpec(
        fields=tuple(_field(field, f"{path}.fields[{i}]", cells, projections) for i, field in enumerate(fields)),
        exclusions=tuple(_exclusion(entry, f"{path}.exclusions[{i}]", cells) for i, entry in enumerate(exclusions)),
    )


def _field(
    value: object, path: str, cells: Mapping[str, Cell], projections: Mapping[str, ProjectionSpec]
) -> FrameField:
    item = _object(value, path, required=("key", "bound", "reason"), optional=("projection",))
    key, bound = _text(item["key"], f"{path}.key"), item["bound"]
    if isinstance(bound, bool) or not isinstance(bound, int) or bound < 1:
        raise HostError(f"{path}.bound: is not a whole number of at least 1")
    projection = item.get("projection")
    if projection is None:
        cell = _one_of(key, f"{path}.key", list(cells), what="cell")
        spec = ProjectionSpec(cell=cell, shape=cells[cell].type)
    else:
        spec = projections[_one_of(projection, f"{path}.projection", list(projections), what="projection")]
    return FrameField(
        key=key,
        bound=bound,
        cell=spec.cell,
        projection=None if projection is None else str(projection),
        type=spec.shape,
        provenance=cells[spec.cell].provenance,
        default=spec.default,
        has_default=spec.default is not None,
        may_be_absent=spec.absent,
        reason=_text(item["reason"], f"{path}.reason"),
    )


def _exclusion(value: object, path: str, cells: Mapping[str, Cell]) -> Exclusion:
    item = _object(value, path, required=("cell", "reason"))
    cell = _one_of(item["cell"], f"{path}.cell", list(cells), what="cell")
    return Exclusion(cell=cell, reason=_text(item["reason"], f"{path}.reason"))


def _object(value: object, path: str, *, required: Sequence[str], optional: Sequence[str] = ()) -> Object:
    if not isinstance(value, Mapping):
        raise HostError(f"{path}: is not an object")
    known = (*required, *optional)
    for key in value:
        if key not in known:
            raise HostError(f"{path}: no key `{key}`; {did_you_mean(str(key), known)}")
    for key in required:
        if key not in value:
            raise HostError(f"{path}: `{key}` is missing")
    return value


def _entries(top: Object, part: str, read: Callable[[object, str], T]) -> dict[str, T]:
    table = top.get(part, {})
    if not isinstance(table, Mapping):
        raise HostError(f"{part}: is not an object of names")
    return {str(name): read(item, f"{part}.{name}") for name, item in table.items()}


def _array(value: object, path: str) -> Sequence[object]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise HostError(f"{path}: is not an array")
    return value


def _names(value: object, path: str) -> tuple[str, ...]:
    return tuple(_text(item, f"{path}[{index}]") for index, item in enumerate(_array(value, path)))


def _text(value: object, path: str) -> str:
    if not isinstance(value, str) or not value:
        raise HostError(f"{path}: is not a text of at least one character")
    return value


def _flag(value: object, path: str) -> bool:
    if not isinstance(value, bool):
        raise HostError(f"{path}: is neither true nor false")
    return value


def _one_of(value: object, path: str, known: Sequence[str], *, what: str = "value") -> str:
    name = _text(value, path)
    if name not in known:
        raise HostError(f"{path}: no {what} `{name}`; {did_you_mean(name, known)}")
    return name


def _type_of(value: Json) -> str | None:
    match value:
        case bool():
            return "bool"
        case str():
            return "text"
        case int() | float():
            return "number"
        case tuple():
            return "list"
        case _:
            return None


def _as_tuples(value: object) -> object:
    return tuple(_as_tuples(item) for item in value) if isinstance(value, list) else value


def _as_lists(value: Json) -> Json:
    return [_as_lists(item) for item in value] if isinstance(value, tuple) else value
