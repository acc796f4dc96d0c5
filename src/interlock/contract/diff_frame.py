"""What changed between the frames of two versions of one decision: what a judge sees, and how much of it.

Source: decision-contract/v1, frame.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interlock.contract.change import Change, way
from interlock.frame.spec import FrameField, FrameSpec

__all__ = ["frame_changes"]


def frame_changes(decision: str, old: FrameSpec | None, new: FrameSpec | None) -> Iterator[Change]:
    """Yield every difference, in the order of the new fields; reasons do not count."""
    if old is None or new is None:
        if old is not new:
            yield Change(decision=decision, part="frame", way=way(old, new), what="frame")
        return
    before, after = ({field.key: field for field in spec.fields} for spec in (old, new))
    for key, field in after.items():
        yield from _field_changes(decision, before.get(key), field)
    for key, field in before.items():
        if key not in after:
            yield Change(decision=decision, part="frame", way="lost", what=f"field `{key}`", old=_source(field))
    if [key for key in before if key in after] != [key for key in after if key in before]:
        yield Change(decision=decision, part="frame", way="changed", what="order of the fields")
    cells = [[item.cell for item in spec.exclusions] for spec in (old, new)]
    yield from _exclusion_changes(decision, *cells)


def _field_changes(decision: str, old: FrameField | None, new: FrameField) -> Iterator[Change]:
    what = f"field `{new.key}`"
    if old is None:
        yield Change(decision=decision, part="frame", way="added", what=what, new=_source(new))
        return
    if (old.cell, old.projection) != (new.cell, new.projection):
        yield Change(decision=decision, part="frame", way="changed", what=what, old=_source(old), new=_source(new))
    if old.bound != new.bound:
        bounds = str(old.bound), str(new.bound)
        yield Change(
            decision=decision, part="bound", way="changed", what=f"{what}: bound", old=bounds[0], new=bounds[1]
        )


def _exclusion_changes(decision: str, old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    for cell in new:
        if cell not in old:
            yield Change(decision=decision, part="exclusion", way="added", what=f"exclusion of `{cell}`")
    for cell in old:
        if cell not in new:
            yield Change(decision=decision, part="exclusion", way="lost", what=f"exclusion of `{cell}`")
    if [cell for cell in old if cell in new] != [cell for cell in new if cell in old]:
        yield Change(decision=decision, part="exclusion", way="changed", what="order of the exclusions")


def _source(field: FrameField) -> str:
    return field.cell if field.projection is None else f"{field.projection}({field.cell})"
