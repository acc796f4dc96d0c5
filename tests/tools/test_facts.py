"""What the host finds on disk, whatever a tool or a draft says."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.tools.facts import facts_on
from interlock.tools.quotes import quotes
from interlock.tools.root import Root


def _steps(*steps: tuple[str, str, str | None]) -> list[dict[str, object]]:
    return [
        {"step": number, "tool": tool, "input": given, "result": result}
        for number, (tool, given, result) in enumerate(steps, start=1)
    ]


def _digest(text: str) -> str:
    return f"{len(text.encode())} bytes, sha256 {hashlib.sha256(text.encode()).hexdigest()}"


@pytest.fixture
def root(tmp_path: Path) -> Root:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "alpha.ts").write_text("interface Order {}\nexport function totalOf(o: Order) {\r\n}\n")
    (tmp_path / "notes.md").write_text("# Notes\nThe port is 4173.\n税率是 19%。\n")
    (tmp_path / "here.txt").write_text("here")
    return Root(tmp_path)


@pytest.mark.parametrize(
    ("steps", "facts"),
    [
        pytest.param(
            [("write_file", "here.txt\nhere", "wrote")], [f"here.txt exists, {_digest('here')}"], id="written"
        ),
        pytest.param([("write_file", "./here.txt\nhere", "wrote")], [f"here.txt exists, {_digest('here')}"], id="dot"),
        pytest.param([("write_file", "no.txt\nx", "ok, 1 bytes written")], ["no.txt is missing"], id="false-done"),
        pytest.param(
            [("write_file", "here.txt\nother", "wrote")],
            [f"here.txt differs from what was written, {_digest('here')}"],
            id="other-content",
        ),
        pytest.param([("delete_file", "no.txt", "deleted")], ["no.txt is gone"], id="deleted"),
        pytest.param(
            [("delete_file", "here.txt", "deleted")], [f"here.txt still exists, {_digest('here')}"], id="not-deleted"
        ),
        pytest.param(
            [("move_file", "no.txt -> here.txt", "moved")],
            [f"here.txt exists, {_digest('here')}", "no.txt is gone"],
            id="moved",
        ),
        pytest.param(
            [("move_file", "here.txt -> no.txt", "moved")],
            ["no.txt is missing", f"here.txt still exists, {_digest('here')}"],
            id="not-moved",
        ),
        pytest.param(
            [("write_file", "a\nother", "wrote"), ("move_file", "a -> here.txt", "moved")],
            [f"here.txt differs from what was written, {_digest('here')}", "a is gone"],
            id="written-then-moved",
        ),
        pytest.param(
            [("write_file", "no.txt\nx", "wrote"), ("delete_file", "no.txt", "deleted")],
            ["no.txt is gone"],
            id="the-last-step-counts",
        ),
        pytest.param([("write_file", "no.txt\nx", "[TOOL_ERROR] permission: no")], [], id="failed"),
        pytest.param([("write_file", "no.txt\nx", None)], [], id="pending"),
        pytest.param([("write_file", "../up\nx", "wrote")], ["../up is missing"], id="outside"),
        pytest.param([("write_file", "src\nx", "wrote")], ["src differs from what was written"], id="a-directory"),
        pytest.param([("move_file", "unreadable", "moved")], [], id="no-arrow"),
        pytest.param([("read_file", "here.txt", "here"), ("own_tool", "x", "y")], [], id="nothing-changed"),
    ],
)
def test_what_steps_left_behind_is_looked_up(
    root: Root, steps: list[tuple[str, str, str | None]], facts: list[str]
) -> None:
    assert list(facts_on(root)({"history": _steps(*steps)})) == facts


def test_what_contradicts_the_run_comes_first_then_effects_then_quotes(root: Root) -> None:
    history = _steps(
        ("read_file", "notes.md", "…"),
        ("write_file", "here.txt\nhere", "wrote"),
        ("write_file", "no.txt\nx", "wrote"),
    )
    cells = {"history": history, "readFiles": ["notes.md"], "draft": "The port is 4173.\nnotes.md:1: # Other"}
    assert list(facts_on(root)(cells)) == [
        "no.txt is missing",
        "quote differs: notes.md:1",
        f"here.txt exists, {_digest('here')}",
        "quote verified: notes.md:2",
    ]


@pytest.mark.parametrize(
    ("draft", "facts"),
    [
        pytest.param("notes.md:2: The port is 4173.", ["quote verified: notes.md:2"], id="cited"),
        pytest.param("- notes.md:2: The port is 4173.", ["quote verified: notes.md:2"], id="cited-in-a-list"),
        pytest.param("> notes.md:3：税率是 19%。", ["quote verified: notes.md:3"], id="cited-with-a-wide-colon"),
        pytest.param("notes.md:2: `The port is 4173.`", ["quote verified: notes.md:2"], id="cited-in-backticks"),
        pytest.param("notes.md:2: The port…", ["quote verified: notes.md:2"], id="cited-and-cut"),
        pytest.param(
            "src/alpha.ts:2: export function totalOf(o: Order) {", ["quote verified: src/alpha.ts:2"], id="crlf"
        ),
        pytest.param("notes.md:2: The port is 8080.", ["quote differs: notes.md:2"], id="cited-wrongly"),
        pytest.param("notes.md:99: The port is 4173.", ["quote differs: notes.md:99"], id="cited-beyond-the-end"),
        pytest.param("notes.md:0: The port is 4173.", ["quote differs: notes.md:0"], id="line-nought"),
        pytest.param("`totalOf` (src/alpha.ts:2)", ["quote verified: src/alpha.ts:2"], id="piece-beside-a-place"),
        pytest.param("函数是「totalOf」（src/alpha.ts:2）。", ["quote verified: src/alpha.ts:2"], id="chinese-piece"),
        pytest.param("`taxOf` (src/alpha.ts:2)", ["quote differs: src/alpha.ts:2"], id="wrong-piece-beside-a-place"),
        pytest.param("`totalOf` gives `42` (src/alpha.ts:2)", [], id="half-of-the-pieces"),
        pytest.param("See `notes.md:2`, please", [], id="a-place-without-a-quote"),
        pytest.param("See notes.md:2 for the port", [], id="a-mention-is-no-quote"),
        pytest.param("x/notes.md:2: The port is 4173.", [], id="another-file-with-that-ending"),
        pytest.param("The port is 4173.", ["quote verified: notes.md:2"], id="whole-line"),
        pytest.param("  > The port is 4173.", ["quote verified: notes.md:2"], id="whole-line-as-a-quote"),
        pytest.param("1. “The port is 4173.”", ["quote verified: notes.md:2"], id="whole-line-in-marks"),
        pytest.param("# Notes", ["quote verified: notes.md:1"], id="heading"),
        pytest.param('It says "port is 4173" there', ["quote verified: notes.md:2"], id="piece"),
        pytest.param("It says `4173` there", [], id="piece-too-short-to-prove-anything"),
        pytest.param("}\n\n---\n{}", [], id="signs-only"),
        pytest.param("The port is 8080.", [], id="not-there"),
        pytest.param("here", [], id="a-file-that-was-not-read"),
        pytest.param("The port is 4173.\nThe port is 4173.", ["quote verified: notes.md:2"], id="once"),
    ],
)
def test_quotes_are_compared_with_the_disk(root: Root, draft: str, facts: list[str]) -> None:
    cells = {"readFiles": ["notes.md", "src/alpha.ts"], "files": ["here.txt", "notes.md"], "draft": draft}
    assert list(facts_on(root)(cells)) == facts


def test_a_file_found_by_searching_or_written_may_be_quoted(root: Root) -> None:
    history = _steps(
        ("search_text", "port", "notes.md:2: The port is 4173."), ("write_file", "here.txt\nhere", "wrote")
    )
    facts = facts_on(root)({"history": history, "draft": "The port is 4173.\nhere"})
    assert facts[1:] == ("quote verified: here.txt:1", "quote verified: notes.md:2") or facts[1:] == (
        "quote verified: notes.md:2",
        "quote verified: here.txt:1",
    )


def test_the_last_line_of_a_long_file_is_verified(root: Root) -> None:
    (root.path / "long.log").write_text("INFO nothing\n" * 2000 + "ERROR order INV-7 paid twice\n")
    cells = {"readFiles": ["long.log"], "draft": "The cause: `ERROR order INV-7 paid twice`"}
    assert facts_on(root)(cells) == ("quote verified: long.log:2001",)


def test_a_file_that_changed_after_it_was_read_is_compared_as_it_is_now(root: Root) -> None:
    (root.path / "notes.md").write_text("# Notes\nThe port is 8080.\n")
    cells = {"readFiles": ["notes.md"], "draft": "notes.md:2: The port is 4173."}
    assert facts_on(root)(cells) == ("quote differs: notes.md:2",)


def test_quotes_of_a_draft_without_end_are_limited(root: Root) -> None:
    (root.path / "many").write_text("\n".join(f"line number {number}" for number in range(500)))
    cells = {"readFiles": ["many"], "draft": (root.path / "many").read_text()}
    assert len(facts_on(root)(cells)) == 40


@pytest.mark.parametrize(
    "cells", [{}, {"draft": None}, {"history": "x", "readFiles": 3, "files": [1, ""], "draft": ""}]
)
def test_cells_that_are_not_there_give_no_facts(root: Root, cells: dict[str, object]) -> None:
    assert facts_on(root)(cells) == ()


@given(draft=st.text(alphabet=st.sampled_from('ab.:1 2`"“”「」>-#\n/…'), max_size=80))
@settings(max_examples=150, deadline=None)
def test_any_draft_can_be_read_for_quotes(draft: str) -> None:
    for quote in quotes(draft, ["a", "b.a", "a/b"]):
        assert quote.texts
        assert (quote.path is None) is (quote.line is None)
