"""The session graph while it grows: every call, model call and decision becomes a node at entry, complete at exit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from interlock.functions.metadata import Expose
from interlock.functions.visibility import Node, NodeKind, NodeStatus

__all__ = ["OpenNode", "Session"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenNode:
    """A node that has begun."""

    seq: int
    started_s: float


@dataclass(slots=True)
class Session:
    """The nodes of one Runtime, in order; safe to use from several threads."""

    now: Callable[[], float]
    on_node: Callable[[Node], None] | None = None
    """Told of every node, once at entry and once at exit; a failure of it never breaks the call."""
    _nodes: dict[int, Node] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Every node so far, by `seq`."""
        with self._lock:
            return tuple(self._nodes.values())

    def enter(
        self,
        kind: NodeKind,
        name: str,
        *,
        caller: int | None,
        given: object,
        expose: Expose = "full",
        doc: str = "",
        hidden: Mapping[str, object] | None = None,
    ) -> OpenNode:
        """Write a running node."""
        with self._lock:
            seq = len(self._nodes)
            node = Node(
                seq=seq,
                kind=kind,
                name=name,
                caller=caller,
                input=given,
                output=None,
                status="running",
                duration_s=None,
                expose=expose,
                doc=doc,
                hidden=hidden or {},
            )
            self._nodes[seq] = node
        self._tell(node)
        return OpenNode(seq=seq, started_s=self.now())

    def exit(
        self, opened: OpenNode, status: NodeStatus, output: object, facts: Mapping[str, object] | None = None
    ) -> None:
        """Complete a node; an abandoned call that still ends is marked `late`."""
        with self._lock:
            node = self._nodes[opened.seq]
            late = node.status == "timeout"
            node = replace(
                node,
                status="late" if late else status,
                output=node.output if late else output,
                duration_s=self.now() - opened.started_s,
                facts={**node.facts, **(facts or {})},
            )
            self._nodes[opened.seq] = node
        self._tell(node)

    def _tell(self, node: Node) -> None:
        if self.on_node is not None:
            self.on_node(node)
