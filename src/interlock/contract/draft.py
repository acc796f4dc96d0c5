"""A decision as its author wrote it: typed, each part with its place, not yet compared with a host.

Source: decision-contract/v1, questions, frame and policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from interlock.contract.document import Entry
from interlock.frame.spec import Exclusion
from interlock.policy.rules import Rule
from interlock.questions import Question

__all__ = [
    "DraftDecision",
    "DraftDynamic",
    "DraftField",
    "DraftFrame",
    "DraftPolicy",
    "DraftQuestion",
    "Kind",
    "QuestionType",
]

Kind: TypeAlias = Literal["noul", "choice", "score", "mixed", "rule"]
QuestionType: TypeAlias = Literal["noul", "choice", "score"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftQuestion:
    """One question; what could not be read has left a finding."""

    id: str
    heading: Entry
    type: QuestionType | None
    """As inferred from how the options are written; None when they do not agree."""
    question: Question | None
    """None when a part is missing."""
    ask: Entry | None
    options: Sequence[Entry]
    labels: Sequence[str]
    """The names of the options; empty for a score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftDynamic:
    """One `dynamic:` line."""

    entry: Entry
    provider: str
    reads: tuple[str, ...]
    output: str
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftField:
    """One `+` line of a frame."""

    entry: Entry
    key: str
    bound: int
    projection: str | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftFrame:
    """A `frame:` line and what stands under it."""

    entry: Entry
    fields: Sequence[DraftField]
    exclusions: Sequence[Exclusion]
    exclusion_entries: Sequence[Entry]
    """The line of each exclusion."""
    unread: Sequence[Entry]
    """The lines that could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftPolicy:
    """A `policy:` line and what stands under it."""

    entry: Entry
    rules: Sequence[Rule]
    rule_entries: Sequence[Entry]
    """The line of each rule."""
    unread: int
    """How many lines could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftDecision:
    """One decision."""

    id: str
    heading: Entry
    kind: Kind | None
    """None when it is missing or unknown."""
    when: Entry | None
    position: str | None
    purpose: str | None
    dynamic_entry: Entry | None
    """The `dynamic:` line."""
    dynamic: DraftDynamic | None
    """None when there is none, or when it is malformed."""
    questions: Sequence[DraftQuestion]
    frame: DraftFrame | None
    policy: DraftPolicy | None
