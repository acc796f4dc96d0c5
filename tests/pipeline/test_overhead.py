"""The figures of the overhead bench are those that the docs quote."""

from __future__ import annotations

from pathlib import Path

from bench.overhead import decisions, processes, table

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "performance.md"


def test_the_page_quotes_every_figure_of_the_bench() -> None:
    """A figure that is added, renamed or given another limit changes the page too."""
    page = PAGE.read_text(encoding="utf-8").splitlines()

    figures = [*decisions(1), *processes(1)]

    for figure in figures:
        limit = "" if figure.limit_ms is None else f"{figure.limit_ms:g}"
        assert any(line.startswith(f"| {figure.name} |") and f" | {limit} | " in line for line in page)
    assert table(figures).splitlines()[:2] == [line for line in page if line.startswith(("| what", "|---"))][:2]
