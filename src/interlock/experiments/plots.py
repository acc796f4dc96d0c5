"""Two kinds of plots as SVG: values with their intervals, and parts of a whole.

Pure; every text is escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from interlock.experiments.stats import Interval

__all__ = ["Row", "bars", "whiskers"]

WIDTH = 800
LEFT = 190
RIGHT = 260
_ROW = 52
_TOP = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One value in both arms; None where there is none."""

    label: str
    a: Interval | None
    b: Interval | None


def whiskers(rows: Sequence[Row], written: Callable[[Interval | None], str]) -> str:
    """Return points with their intervals, one row each, on one axis that begins at 0."""
    most = max((item.high for row in rows for item in (row.a, row.b) if item is not None), default=0.0) or 1.0
    height = _TOP + _ROW * len(rows)
    lines = [f'<line class="axis" x1="{LEFT}" y1="{_TOP - 8}" x2="{LEFT}" y2="{height}"/>']
    for at, row in enumerate(rows):
        y = _TOP + _ROW * at + 10
        lines.append(f'<text x="{LEFT - 10}" y="{y + 12}" text-anchor="end">{escape(row.label)}</text>')
        for arm, item, offset in (("a", row.a, 0), ("b", row.b, 20)):
            lines += _whisker(arm, item, y + offset, most, written)
    return _svg(height, lines, "values with their 95 % intervals, A above B")


def bars(a: Mapping[str, float], b: Mapping[str, float]) -> str:
    """Return parts of a whole, one row per name, both arms beside each other."""
    names = sorted({*a, *b})
    height = _TOP + _ROW * max(1, len(names))
    lines = [f'<line class="axis" x1="{LEFT}" y1="{_TOP - 8}" x2="{LEFT}" y2="{height}"/>']
    for at, name in enumerate(names):
        y = _TOP + _ROW * at
        lines.append(f'<text x="{LEFT - 10}" y="{y + 22}" text-anchor="end">{escape(name)}</text>')
        for arm, part, offset in (("a", a.get(name, 0.0), 0), ("b", b.get(name, 0.0), 20)):
            width = part * (WIDTH - LEFT - RIGHT)
            lines.append(f'<rect class="{arm}" x="{LEFT}" y="{y + offset}" width="{width:.1f}" height="16"/>')
            lines.append(
                f'<text x="{LEFT + width + 8:.1f}" y="{y + offset + 13}">{arm.upper()} {part * 100:.0f} %</text>'
            )
    return _svg(height, lines, "how often each action was taken, A above B")


def _whisker(
    arm: str, item: Interval | None, y: int, most: float, written: Callable[[Interval | None], str]
) -> Iterator[str]:
    if item is None:
        return
    x, low, high = (
        LEFT + max(0.0, value) / most * (WIDTH - LEFT - RIGHT) for value in (item.value, item.low, item.high)
    )
    yield f'<line class="{arm}" x1="{low:.1f}" y1="{y}" x2="{high:.1f}" y2="{y}" stroke-width="2"/>'
    yield f'<circle class="{arm}" cx="{x:.1f}" cy="{y}" r="5"/>'
    yield f'<text x="{high + 10:.1f}" y="{y + 4}">{arm.upper()} {escape(written(item))}</text>'


def _svg(height: int, lines: Sequence[str], title: str) -> str:
    inside = "".join(lines)
    return f'<svg viewBox="0 0 {WIDTH} {height + 8}" role="img"><title>{escape(title)}</title>{inside}</svg>'
