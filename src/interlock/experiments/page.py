"""A report as one HTML page that needs no network: text, a table, and plots as inline SVG.

Pure; everything that comes from outside is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from html import escape

from interlock.experiments.plots import Row, bars, whiskers
from interlock.experiments.report import Report
from interlock.experiments.shown import NAMES, conclusion, percent, plain
from interlock.experiments.stats import Interval

__all__ = ["report_page"]

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --line: #8a94a0; --a: #3465a4; --b: #c4620e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --paper: #16181b; --line: #6f7883; --a: #7aa7e0; --b: #f0a35c; }
}
body { color: var(--ink); background: var(--paper); font: 16px/1.5 system-ui, sans-serif; max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }
svg { width: 100%; height: auto; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
.a { fill: var(--a); stroke: var(--a); } .b { fill: var(--b); stroke: var(--b); } .axis { stroke: var(--line); }
.verdict { font-size: 1.2rem; }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


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
            f"<h1>{title}</h1>",
            *_body(report),
            "</body>",
            "</html>",
            "",
        ]
    )


def _body(report: Report) -> Iterator[str]:
    a, b = report.arms
    first, *rest = conclusion(report)
    yield f'<p class="verdict">{escape(first)}</p>'
    yield f"<p>The {escape(report.layer)} layer differs; the rest is identical.</p>"
    yield f"<ul>{''.join(f'<li>{escape(sentence)}</li>' for sentence in rest)}</ul>"
    yield "<h2>Rates</h2>"
    yield whiskers([Row(label=NAMES[metric], a=a.rates[metric], b=b.rates[metric]) for metric in NAMES], percent)
    yield "<h2>Actions</h2>"
    yield bars(_parts(a.actions, a.answers), _parts(b.actions, b.answers))
    for heading, mean, digits in (
        ("Tokens of one decision", (a.tokens, b.tokens), 0),
        ("Latency in seconds", (a.latency_s, b.latency_s), 3),
        ("Cost in USD", (a.cost_usd, b.cost_usd), 6),
    ):
        if any(item is not None for item in mean):
            yield f"<h2>{heading}</h2>"
            yield whiskers([Row(label="mean", a=mean[0], b=mean[1])], partial(plain, digits=digits))
    yield "<h2>Numbers</h2>"
    yield _table(report)


def _parts(actions: Mapping[str, int], answers: int) -> Mapping[str, float]:
    return {name: count / answers for name, count in actions.items()} if answers else {}


def _table(report: Report) -> str:
    a, b = report.arms
    rows: list[Sequence[str]] = [
        ("", f"A: {a.ref}", f"B: {b.ref}"),
        ("digest", a.ref.digest[:16], b.ref.digest[:16]),
        ("answers", str(a.answers), str(b.answers)),
        ("failures", str(a.failures), str(b.failures)),
        *((NAMES[metric], percent(a.rates[metric]), percent(b.rates[metric])) for metric in NAMES),
        *(_mean("tokens", a.tokens, b.tokens, 0), _mean("latency in s", a.latency_s, b.latency_s, 3)),
        _mean("cost in USD", a.cost_usd, b.cost_usd, 6),
    ]
    head, *body = ["".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) for tag, row in _tagged(rows)]
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(f'<tr>{row}</tr>' for row in body)}</tbody></table>"


def _mean(label: str, a: Interval | None, b: Interval | None, digits: int) -> Sequence[str]:
    return (label, plain(a, digits), plain(b, digits))


def _tagged(rows: Sequence[Sequence[str]]) -> Iterator[tuple[str, Sequence[str]]]:
    yield from (("th" if at == 0 else "td", row) for at, row in enumerate(rows))
