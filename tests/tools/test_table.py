"""The reference tools: what they declare, and that their calls stay under the root."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.questions import Json
from interlock.tools.base import Target, Tool
from interlock.tools.execute import check_call, run_tool
from interlock.tools.root import Root
from interlock.tools.table import picked_arguments, reference_table, reference_tools


def test_the_table_is_the_one_of_the_specification() -> None:
    declared = [
        (tool.name, tool.base_risk, tool.effect, tool.input_source, tool.needs) for tool in reference_table().values()
    ]
    assert declared == [
        ("list_dir", 0, "list", "fixed", ()),
        ("read_file", 0, "read", "pick", ()),
        ("search_text", 0, "search", "provide", ()),
        ("write_file", 1, "write", "provide", ("canWrite",)),
        ("move_file", 2, "move", "provide", ("canWrite", "canDelete")),
        ("delete_file", 3, "delete", "provide", ("canDelete",)),
    ]
    assert not any(tool.leaves_root or tool.network for tool in reference_table().values())
    assert [name for name, tool in reference_table().items() if not tool.idempotent] == ["move_file", "delete_file"]


def test_both_tables_declare_the_same(tmp_path: Path) -> None:
    def declared(tool: Tool) -> list[object]:
        fields = set(Tool.__dataclass_fields__) - {"run", "check", "targets", "proof", "input_text"}
        return [getattr(tool, name) for name in sorted(fields)]

    with_root = reference_tools(Root(tmp_path))
    assert [declared(tool) for tool in with_root.values()] == [declared(tool) for tool in reference_table().values()]


@pytest.mark.anyio
async def test_a_table_without_a_root_runs_nothing() -> None:
    result = await run_tool(reference_table()["list_dir"], {})
    assert result.text == "[TOOL_ERROR] exception: this table only declares its tools; build one on a root"


_CALLS: dict[str, dict[str, Json]] = {
    "list_dir": {},
    "read_file": {"path": "a.txt"},
    "search_text": {"pattern": "alpha", "regex": True},
    "write_file": {"path": "b.txt", "content": "beta\n"},
    "move_file": {"source": "a.txt", "target": "c.txt"},
    "delete_file": {"path": "a.txt"},
}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("name", "shown", "text"),
    [
        ("list_dir", ".", "a.txt"),
        ("read_file", "a.txt", "alpha"),
        ("search_text", "alpha", "a.txt:1: alpha"),
        ("write_file", "b.txt\nbeta\n", "wrote b.txt: 5 bytes"),
        ("move_file", "a.txt -> c.txt", "moved a.txt -> c.txt"),
        ("delete_file", "a.txt", "deleted a.txt"),
    ],
)
async def test_a_call_does_what_its_input_says(tmp_path: Path, name: str, shown: str, text: str) -> None:
    (tmp_path / "a.txt").write_text("alpha")
    tool = reference_tools(Root(tmp_path))[name]
    assert tool.input_text(_CALLS[name]) == shown
    assert check_call(tool, _CALLS[name]) is None
    result = await run_tool(tool, _CALLS[name])
    assert (result.text, result.ok) == (text, True)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("name", "arguments", "kind"),
    [
        pytest.param("read_file", {"path": "../a"}, "outside-root", id="read-outside"),
        pytest.param("read_file", {"path": "nothing"}, "not-found", id="read-nothing"),
        pytest.param("read_file", {"path": "sub"}, "is-a-directory", id="read-a-directory"),
        pytest.param("read_file", {"path": 7}, "bad-arguments", id="read-a-number"),
        pytest.param("search_text", {"pattern": ""}, "bad-pattern", id="search-nothing"),
        pytest.param("write_file", {"path": "/tmp/x", "content": ""}, "outside-root", id="write-absolute"),
        pytest.param("write_file", {"path": "link", "content": ""}, "outside-root", id="write-through-a-link"),
        pytest.param("write_file", {"path": "sub", "content": ""}, "is-a-directory", id="write-a-directory"),
        pytest.param("write_file", {"path": "b", "content": "\ud800"}, "bad-arguments", id="write-a-surrogate"),
        pytest.param("write_file", {"path": "b"}, "bad-arguments", id="write-without-content"),
        pytest.param("write_file", {"path": "b", "content": "", "mode": 1}, "bad-arguments", id="write-with-a-mode"),
        pytest.param("write_file", {"path": "b", "content": "x" * 300_000}, "too-large", id="write-too-much"),
        pytest.param("move_file", {"source": "a.txt", "target": "taken"}, "exists", id="move-onto-a-file"),
        pytest.param("move_file", {"source": "nothing", "target": "b"}, "not-found", id="move-nothing"),
        pytest.param("move_file", {"source": "sub", "target": "b"}, "is-a-directory", id="move-a-directory"),
        pytest.param("move_file", {"source": "a.txt", "target": "a -> b"}, "bad-arguments", id="move-to-an-arrow"),
        pytest.param("delete_file", {"path": "sub"}, "is-a-directory", id="delete-a-directory"),
        pytest.param("delete_file", {"path": "link"}, "outside-root", id="delete-a-link"),
        pytest.param("delete_file", {"path": "."}, "bad-arguments", id="delete-the-root"),
    ],
)
async def test_a_call_that_cannot_work_is_refused_before_a_person_is_asked_and_again_when_it_runs(
    tmp_path: Path, name: str, arguments: dict[str, Json], kind: str
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_text("alpha")
    (tmp_path / "taken").write_text("taken")
    (tmp_path / "link").symlink_to("a.txt")
    tool = reference_tools(Root(tmp_path))[name]
    before = check_call(tool, arguments)
    assert before is not None
    assert before.kind == kind
    result = await run_tool(tool, arguments)
    assert result.text == f"[TOOL_ERROR] {kind}: {before}"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a.txt", "link", "sub", "taken"]
    assert (tmp_path / "a.txt").read_text() == "alpha"
    assert (tmp_path / "taken").read_text() == "taken"


@pytest.mark.parametrize("name", list(_CALLS))
@pytest.mark.parametrize("arguments", [{}, {"path": 1, "content": None, "source": [], "target": {}, "pattern": 0}])
def test_the_input_of_a_step_can_be_written_for_any_arguments(name: str, arguments: dict[str, Json]) -> None:
    assert isinstance(reference_table()[name].input_text(arguments), str)


def test_the_files_that_a_call_changes_are_known_before_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("alpha")
    (tmp_path / "sub").mkdir()
    tools = reference_tools(Root(tmp_path))
    here = Target(
        path="a.txt",
        exists=True,
        size_bytes=5,
        sha256="8ed3f6ad685b959ead7022518e1af76cd816f8e8ec7ccdda1ed4018e8f2223f8",
    )
    found = {name: [] if tool.targets is None else list(tool.targets(_CALLS[name])) for name, tool in tools.items()}
    assert found == {
        "list_dir": [],
        "read_file": [],
        "search_text": [],
        "write_file": [Target(path="b.txt", exists=False)],
        "move_file": [here, Target(path="c.txt", exists=False)],
        "delete_file": [here],
    }
    delete = tools["delete_file"]
    assert delete.targets is not None
    assert list(delete.targets({"path": "sub"})) == [Target(path="sub", exists=True)]
    assert list(delete.targets({"path": "../up"})) == [Target(path="../up", exists=False)]


def test_what_was_picked_becomes_the_one_required_argument() -> None:
    table = reference_table()
    assert picked_arguments(table["read_file"], "a.txt") == {"path": "a.txt"}
    assert picked_arguments(table["list_dir"], "a.txt") == {}
