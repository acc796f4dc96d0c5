"""Whether a call whose result was lost took effect, told by what is on disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from interlock.questions import Json
from interlock.tools.base import Proof, Tool
from interlock.tools.execute import check_call, run_tool
from interlock.tools.root import Root
from interlock.tools.table import reference_tools

WRITE: Mapping[str, Json] = {"path": "new.txt", "content": "é\n"}
MOVE: Mapping[str, Json] = {"source": "a.txt", "target": "sub/b.txt"}
DELETE: Mapping[str, Json] = {"path": "a.txt"}
Change = Callable[[Path], object]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("a\n")
    return tmp_path


def _tool(place: Path, name: str) -> Tool:
    return reference_tools(Root(place))[name]


def _proof(place: Path, name: str, given: Mapping[str, Json], change: Change) -> Proof:
    tool = _tool(place, name)
    assert tool.targets is not None
    assert tool.proof is not None
    before = tool.targets(given)
    change(place)
    return tool.proof(given, before)


def _move(place: Path) -> None:
    (place / "sub").mkdir()
    (place / "a.txt").rename(place / "sub" / "b.txt")


def _half_move(place: Path) -> None:
    (place / "sub").mkdir()
    os.link(place / "a.txt", place / "sub" / "b.txt")


@pytest.mark.parametrize(
    ("name", "given", "change", "proof"),
    [
        pytest.param("write_file", WRITE, lambda at: None, "not_happened", id="not-written"),
        pytest.param("write_file", WRITE, lambda at: (at / "new.txt").write_text("é\n"), "happened", id="written"),
        pytest.param("write_file", WRITE, lambda at: (at / "new.txt").write_text("x"), "unknown", id="other-content"),
        pytest.param("write_file", WRITE, lambda at: (at / "new.txt").mkdir(), "unknown", id="a-directory-there"),
        pytest.param(
            "write_file", {"path": "a.txt", "content": "a\n"}, lambda at: None, "not_happened", id="written-as-it-was"
        ),
        pytest.param("delete_file", DELETE, lambda at: None, "not_happened", id="not-deleted"),
        pytest.param("delete_file", DELETE, lambda at: (at / "a.txt").unlink(), "happened", id="deleted"),
        pytest.param("delete_file", DELETE, lambda at: (at / "a.txt").write_text("x"), "unknown", id="changed-instead"),
        pytest.param("move_file", MOVE, lambda at: None, "not_happened", id="not-moved"),
        pytest.param("move_file", MOVE, _move, "happened", id="moved"),
        pytest.param("move_file", MOVE, _half_move, "not_happened", id="moved-by-half"),
        pytest.param(
            "move_file", MOVE, lambda at: (at / "a.txt").unlink(), "not_happened", id="deleted-so-a-second-call-fails"
        ),
    ],
)
def test_the_disk_says_whether_a_call_took_effect(
    place: Path, name: str, given: Mapping[str, Json], change: Change, proof: Proof
) -> None:
    assert _proof(place, name, given, change) == proof


def test_a_tool_that_changes_nothing_needs_no_proof(place: Path) -> None:
    assert all(_tool(place, name).proof is None for name in ("list_dir", "read_file", "search_text"))


@pytest.mark.anyio
async def test_a_move_that_was_cut_short_is_finished_by_a_second_call(place: Path) -> None:
    tool = _tool(place, "move_file")
    _half_move(place)
    assert check_call(tool, MOVE) is None
    result = await run_tool(tool, MOVE)
    assert result.ok, result.text
    assert not (place / "a.txt").exists()
    assert (place / "sub" / "b.txt").read_text() == "a\n"


@pytest.mark.anyio
@pytest.mark.parametrize(
    "target",
    [
        pytest.param("a.txt", id="itself"),
        pytest.param("./a.txt", id="itself-spelled-otherwise"),
        pytest.param("copy.txt", id="another-file-with-the-same-content"),
    ],
)
async def test_a_move_onto_itself_or_a_copy_is_still_refused(place: Path, target: str) -> None:
    (place / "copy.txt").write_text("a\n")
    os.link(place / "a.txt", place / "other-name.txt")
    given: Mapping[str, Json] = {"source": "a.txt", "target": target}
    refused = check_call(_tool(place, "move_file"), given)
    assert refused is not None
    assert refused.kind == "exists"
    assert (await run_tool(_tool(place, "move_file"), given)).kind == "exists"
    assert {path.name for path in place.iterdir()} == {"a.txt", "copy.txt", "other-name.txt"}


@pytest.mark.skipif(os.name != "posix", reason="needs locks on files")
@pytest.mark.anyio
async def test_what_a_killed_write_left_is_removed_by_the_next_and_what_is_being_written_stays(place: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    (place / ".interlock-0000000000000000.tmp").write_text("half")
    with (place / ".interlock-1111111111111111.tmp").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert (await run_tool(_tool(place, "write_file"), WRITE)).ok
    assert sorted(path.name for path in place.iterdir()) == [".interlock-1111111111111111.tmp", "a.txt", "new.txt"]
