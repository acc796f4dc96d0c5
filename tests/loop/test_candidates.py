"""What may be picked next, step by step."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.loop.candidates import DONE, DONE_CRITERION, FILE_CRITERION, providers
from interlock.loop.capabilities import REFERENCE
from interlock.tools.base import ToolTable
from interlock.tools.table import reference_table

TABLE = reference_table()
ERROR = "[TOOL_ERROR] permission: no"


def _tools(
    *steps: tuple[str, str, str | None],
    files: list[str] | None = None,
    read: list[str] | None = None,
    write: bool = False,
    delete: bool = False,
    table: ToolTable = TABLE,
) -> list[str]:
    history = [
        {"step": number, "tool": tool, "input": given, "result": result}
        for number, (tool, given, result) in enumerate(steps, start=1)
    ]
    cells: dict[str, object] = {"history": history, "canWrite": write, "canDelete": delete, "readFiles": read or []}
    if files is not None:
        cells["files"] = files
    return list(providers(table)["toolsFor"](cells))


LISTED = ("list_dir", ".", "a\nb")
READ = ("read_file", "a", "alpha")
WROTE = ("write_file", "c\nalpha", "wrote c: 5 bytes")


def test_every_declared_provider_is_here() -> None:
    assert set(providers(TABLE)) == set(REFERENCE.providers)


@pytest.mark.parametrize(
    ("write", "delete", "offered"),
    [
        (False, False, []),
        (True, False, ["write_file"]),
        (False, True, ["delete_file"]),
        (True, True, ["write_file", "move_file", "delete_file"]),
    ],
)
def test_what_is_not_permitted_is_never_offered(write: bool, delete: bool, offered: list[str]) -> None:
    first = _tools(write=write, delete=delete)
    assert first == ["list_dir", "search_text", *offered, DONE]
    later = _tools(LISTED, READ, files=["a", "b"], read=["a"], write=write, delete=delete)
    assert later == ["read_file", "search_text", *offered, DONE]


@pytest.mark.parametrize("value", [None, 1, "true", "yes", [True]])
def test_only_true_itself_is_a_permission(value: object) -> None:
    cells = {"history": [], "canWrite": value, "canDelete": value}
    assert list(providers(TABLE)["toolsFor"](cells)) == ["list_dir", "search_text", DONE]


def test_every_criterion_is_a_condition() -> None:
    cells = {"history": [], "files": ["a"], "canWrite": True, "canDelete": True}
    offered = providers(TABLE)["toolsFor"](cells)
    assert offered[DONE] == DONE_CRITERION
    assert all(criterion == TABLE[name].description for name, criterion in offered.items() if name != DONE)
    assert providers(TABLE)["fileOptions"](cells) == {"a": FILE_CRITERION}


@pytest.mark.parametrize(
    ("steps", "files", "read", "offered"),
    [
        pytest.param([LISTED], ["a"], [], ["read_file", "search_text"], id="listed"),
        pytest.param([], ["a"], [], ["read_file", "search_text"], id="files-known-without-listing"),
        pytest.param([LISTED, READ], ["a"], ["a"], ["search_text"], id="all-read"),
        pytest.param([("list_dir", ".", "(empty)")], [], [], [], id="an-empty-directory-holds-nothing-to-act-on"),
        pytest.param([("list_dir", ".", ERROR)], None, [], ["list_dir", "search_text"], id="failed-listing"),
        pytest.param([("list_dir", ".", ERROR)] * 2, None, [], ["search_text"], id="failed-twice"),
        pytest.param([("list_dir", ".", None)], None, [], ["list_dir", "search_text"], id="pending-is-not-done"),
        pytest.param([LISTED, ("read_file", "a", ERROR)], ["a"], [], ["search_text"], id="unreadable"),
        pytest.param(
            [LISTED, ("read_file", "a", ERROR)], ["a", "b"], [], ["read_file", "search_text"], id="another-is-readable"
        ),
        pytest.param(
            [LISTED, ("search_text", "x", "a:1: x")], ["a"], [], ["read_file", "search_text"], id="another-pattern"
        ),
        pytest.param(
            [LISTED, ("search_text", "x", "a:1: x"), ("search_text", "x", "a:1: x")],
            ["a"],
            [],
            ["read_file"],
            id="the-same-pattern-again",
        ),
        pytest.param([LISTED, ("unknown_tool", "x", "y")], ["a"], [], ["read_file", "search_text"], id="foreign-step"),
    ],
)
def test_reading_goes_on_while_there_is_something_unread(
    steps: list[tuple[str, str, str | None]], files: list[str] | None, read: list[str], offered: list[str]
) -> None:
    assert _tools(*steps, files=files, read=read) == [*offered, DONE]


@pytest.mark.parametrize(
    ("steps", "offered"),
    [
        pytest.param([LISTED, READ], True, id="not-yet"),
        pytest.param([LISTED, READ, WROTE], False, id="just-written"),
        pytest.param([LISTED, READ, WROTE, ("read_file", "b", "beta")], True, id="something-new-was-read"),
        pytest.param([LISTED, READ, WROTE, ("list_dir", ".", "a\nb\nc")], True, id="the-tree-was-listed-again"),
        pytest.param([LISTED, READ, WROTE, ("read_file", "b", ERROR)], False, id="nothing-new-was-read"),
        pytest.param([LISTED, READ, WROTE, READ, WROTE, READ], False, id="the-same-write-twice-is-enough"),
        pytest.param([LISTED, READ, ("write_file", "c\nx", ERROR)], True, id="failed-once"),
        pytest.param([LISTED, READ, *[("write_file", "c\nx", ERROR)] * 2], False, id="failed-twice"),
    ],
)
def test_a_write_that_was_done_is_not_offered_until_something_new_is_known(
    steps: list[tuple[str, str, str | None]], offered: bool
) -> None:
    assert ("write_file" in _tools(*steps, files=["a", "b"], read=["a"], write=True)) is offered


@pytest.mark.parametrize("change", [WROTE, ("move_file", "a -> d", "moved"), ("delete_file", "a", "deleted a")])
def test_a_change_makes_the_tree_worth_listing_again(change: tuple[str, str, str | None]) -> None:
    assert "list_dir" not in _tools(LISTED, READ, files=["a", "b"], write=True, delete=True)
    assert "list_dir" in _tools(LISTED, READ, change, files=["a", "b"], write=True, delete=True)
    assert "list_dir" not in _tools(LISTED, READ, change, LISTED, files=["a", "b"], write=True, delete=True)


def test_after_writing_into_an_empty_directory_there_is_something_to_delete() -> None:
    empty = ("list_dir", ".", "(empty)")
    assert "delete_file" not in _tools(empty, files=[], delete=True)
    assert "delete_file" in _tools(empty, WROTE, files=[], delete=True)


def test_a_callers_tools_join_with_their_own_conditions() -> None:
    own = replace(TABLE["search_text"], name="look_up", effect="other", description="a price is asked for")
    send = replace(own, name="send", base_risk=3, description="a message is to be sent")
    clock = replace(own, name="clock", input_source="fixed", description="the time is asked for")
    gated = replace(own, name="gated", needs=("online",))
    fake = replace(own, name=DONE, description="never offered in place of the end")
    table = {tool.name: tool for tool in (own, send, clock, gated, fake)}
    assert providers(table)["toolsFor"]({}) == {
        "look_up": "a price is asked for",
        "send": "a message is to be sent",
        "clock": "the time is asked for",
        DONE: DONE_CRITERION,
    }
    once = [("look_up", "x", "1"), ("send", "x", "sent"), ("clock", "{}", "12:00")]
    assert _tools(*once, table=table) == ["look_up", "send", DONE]
    assert _tools(*once[:2], table=table) == ["look_up", "clock", DONE]
    assert _tools(*once, ("look_up", "x", "1"), table=table) == ["send", DONE]


@pytest.mark.parametrize(
    ("files", "read", "options"),
    [
        pytest.param(None, [], [], id="nothing-listed"),
        pytest.param(["b", "a", "c"], ["a"], ["b", "c"], id="listing-order"),
        pytest.param(["a", "a", ""], [], ["a"], id="twice-and-empty"),
        pytest.param(["a", 3, None], [], ["a"], id="no-text"),
        pytest.param(["README.md", "readme.md", "b"], [], ["README.md", "b"], id="look-alikes-one-at-a-time"),
        pytest.param(["README.md", "readme.md", "b"], ["README.md"], ["readme.md", "b"], id="the-other-look-alike"),
    ],
)
def test_files_not_yet_read_are_offered_in_the_order_of_the_listing(
    files: list[object] | None, read: list[str], options: list[str]
) -> None:
    assert list(providers(TABLE)["fileOptions"]({"files": files, "readFiles": read})) == options


_NAMES = st.sampled_from(["a", "b", "c"])


@given(data=st.data(), write=st.booleans(), delete=st.booleans())
@settings(max_examples=60, deadline=None)
def test_whoever_picks_anything_but_done_comes_to_an_end(data: st.DataObject, write: bool, delete: bool) -> None:
    """A judge that always picks an action runs out of them when it repeats itself; `done` is always there."""
    history: list[dict[str, object]] = []
    files: list[str] | None = None
    read: list[str] = []
    for step in range(1, 80):
        cells = {"history": history, "files": files, "readFiles": read, "canWrite": write, "canDelete": delete}
        offered = list(providers(TABLE)["toolsFor"](cells))
        assert offered[-1] == DONE
        assert set(offered) <= {*TABLE, DONE}
        if offered == [DONE]:
            return
        tool = data.draw(st.sampled_from(offered[:-1]))
        given = {"list_dir": ".", "read_file": "", "move_file": "a -> b"}.get(tool) or data.draw(_NAMES)
        if tool == "list_dir":
            files = ["a", "b", "c"]
        if tool == "read_file":
            given = next(iter(providers(TABLE)["fileOptions"](cells)))
            read.append(given)
        history.append({"step": step, "tool": tool, "input": given, "result": "ok"})
    pytest.fail("the same few actions were offered without end")
