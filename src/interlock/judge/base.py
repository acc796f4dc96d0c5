"""The seam every judge stands behind, and what comes back through it.

Source: backends specification, sections 1 and 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from interlock.models.base import Failure, Usage
from interlock.questions import Answer, Basis, Content, Question

__all__ = ["Caps", "Failure", "Judge", "JudgeReply", "QuestionId", "QuestionKind", "Reading", "ReadingKind", "Usage"]

QuestionId: TypeAlias = str
"""`DECISION` for a decision with one question, `DECISION.QUESTION` otherwise."""
QuestionKind: TypeAlias = Literal["noul", "choice", "score"]
ReadingKind: TypeAlias = Literal[
    "answered", "rule", "not_asked", "refused", "unscored", "invalid_response", "transport_error"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What became of one question; kinds are never collapsed into one another."""

    kind: ReadingKind
    reason: str
    """A closed slug; `ok` when answered."""
    answer: Answer | None
    judge: str
    """The id of the judge, such as `rules` or `typesafe:jev-1.13.0`."""
    degraded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReply:
    """One reply; `readings` has exactly the ids that were asked."""

    readings: Mapping[QuestionId, Reading]
    failure: Failure | None
    requested_model: str
    served_model: str | None
    request_id: str | None
    request_digest: str
    usage: Usage | None
    attempts: int
    elapsed_s: float
    wire: str = "code"
    """The wire format spoken, part of the digest; `code` for a judge that is code."""
    readout: str | None = None
    """How an answer was read from a text model, part of the digest; None for a decision model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """What one request to a judge may hold; None where no limit is known."""

    kinds: frozenset[QuestionKind] = field(default_factory=lambda: frozenset(("noul", "choice", "score")))
    max_options: int | None = None
    max_levels: int | None = None
    max_questions: int | None = None
    max_body_bytes: int | None = None
    context_tokens: int | None = None
    """State and all questions together, estimated at 3.5 UTF-8 bytes per token."""
    longest_question_tokens: int | None = None
    joint_reads: bool = False
    """True when other questions in one request may move an answer."""
    refusal: bool = False
    basis: Basis = "decision_model"
    """The strongest basis it can deliver."""


class Judge(Protocol):
    """Answers typed questions about one frame."""

    @property
    def caps(self) -> Caps:
        """What one request may hold."""
        ...

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return one reading per question id; a backend's failure is a reading, never an exception.

        Raises:
            QuestionError: `questions` is empty.
        """
        ...
