"""The examples of the engine and of experiments run offline, and so does every Python block of their pages."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
PAGES = [REPO / "docs" / name for name in ("guides/prompts.md", "guides/experiments.md", "reference/engine.md")]
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, block in enumerate(
        re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    )
]


def run(arguments: list[str], directory: Path) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=60, check=False, cwd=directory
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_engine_shows_each_thing_it_says(tmp_path: Path) -> None:
    out = run([str(REPO / "examples" / "06_engine.py")], tmp_path)

    assert "attempt 1 failed check 1" in out
    assert "attempt 2 failed check 9" in out
    assert "2. tool_call  failed checks: 10" in out
    assert "search#1: [TOOL_ERROR] ConnectionError: no route to host" in out
    assert "system: decision_engine@1.1" in out
    assert "run again with the recorded prompts: True" in out
    assert [line.split(":")[0] for line in out.splitlines()[-3:]] == ["max_steps", "max_tool_calls", "max_tokens"]
    assert list(tmp_path.iterdir()) == []


def test_the_comparison_shows_a_difference_and_refuses_two(tmp_path: Path) -> None:
    out = run([str(REPO / "examples" / "07_ab.py"), "page.html"], tmp_path)

    assert "B has 21.5 points more `valid_at_first` than A (p < 0.0001 at 0.05)." in out
    assert "refused: experiment `two at once`: the arms differ in system and role" in out
    assert "<svg" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_of_a_page_does_what_it_says(block: str, tmp_path: Path) -> None:
    (tmp_path / "block.py").write_text(block, encoding="utf-8")

    run(["-W", "error", "block.py"], tmp_path)


def test_the_pages_have_blocks() -> None:
    assert len(BLOCKS) >= 4
