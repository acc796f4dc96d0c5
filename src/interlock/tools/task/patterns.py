"""What a search for a task would look for.

Knows nothing of tools that search.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from interlock.tools.mentions import mentions
from interlock.tools.task.lexicon import words

__all__ = ["Pattern", "search_pattern"]

_OF_A_KIND = re.compile(
    r"\b(?P<what>[A-Za-z]+) (?P<kind>class|function|method|interface|exception)(?:es|s)?\b", re.IGNORECASE
)
_OF_A_KIND_CHINESE = re.compile(r"(?P<what>错误|异常|测试)(?P<kind>类|函数)")
_KEYWORDS = {
    "class": "class",
    "exception": "class",
    "interface": "interface",
    "类": "class",
    "函数": "def|function|fn|func",
    "function": "def|function|fn|func",
    "method": "def|function|fn|func",
}
_WORDS = {"错误": "Error", "异常": "(?:Error|Exception)", "测试": "test"}
_NO_PART_OF_A_NAME = words(
    "which what the a an this that these those each every all any some no how many of public private exported new other"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A text to look for, or a regular expression."""

    text: str
    regex: bool


def search_pattern(task: str) -> Pattern | None:
    """Return the identifiers and quoted words of `task`; without any, the definitions of a kind it asks about.

    None when the task names nothing that could be searched for.
    """
    named = mentions(task)
    found = tuple(dict.fromkeys((*(w.strip() for w in named.quoted if w not in named.paths), *named.identifiers)))
    found = tuple(word.removesuffix("()") for word in found if word and "\n" not in word)
    if len(found) == 1:
        return Pattern(text=found[0], regex=False)
    if found:
        return Pattern(text="|".join(re.escape(word) for word in found), regex=True)
    return _definitions(task)


def _definitions(task: str) -> Pattern | None:
    """`error classes` → every line that begins a class whose name holds `Error`."""
    match = _OF_A_KIND.search(task) or _OF_A_KIND_CHINESE.search(task)
    if match is None or match["what"].lower() in _NO_PART_OF_A_NAME:
        return None
    what = match["what"]
    part = _WORDS.get(what, f"[{what[0].upper()}{what[0].lower()}]{re.escape(what[1:].lower())}")
    return Pattern(text=rf"\b(?:{_KEYWORDS[match['kind'].lower()]})\s+\w*{part}", regex=True)
