"""Values of two arms with their intervals, drawn as SVG that is read as well on a telephone as on a large screen.

Pure; every text is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from interlock.experiments.stats import Interval

__all__ = ["Axis", "Row", "axis_over", "whiskers"]

WIDTH = 360
EDGE = 8
"""Left of the axis and right of it, so that a mark at its end is whole."""
LEAST_SPAN = 1e-12
"""Values closer together are drawn as one."""
MOST_PARTS = 4
"""Between round ticks; one more where 0 lies between them."""
_LINE, _MARK, _GAP, _SIZE = 18, 14, 10, 5
_CLASSES: Mapping[str, str] = {"A": "a", "B": "b"}
"""Arm → how it is drawn: by its shape as well as by its colour."""
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Values that belong together, one below the other."""

    label: str
    values: Mapping[str, Interval | None]
    """`A`, `B` or another name → value; None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """Where values are drawn, from the first tick to the last."""

    ticks: tuple[float, ...]
    written: Callable[[float], str]
    """How a tick is labelled."""

    def place(self, value: float) -> float:
        """Return the x of a value; one beyond the axis is drawn at its end."""
        low, high = self.ticks[0], self.ticks[-1]
        return EDGE + (min(high, max(low, value)) - low) / (high - low) * (WIDTH - 2 * EDGE)


def axis_over(low: float, high: float, written: Callable[[float], str]) -> Axis:
    """Return the axis with round ticks that holds 0, `low` and `high`."""
    low, high = min(low, 0.0), max(high, 0.0)
    rough = (high - low if high - low > LEAST_SPAN else 1.0) / MOST_PARTS
    magnitude = 10.0 ** math.floor(math.log10(rough))
    step = next(each * magnitude for each in _STEPS if round(each * magnitude / rough, 9) >= 1)
    first, last = math.floor(round(low / step, 9)), math.ceil(round(high / step, 9))
    return Axis(ticks=tuple(step * at for at in range(first, max(last, first + 1) + 1)), written=written)


def whiskers(name: str, title: str, rows: Sequence[Row], axis: Axis, written: Callable[[Interval | None], str]) -> str:
    """Return points with their intervals on one axis; `name` is the plot's own on its page."""
    marks: list[str] = []
    y = 0
    for row in rows:
        y += _LINE
        marks.append(f'<text class="label" x="0" y="{y - 4}">{escape(row.label)}</text>')
        for key, item in row.values.items():
            marks.append(f'<text x="{EDGE + _SIZE}" y="{y + _LINE - 4}">{escape(key)} {escape(written(item))}</text>')
            marks += _whisker(_CLASSES.get(key, "other"), item, y + _LINE + _MARK // 2, axis)
            y += _LINE + _MARK
        y += _GAP
    told = "; ".join(_told(row, written) for row in rows)
    return _svg(name, title, told, y + _LINE, [*_grid(axis, y), *marks])


def _grid(axis: Axis, bottom: int) -> Iterator[str]:
    for at, tick in enumerate(axis.ticks):
        x = axis.place(tick)
        kind = "axis" if math.isclose(tick, 0.0, abs_tol=1e-12) else "grid"
        anchor = "start" if at == 0 else "end" if at == len(axis.ticks) - 1 else "middle"
        edge = 0.0 if at == 0 else WIDTH if anchor == "end" else x
        yield f'<line class="{kind}" x1="{x:.1f}" y1="0" x2="{x:.1f}" y2="{bottom}"/>'
        yield f'<text class="tick" x="{edge:.1f}" y="{bottom + _LINE - 4}" text-anchor="{anchor}">'
        yield f"{escape(axis.written(tick))}</text>"


def _whisker(kind: str, item: Interval | None, y: int, axis: Axis) -> Iterator[str]:
    if item is None:
        return
    x, low, high = (axis.place(value) for value in (item.value, item.low, item.high))
    yield f'<line class="{kind}" x1="{low:.1f}" y1="{y}" x2="{high:.1f}" y2="{y}" stroke-width="2"/>'
    if kind == "b":
        yield f'<rect class="b" x="{x - _SIZE:.1f}" y="{y - _SIZE}" width="{2 * _SIZE}" height="{2 * _SIZE}"/>'
    else:
        yield f'<circle class="{kind}" cx="{x:.1f}" cy="{y}" r="{_SIZE}"/>'


def _told(row: Row, written: Callable[[Interval | None], str]) -> str:
    """Return a row as it is read aloud."""
    return f"{row.label}: {', '.join(f'{key} {written(item)}' for key, item in row.values.items())}"


def _svg(name: str, title: str, told: str, height: int, lines: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(told)}</desc>'
        f"{''.join(lines)}</svg>"
    )
