"""The examples of the engine and of experiments run offline, and so do the commands of their guides."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.engine import EngineOptions, Limits, RunOptions

REPO = Path(__file__).parents[2]
GUIDES = ("prompts", "experiments")
SHELL = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)


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


@pytest.mark.parametrize("guide", GUIDES)
def test_the_commands_of_a_guide_run_one_after_another(guide: str, tmp_path: Path) -> None:
    """As a reader would type them, in an empty directory and without a model."""
    blocks = SHELL.findall((REPO / "docs" / "guides" / f"{guide}.md").read_text("utf-8"))
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "data"),
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "".join(blocks)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=tmp_path,
        env=environment,
    )

    assert len(blocks) >= 2
    assert done.returncode == 0, done.stderr
    assert SAID[guide] in done.stdout


SAID = {
    "prompts": "rolled back production of support to 1.0",
    "experiments": "no difference shown in `expected`",
}
"""Guide → a line that one of its commands prints."""


def test_the_reference_names_every_option() -> None:
    text = (REPO / "docs" / "reference" / "engine.md").read_text("utf-8")
    names = [field.name for kind in (EngineOptions, RunOptions, Limits) for field in dataclasses.fields(kind)]

    assert [name for name in names if f"`{name}`" not in text and f"{name}=…" not in text] == []
