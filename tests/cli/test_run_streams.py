"""`interlock run` where streams are closed, the directory is gone or a terminal is not there, and what a line shows."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from interlock.cli._trace import Trace
from interlock.cli.main import main
from interlock.journal.bodies import generation_body
from interlock.journal.records import Record

SHOP = Path(__file__).parents[2] / "examples" / "shop"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return a copy of the example project."""
    return Path(shutil.copytree(SHOP, tmp_path / "shop"))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return where the journal of a test goes."""
    return tmp_path / "journal.db"


def _program(command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of the shell in which `$0` is the program as installed."""
    program = str(Path(sys.executable).with_name("interlock"))
    line = ["/bin/sh", "-c", command, program]
    return subprocess.run(line, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    "closed",
    [
        pytest.param(">&-", id="standard-output"),
        pytest.param("2>&-", id="standard-error"),
        pytest.param("<&-", id="standard-input"),
        pytest.param(">&- 2>&- <&-", id="all"),
    ],
)
def test_a_closed_stream_is_no_crash(shop: Path, place: Path, closed: str) -> None:
    done = _program(f'"$0" run "List the files." --cwd "{shop}" --journal "{place}" {closed}', shop)
    assert "Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr


def test_without_standard_input_a_gated_call_is_refused(shop: Path, place: Path) -> None:
    task = '"Delete build.lock." --allow-write --allow-delete'
    done = _program(f'"$0" run {task} --cwd "{shop}" --journal "{place}" <&-', shop)
    assert "Traceback" not in done.stderr
    assert done.returncode == 5, done.stderr
    assert (shop / "build.lock").exists()


def test_a_directory_that_was_removed_is_named(shop: Path, place: Path, tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    done = _program(f'cd gone && rmdir ../gone && "$0" run "List the files." --journal "{place}"', tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "interlock: .: no such directory\n"


def test_a_gate_out_of_range_names_the_gate_alone(shop: Path, place: Path) -> None:
    """What else may be said of the shipped contract is not for whoever set a threshold."""
    args = ["run", "what?", "--cwd", str(shop), "--journal", str(place), "--gate", "step_ok=2"]
    result = CliRunner().invoke(main, args)
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert "threshold-out-of-range" in line


def test_a_wide_name_keeps_the_columns_of_the_trace(shop: Path, place: Path) -> None:
    args = ["run", "发布说明.md 讲了什么？", "--cwd", str(shop), "--journal", str(place)]
    err = CliRunner().invoke(main, args).stderr
    (wide,) = [line for line in err.splitlines() if "pick_input" in line and "发布说明.md" in line]
    (narrow,) = [line for line in err.splitlines() if "pick_tool" in line and "read_file" in line and "call" in line]
    assert wide.index(" against ") + len("发布说明") == narrow.index(" against ")


def test_a_draft_that_was_cut_off_is_marked_in_the_trace() -> None:
    """A sentence that stops in the middle looks like an answer."""
    body = generation_body(
        writer="openai:m",
        purpose="answer",
        text="It exports to",
        degraded=False,
        truncated=True,
        failure=None,
        usage=None,
        elapsed_s=0.1,
    )
    lines: list[str] = []
    Trace(lines.append)(Record(run_id="r", seq=1, ts="t", type="generation", body=body, text="", prev_hash="", hash=""))
    assert lines == ["     draft  by openai:m, cut off at the most that it may write"]
