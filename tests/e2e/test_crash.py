"""Runs that are killed with `kill -9` and resumed end as if nothing had happened; `bench/crash.py` kills more."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench" / "crash.py"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that can be forked")
def test_a_killed_run_goes_on_without_damage_loss_or_a_second_effect() -> None:
    done = subprocess.run(
        [sys.executable, str(BENCH), "3", "--seed", "7"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    killed = re.search(r"killed: (\d+)", done.stdout)
    assert killed is not None
    assert int(killed[1]) >= 3
    assert "damaged, done twice, lost or different: none" in done.stdout
