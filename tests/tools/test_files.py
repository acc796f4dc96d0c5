"""Listing, reading and changing files as the tools show it."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from interlock.errors import ToolError
from interlock.tools import files
from interlock.tools.files import (
    MAX_DEPTH,
    MAX_LISTED,
    PART_BYTES,
    WHOLE_BYTES,
    list_dir,
    listed_paths,
    move_file,
    read_file,
    read_text,
    write_file,
)
from interlock.tools.root import Root
from interlock.tools.text import cut_label


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(tmp_path)


def _fill(root: Root, *paths: str) -> None:
    for path in paths:
        file = root.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(path)


def test_a_listing_goes_breadth_first_and_by_name(root: Root) -> None:
    _fill(root, "b/d/deep.txt", "b/c.txt", "z.txt", "a/x.txt", "发布说明.md")
    assert list_dir(root).split("\n") == ["z.txt", "发布说明.md", "a/x.txt", "b/c.txt", "b/d/deep.txt"]


def test_what_is_hidden_or_ignored_is_not_listed(root: Root) -> None:
    _fill(root, ".env", ".git/config", "node_modules/m/index.js", "__pycache__/a.pyc", ".venv/bin/python", "a.py")
    _fill(root, "out/x.txt", "keep.log", "noise.log", "sub/noise.log", "docs/draft.md", "sub/docs/draft.md")
    (root.path / ".gitignore").write_text("# generated\nout/\n*.log\n!keep.log\n/docs/draft.md\n")
    assert listed_paths(list_dir(root)) == ["a.py", "keep.log", "sub/docs/draft.md"]


def test_an_empty_directory_lists_as_empty(root: Root) -> None:
    (root.path / "sub").mkdir()
    assert list_dir(root) == "(empty)"
    assert listed_paths("(empty)") == []


def test_a_long_listing_is_cut_and_says_so(root: Root) -> None:
    for number in range(MAX_LISTED + 1):
        (root.path / f"{number:05}").touch()
    lines = list_dir(root).split("\n")
    assert lines[-1] == "[cut: only the first 2000 paths are listed]"
    assert len(listed_paths("\n".join(lines))) == MAX_LISTED


def test_a_listing_of_exactly_the_limit_is_not_cut(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_LISTED", 2)
    _fill(root, "a", "b")
    assert list_dir(root) == "a\nb"


def test_a_name_that_no_path_can_spell_is_left_out_and_counted(root: Root) -> None:
    """A line break in a file's name cannot forge another line of the listing."""
    _fill(root, "a.txt", "b\n[TOOL_ERROR] exists: no.txt", "cafe\u0301.txt", "turned\u202e.txt")
    assert (
        list_dir(root)
        == "a.txt\n[left out: names that no path can spell, and what is closed, too deep or too much (3)]"
    )


def test_a_tree_without_end_is_walked_to_a_depth(root: Root) -> None:
    deep = root.path
    for _ in range(MAX_DEPTH + 5):
        deep /= "d"
        deep.mkdir()
    (deep / "bottom.txt").touch()
    _fill(root, "top.txt")
    assert (
        list_dir(root)
        == "top.txt\n[left out: names that no path can spell, and what is closed, too deep or too much (1)]"
    )


def test_a_directory_that_may_not_be_opened_is_left_out_and_counted(
    root: Root, somebody: Callable[[], AbstractContextManager[None]]
) -> None:
    _fill(root, "closed/a.txt", "open/b.txt")
    root.path.chmod(0o755)
    (root.path / "closed").chmod(0o000)
    try:
        with somebody():
            listing = list_dir(root)
    finally:
        (root.path / "closed").chmod(0o755)
    assert (
        listing == "open/b.txt\n[left out: names that no path can spell, and what is closed, too deep or too much (1)]"
    )


def test_a_directory_that_is_gone_cannot_be_listed(root: Root) -> None:
    closed = Root(root.path)
    closed.close()
    with pytest.raises(ToolError, match="was closed"):
        list_dir(closed)


def test_a_tree_of_too_many_directories_says_what_is_left_out(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_DIRECTORIES", 2)
    _fill(root, "a/1.txt", "b/2.txt", "c/3.txt")
    assert (
        list_dir(root)
        == "a/1.txt\n[left out: names that no path can spell, and what is closed, too deep or too much (2)]"
    )


@pytest.mark.parametrize("kind", ["pipe", "folder", "binary", "link"])
def test_rules_that_are_no_text_file_ignore_nothing_and_wait_for_nothing(root: Root, kind: str) -> None:
    rules = root.path / ".gitignore"
    makers: dict[str, Callable[[], object]] = {
        "pipe": lambda: os.mkfifo(rules),
        "folder": rules.mkdir,
        "binary": lambda: rules.write_bytes(b"*.txt\n\x00"),
        "link": lambda: rules.symlink_to("/etc/passwd"),
    }
    makers[kind]()
    _fill(root, "a.txt")
    assert list_dir(root) == "a.txt"


def test_links_are_listed_when_they_lead_to_a_file_inside(root: Root, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret").write_text("secret")
    _fill(root, "sub/a.txt")
    for name, target in {"near": "sub/a.txt", "folder": "sub", "loop": ".", "broken": "no"}.items():
        (root.path / name).symlink_to(target)
    (root.path / "out").symlink_to(outside / "secret")
    (root.path / "outfolder").symlink_to(outside)
    assert list_dir(root).split("\n") == ["near", "sub/a.txt"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        pytest.param(b"plain\r\nlines\n", "plain\r\nlines\n", id="line-ends-stay"),
        pytest.param("语言".encode(), "语言", id="utf-8"),
        pytest.param(b"\xef\xbb\xbfmarked", "marked", id="utf-8-mark"),
        pytest.param("语言".encode("utf-16"), "语言", id="utf-16-mark"),
        pytest.param("wide".encode("utf-32"), "wide", id="utf-32-mark"),
        pytest.param(b"", "(empty)", id="empty"),
        pytest.param(b"\x1b[31mred\x07", "\x1b[31mred\x07", id="terminal-colours"),
        pytest.param(b"caf\xe9\n", "caf\ufffd\n[not UTF-8: bytes shown as \ufffd (1)]", id="latin-1"),
        pytest.param(b"caf\xe9", "caf\ufffd\n[not UTF-8: bytes shown as \ufffd (1)]", id="latin-1-without-line-end"),
    ],
)
def test_bytes_are_decoded_and_what_is_replaced_is_said(root: Root, data: bytes, text: str) -> None:
    (root.path / "file").write_bytes(data)
    assert read_file(root, "file") == text


@pytest.mark.parametrize("data", [b"\x7fELF\x00\x01", b"text\x00text", bytes(range(1, 9)) * 10])
def test_binary_is_refused_with_its_kind(root: Root, data: bytes) -> None:
    (root.path / "file").write_bytes(data)
    with pytest.raises(ToolError, match="`file` is not text") as refused:
        read_file(root, "file")
    assert refused.value.kind == "binary"
    assert read_text(root, "file") is None


def test_of_a_huge_file_the_head_and_the_tail_are_read(root: Root) -> None:
    line = b"0123456789abcde\n"
    (root.path / "huge").write_bytes(b"first\n" + line * (WHOLE_BYTES // len(line)) + b"last\n")
    lines = read_file(root, "huge").split("\n")
    size = (root.path / "huge").stat().st_size
    assert (lines[0], lines[-2]) == ("first", "last")
    assert cut_label(size - 2 * PART_BYTES, "bytes") in lines
    assert set(lines[1:-2]) == {line.decode().strip(), cut_label(size - 2 * PART_BYTES, "bytes")}
    assert read_text(root, "huge") is None


def test_of_a_huge_line_the_head_and_the_tail_are_read(root: Root) -> None:
    (root.path / "huge").write_bytes(b"x" * (WHOLE_BYTES + 1))
    head, label, tail = read_file(root, "huge").split("\n")
    assert (len(head), label, len(tail)) == (
        PART_BYTES,
        cut_label(WHOLE_BYTES + 1 - 2 * PART_BYTES, "bytes"),
        PART_BYTES,
    )


def test_a_huge_hole_is_binary_and_not_read_whole(root: Root) -> None:
    with (root.path / "hole").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(ToolError, match="not text"):
        read_file(root, "hole")


@pytest.mark.parametrize("content", ["", "x", "行\n", "a\r\nb", "\x00"])
def test_what_is_written_is_on_disk_byte_for_byte(root: Root, content: str) -> None:
    assert write_file(root, "new/file", content) == f"wrote new/file: {len(content.encode())} bytes"
    assert (root.path / "new" / "file").read_bytes() == content.encode()


def test_content_that_is_no_text_is_refused(root: Root) -> None:
    with pytest.raises(ToolError, match="lone surrogate") as refused:
        write_file(root, "file", "\ud800")
    assert refused.value.kind == "bad-arguments"
    assert not (root.path / "file").exists()


def test_a_move_says_what_it_did(root: Root) -> None:
    _fill(root, "a")
    assert move_file(root, "a", "b/c") == "moved a -> b/c"
