"""Listing, reading and changing files under a root, as text in and text out.

Knows nothing of judges or of who asks; the root decides what a path may be.
Source: reference loop specification, tools and the risk ladder.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from interlock.errors import ToolError
from interlock.tools.ignore import Ignore, parse_ignore
from interlock.tools.root import Entry, Root
from interlock.tools.spelling import unspeakable
from interlock.tools.text import EMPTY, cut_label, decode, is_note

__all__ = [
    "Tree",
    "check_content",
    "delete_file",
    "list_dir",
    "listed_paths",
    "move_file",
    "read_file",
    "read_text",
    "walk",
    "write_file",
]

MAX_LISTED = 2_000
MAX_DEPTH = 64
MAX_DIRECTORIES = 20_000
WHOLE_BYTES = 8_388_608
"""A file up to this size is read whole."""
PART_BYTES = 262_144
"""Of a larger file, this much of the head and of the tail."""
_IGNORE_BYTES = 65_536


@dataclass(slots=True, kw_only=True)
class Tree:
    """The files of a tree as found so far."""

    left_out: int = 0
    """Names that no path can spell, and directories that could not be opened, lie too deep or are too many."""


def list_dir(root: Root) -> str:
    """Return the relative path of every file, breadth first, one on a line; what is missing is said at the end."""
    tree = Tree()
    paths: list[str] = []
    for path in walk(root, tree):
        if len(paths) == MAX_LISTED:
            return "\n".join([*paths, f"[cut: only the first {MAX_LISTED} paths are listed]"])
        paths.append(path)
    if tree.left_out:
        paths.append(
            f"[left out: names that no path can spell, and what is closed, too deep or too much ({tree.left_out})]"
        )
    return "\n".join(paths) or EMPTY


def listed_paths(listing: str) -> list[str]:
    """Return the paths of what `list_dir` gave, without its notes."""
    return [line for line in listing.split("\n") if line and line != EMPTY and not is_note(line)]


def walk(root: Root, tree: Tree) -> Iterator[str]:
    """Give the paths of the files that are not hidden or ignored, breadth first, by name in each directory.

    A link to a file inside the root is given; a linked directory is not entered.
    """
    ignore = _ignore(root)
    queue: deque[tuple[str, ...]] = deque([()])
    visited = 0
    while queue:
        names = queue.popleft()
        visited += 1
        if visited > MAX_DIRECTORIES:
            tree.left_out += 1
            continue
        for entry in _entries(root, names, tree):
            below = (*names, entry.name)
            path = "/".join(below)
            if ignore.skips(below, folder=entry.kind == "directory"):
                continue
            if unspeakable(path) or len(below) > MAX_DEPTH:
                tree.left_out += 1
            elif entry.kind == "directory":
                queue.append(below)
            elif entry.kind == "file" or (entry.kind == "link" and _is_file(root, path)):
                yield path


def read_file(root: Root, path: str) -> str:
    """Return a file as text; of a very large one the head and the tail, with what was cut between them."""
    with root.open(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size <= WHOLE_BYTES:
            return decode(file.read(WHOLE_BYTES), name=path) or EMPTY
        head = file.read(PART_BYTES)
        file.seek(size - PART_BYTES)
        tail = file.read(PART_BYTES)
    return "\n".join(
        [
            _whole_lines(decode(head, name=path), first=True),
            cut_label(size - 2 * PART_BYTES, "bytes"),
            _whole_lines(decode(tail, name=path), first=False),
        ]
    )


def read_text(root: Root, path: str) -> str | None:
    """Return a whole file as text; None when it is missing, too large, not text or may not be read."""
    try:
        with root.open(path) as file:
            data = file.read(WHOLE_BYTES + 1)
        return None if len(data) > WHOLE_BYTES else decode(data, name=path)
    except ToolError:
        return None


def write_file(root: Root, path: str, content: str) -> str:
    """Write a file whole, making its directories; what stood there is replaced."""
    data = check_content(content)
    root.write(path, data)
    return f"wrote {path}: {len(data)} bytes"


def check_content(content: str) -> bytes:
    """Return the bytes of what is to be written.

    Raises:
        ToolError: `bad-arguments`: the content is no well-formed text.
    """
    try:
        return content.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ToolError("bad-arguments", "the content holds a lone surrogate; write well-formed text") from error


def move_file(root: Root, source: str, target: str) -> str:
    """Move one file to a path that is free."""
    root.move(source, target)
    return f"moved {source} -> {target}"


def delete_file(root: Root, path: str) -> str:
    """Delete one file."""
    root.delete(path)
    return f"deleted {path}"


def _ignore(root: Root) -> Ignore:
    try:
        with root.open(".gitignore") as file:
            return parse_ignore(decode(file.read(_IGNORE_BYTES), name=".gitignore"))
    except ToolError:
        return Ignore()


def _entries(root: Root, names: tuple[str, ...], tree: Tree) -> list[Entry]:
    """Return what a directory holds; one below the root that cannot be opened counts as left out."""
    try:
        return root.entries("/".join(names))
    except ToolError:
        if not names:
            raise
        tree.left_out += 1
        return []


def _is_file(root: Root, path: str) -> bool:
    try:
        return root.kind(path) == "file"
    except ToolError:
        return False


def _whole_lines(text: str, *, first: bool) -> str:
    """Return text without the line that the cut went through, when there is another one."""
    before, newline, after = text.rpartition("\n") if first else text.partition("\n")
    if not newline:
        return text
    return before if first else after
