"""The session graph while it grows: every call, model call and decision becomes a node at entry, complete at exit.

Source: next-step specification, section 17.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from interlock.agents.recorded import as_recorded
from interlock.errors import Cancelled, FunctionTimeout, MissingContextError
from interlock.functions.metadata import Expose
from interlock.functions.visibility import Node, NodeKind, NodeStatus

__all__ = ["OpenNode", "Session", "error_text"]


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
    """Told of every node, once at entry and once at exit; does not raise."""
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
        """Write a running node; its input is kept as it is now, whatever becomes of the objects in it."""
        shown = as_recorded(given)
        kept = {name: as_recorded(value) for name, value in (hidden or {}).items()}
        with self._lock:
            seq = len(self._nodes)
            node = Node(
                seq=seq,
                kind=kind,
                name=name,
                caller=caller,
                input=shown,
                output=None,
                status="running",
                duration_s=None,
                expose=expose,
                doc=doc,
                hidden=kept,
            )
            self._nodes[seq] = node
        self._tell(node)
        return OpenNode(seq=seq, started_s=self.now())

    def exit(
        self, opened: OpenNode, status: NodeStatus, output: object, facts: Mapping[str, object] | None = None
    ) -> None:
        """Complete a node; one that was given up and still ends is `late`, whichever of the two is told first."""
        shown, added = as_recorded(output), {name: as_recorded(value) for name, value in (facts or {}).items()}
        with self._lock:
            node = self._nodes[opened.seq]
            is_late = {node.status, status} == {"timeout", "late"}
            node = replace(
                node,
                status="late" if is_late else status,
                output=node.output if status == "late" else shown,
                duration_s=self.now() - opened.started_s,
                facts={**node.facts, **added},
            )
            self._nodes[opened.seq] = node
        self._tell(node)

    def fail(self, opened: OpenNode, error: BaseException, facts: Mapping[str, object] | None = None) -> None:
        """Complete a node that an exception ended."""
        if isinstance(error, FunctionTimeout):
            self.exit(opened, "timeout", str(error), facts)
        elif isinstance(error, asyncio.CancelledError | Cancelled):
            self.exit(opened, "cancelled", None, facts)
        else:
            self.exit(opened, "error", error_text(error), facts)

    def _tell(self, node: Node) -> None:
        if self.on_node is not None:
            self.on_node(node)


def error_text(error: BaseException) -> str:
    """Return an exception as a model may read it: by its type and text, but no name of a hidden parameter."""
    kind = type(error).__name__
    return kind if isinstance(error, MissingContextError) else f"{kind}: {error}"
