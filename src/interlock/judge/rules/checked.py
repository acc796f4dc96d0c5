"""What the host itself checked, read from its fact lines.

Facts are written by the host about the world, so they outweigh both a tool's text and a draft.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Checked", "read_facts"]

_QUOTE = re.compile(r"quote (?P<how>[a-z ]+): (?P<where>.+:\d+)$")
_FILE = re.compile(
    r"(?P<path>.+?) (?P<how>exists|still exists|differs from what was written|is missing|is gone)(?:, .*)?$"
)
_THERE = frozenset({"exists", "still exists"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The host's facts by kind; paths as the host writes them."""

    verified: frozenset[str]
    """`PATH:LINE` of every quote that agrees with the disk."""
    refuted: frozenset[str]
    """`PATH:LINE` of every quote that does not."""
    exists: frozenset[str]
    missing: frozenset[str]
    changed: frozenset[str]
    """Files that hold something else than what was written."""


def read_facts(facts: Sequence[str]) -> Checked:
    """Return what the fact lines say; a line of another form says nothing."""
    quotes = [match for match in map(_QUOTE.match, facts) if match]
    files = [match for match in map(_FILE.match, facts) if match and not match["path"].startswith("quote ")]
    return Checked(
        verified=frozenset(match["where"] for match in quotes if match["how"] == "verified"),
        refuted=frozenset(match["where"] for match in quotes if match["how"] != "verified"),
        exists=frozenset(match["path"] for match in files if match["how"] in _THERE),
        missing=frozenset(match["path"] for match in files if match["how"] in {"is missing", "is gone"}),
        changed=frozenset(match["path"] for match in files if match["how"].startswith("differs")),
    )
