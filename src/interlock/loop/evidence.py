"""What a writer is shown of the finished steps: newest kept whole longest, head and tail kept where cut.

Pure. Source: reference loop specification, generation.
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock.loop.state import Step
from interlock.loop.writer import Evidence
from interlock.tools.text import head_and_tail

__all__ = ["MAX_EVIDENCE_CHARS", "MIN_RESULT_CHARS", "evidence"]

MAX_EVIDENCE_CHARS = 60_000
"""All results together."""
MIN_RESULT_CHARS = 1_000
"""What is kept of every result, however many there are."""


def evidence(finished: Sequence[Step], *, max_chars: int = MAX_EVIDENCE_CHARS) -> tuple[Evidence, ...]:
    """Return one piece per step in order; newer results take their share of `max_chars` first."""
    left = max_chars
    pieces: list[Evidence] = []
    for step in reversed(finished):
        piece = _cut(step, max(left, MIN_RESULT_CHARS))
        left -= len(piece.result)
        pieces.append(piece)
    return tuple(reversed(pieces))


def _cut(step: Step, bound: int) -> Evidence:
    whole = step.result or ""
    shown = head_and_tail(whole, bound)
    return Evidence(tool=step.tool, input=step.input, result=shown, dropped_chars=max(0, len(whole) - len(shown)))
