"""Every Python block of the pages runs, in order, page by page, in a directory of its own and without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_examples import CodeExample, EvalExample, find_examples

from interlock.agents.options import CONTEXT_NAMES, METHOD_OPTION_KEYS

REPO = Path(__file__).parents[2]
PAGES = [REPO / "README.md", *sorted((REPO / "docs").rglob("*.md"))]
SKIPPED = 'test="skip"'
SAID = "#>"
"""Before a line that the `print` above it prints."""
MATERIAL = ("examples", "spec", "src")
"""Folders of the repository that pages name."""


def _blocks(page: Path) -> list[CodeExample]:
    return [block for block in find_examples(str(page)) if block.prefix.split(" ")[0] in ("python", "py")]


WITH_BLOCKS = [page for page in PAGES if page.is_file() and _blocks(page)]


def _name(page: Path) -> str:
    return page.relative_to(REPO).as_posix()


@pytest.mark.parametrize("page", WITH_BLOCKS, ids=_name)
def test_the_blocks_of_a_page_run_one_after_another(
    page: Path, eval_example: EvalExample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block may use what those before it made; where it says what it prints, it prints exactly that."""
    for folder in MATERIAL:
        (tmp_path / folder).symlink_to(REPO / folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    eval_example.set_config(line_length=120)
    made: dict[str, Any] = {}
    for block in _blocks(page):
        if SKIPPED not in block.prefix:
            run = eval_example.run_print_check if SAID in block.source else eval_example.run
            made = {**made, **run(block, module_globals=made)}


@pytest.mark.parametrize("page", WITH_BLOCKS, ids=_name)
def test_a_block_that_is_left_out_says_why(page: Path) -> None:
    silent = [block.start_line for block in _blocks(page) if SKIPPED in block.prefix and "reason=" not in block.prefix]

    assert not silent, f'{_name(page)}: write reason="…" beside {SKIPPED} at lines {silent}'


def test_the_page_of_agents_names_every_option_and_place() -> None:
    text = (REPO / "docs/guides/agents.md").read_text(encoding="utf-8")

    missing = [name for name in (*sorted(METHOD_OPTION_KEYS), *CONTEXT_NAMES) if f"`{name}`" not in text]
    assert not missing
