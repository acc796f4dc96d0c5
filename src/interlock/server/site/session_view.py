"""A session graph as a person reads it: a tree of calls, and where each of its nodes is drawn.

Pure over nodes; what is `hidden` is left out with all below it. Knows nothing of templates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from interlock._text import clip, columns, visible
from interlock.agents.recorded import as_recorded
from interlock.functions.visibility import Node
from interlock.server.site.results import Text, text_of

__all__ = ["Branch", "Mark", "Tree", "tree_of"]

MAX_NODES = 300
MAX_DEPTH = 40
_ROW = 34
_STEP = 26
_LETTER = 8
"""How wide a column of a name is, in the units of the drawing."""
_BAR = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One node in the drawing."""

    seq: int
    kind: str
    status: str
    name: str
    x: int
    y: int
    from_y: int | None
    """Where the line to its caller begins; None for one that nothing called."""
    bar: float | None
    """How long its bar is; None when its time is not known."""
    duration_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """One node with what it called."""

    seq: int
    kind: str
    name: str
    status: str
    duration_ms: float | None
    doc: str
    given: Text
    returned: Text
    facts: Text | None
    children: tuple[Branch, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """The graph of one call."""

    branches: tuple[Branch, ...]
    marks: tuple[Mark, ...]
    bars_at: int
    """Where bars begin."""
    width: int
    height: int
    left_out: int
    """How many nodes are not shown because there are too many, or too deep."""


def tree_of(nodes: Sequence[Node]) -> Tree:
    """Return the tree; a node whose caller is not among `nodes` stands at the top."""
    by_seq = {node.seq: node for node in nodes}
    kept = [node for node in nodes if not any(each.expose == "hidden" for each in _upwards(node, by_seq))]
    shown = [node for node in kept if len(list(_upwards(node, by_seq))) <= MAX_DEPTH][:MAX_NODES]
    known = {node.seq for node in shown}
    children: dict[int | None, list[Node]] = {}
    for node in shown:
        children.setdefault(node.caller if node.caller in known else None, []).append(node)
    longest = max((node.duration_s or 0.0 for node in shown), default=0.0)
    order = list(_in_order(children, None, 0))
    rows = {node.seq: at for at, (node, _) in enumerate(order)}
    marks = tuple(_mark(node, depth, rows, longest) for node, depth in order)
    bars_at = max((mark.x + columns(mark.name) * _LETTER for mark in marks), default=0) + 36
    return Tree(
        branches=tuple(_branch(node, children) for node in children.get(None, ())),
        marks=marks,
        bars_at=bars_at,
        width=bars_at + _BAR + 90,
        height=len(order) * _ROW + 8,
        left_out=len(kept) - len(shown),
    )


def _upwards(node: Node | None, by_seq: Mapping[int, Node]) -> Iterator[Node]:
    """Yield a node and its callers."""
    while node is not None:
        yield node
        node = None if node.caller is None else by_seq.get(node.caller)


def _in_order(children: Mapping[int | None, list[Node]], seq: int | None, depth: int) -> Iterator[tuple[Node, int]]:
    for node in children.get(seq, ()):
        yield node, depth
        yield from _in_order(children, node.seq, depth + 1)


def _branch(node: Node, children: Mapping[int | None, list[Node]]) -> Branch:
    return Branch(
        seq=node.seq,
        kind=node.kind,
        name=visible(node.name),
        status=node.status,
        duration_ms=None if node.duration_s is None else node.duration_s * 1000,
        doc=visible(node.doc.partition("\n")[0]),
        given=text_of(as_recorded(node.input)),
        returned=text_of(as_recorded(node.output)),
        facts=text_of(as_recorded(node.facts)) if node.facts else None,
        children=tuple(_branch(each, children) for each in children.get(node.seq, ())),
    )


def _mark(node: Node, depth: int, rows: Mapping[int, int], longest: float) -> Mark:
    y = rows[node.seq] * _ROW + _ROW // 2
    caller = None if node.caller is None else rows.get(node.caller)
    part = None if node.duration_s is None or not longest else node.duration_s / longest
    return Mark(
        seq=node.seq,
        kind=node.kind,
        status=node.status,
        name=clip(visible(node.name), 36),
        x=depth * _STEP + 14,
        y=y,
        from_y=None if caller is None else caller * _ROW + _ROW // 2,
        bar=None if part is None else max(1.0, part * _BAR),
        duration_ms=None if node.duration_s is None else node.duration_s * 1000,
    )
