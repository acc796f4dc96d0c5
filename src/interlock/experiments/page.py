"""A report as one HTML page that needs no network: text, plots as inline SVG, and a table.

Pure; everything that comes from outside is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from html import escape

from interlock.experiments.plots import Row, axis_over, whiskers
from interlock.experiments.report import ArmReport, Report
from interlock.experiments.shown import NAMES, action_names, conclusion, percent, plain, points, report_rows
from interlock.experiments.stats import Interval, wilson

__all__ = ["report_page"]

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --soft: #5c6670; --line: #8a94a0; --grid: #dfe3e8;
  --a: #2f5fa5; --b: #b4540a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --paper: #16181b; --soft: #a7b0ba; --line: #6f7883; --grid: #33383e;
    --a: #7aa7e0; --b: #f0a35c; }
}
* { box-sizing: border-box; }
body { color: var(--ink); background: var(--paper); font: 1rem/1.5 system-ui, sans-serif; max-width: 62rem;
  margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: clamp(1.3rem, 5vw, 1.9rem); line-height: 1.2; }
h2 { font-size: 1.1rem; margin: 0 0 .5rem; }
code { font: .9em ui-monospace, monospace; }
ul { padding-left: 1.2rem; }
.verdict { font-size: 1.2rem; border-left: .3rem solid var(--line); padding-left: .8rem; }
.verdict::first-letter { text-transform: uppercase; }
.arms { display: flex; flex-wrap: wrap; gap: .3rem 2rem; }
.arms b { display: inline-block; min-width: 1.6em; text-align: center; color: var(--paper); border-radius: .8em; }
.arms .b { border-radius: 0; }
.plots { columns: 22rem 2; column-gap: 3rem; margin: 1.5rem 0; }
.plots section { break-inside: avoid; padding-bottom: 1.5rem; }
svg { display: block; width: 100%; max-width: 32rem; height: auto; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; paint-order: stroke; stroke: var(--paper);
  stroke-width: 4px; }
svg .label { font-weight: 600; } svg .tick { fill: var(--soft); font-size: 12px; }
svg .a { fill: var(--a); stroke: var(--a); } svg .b { fill: var(--b); stroke: var(--b); }
svg .other { fill: var(--ink); stroke: var(--ink); }
.arms .a { background: var(--a); } .arms .b { background: var(--b); }
.axis { stroke: var(--line); } .grid { stroke: var(--grid); }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--grid); }
th { font-weight: 600; } tbody th { font-weight: 400; }
@media (max-width: 30rem) { table { font-size: .85rem; } }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_CODE = re.compile(r"`([^`]+)`")


def report_page(report: Report) -> str:
    """Return the page."""
    title = escape(f"Experiment {report.name}")
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            f"<title>{title}</title>",
            f"<style>{_STYLE}</style>",
            "</head>",
            "<body>",
            "<main>",
            f"<h1>{title}</h1>",
            *_body(report),
            "</main>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _body(report: Report) -> Iterator[str]:
    first, *rest = conclusion(report)
    yield f'<p class="verdict">{_sentence(first)}</p>'
    yield f"<p>The {escape(report.layer)} layer differs; the rest is identical.</p>"
    yield f'<p class="arms">{"".join(_arm(arm) for arm in report.arms)}</p>'
    yield f"<ul>{''.join(f'<li>{_sentence(sentence)}</li>' for sentence in rest)}</ul>"
    yield '<div class="plots">'
    for heading, plot in _plots(report):
        yield f"<section><h2>{escape(heading)}</h2>{plot}</section>"
    yield "</div>"
    yield "<h2>Numbers</h2>"
    yield f'<div class="table" role="region" aria-label="Numbers" tabindex="0">{_table(report)}</div>'


def _sentence(text: str) -> str:
    """Return a sentence with what stands in backticks set as code."""
    return _CODE.sub(r"<code>\1</code>", escape(text))


def _arm(arm: ArmReport) -> str:
    return (
        f'<span><b class="{arm.arm.lower()}">{arm.arm}</b> {escape(str(arm.ref))} '
        f"<code>{escape(arm.ref.digest[:16])}</code></span>"
    )


def _plots(report: Report) -> Iterator[tuple[str, str]]:
    """Yield each plot under its heading; those without any value are left out."""
    a, b = report.arms
    shown = report.comparison.difference
    if shown is not None:
        row = Row(label=NAMES[report.comparison.metric], values={"B less A": shown})
        yield "Difference", whiskers("difference", "B less A", [row], axis_over(shown.low, shown.high, _points), points)
    parts = axis_over(0.0, 1.0, _percent)
    rates = [Row(label=NAMES[metric], values={"A": a.rates[metric], "B": b.rates[metric]}) for metric in NAMES]
    yield "Rates", whiskers("rates", "Rates with their 95 % intervals", rates, parts, percent)
    actions = [Row(label=name, values={"A": _part(a, name), "B": _part(b, name)}) for name in action_names(report)]
    if actions:
        yield "Actions", whiskers("actions", "How often each action was taken", actions, parts, percent)
    for name, heading, mean, digits in (
        ("tokens", "Tokens of one decision", (a.tokens, b.tokens), 0),
        ("latency", "Latency in seconds", (a.latency_s, b.latency_s), 3),
        ("cost", "Cost in USD", (a.cost_usd, b.cost_usd), 6),
    ):
        known = [item.high for item in mean if item is not None]
        if known:
            axis = axis_over(0.0, max(known), "{:g}".format)
            row = Row(label="mean", values=dict(zip(("A", "B"), mean, strict=True)))
            yield heading, whiskers(name, heading, [row], axis, partial(plain, digits=digits))


def _percent(part: float) -> str:
    return f"{part * 100:g} %"


def _points(difference: float) -> str:
    return f"{difference * 100:+g}" if difference else "0"


def _part(arm: ArmReport, action: str) -> Interval | None:
    return wilson(arm.actions.get(action, 0), arm.answers)


def _table(report: Report) -> str:
    head, *rows = report_rows(report)
    names = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    lines = [
        f'<tr><th scope="row">{escape(label)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'
        for label, *cells in rows
    ]
    return f"<table><thead><tr>{names}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
