"""The arguments of a tool call that the task and the evidence fix, without a model.

Source: reference loop specification, tools: path = the one path of the task that does not exist yet; content = the
named definition's exact source lines plus one newline; pattern = identifiers and quoted words of the task.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from interlock.loop.definitions import Definition, definitions
from interlock.loop.passages import EFFECTS, failed, listed, whole_text
from interlock.loop.writer import Evidence
from interlock.questions import Json
from interlock.tools.base import Tool
from interlock.tools.mentions import find_named, mentions
from interlock.tools.task.patterns import search_pattern

__all__ = ["provide_arguments"]

_Arguments = Mapping[str, Json]


def provide_arguments(tool: Tool, task: str, evidence: Sequence[Evidence]) -> _Arguments | str:
    """Return the arguments, or one sentence that says what is not clear."""
    required = tool.parameters.get("required", ())
    names = tuple(required) if isinstance(required, list | tuple) else ()
    if not names:
        return {}
    match (tool.effect, names):
        case ("write", ("path", "content")):
            return _write(task, evidence)
        case ("search", ("pattern",)):
            return _search(task)
        case ("move", ("source", "target")):
            return _move(task, evidence)
        case ("delete", ("path",)):
            return _delete(task, evidence)
        case _:
            return f"the extractive writer cannot fill in the arguments of `{tool.name}`; use a writer with a model"


def _write(task: str, evidence: Sequence[Evidence]) -> _Arguments | str:
    fresh = _fresh_paths(task, evidence)
    if len(fresh) != 1:
        return f"the task names {_counted(len(fresh))} that does not exist yet; it must name exactly one"
    content = _named_definition(task, evidence)
    return {"path": fresh[0], "content": content.text} if isinstance(content, _Source) else content


def _search(task: str) -> _Arguments | str:
    pattern = search_pattern(task)
    if pattern is None:
        return "the task names no identifier and quotes no word to search for"
    return {"pattern": pattern.text, "regex": True} if pattern.regex else {"pattern": pattern.text}


def _move(task: str, evidence: Sequence[Evidence]) -> _Arguments | str:
    known = _known(evidence)
    source = find_named(task, known)
    fresh = _fresh_paths(task, evidence)
    if len(source) != 1 or len(fresh) != 1:
        return "a move needs one path of the task that exists and one that does not"
    name = source[0].rpartition("/")[2]
    target = f"{fresh[0].rstrip('/')}/{name}" if fresh[0].endswith("/") else fresh[0]
    return {"source": source[0], "target": target}


def _delete(task: str, evidence: Sequence[Evidence]) -> _Arguments | str:
    done = {piece.input for piece in evidence if EFFECTS.get(piece.tool) == "delete" and not failed(piece)}
    named = [path for path in find_named(task, _known(evidence)) if path not in done]
    if len(named) != 1 and not done:
        return f"the task names {_counted(len(named))} that exists; it must name exactly one"
    return {"path": named[0]} if named else "every file that the task names is deleted"


def _known(evidence: Sequence[Evidence]) -> tuple[str, ...]:
    read = [piece.input for piece in evidence if EFFECTS.get(piece.tool) == "read" and not failed(piece)]
    return tuple(dict.fromkeys((*(listed(evidence) or ()), *read)))


def _fresh_paths(task: str, evidence: Sequence[Evidence]) -> list[str]:
    """Paths of the task that no listing and no read shows, as written."""
    known = _known(evidence)
    taken = {path.casefold() for path in known} | {path.rpartition("/")[2].casefold() for path in known}
    tails = tuple(f"/{path.casefold()}" for path in known)
    return [
        path.removeprefix("./")
        for path in mentions(task).paths
        if path.removeprefix("./").casefold() not in taken
        and not any(tail.endswith(f"/{path.casefold()}") for tail in tails)
    ]


class _Source:
    """Exact source text."""

    def __init__(self, text: str) -> None:
        self.text = text


def _named_definition(task: str, evidence: Sequence[Evidence]) -> _Source | str:
    """The lines of the one definition that the task names, from a file that was read without a cut."""
    read = [piece.input for piece in evidence if EFFECTS.get(piece.tool) == "read" and not failed(piece)]
    paths = find_named(task, read) or tuple(dict.fromkeys(read))
    if not paths:
        return "nothing was read that a definition could be copied from"
    words = set(re.findall(r"[A-Za-z_$][\w$]*", re.sub(r"[\w./-]+\.\w+", " ", task)))
    found: list[tuple[str, Definition]] = []
    for path in paths:
        text = whole_text(evidence, path)
        if text is None:
            return f"`{path}` was read with a cut; a definition of it cannot be copied whole"
        found += [(text, one) for one in definitions(text, path) if one.name in words]
    outer = [one for one in found if not one[1].nested] or found
    if len(outer) != 1:
        return f"the task names {_counted(len(outer), 'definition')} of what was read; it must name exactly one"
    text, one = outer[0]
    return _Source("\n".join(text.split("\n")[one.first - 1 : one.last]) + "\n")


def _counted(count: int, noun: str = "path") -> str:
    return f"no {noun}" if count == 0 else f"one {noun}" if count == 1 else f"{count} {noun}s"
