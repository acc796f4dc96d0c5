"""Digests of a frame and of what was asked on it, for interchange with other readers of the format.

Caching and replaying use the request digest of the judges, not these.
Source: decision-contract/v1, frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from interlock._canonical import compact_json, sha256_hex
from interlock.frame.spec import FrameEntry
from interlock.questions import Question, as_json

__all__ = ["frame_digest", "interchange_digest"]

_DIGITS = 16


def frame_digest(decision_id: str, shown: Iterable[FrameEntry]) -> str:
    """Return 16 hex characters over `[decision, [[key, value], …]]`, entries in the order given."""
    return _short([decision_id, [[entry.key, entry.value] for entry in shown]])


def interchange_digest(frame: str, questions: Mapping[str, Question]) -> str:
    """Return 16 hex characters over `[frame digest, questions]`, options included, ids as in the contract."""
    return _short([frame, {name: as_json(question) for name, question in questions.items()}])


def _short(value: object) -> str:
    return sha256_hex(compact_json(value))[:_DIGITS]
