"""Which nodes of a session graph a model call is shown, and in which words.

Pure: nodes in, text out; the same nodes give the same text.
Source: next-step specification, section 17.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from interlock.functions.metadata import Expose, RenderRange

__all__ = ["Node", "NodeKind", "NodeStatus", "check_expose", "check_render_range", "render_nodes", "visible_nodes"]

NodeKind: TypeAlias = Literal["function", "llm", "decision"]
NodeStatus: TypeAlias = Literal["running", "ok", "error", "timeout", "cancelled", "late"]

EXPOSES: tuple[Expose, ...] = ("io", "llm", "full", "hidden")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One call, model call or decision of a session."""

    seq: int
    kind: NodeKind
    name: str
    caller: int | None
    """The `seq` of the function that made the call; None at the top."""
    input: object
    """Never holds a hidden or injected value."""
    output: object
    status: NodeStatus
    duration_s: float | None
    expose: Expose = "full"
    doc: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)
    """What else is known: a decision's options, pick, attempts and probabilities."""
    hidden: Mapping[str, object] = field(default_factory=dict)
    """Hidden values, kept for the author and never rendered."""


def check_expose(value: object, name: str) -> None:
    """Refuse an unknown `expose`.

    Raises:
        ValueError: names what may be written.
    """
    if value not in EXPOSES:
        raise ValueError(f"`{name}`: expose is {value!r}; write one of {', '.join(EXPOSES)}")


def check_render_range(value: object, name: str) -> None:
    """Refuse an unknown `render_range`.

    Raises:
        ValueError: names the key or value, and what may be written.
    """
    if not isinstance(value, Mapping):
        raise ValueError(f"`{name}`: render_range is a dict of `callers` and `subcalls`, got {value!r}")  # noqa: TRY004
    for key, cap in value.items():
        if key not in ("callers", "subcalls"):
            raise ValueError(f"`{name}`: render_range has the unknown key `{key}`; write `callers` or `subcalls`")
        allowed = cap is None if key == "callers" else cap == -1
        is_count = isinstance(cap, int) and not isinstance(cap, bool) and cap >= 0
        if not allowed and not is_count:
            wanted = "None or a count" if key == "callers" else "-1 or a count"
            raise ValueError(f"`{name}`: render_range `{key}` is {cap!r}; write {wanted}")


def visible_nodes(nodes: Sequence[Node], frame: int | None, shown: RenderRange) -> list[Node]:
    """Return the nodes a model call inside `frame` is shown, in order; filtered first, then sliced.

    `frame`: the `seq` of the function that makes the call; None at the top, where every node is inside.
    """
    by_seq = {node.seq: node for node in nodes}
    above = _chain(by_seq, frame)
    readable = [node for node in nodes if node.seq != frame and _is_shown(node, by_seq, above)]
    entry = -1 if frame is None else frame
    before = [node for node in readable if node.seq < entry]
    since = [node for node in readable if node.seq > entry]
    if shown.callers is not None:
        before = before[len(before) - shown.callers :] if shown.callers < len(before) else before
    if shown.subcalls >= 0:
        since = since[len(since) - shown.subcalls :] if shown.subcalls < len(since) else since
    own = [by_seq[frame]] if frame is not None else []
    return sorted([*before, *own, *since], key=lambda node: node.seq)


def render_nodes(nodes: Sequence[Node]) -> str:
    """Return the nodes as text, one block each; empty text for none."""
    return "\n\n".join(_block(node) for node in nodes)


def _chain(by_seq: Mapping[int, Node], frame: int | None) -> frozenset[int]:
    """Return the functions that are open where the call is made: the frame and its callers."""
    seqs: set[int] = set()
    while frame is not None:
        seqs.add(frame)
        frame = by_seq[frame].caller
    return frozenset(seqs)


def _is_shown(node: Node, by_seq: Mapping[int, Node], above: frozenset[int]) -> bool:
    """Apply `expose` of the node and of every finished function it stands in; open functions hide nothing."""
    if node.kind == "function" and node.expose in ("llm", "hidden") and node.seq not in above:
        return False
    inner: Node = node
    caller = node.caller
    while caller is not None and caller not in above:
        outer = by_seq[caller]
        if outer.expose in ("io", "hidden"):
            return False
        if outer.expose == "llm" and (inner.kind == "function" or inner is not node):
            return False
        inner, caller = outer, outer.caller
    return True


def _block(node: Node) -> str:
    lines = [f"[{node.seq}] {node.kind} {node.name} ({node.status})"]
    if node.doc:
        lines.append(f"doc: {node.doc}")
    lines.append(f"input: {_text(node.input)}")
    if node.status != "running":
        lines.append(f"output: {_text(node.output)}")
    return "\n".join(lines)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr, sort_keys=True)
