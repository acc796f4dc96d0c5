"""What a call that waits would change, as its directory is at this moment.

Looks only into a directory that the server was given, by the walk that the tools themselves use, and changes nothing.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, TypeAlias

from interlock.errors import ToolError
from interlock.journal.approvals import Approval, moment
from interlock.questions import Json
from interlock.server.site.line_diff import Difference, DiffLine, beginning, difference
from interlock.tools.base import Effect
from interlock.tools.execute import check_call
from interlock.tools.place import Kind
from interlock.tools.root import Root
from interlock.tools.table import reference_tools
from interlock.tools.text import decode

__all__ = ["Change", "FileNow", "Unread", "Unseen", "change_of"]

Unread: TypeAlias = Literal["", "large", "binary", "closed"]
"""Why the text of a file is not shown."""
Unseen: TypeAlias = Literal["", "outside", "gone", "unknown-tool"]
"""Why nothing can be said: the directory is not one of the server's, it is not there, the tool is not known here."""

_MAX_TEXT_BYTES = 262_144
_MAX_HASHED_BYTES = 256 * 1024 * 1024
_PIECE = 1024 * 1024
_FIRST_LINES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class FileNow:
    """One file that the call names."""

    path: str
    kind: Kind | None
    """None: nothing is there."""
    size: int | None = None
    sha256: str | None = None
    """None where there is no regular file that may be read, and for a very large one."""
    is_newer: bool = False
    """True when it was changed after the call was asked for."""
    text: str | None = None
    unread: Unread = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What the call would do."""

    effect: Effect
    unseen: Unseen = ""
    files: tuple[FileNow, ...] = ()
    """Those it would change: the one written or deleted; source and target of a move."""
    lines: tuple[DiffLine, ...] = ()
    """The difference of a write; the first lines of what a delete loses or a move carries away."""
    more: int = 0
    """Lines that are not shown."""
    added: int = 0
    removed: int = 0
    new_bytes: int | None = None
    """Of what would be written."""
    refusal: str = ""
    """Why the call cannot work as things stand."""


def change_of(approval: Approval, roots: Sequence[Path]) -> Change:
    """Return what an approved call would change now."""
    call = approval.bound.call
    unseen = _unseen(approval.bound.cwd, roots)
    if unseen:
        return Change(effect="other", unseen=unseen)
    try:
        root = Root(approval.bound.cwd)
    except ToolError:
        return Change(effect="other", unseen="gone")
    with closing(root):
        tool = reference_tools(root).get(call.tool)
        if tool is None:
            return Change(effect="other", unseen="unknown-tool")
        refused = check_call(tool, call.arguments)
        look = _Look(root, moment(approval.asked))
        return look.at(tool.effect, call.arguments, "" if refused is None else str(refused))


def _unseen(cwd: str, roots: Sequence[Path]) -> Unseen:
    try:
        found = Path(cwd).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        return "gone"
    return "" if any(found.is_relative_to(root) for root in roots) else "outside"


class _Look:
    """Looks at the files of one call."""

    def __init__(self, root: Root, asked: datetime) -> None:
        self._root = root
        self._asked = asked.timestamp()

    def at(self, effect: Effect, arguments: Mapping[str, Json], refusal: str) -> Change:
        """Return what the call would do."""
        match effect:
            case "write":
                return self._written(arguments, refusal)
            case "delete":
                return self._lost("delete", [_text(arguments, "path")], refusal)
            case "move":
                return self._lost("move", [_text(arguments, "source"), _text(arguments, "target")], refusal)
            case _:
                return Change(effect=effect, refusal=refusal)

    def _written(self, arguments: Mapping[str, Json], refusal: str) -> Change:
        file, content = self._file(_text(arguments, "path")), _text(arguments, "content")
        if file.kind is None:
            found = difference("", content)
        elif file.text is not None:
            found = difference(file.text, content)
        else:
            lines, more = beginning(content, _FIRST_LINES, sign="+")
            found = Difference(lines=lines, more=more, added=len(lines) + more, removed=0)
        return Change(
            effect="write",
            files=(file,),
            lines=found.lines,
            more=found.more,
            added=found.added,
            removed=found.removed,
            new_bytes=len(content.encode(errors="replace")),
            refusal=refusal,
        )

    def _lost(self, effect: Effect, paths: Sequence[str], refusal: str) -> Change:
        files = tuple(self._file(path) for path in paths)
        sign: Literal["-", " "] = "-" if effect == "delete" else " "
        lines, more = beginning(files[0].text or "", _FIRST_LINES, sign=sign)
        return Change(effect=effect, files=files, lines=lines, more=more, refusal=refusal)

    def _file(self, path: str) -> FileNow:
        """Return what is at a path; a link on the way or at its end is said and not followed."""
        try:
            kind = self._root.kind(path, change=True)
            if kind != "file":
                return FileNow(path=path, kind=kind, unread="" if kind is None else "closed")
            with self._root.open(path) as file:
                status = os.fstat(file.fileno())
                data = file.read(_MAX_TEXT_BYTES + 1)
                digest = None
                if status.st_size <= _MAX_HASHED_BYTES:
                    hashed = hashlib.sha256(data)
                    while piece := file.read(_PIECE):
                        hashed.update(piece)
                    digest = hashed.hexdigest()
        except ToolError:
            return FileNow(path=path, kind="other", unread="closed")
        text, unread = _read(data, path)
        newer = max(status.st_mtime, status.st_ctime) > self._asked
        return FileNow(
            path=path, kind="file", size=status.st_size, sha256=digest, is_newer=newer, text=text, unread=unread
        )


def _read(data: bytes, path: str) -> tuple[str | None, Unread]:
    if len(data) > _MAX_TEXT_BYTES:
        return None, "large"
    try:
        return decode(data, name=path), ""
    except ToolError:
        return None, "binary"


def _text(arguments: Mapping[str, Json], name: str) -> str:
    value = arguments.get(name)
    return value if isinstance(value, str) else ""
