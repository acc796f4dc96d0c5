"""What a question offers to a text model: its outcomes in order, as text, and the way back to an answer.

Knows nothing of models or prompts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from interlock._canonical import compact_json
from interlock.questions import Choice, Content, Json, Noul, Question, Score

__all__ = ["Offered", "as_text", "listed", "offered", "spelt"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """One outcome of a question."""

    name: str
    """The label; `true` or `false`; the number of the level."""
    text: str | None
    """What it means; None when the question does not say."""


def offered(question: Question) -> tuple[Offered, ...]:
    """Return the outcomes of a question: true before false, options in menu order, levels from the lowest."""
    match question:
        case Noul():
            true, false = (None, None)
            if question.criteria is not None:
                true, false = question.criteria.true, question.criteria.false
            return (Offered(name="true", text=_optional(true)), Offered(name="false", text=_optional(false)))
        case Choice():
            return tuple(Offered(name=label, text=_optional(text)) for label, text in question.criteria.items())
        case Score():
            return tuple(Offered(name=str(at), text=as_text(level)) for at, level in enumerate(question.criteria))
        case _:
            assert_never(question)


def listed(outcomes: Sequence[Offered], marks: Sequence[str]) -> str:
    """Return one line per outcome, its mark before it."""
    lines = [f"{mark} {outcome.name}" for mark, outcome in zip(marks, outcomes, strict=True)]
    return "\n".join(
        line if outcome.text is None else f"{line}: {outcome.text}"
        for line, outcome in zip(lines, outcomes, strict=True)
    )


def as_text(content: Content) -> str:
    """Return text as it is and anything else as JSON text.

    Raises:
        ValueError: the content is not JSON.
    """
    return content if isinstance(content, str) else compact_json(content)


def spelt(question: Question, probabilities: Sequence[float]) -> Json:
    """Return the answer that a distribution over the outcomes means, in the System One spelling."""
    match question:
        case Noul():
            return {"type": "noul", "noul": probabilities[0]}
        case Choice():
            spread = dict(zip(question.criteria, probabilities, strict=True))
            return {"type": "choice", "choice": max(spread, key=lambda label: spread[label]), "probabilities": spread}
        case Score():
            mean = math.fsum(at * p for at, p in enumerate(probabilities))
            levels = {str(at): p for at, p in enumerate(probabilities)}
            return {"type": "score", "score": mean, "probabilities": levels}
        case _:
            assert_never(question)


def _optional(text: Content | None) -> str | None:
    return None if text is None else as_text(text)
