"""Which definitions a task asks for, and the lines of the evidence that hold them.

Pure: knows nothing of writers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from interlock.loop.definitions import Definition, Kind, definitions
from interlock.loop.passages import EFFECTS, Passage, failed, passages
from interlock.loop.phrases import Relation
from interlock.loop.writer import Evidence
from interlock.tools.task.filesets import meant_files
from interlock.tools.task.terms import terms

__all__ = ["Definitions", "Named", "asks_for_definitions", "definitions_of"]

_ASKS_NAMES = re.compile(
    r"\b(?P<function>functions?|methods?|procedures?)\b|\b(?P<class>class(?:es)?|interfaces?|structs?|types?"
    r"|enums?|exceptions?)\b"
    r"|\b(?P<value>constants?|variables?)\b|(?P<function_zh>函数|方法)|(?P<class_zh>类(?![型似])|接口|结构体|异常)"
    r"|(?P<value_zh>常量|变量)",
    re.IGNORECASE,
)
_EXPORTS = re.compile(r"\bexport", re.IGNORECASE)
_DEFINES = re.compile(
    r"\b(?:export|defin|declar|contain|provid|offer|have|has|are there|are in|list)"
    r"|导出|定义|声明|有哪些|包含|提供|列出",
    re.IGNORECASE,
)
_ASKS_WHAT_IS_DEFINED = re.compile(r"\bwhat do(?:es)? .* (?:define|declare)\b|导出|定义了(?:什么|哪些)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The names that one file exports or defines."""

    path: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Definitions:
    """The names by file, and the lines that define them."""

    named: tuple[Named, ...]
    relation: Relation
    quotes: tuple[Passage, ...]


def asks_for_definitions(task: str) -> bool:
    """Return True when the task asks what some file defines or exports."""
    return bool(_kinds(task)) and _DEFINES.search(task) is not None


def definitions_of(task: str, evidence: Sequence[Evidence]) -> Definitions | None:
    """Return the definitions that the task asks for, in the files that it means; None when none was looked at."""
    wanted = _kinds(task)
    exports = _EXPORTS.search(task) is not None or "导出" in task
    relation: Relation = "exports" if exports else "defines"
    found = _defined(evidence)
    meant = meant_files(task, "", tuple(found), "").paths
    rows = {path: found[path] for path in (meant or found) if path in found}
    qualified = _qualifiers(task, rows)
    named: list[Named] = []
    quotes: list[Passage] = []
    for path, pairs in rows.items():
        kept = [(d, p) for d, p in pairs if d.kind in wanted and not d.nested and (d.exported or not exports)]
        kept = [(d, p) for d, p in kept if not qualified or qualified & terms(d.name)]
        if kept or meant:
            named.append(Named(path=path, names=tuple(dict.fromkeys(d.name for d, _ in kept))))
        quotes += [p for _, p in kept]
    return Definitions(named=tuple(named), relation=relation, quotes=tuple(quotes)) if named else None


def _kinds(task: str) -> frozenset[Kind]:
    kinds: set[Kind] = set()
    for match in _ASKS_NAMES.finditer(task):
        group = (match.lastgroup or "").removesuffix("_zh")
        if group in {"function", "class", "value"}:
            kinds.add(group)  # type: ignore[arg-type]  # the groups are named after the kinds
    if not kinds and (_EXPORTS.search(task) or _ASKS_WHAT_IS_DEFINED.search(task)):
        kinds = {"function", "class", "value"}
    return frozenset(kinds)


def _defined(evidence: Sequence[Evidence]) -> dict[str, list[tuple[Definition, Passage]]]:
    """Definitions by file, in files that were read and in lines that a search found."""
    found: dict[str, list[tuple[Definition, Passage]]] = {}
    lines = {(p.path, p.line): p for p in passages(evidence) if p.path is not None and p.line is not None}
    read = {piece.input for piece in evidence if EFFECTS.get(piece.tool) == "read" and not failed(piece)}
    for piece in evidence:
        if EFFECTS.get(piece.tool) == "read" and not failed(piece):
            pairs = [(d, lines.get((piece.input, d.line))) for d in definitions(piece.result, piece.input)]
            found[piece.input] = [(d, p) for d, p in pairs if p is not None]
    for (path, _), passage in lines.items():
        if path not in read:
            single = definitions(passage.text, path)
            found.setdefault(path, []).extend((d, passage) for d in single[:1])
    return found


def _qualifiers(task: str, rows: dict[str, list[tuple[Definition, Passage]]]) -> frozenset[str]:
    """Words in front of the kind that some name holds, such as `error` in `error classes`."""
    before = re.findall(r"([A-Za-z]+) (?:class|function|method|interface|type|constant|exception)", task)
    before += ["error exception"] if re.search(r"\bexceptions?\b", task, re.IGNORECASE) else []
    before += ["error"] if re.search(r"错误类|异常类", task) else []
    words = terms(" ".join(before))
    held = {word for pairs in rows.values() for d, _ in pairs for word in words & terms(d.name)}
    return frozenset(held)
