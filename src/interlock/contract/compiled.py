"""What a contract compiles to: values that later rooms take as they are.

Knows nothing of files, text or judges.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from interlock.contract.capabilities import Capabilities
from interlock.diagnostics import Diagnostic
from interlock.frame.spec import FrameSpec
from interlock.policy.rules import Policy
from interlock.questions import Question

__all__ = ["Contract", "Decision", "Dynamic", "Kind"]

Kind: TypeAlias = Literal["noul", "choice", "score", "mixed", "rule"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dynamic:
    """Where the options of a choice come from at run time."""

    provider: str
    reads: tuple[str, ...]
    output: str
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One compiled block."""

    id: str
    kind: Kind
    position: str
    purpose: str | None
    dynamic: Dynamic | None
    questions: Mapping[str, Question]
    """Question id → question, in the order of the file; empty for a `rule`.

    With `dynamic`, the listed options of the choice are the default set or examples.
    """
    frame: FrameSpec | None
    """None for a `rule`."""
    policy: Policy
    line: int
    """1-based line of the `##` heading."""

    @property
    def is_gate(self) -> bool:
        """True when the policy can ask a person."""
        return any(rule.action == "ask_human" for rule in self.policy.rules)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """A compiled contract."""

    title: str
    schema: str
    decisions: Mapping[str, Decision]
    generator: str | None
    """The writer's section, verbatim; None when the file has none."""
    capabilities: Capabilities
    """What it was compiled against."""
    diagnostics: tuple[Diagnostic, ...]
    """Warnings and infos; a compiled contract has no errors."""
    digest: str
    """SHA-256 (64 hex) over the canonical meaning: questions, options, frames, policies with effective
    thresholds, positions and the generator text; spelling and prose do not count."""
    text: str = field(default="", compare=False, repr=False)
    """What it was compiled from, so that it can be compiled again."""
    overrides: Mapping[str, float] = field(default_factory=dict, compare=False)
    """The thresholds set from outside, by the key under which they were given."""
