"""What one decision came to: everything a journal needs to tell it again.

Knows nothing of loops or journals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from interlock.frame.spec import Frame
from interlock.judge.base import JudgeReply, Reading
from interlock.policy.degraded import CallFacts
from interlock.policy.rules import Floor, Mode, Outcome
from interlock.questions import Question

__all__ = ["DecisionResult"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionResult:
    """One decision as taken."""

    decision: str
    position: str
    action: str
    """What the caller does now; the mode is already applied."""
    mode: Mode
    would_be: str | None
    """In mode `shadow`, the action that the policy chose; None otherwise."""
    outcome: Outcome | None
    """None when nothing was judged: mode `off`, or a `rule` answered by code."""
    picked: str | None
    """The label picked by the decision's only choice; None when there is none or it has no answer."""
    frame: Frame | None
    questions: Mapping[str, Question]
    """Contract question id → question as asked, candidates filled in."""
    readings: Mapping[str, Reading]
    """Contract question id → what became of it; empty when nothing was asked."""
    reply: JudgeReply | None
    """None when the judge was not called."""
    floors: tuple[Floor, ...]
    gaps: tuple[str, ...]
    """`key: status` of every field that is a gap, whether or not it refused the call."""
    gap_refused: bool
    listed: tuple[int, int] | None
    """(candidates shown, candidates there are) of a dynamic choice; None otherwise."""
    degraded: bool
    warnings: tuple[str, ...]
    interchange_digest: str | None
    """16 hex characters over `[frame digest, questions]`; None without a frame."""
    contract_digest: str
    elapsed_s: float
    call_facts: CallFacts | None = None
    """What the caller said of the call about to run; None when the decision precedes no call."""
