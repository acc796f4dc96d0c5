"""Every demonstration runs offline, to its end, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

DEMOS = sorted((Path(__file__).parents[2] / "examples" / "demos").glob("*.py"))


@pytest.mark.parametrize("demo", [pytest.param(path, id=path.stem) for path in DEMOS])
def test_a_demonstration_shows_what_it_says(demo: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(demo)], capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert list(tmp_path.iterdir()) == []
