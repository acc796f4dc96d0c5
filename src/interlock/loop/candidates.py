"""What may be picked next, rebuilt at every step: the tools that still apply, and the files not yet read.

Pure: reads only the cells its providers declare. Every criterion is a condition, never a noun.
Source: reference loop specification, candidates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from interlock._text import fold
from interlock.pipeline.host import Cells, Provider
from interlock.questions import Content
from interlock.tools.base import Effect, Tool, ToolTable
from interlock.tools.execute import TOOL_ERROR

__all__ = ["DONE", "providers"]

DONE = "done"
"""The candidate that ends the tool loop; always offered, last."""
DONE_CRITERION = "there is enough evidence to answer the task, and no action it asks for is left"
FILE_CRITERION = "the task needs the content of this file, and it has not been read"

_LOOKS: frozenset[Effect] = frozenset({"list", "read", "search"})
_MAX_FAILURES = 2
"""A tool that failed this often in a row is not offered again."""


def providers(tools: ToolTable) -> Mapping[str, Provider]:
    """Return the reference providers by name; the candidates for a tool are the tools of this table."""
    return MappingProxyType({"toolsFor": lambda cells: _tools_for(cells, tools), "fileOptions": _file_options})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Done:
    tool: Tool
    input: str
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Situation:
    """What the declared cells say."""

    done: tuple[_Done, ...]
    """Finished steps of known tools, oldest first."""
    files: tuple[str, ...] | None
    """None until a listing has come back."""
    unread: tuple[str, ...]
    cells: Cells


def _tools_for(cells: Cells, tools: ToolTable) -> Mapping[str, Content | None]:
    files = None if cells.get("files") is None else _texts(cells.get("files"))
    situation = _Situation(done=_finished(cells.get("history"), tools), files=files, unread=_unread(cells), cells=cells)
    offered: dict[str, Content | None] = {
        name: tool.description for name, tool in tools.items() if name != DONE and _applies(tool, situation)
    }
    return {**offered, DONE: DONE_CRITERION}


def _file_options(cells: Cells) -> Mapping[str, Content | None]:
    return dict.fromkeys(_unread(cells), FILE_CRITERION)


def _applies(tool: Tool, now: _Situation) -> bool:
    """Return whether a tool may act, has something to act on, and has not done what it could do."""
    return (
        all(now.cells.get(name) is True for name in tool.needs)
        and _has_target(tool, now)
        and not _given_up(tool, now)
        and not _already_done(tool, now)
    )


def _has_target(tool: Tool, now: _Situation) -> bool:
    """Return whether there is a file for what needs one; before a listing there may be."""
    if tool.input_source == "pick":
        failed = {step.input for step in now.done if step.tool.name == tool.name and step.failed}
        return any(path not in failed for path in now.unread)
    needs_files = tool.effect in {"search", "move", "delete"}
    return not needs_files or now.files is None or bool(now.files) or _changed_since_listing(now)


def _given_up(tool: Tool, now: _Situation) -> bool:
    own = [step.failed for step in now.done if step.tool.name == tool.name]
    return len(own) >= _MAX_FAILURES and all(own[-_MAX_FAILURES:])


def _already_done(tool: Tool, now: _Situation) -> bool:
    if tool.input_source == "pick":
        return False
    own = [at for at, step in enumerate(now.done) if step.tool.name == tool.name and not step.failed]
    if not own:
        return tool.effect == "list" and bool(now.files) and not _changed_since_listing(now)
    if tool.input_source == "fixed":
        return tool.effect != "list" or not _changed_since_listing(now)
    inputs = [now.done[at].input for at in own]
    if len(set(inputs)) < len(inputs):
        return True
    return _changes(tool) and not _looked_after(own[-1], now)


def _changed_since_listing(now: _Situation) -> bool:
    """Return whether something was changed after the tree was last listed."""
    for step in reversed(now.done):
        if step.tool.effect == "list" and not step.failed:
            return False
        if _changes(step.tool) and not step.failed:
            return True
    return False


def _changes(tool: Tool) -> bool:
    """Return whether a tool leaves something different behind; of unknown risk, it may."""
    return tool.effect not in _LOOKS and tool.base_risk != 0


def _looked_after(at: int, now: _Situation) -> bool:
    """Return whether something was listed, read or found after a change: what it showed may ask for another."""
    return any(not _changes(step.tool) and not step.failed for step in now.done[at + 1 :])


def _finished(history: object, tools: ToolTable) -> tuple[_Done, ...]:
    steps = [step for step in history if isinstance(step, Mapping)] if isinstance(history, list | tuple) else []
    return tuple(
        _Done(tool=tools[step["tool"]], input=str(step["input"]), failed=str(step["result"]).startswith(TOOL_ERROR))
        for step in steps
        if step.get("result") is not None and step.get("tool") in tools
    )


def _unread(cells: Cells) -> tuple[str, ...]:
    """Return the listed files not yet read, in listing order; of names that look alike, one at a time."""
    read = set(_texts(cells.get("readFiles")))
    seen: dict[str, str] = {}
    for path in _texts(cells.get("files")):
        if path not in read:
            seen.setdefault(fold(path), path)
    return tuple(seen.values())


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str) and item) if isinstance(value, list | tuple) else ()
