"""A decision as a node of a session graph, where what the engine runs on keeps one, as a `Runtime` does.

Source: next-step specification, section 17; decision-engine specification, versions and registry.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, runtime_checkable

from interlock.actions import TOOL_CALL
from interlock.engine.decided import Decided
from interlock.engine.turn import Turn
from interlock.functions.visibility import NodeKind, NodeStatus

__all__ = ["decided_in_graph"]

NAME = "next_action"


class Session(Protocol):
    """The nodes of one runtime."""

    def enter(self, kind: NodeKind, name: str, *, caller: int | None, given: object) -> Any:  # noqa: ANN401
        """Write a running node and return what completes it."""
        ...

    def exit(self, opened: Any, status: NodeStatus, output: object, facts: Mapping[str, object]) -> None:  # noqa: ANN401
        """Complete a node."""
        ...

    def fail(self, opened: Any, error: BaseException, facts: Mapping[str, object]) -> None:  # noqa: ANN401
        """Complete a node that an exception ended."""
        ...


@runtime_checkable
class Graphed(Protocol):
    """A runtime that keeps a session graph."""

    session: Session

    def frame(self) -> int | None:
        """Return the `seq` of the open function's node."""
        ...


async def decided_in_graph(turn: Turn, runtime: object, decided: Callable[[], Awaitable[Decided]]) -> Decided:
    """Return what `decided` gives, written down as a node where `runtime` keeps a graph.

    Raises:
        PromptError: the state or the pack is not of its form.
        Exception: whatever `decided` raises.
    """
    if not isinstance(runtime, Graphed):
        return await decided()
    layers = {layer: ref.fields for layer, ref in turn.pack.refs().items()}
    known = {"options": _options(turn), "layers": layers, "experiment": turn.pack.experiment}
    session = runtime.session
    opened = session.enter("decision", NAME, caller=runtime.frame(), given=turn.loop()["goal"])
    try:
        found = await decided()
    except BaseException as error:
        session.fail(opened, error, known)
        raise
    session.exit(opened, "ok", found.decision.fields, {**known, **_facts(found)})
    return found


def _options(turn: Turn) -> list[str]:
    """Return what there was to pick from: the tools, and the actions that are no call of one."""
    names = turn.options.space.names
    tools = [tool.name for tool in turn.tools if TOOL_CALL in names]
    return [*tools, *(name for name in names if name != TOOL_CALL)]


def _facts(found: Decided) -> dict[str, object]:
    decision = found.decision
    return {
        "pick": decision.tool or decision.action,
        "way": decision.picked_by,
        "attempts": len(decision.attempts) + (0 if decision.fallback else 1),
        "fallback": decision.fallback,
        "probabilities": decision.probabilities,
        "mode": found.mode,
        "fell": [item.mode for item in found.fell],
    }
