"""The six tools of the reference host and what each declares.

Knows nothing of judges or policies.
Source: reference loop specification, tools and the risk ladder.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

import anyio.to_thread

from interlock.errors import ToolError
from interlock.questions import Json
from interlock.tools.base import Effect, InputSource, Target, Tool, ToolRun, ToolTable
from interlock.tools.files import check_content, delete_file, list_dir, move_file, read_file, write_file
from interlock.tools.proof import Leaves, gone, moved, proof_by, written
from interlock.tools.root import Root
from interlock.tools.search import check_pattern, search_text
from interlock.tools.seen import look_at

__all__ = ["ARROW", "picked_arguments", "reference_table", "reference_tools"]

ARROW = " -> "
"""Between source and target in the input of a move; no path of a move may hold it."""

_Given: TypeAlias = Mapping[str, Json]
_Work: TypeAlias = Callable[[Root, _Given], str]
_Check: TypeAlias = Callable[[Root, _Given], None]


def reference_tools(root: Root) -> ToolTable:
    """Return the reference tools on one root, in the order in which they are offered."""
    return _table(root)


def reference_table() -> ToolTable:
    """Return the reference tools as declarations only: a call of one is refused."""
    return _table(None)


def picked_arguments(tool: Tool, picked: str) -> Mapping[str, Json]:
    """Return the arguments of a tool whose one required parameter was picked; none when it takes none."""
    required = tool.parameters.get("required", ())
    names = [name for name in required if isinstance(name, str)] if isinstance(required, list | tuple) else []
    return {names[0]: picked} if names else {}


def _table(root: Root | None) -> ToolTable:
    tools = (_list_dir(root), _read_file(root), _search_text(root), _write_file(root), _move_file(root), _delete(root))
    return MappingProxyType({tool.name: tool for tool in tools})


def _list_dir(root: Root | None) -> Tool:
    return _tool(
        root,
        name="list_dir",
        description="it is not known yet which files the directory holds",
        parameters=_schema(),
        work=lambda on, _: list_dir(on),
        check=lambda *_: None,
        input_text=lambda _: ".",
        base_risk=0,
        effect="list",
        input_source="fixed",
    )


def _read_file(root: Root | None) -> Tool:
    return _tool(
        root,
        name="read_file",
        description="the content of one file is still needed and has not been read",
        parameters=_schema(path="relative path of an existing file"),
        work=lambda on, given: read_file(on, _text(given, "path")),
        check=lambda on, given: on.require_file(_text(given, "path"), change=False),
        input_text=lambda given: _shown(given, "path"),
        base_risk=0,
        effect="read",
        input_source="pick",
    )


def _search_text(root: Root | None) -> Tool:
    regex: Json = {"type": "boolean", "description": "true: the pattern is a regular expression", "default": False}
    return _tool(
        root,
        name="search_text",
        description="it is not known which file holds a word that the task asks about",
        parameters=_schema({"regex": regex}, pattern="a piece of a line, case-sensitive, or a regular expression"),
        work=lambda on, given: search_text(on, _text(given, "pattern"), regex=given.get("regex") is True),
        check=lambda _, given: check_pattern(_text(given, "pattern")),
        input_text=lambda given: _shown(given, "pattern"),
        base_risk=0,
        effect="search",
    )


def _write_file(root: Root | None) -> Tool:
    def check(on: Root, given: _Given) -> None:
        check_content(_text(given, "content"))
        on.require_free(_text(given, "path"), replace=True)

    return _tool(
        root,
        name="write_file",
        description="the task asks for a file to be written, and its path and content are known",
        parameters=_schema(path="relative path of the file to write", content="the whole new content of the file"),
        work=lambda on, given: write_file(on, _text(given, "path"), _text(given, "content")),
        check=check,
        input_text=lambda given: f"{_shown(given, 'path')}\n{_shown(given, 'content')}",
        base_risk=1,
        effect="write",
        needs=("canWrite",),
        changes=("path",),
        leaves=lambda given, _: [written(_shown(given, "path"), _text(given, "content"))],
    )


def _move_file(root: Root | None) -> Tool:
    def check(on: Root, given: _Given) -> None:
        _require_no_arrow(given)
        on.require_movable(_text(given, "source"), _text(given, "target"))

    def work(on: Root, given: _Given) -> str:
        _require_no_arrow(given)
        return move_file(on, _text(given, "source"), _text(given, "target"))

    return _tool(
        root,
        name="move_file",
        description="the task asks for a file to be somewhere else and no longer where it is",
        parameters=_schema(source="relative path of an existing file", target="relative path that is free"),
        work=work,
        check=check,
        input_text=lambda given: f"{_shown(given, 'source')}{ARROW}{_shown(given, 'target')}",
        base_risk=2,
        effect="move",
        needs=("canWrite", "canDelete"),
        changes=("source", "target"),
        leaves=lambda _, before: moved(*before),
    )


def _delete(root: Root | None) -> Tool:
    return _tool(
        root,
        name="delete_file",
        description="the task asks for a file to be removed",
        parameters=_schema(path="relative path of the file to delete"),
        work=lambda on, given: delete_file(on, _text(given, "path")),
        check=lambda on, given: on.require_file(_text(given, "path"), change=True),
        input_text=lambda given: _shown(given, "path"),
        base_risk=3,
        effect="delete",
        needs=("canDelete",),
        changes=("path",),
        leaves=lambda given, _: [gone(_shown(given, "path"))],
    )


def _tool(
    root: Root | None,
    *,
    name: str,
    description: str,
    parameters: Mapping[str, Json],
    work: _Work,
    check: _Check,
    input_text: Callable[[_Given], str],
    base_risk: int,
    effect: Effect,
    input_source: InputSource = "provide",
    needs: tuple[str, ...] = (),
    changes: tuple[str, ...] = (),
    leaves: Leaves | None = None,
) -> Tool:
    def look(on: Root, given: _Given) -> list[Target]:
        return [look_at(on, _shown(given, name)) for name in changes]

    return Tool(
        name=name,
        description=description,
        parameters=parameters,
        run=_runner(root, work),
        check=None if root is None else lambda given: check(root, given),
        input_text=input_text,
        base_risk=base_risk,
        effect=effect,
        leaves_root=False,
        network=False,
        idempotent=effect not in {"move", "delete"},
        input_source=input_source,
        needs=needs,
        timeout_s=math.inf,
        targets=None if root is None else lambda given: look(root, given),
        proof=None if root is None or leaves is None else proof_by(lambda given: look(root, given), leaves),
    )


def _runner(root: Root | None, work: _Work) -> ToolRun:
    """Return the run of a tool, in a worker thread that is always waited for: its effect is never in doubt."""

    async def run(given: _Given) -> str:
        if root is None:
            raise ToolError("exception", "this table only declares its tools; build one on a root")
        return await anyio.to_thread.run_sync(work, root, given)

    return run


def _schema(optional: Mapping[str, Json] | None = None, **described: str) -> Mapping[str, Json]:
    properties: dict[str, Json] = {name: {"type": "string", "description": text} for name, text in described.items()}
    return {
        "type": "object",
        "properties": {**properties, **(optional or {})},
        "required": list(described),
        "additionalProperties": False,
    }


def _text(given: _Given, name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str):
        raise ToolError("bad-arguments", f"`{name}` is not text; give a string")
    return value


def _shown(given: _Given, name: str) -> str:
    """Return an argument for a step's input, whatever it is; the call itself refuses what is no text."""
    value = given.get(name, "")
    return value if isinstance(value, str) else repr(value)


def _require_no_arrow(given: _Given) -> None:
    if any(ARROW in _text(given, name) for name in ("source", "target")):
        raise ToolError("bad-arguments", f"a path of a move may not hold `{ARROW}`; it separates source and target")
