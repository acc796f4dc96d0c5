"""The figures of the overhead bench are those that the docs quote."""

from __future__ import annotations

import importlib.util
from pathlib import Path

REPO = Path(__file__).parents[2]


def test_the_page_quotes_every_figure_of_the_bench() -> None:
    """A figure that is added, renamed or given another limit changes the page too."""
    spec = importlib.util.spec_from_file_location("overhead", REPO / "bench" / "overhead.py")
    assert spec is not None
    assert spec.loader is not None
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    page = (REPO / "docs" / "reference" / "performance.md").read_text(encoding="utf-8")

    figures = [*bench.decisions(1), *bench.processes(1)]

    for figure in figures:
        limit = "" if figure.limit_ms is None else f"{figure.limit_ms:g}"
        assert any(line.startswith(f"| {figure.name} |") and f" | {limit} | " in line for line in page.splitlines())
    assert bench.table(figures).count("\n") == len(figures) + 3
