"""Which names of a tree are not shown: hidden ones, build and package folders, and a simple `.gitignore`.

Pure: knows nothing of the disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

__all__ = ["Ignore", "parse_ignore"]

_ALWAYS = frozenset({".git", "node_modules", "__pycache__", ".venv", "venv"})
_MAX_RULES = 1_000
_MAX_RULE_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    pattern: tuple[str, ...]
    anchored: bool
    folders_only: bool
    shows: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignore:
    """What is skipped in one tree."""

    rules: tuple[_Rule, ...] = ()

    def skips(self, names: Sequence[str], *, folder: bool) -> bool:
        """Return whether a path is left out; its parents are asked before it."""
        name = names[-1]
        if name.startswith(".") or name in _ALWAYS:
            return True
        skipped = False
        for rule in self.rules:
            if _matches(rule, names, folder=folder):
                skipped = not rule.shows
        return skipped


def parse_ignore(text: str) -> Ignore:
    """Return the rules of a top-level `.gitignore`: `*`, `?`, `[…]`, `**`, `!`, a leading and a closing slash."""
    lines = [line.strip() for line in text.splitlines()]
    wanted = [line for line in lines if line and not line.startswith("#") and len(line) <= _MAX_RULE_CHARS]
    return Ignore(rules=tuple(_rule(line) for line in wanted[:_MAX_RULES] if line.strip("!/")))


def _rule(line: str) -> _Rule:
    shows = line.startswith("!")
    body = line[1:] if shows else line
    plain = body.strip("/")
    return _Rule(
        pattern=tuple(plain.split("/")),
        anchored="/" in body.rstrip("/"),
        folders_only=body.endswith("/"),
        shows=shows,
    )


def _matches(rule: _Rule, names: Sequence[str], *, folder: bool) -> bool:
    if rule.folders_only and not folder:
        return False
    if not rule.anchored:
        return fnmatchcase(names[-1], rule.pattern[0])
    return _matches_path(rule.pattern, names)


def _matches_path(pattern: Sequence[str], names: Sequence[str]) -> bool:
    """Match names one by one; `**` stands for any number of them."""
    reached = {0}
    for part in pattern:
        if part == "**":
            reached = set(range(min(reached), len(names) + 1)) if reached else set()
        else:
            reached = {at + 1 for at in reached if at < len(names) and fnmatchcase(names[at], part)}
    return len(names) in reached
