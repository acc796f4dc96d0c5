"""Whether a call of a tool took effect, told by its targets before it, as it would leave them, and as they are.

Knows nothing of journals; asked when the process died between a call and its result.
Source: journal and safety specification, resume.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from interlock._canonical import sha256_hex
from interlock.questions import Json
from interlock.tools.base import Proof, Target

__all__ = ["Leaves", "gone", "moved", "proof_by", "written"]

_Given: TypeAlias = Mapping[str, Json]
Leaves: TypeAlias = Callable[[_Given, Sequence[Target]], Sequence[Target]]
"""(arguments, targets before the call) → the targets as a call that worked leaves them."""


def proof_by(look: Callable[[_Given], Sequence[Target]], leaves: Leaves) -> Callable[[_Given, Sequence[Target]], Proof]:
    """Return what compares the targets as they are with those before a call and those after it.

    Nothing has changed: it did not happen. Everything is as it leaves it: it happened. Some of both: it was cut
    short, and a second call ends it. Anything else was done by somebody else, and tells nothing.
    """

    def proof(given: _Given, before: Sequence[Target]) -> Proof:
        now = look(given)
        if len(now) != len(before) or not all(map(_told, (*now, *before))):
            return "unknown"
        after = leaves(given, before)
        if _same(now, before):
            return "not_happened"
        if _same(now, after):
            return "happened"
        mixed = all(
            _same([is_], [was]) or _same([is_], [will]) for is_, was, will in zip(now, before, after, strict=True)
        )
        return "not_happened" if mixed else "unknown"

    return proof


def written(path: str, content: str) -> Target:
    """Return a file with that content."""
    return Target(path=path, exists=True, size_bytes=len(content.encode()), sha256=sha256_hex(content))


def gone(path: str) -> Target:
    """Return a path where nothing is."""
    return Target(path=path, exists=False)


def moved(source: Target, target: Target) -> tuple[Target, Target]:
    """Return both paths after a move: nothing, and what was at the source."""
    there = Target(path=target.path, exists=source.exists, size_bytes=source.size_bytes, sha256=source.sha256)
    return gone(source.path), there


def _told(target: Target) -> bool:
    """Return whether it is known what is there; an unreadable file may be any file."""
    return not target.exists or target.sha256 is not None


def _same(some: Sequence[Target], others: Sequence[Target]) -> bool:
    return [(one.exists, one.sha256) for one in some] == [(one.exists, one.sha256) for one in others]
