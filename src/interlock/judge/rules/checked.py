"""What the host itself checked, read from its fact lines.

Facts are written by the host about the world, so they outweigh both a tool's text and a draft.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Checked", "read_facts"]

_QUOTE = re.compile(r"^quote (?P<how>[\w ]+?): (?P<where>.+:\d+)\b", re.IGNORECASE)
_EXISTS = re.compile(
    r"^(?:exists|written|present|file exists): (?P<a>\S.*?)(?: \(.*| is .*)?$|^(?P<b>\S+) (?:exists|is there|was written)\b",
    re.IGNORECASE,
)
_MISSING = re.compile(
    r"^(?:missing|gone|absent|deleted|does not exist): (?P<a>\S.*?)(?: \(.*)?$|^(?P<b>\S+) (?:is missing|is gone|does not exist|is not there)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The host's facts by kind; paths as the host writes them."""

    verified: frozenset[str]
    """`PATH:LINE` of every quote that agrees with the disk."""
    refuted: frozenset[str]
    """`PATH:LINE` of every quote that does not."""
    exists: frozenset[str]
    missing: frozenset[str]


def read_facts(facts: Sequence[str]) -> Checked:
    """Return what the fact lines say; a line of another form says nothing."""
    verified, refuted, exists, missing = set(), set(), set(), set()
    for fact in facts:
        if quote := _QUOTE.match(fact):
            (verified if quote["how"].lower() == "verified" else refuted).add(quote["where"])
        elif gone := _MISSING.match(fact):
            missing.add(gone["a"] or gone["b"])
        elif there := _EXISTS.match(fact):
            exists.add(there["a"] or there["b"])
    return Checked(
        verified=frozenset(verified), refuted=frozenset(refuted), exists=frozenset(exists), missing=frozenset(missing)
    )
