"""Finds where JSON objects stand in prose, in one forward pass; decodes nothing.

Linear in the length of the text: after a broken object the search goes on where it broke.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, TypeAlias

__all__ = ["CALL_KEYS", "MAX_DEPTH", "ObjectSpan", "Spans", "find_spans"]

CALL_KEYS: tuple[str, ...] = ("call", "action", "function", "tool")
"""Keys that name a pick, in order of precedence inside one object."""

MAX_DEPTH = 100
"""Objects nested deeper are not read."""

_DOUBLE = r'"(?:[^"\\]++|\\.)*+"'
_SINGLE = r"'(?:[^'\\]++|\\.)*+'"
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
_SCALAR = rf"(?:{_DOUBLE}|{_SINGLE}|{_NUMBER}|(?:true|false|null|True|False|None)\b)"
_BLANK = r"[ \t\r\n]++"
_BLOCK_COMMENT = r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/"
_LINE_COMMENT = r"//[^\n]*+(?=\n)"
_TAGS = r"think|thinking|reasoning"


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectSpan:
    """One complete object; text[start:end] holds its braces."""

    start: int
    end: int
    too_deep: bool
    """True when it is nested deeper than `MAX_DEPTH`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spans:
    """What one pass over a text found."""

    last: ObjectSpan | None
    """The last outermost object that carries a sought key, outside reasoning; None when none stands."""
    broken: bool
    """True when a later object that shows a sought key is cut off or is not JSON; `last` is then None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grammar:
    blank: re.Pattern[str]
    key: re.Pattern[str]
    scalar: re.Pattern[str]
    string: re.Pattern[str]
    after: re.Pattern[str]
    members: re.Pattern[str]
    items: re.Pattern[str]
    flat: re.Pattern[str]
    """A whole object of scalars without a sought key."""


_Place: TypeAlias = Literal["key", "value", "after"]
_Step: TypeAlias = tuple[int, _Place]


@cache
def _grammar(block_comments: bool, line_comments: bool, keys: tuple[str, ...]) -> _Grammar:
    """Return the token patterns; a comment that cannot end is never tried, which keeps the pass linear."""
    skipped = "|".join(
        [_BLANK] + [_BLOCK_COMMENT] * block_comments + [_LINE_COMMENT] * line_comments  # one alternative each
    )
    skip = f"(?:{skipped})*+"
    sought = "|".join(re.escape(key) for key in keys)
    plain_key = rf"(?!.(?:{sought})[\"'])(?:\"[^\"\\]*+\"|'[^'\\]*+')"
    pattern = {
        "blank": skip,
        "key": rf"{skip}({_DOUBLE}|{_SINGLE}){skip}:{skip}([{{\[]?)",
        "scalar": rf"{skip}({_SCALAR})",
        "string": rf"(?:{_DOUBLE}|{_SINGLE})",
        "after": rf"{skip}([,}}\]])",
        "members": rf"(?:{skip}{plain_key}{skip}:{skip}{_SCALAR}{skip},)*+",
        "flat": rf"\{{(?:{skip}{plain_key}{skip}:{skip}{_SCALAR}{skip}(?:,|(?=\}})))*+\}}",
        "items": rf"(?:{skip}{_SCALAR}{skip},)*+",
    }
    return _Grammar(**{name: re.compile(text, re.DOTALL) for name, text in pattern.items()})


@cache
def _landmark(comments: bool) -> re.Pattern[str]:
    """Return the pattern of what stops the search in prose: an object's beginning, or a reasoning tag."""
    first = rf"{_DOUBLE}[ \t\r\n]*+[:/]|{_SINGLE}[ \t\r\n]*+[:/]" + ("|/[/*]" if comments else "")
    return re.compile(
        rf"\{{(?=[ \t\r\n]*+(?:{first}))|<(?P<slash>/?)(?P<tag>{_TAGS})[ \t\r\n]*+>", re.DOTALL | re.IGNORECASE
    )


@dataclass(slots=True)
class _Level:
    start: int
    is_object: bool
    has_key: bool = False
    depth: int = 1


@dataclass(slots=True)
class _Reading:
    """The state of reading one outermost object."""

    keys: tuple[str, ...]
    levels: list[_Level]
    found: list[ObjectSpan] = field(default_factory=list)
    shows_key: bool = False
    scalar_at: int = 0


def find_spans(text: str, keys: tuple[str, ...] = CALL_KEYS) -> Spans:
    """Return the last outermost object that carries one of `keys`, skipping reasoning blocks.

    Source: next-step specification, section 9.
    """
    block_end, line_end = text.rfind("*/"), text.rfind("\n")
    last: ObjectSpan | None = None
    broken = False
    position = 0
    while True:
        landmark = _landmark(position < max(block_end, line_end)).search(text, position)
        if landmark is None:
            return Spans(last=last, broken=broken)
        position = landmark.end()
        if landmark["tag"] is None:
            grammar = _grammar(position < block_end, position < line_end, keys)
            flat = grammar.flat.match(text, landmark.start())
            position = flat.end() if flat else _end(grammar.blank, text, position)
            if flat or text[position : position + 1] not in ("'", '"'):
                continue
            reading, position = _read(text, landmark.start(), grammar, keys)
            if reading.shows_key:
                broken = any(level.has_key for level in reading.levels) or reading.found[-1].too_deep
                last = None if broken else reading.found[-1]
        elif landmark["slash"]:
            last, broken = None, False
        else:
            position = _end_of_reasoning(text, position, landmark["tag"])


def _end_of_reasoning(text: str, position: int, tag: str) -> int:
    closing = re.compile(rf"</{tag}[ \t\r\n]*+>", re.IGNORECASE).search(text, position)
    return len(text) if closing is None else closing.end()


def _read(text: str, start: int, grammar: _Grammar, keys: tuple[str, ...]) -> tuple[_Reading, int]:
    """Read one outermost object; return it and where the search goes on. Open levels: it is broken there."""
    reading = _Reading(keys=keys, levels=[_Level(start, is_object=True)])
    place: _Place = "key"
    position = start + 1
    while reading.levels:
        step = None
        if place == "key":
            step = _key(text, position, grammar, reading)
        elif place == "value":
            step = _value(text, position, grammar, reading)
        if step is None:
            step = _comma_or_closer(text, position, grammar, reading, place)
        if step is None:
            return reading, _resume(text, position, grammar, reading, place)
        position, place = step
    return reading, position


def _key(text: str, position: int, grammar: _Grammar, reading: _Reading) -> _Step | None:
    token = grammar.key.match(text, position)
    if token is None:
        return None
    name = token[1][1:-1]
    if name in reading.keys or ("\\" in name and _unescaped(name) in reading.keys):
        reading.levels[-1].has_key = reading.shows_key = True
    if token[2]:
        return _open(reading, token.start(2), is_object=token[2] == "{")
    return token.end(), "value"


def _value(text: str, position: int, grammar: _Grammar, reading: _Reading) -> _Step | None:
    at = _end(grammar.blank, text, position)
    opener = text[at : at + 1]
    if opener in ("{", "["):
        return _open(reading, at, is_object=opener == "{")
    if not reading.levels[-1].is_object:
        at = _end(grammar.items, text, at)
    token = grammar.scalar.match(text, at)
    if token is None:
        return (at, "value") if at > position else None
    reading.scalar_at = token.start(1)
    return token.end(), "after"


def _open(reading: _Reading, at: int, *, is_object: bool) -> _Step:
    reading.levels.append(_Level(at, is_object))
    return at + 1, "key" if is_object else "value"


def _comma_or_closer(text: str, position: int, grammar: _Grammar, reading: _Reading, place: _Place) -> _Step | None:
    """Step over what may stand here; a comma before a closer is let through and repaired later."""
    level = reading.levels[-1]
    token = grammar.after.match(text, position)
    if token is None:
        return None
    if token[1] == ",":
        if place != "after":
            return None
        return (_end(grammar.members, text, token.end()), "key") if level.is_object else (token.end(), "value")
    if (token[1] == "}") != level.is_object or (place == "value" and level.is_object):
        return None
    _close(reading, token.end())
    return token.end(), "after"


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    matched = pattern.match(text, position)
    return position if matched is None else matched.end()


def _unescaped(name: str) -> str:
    return re.sub(r"\\u([0-9a-fA-F]{4})", lambda code: chr(int(code[1], 16)), name)


def _close(reading: _Reading, end: int) -> None:
    level = reading.levels.pop()
    if reading.levels:
        reading.levels[-1].depth = max(reading.levels[-1].depth, level.depth + 1)
    if level.has_key:
        while reading.found and reading.found[-1].start > level.start:
            reading.found.pop()
        reading.found.append(ObjectSpan(start=level.start, end=end, too_deep=level.depth > MAX_DEPTH))


def _resume(text: str, position: int, grammar: _Grammar, reading: _Reading, place: _Place) -> int:
    """Return where the search goes on after a break: inside the last string when it stands right before the break.

    A quote in prose can make two strings out of one; a comment after the string would be read again and again.
    """
    start, end = reading.scalar_at, position
    if place == "key":
        start = _end(grammar.blank, text, position)
        end = _end(grammar.string, text, start)
    broken_at = _end(grammar.blank, text, end)
    is_string = text[start : start + 1] in ("'", '"')
    if place != "value" and is_string and "/" not in text[end:broken_at]:
        return start
    return broken_at
