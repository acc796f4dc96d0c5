"""Searching for texts and regular expressions within limits."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from interlock.errors import ToolError
from interlock.tools import matcher, search
from interlock.tools.root import Root
from interlock.tools.search import MAX_HITS, search_text


@pytest.fixture
def root(tmp_path: Path) -> Root:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "alpha.ts").write_text("interface Order {}\r\nexport function totalOf(order: Order) {\r\n}\r\n")
    (tmp_path / "notes.md").write_text("totalOf is slow\n税率是 19%\n")
    (tmp_path / "image.png").write_bytes(b"\x89PNG\x00totalOf")
    return Root(tmp_path)


@pytest.mark.parametrize(
    ("pattern", "regex", "lines"),
    [
        pytest.param(
            "totalOf",
            False,
            ["notes.md:1: totalOf is slow", "src/alpha.ts:2: export function totalOf(order: Order) {"],
            id="literal",
        ),
        pytest.param("(order: Order)", False, ["src/alpha.ts:2: export function totalOf(order: Order) {"], id="signs"),
        pytest.param("税率", False, ["notes.md:2: 税率是 19%"], id="chinese"),
        pytest.param(
            r"^export \w+ (\w+)", True, ["src/alpha.ts:2: export function totalOf(order: Order) {"], id="regex"
        ),
        pytest.param(
            r"interface|\d+%", True, ["notes.md:2: 税率是 19%", "src/alpha.ts:1: interface Order {}"], id="either"
        ),
    ],
)
def test_every_line_that_matches_is_shown_with_its_place(
    root: Root, pattern: str, regex: bool, lines: list[str]
) -> None:
    shown = search_text(root, pattern, regex=regex).split("\n")
    assert shown == [*lines, "[left out: files that are not text, too large or too many (1)]"]


@pytest.mark.parametrize("regex", [False, True])
def test_nothing_found_is_empty(tmp_path: Path, regex: bool) -> None:
    (tmp_path / "a").write_text("nothing of the kind")
    assert search_text(Root(tmp_path), "absent", regex=regex) == "(empty)"


@pytest.mark.parametrize("regex", [False, True])
def test_many_hits_are_cut_and_the_cut_is_said(tmp_path: Path, regex: bool) -> None:
    (tmp_path / "a").write_text("hit\n" * (MAX_HITS + 50))
    (tmp_path / "b").write_text("hit\n" * (MAX_HITS + 50))
    lines = search_text(Root(tmp_path), "hit", regex=regex).split("\n")
    assert lines[-1] == "[cut: only the first 200 lines are shown]"
    assert len(lines) == MAX_HITS + 1


def test_a_long_line_is_shown_around_the_hit(tmp_path: Path) -> None:
    (tmp_path / "min.js").write_text("x" * 5000 + "needle" + "y" * 5000)
    shown = search_text(Root(tmp_path), "needle", regex=False)
    assert "needle" in shown
    assert len(shown) < 330


def test_the_text_looked_at_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MAX_CHARS", 10)
    (tmp_path / "a").write_text("needle")
    (tmp_path / "b").write_text("needle again")
    assert search_text(Root(tmp_path), "needle", regex=False).split("\n") == [
        "a:1: needle",
        "[left out: files that are not text, too large or too many (1)]",
    ]


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param(r"(a+)+$", id="nested"),
        pytest.param(r"(a|aa)+$", id="ambiguous"),
        pytest.param(r"a*a*a*a*a*a*a*a*b", id="polynomial"),
    ],
)
def test_a_pattern_without_end_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    monkeypatch.setattr(search, "MATCH_SECONDS", 0.4)
    (tmp_path / "a").write_text("a" * 4000 + "!")
    began = time.monotonic()
    with pytest.raises(ToolError, match=r"stopped after 0\.4 s") as refused:
        search_text(Root(tmp_path), pattern, regex=True)
    assert refused.value.kind == "timeout"
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    ("pattern", "regex"),
    [
        pytest.param("", False, id="empty"),
        pytest.param("a\nb", False, id="line-break"),
        pytest.param("a\x00", True, id="nul"),
        pytest.param("x" * 1001, False, id="long"),
        pytest.param("(", True, id="unfinished"),
        pytest.param("a{99999999999999}", True, id="overflow"),
        pytest.param("(?<=a+)b", True, id="look-behind"),
    ],
)
def test_what_is_no_pattern_is_refused(root: Root, pattern: str, regex: bool) -> None:
    with pytest.raises(ToolError, match=r"pattern|regular expression") as refused:
        search_text(root, pattern, regex=regex)
    assert refused.value.kind == "bad-pattern"


def test_without_an_interpreter_to_run_it_a_regular_expression_is_refused(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", str(root.path / "none"))
    with pytest.raises(ToolError, match="search for a literal") as refused:
        search_text(root, "a.c", regex=True)
    assert refused.value.kind == "exception"


def test_the_matcher_stops_at_the_limit() -> None:
    assert matcher.find("a", ["b\na", "a"], 5) == {"hits": [[0, 1, 0], [1, 0, 0]]}
    assert matcher.find("a", ["b\na", "a"], 1) == {"hits": [[0, 1, 0]]}
    assert matcher.find("(", [], 1) == {"error": "missing ), unterminated subpattern at position 0"}
