"""What a caller brings: capabilities, the functions they name, and for a whole run its tools.

Knows nothing of the reference loop.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from interlock.contract.capabilities import Capabilities
from interlock.errors import HostError
from interlock.frame.spec import Project
from interlock.questions import Content, Json
from interlock.tools.base import ToolTable

__all__ = ["Cells", "Facts", "Host", "ProvideInput", "Provider", "RuleFunction", "require_complete"]

Cells: TypeAlias = Mapping[str, object]
"""A host's state: cell name → value; a missing key or None is a cell that was not supplied."""

Provider: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Content | None]]
"""Candidates in order: option → criterion; it is given only the cells it declares."""

RuleFunction: TypeAlias = Callable[[Mapping[str, Any]], str | None]
"""Answers a `kind: rule` decision with an action of its position, or None for the policy's `else`."""

Facts: TypeAlias = Callable[[Cells], Sequence[str]]
"""Looks at the world, not at text: what is true of the run's effects and of the draft's quotes."""

ProvideInput: TypeAlias = Callable[[str, Cells], Awaitable[Mapping[str, Json] | None]]
"""The arguments for a tool by name, or None when they are unclear."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A declaration together with what stands behind it."""

    capabilities: Capabilities
    projections: Mapping[str, Project] = field(default_factory=dict)
    providers: Mapping[str, Provider] = field(default_factory=dict)
    rules: Mapping[str, RuleFunction] = field(default_factory=dict)
    tools: ToolTable = field(default_factory=dict)
    provide_input: ProvideInput | None = None
    """None: the writer fills the tool's schema."""
    facts: Facts | None = None

    def __post_init__(self) -> None:
        require_complete(self)


def require_complete(host: Host) -> None:
    """Refuse a host that declares what it does not bring.

    Raises:
        HostError: `missing` names every capability without a function, such as `projection `lastInput``.
    """
    declared = host.capabilities
    missing = [f"projection `{name}`" for name in declared.projections if name not in host.projections]
    floors = declared.floors.values()
    missing += [f"projection `{floor.projection}`" for floor in floors if floor.projection not in declared.projections]
    missing += [f"provider `{name}`" for name in declared.providers if name not in host.providers]
    missing += [f"rule `{name}`" for name in declared.rules if name not in host.rules]
    if missing:
        raise HostError(f"host: declared but not supplied: {', '.join(missing)}", missing)
