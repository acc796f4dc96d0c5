"""A file as blocks: headings, keys and list items, each with its place, none of them interpreted.

Knows nothing of how the lines are read or of what a value means.
Source: decision-contract/v1, shape of a file and lexical rules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["GENERATOR_HEADINGS", "KEYS", "Block", "Document", "Entry", "QuestionBlock"]

GENERATOR_HEADINGS = frozenset(("generator", "给生成模型", "生成模型", "system prompt"))
"""The headings of the section for the writer, in lower case."""

KEYS = ("kind", "when", "dynamic", "ask", "frame", "policy")
"""The keys of a decision."""


_COLON = re.compile(r"\s*[:：]?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line that is read: a heading, a key with its value, or a list item."""

    line: int
    mark: str
    """`#`, `##`, `###`, the key in lower case, or the sign of an item."""
    text: str
    """What follows the mark, without space around it and without comments; may be empty."""
    whole: str
    """The readable line that it stands on; places are worked out from it."""

    @property
    def column(self) -> int:
        """Where the mark stands; columns are 1-based and count characters."""
        return len(self.whole) - len(self.whole.lstrip()) + 1

    @property
    def width(self) -> int:
        """How many characters from the mark to the end of the text."""
        return len(self.whole.strip())

    @property
    def text_column(self) -> int:
        """Where the text stands; the end of the mark when there is none."""
        after = self.column - 1 + len(self.mark)
        if self.mark[0] not in "#+-*":
            colon = _COLON.match(self.whole, after)
            after = after if colon is None else colon.end()
        rest = self.whole[after:]
        return after + len(rest) - len(rest.lstrip()) + 1 if rest.strip() else after + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionBlock:
    """One question as written, options in order."""

    heading: Entry
    """Its `###` line; for the question of the decision itself the `##` line."""
    ask: Entry | None
    options: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One `##` section that is a decision."""

    heading: Entry
    keys: Mapping[str, Entry]
    """`kind`, `when`, `dynamic`, `frame` and `policy`, as far as they are written."""
    questions: tuple[QuestionBlock, ...]
    frame: tuple[Entry, ...]
    """The items under `frame:`; their mark is `+` or `-`."""
    policy: tuple[Entry, ...]
    """The items under `policy:`; their mark is `-` or `*`."""
    strays: tuple[Entry, ...]
    """Lines that read like items and belong to no list; each has left a finding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A whole file as blocks."""

    title: Entry | None
    schema: Entry | None
    """The first `schema:` line before the first section."""
    schema_in_decision: bool
    """True when a decision holds a `schema:` line."""
    blocks: tuple[Block, ...]
    generator: Entry | None
    """The heading of the section for the writer."""
    generator_text: str
    """That section verbatim, without the blank lines around it."""
