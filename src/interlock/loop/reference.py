"""The reference host put together, the contract that ships with it, and what the loop needs of any contract.

Source: reference loop specification.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from interlock.actions import ACTIONS
from interlock.contract.compile import compile_contract
from interlock.contract.compiled import Contract
from interlock.errors import HostError
from interlock.loop.candidates import DONE, providers
from interlock.loop.capabilities import REFERENCE
from interlock.loop.events import Node
from interlock.loop.projections import projections
from interlock.pipeline.host import Host
from interlock.tools.base import Tool, ToolTable
from interlock.tools.facts import facts_on
from interlock.tools.root import Root
from interlock.tools.table import reference_tools

__all__ = ["NODES", "reference_host", "require_loop", "shipped_contract", "shipped_text"]

NODES: Mapping[Node, str] = MappingProxyType(
    {
        "needs_tool": "step-start",
        "pick_tool": "tool-choice",
        "pick_input": "input-choice",
        "grade_risk": "before-call",
        "step_ok": "after-tool",
        "is_done": "after-tool",
        "can_deliver": "after-generate",
    }
)
"""The decisions that the loop asks, and the position at which it asks each."""


def reference_host(cwd: str | Path, *, tools: Iterable[Tool] = ()) -> Host:
    """Return the reference host on a directory; `tools` are the caller's own and join its table.

    Raises:
        ToolError: `cwd` is not a directory.
        HostError: two tools have one name, or one is called `done`.
    """
    root = Root(cwd)
    table = _joined(reference_tools(root), tools)
    return Host(
        capabilities=REFERENCE,
        projections=projections(table),
        providers=providers(table),
        tools=table,
        facts=facts_on(root),
    )


def require_loop(contract: Contract, host: Host) -> None:
    """Refuse a contract or a host with which the loop cannot run to its end.

    Raises:
        HostError: a decision is missing or stands at another position, an action has no meaning here, the contract
            was compiled for other capabilities, or the host brings no tools.
    """
    missing = [f"decision `{node}` at `{position}`" for node, position in NODES.items() if not _asks(contract, node)]
    if missing:
        raise HostError(f"contract: the loop asks what it does not define: {', '.join(missing)}", missing)
    if contract.capabilities != host.capabilities:
        raise HostError("host: the contract was compiled for other capabilities; compile it with those of this host")
    if not host.tools:
        raise HostError("host: it brings no tools; give it a table, such as that of `reference_host`", ["tools"])
    for node in NODES:
        for rule in contract.decisions[node].policy.rules:
            if rule.action not in ACTIONS:
                raise HostError(f"`{node}`: the reference loop has no action `{rule.action}`")


def shipped_text() -> str:
    """Return the text of the contract that ships with the package."""
    return files("interlock").joinpath("contracts/reference.md").read_text(encoding="utf-8")


@cache
def shipped_contract() -> Contract:
    """Return the contract that ships with the package, compiled for the reference host."""
    return compile_contract(shipped_text(), REFERENCE)


def _asks(contract: Contract, node: Node) -> bool:
    decision = contract.decisions.get(node)
    return decision is not None and decision.position == NODES[node]


def _joined(reference: ToolTable, own: Iterable[Tool]) -> ToolTable:
    table = dict(reference)
    for tool in own:
        if tool.name in table or tool.name == DONE:
            raise HostError(f"tools: there is more than one `{tool.name}`; give yours another name")
        table[tool.name] = tool
    return MappingProxyType(table)
