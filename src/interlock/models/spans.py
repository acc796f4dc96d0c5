"""Finds where JSON objects stand in prose, in one forward pass; decodes nothing.

Linear in the length of the text: after a broken object the search goes on where it broke.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias, cast

__all__ = ["CALL_KEYS", "MAX_DEPTH", "ObjectSpan", "Spans", "find_spans"]

CALL_KEYS: tuple[str, ...] = ("call", "action", "function", "tool")
"""Keys that name a pick, in order of precedence inside one object."""

MAX_DEPTH = 100
"""Objects nested deeper are not read."""


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


_BLANK = r"[ \t\r\n]*+"
_DOUBLE = r'"(?:[^"\\]++|\\.)*+"'
_SINGLE = r"'(?:[^'\\]++|\\.)*+'"
_STRING = rf"(?:{_DOUBLE}|{_SINGLE})"
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
_SCALAR = rf"(?:{_STRING}|{_NUMBER}|(?:true|false|null|True|False|None)\b)"
_BLOCK_COMMENT = r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/"
_LINE_COMMENT = r"//[^\n]*+(?=\n)"
_PLAIN = r"""(?:"[^"\\]*+"|'[^'\\]*+')"""
"""A string that needs no unescaping."""
_TAG = r"<(/?)(think|thinking|reasoning)[ \t\r\n]*+>"
_UNSET = "((?!))?+"
"""A group that never takes part, so that the groups of two patterns have the same numbers."""

_Find: TypeAlias = Callable[[str, int], re.Match[str]]
"""Matches at a position; the pattern matches anywhere, if only nothing."""


def _find(pattern: str) -> _Find:
    return cast("_Find", re.compile(pattern, re.DOTALL).match)


_tag = re.compile(_TAG, re.IGNORECASE).match
_opener = re.compile(rf"\[|\{{{_BLANK}({_PLAIN}){_BLANK}:")
_string = re.compile(_STRING, re.DOTALL).match


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grammar:
    """What may come next inside an object; groups: 1 key, 2 openers, 3 scalar, 4 mark after it, 5 closer alone."""

    member: _Find
    item: _Find
    after: _Find
    """Group 1: the mark after a closed object or list."""
    skip: _Find
    """Blanks and comments."""
    plain_run: _Find
    """Openers one inside the other, as far as their first keys are not sought."""


@lru_cache(maxsize=64)
def _grammar(block_comments: bool, line_comments: bool, keys: tuple[str, ...]) -> _Grammar:
    """Return the patterns for where the one and the other comment can end; one that cannot is never tried."""
    blanks = [r"[ \t\r\n]++"] + [_BLOCK_COMMENT] * block_comments + [_LINE_COMMENT] * line_comments
    skip = f"(?:{'|'.join(blanks)})*+"
    members = rf"(?:{skip}{_plain_key(keys)}{skip}:{skip}{_SCALAR}{skip},)*+"
    run = rf"(?:(?:\[|\{{{_BLANK}{_PLAIN}{_BLANK}:){_BLANK}(?=[{{\[]))*+"
    value = rf"({run}[{{\[])|({_SCALAR}){skip}([,}}\]])?+"
    return _Grammar(
        member=_find(rf"{members}{skip}(?:({_STRING}){skip}:{skip}(?:{value})?+|(\}}))?+"),
        item=_find(rf"{_UNSET}(?:{skip}{_SCALAR}{skip},)*+{skip}(?:{value}|(\]))?+"),
        after=_find(rf"{skip}([,}}\]])?+"),
        skip=_find(skip),
        plain_run=_find(rf"(?:(?:\[|\{{{_BLANK}{_plain_key(keys)}{_BLANK}:){_BLANK})*+"),
    )


def _plain_key(keys: tuple[str, ...]) -> str:
    """Return the pattern of a key that is not sought, and that needs no unescaping to tell."""
    sought = "|".join(re.escape(key) for key in keys)
    return rf"(?!.(?:{sought})[\"']){_PLAIN}"


@lru_cache(maxsize=64)
def _prose(comments: bool, keys: tuple[str, ...]) -> _Find:
    """Return the pattern of what is passed over at once: all but reasoning tags and objects worth reading.

    Worth reading is an object with a sought or an escaped key, an inner object or list, or a comment. Any other is
    passed over to its end or to where it breaks, be it at once inside an inner one; a string right before the break is
    left, as `_resume` does.
    """
    key, comment = _plain_key(keys), "|/[/*]" * comments
    left_string = rf"(?={_STRING}{_BLANK}(?![,}}]{comment}))"
    last_scalar = rf"{_SCALAR}{_BLANK}(?!,{comment})\}}?+"
    no_value = rf"(?![{{\[]|{_SCALAR}{comment})"
    in_object = rf"\{{{_BLANK}(?={_STRING}{_BLANK}(?!:{comment}))"
    in_list = rf"\[{_BLANK}(?={_STRING}{_BLANK}(?![,\]]{comment}))"
    no_member = rf"(?={_STRING}{_BLANK}(?!:{comment}))|(?!{_STRING}|\}}{comment})"
    rest = rf"\}}|{key}{_BLANK}:{_BLANK}(?:{left_string}|{last_scalar}|{no_value}|{in_object}|{in_list})|{no_member}"
    members = rf"(?:{_BLANK}{key}{_BLANK}:{_BLANK}{_SCALAR}{_BLANK},)*+"
    no_tag = rf"(?!(?i:{_TAG}))<"
    at_once = rf"(?![\"'}}]{comment})|(?={_STRING}{_BLANK}(?!:{comment}))"
    return _find(rf"(?:[^{{<]++|\{{{_BLANK}(?:{at_once}|{members}{_BLANK}(?:{rest}))|{no_tag})*+")


@dataclass(slots=True)
class _Level:
    """An open object or list, or a run of them that open one inside the other with nothing but plain keys between."""

    start: int
    is_object: bool
    has_key: bool = False
    depth: int = 1
    run_end: int = 0
    """Where a run ends; 0 for a single one."""


@dataclass(slots=True)
class _Reading:
    """The state of reading one outermost object."""

    text: str
    keys: tuple[str, ...]
    levels: list[_Level]
    """Those that are open; none at the end of a complete object."""
    found: list[ObjectSpan] = field(default_factory=list)
    shows_key: bool = False


def find_spans(text: str, keys: tuple[str, ...] = CALL_KEYS) -> Spans:
    """Return the last outermost object that carries one of `keys`, skipping reasoning blocks.

    Source: next-step specification, section 9.
    """
    block_end = text.rfind("*/") if "/*" in text else -1
    line_end = text.rfind("\n") if "//" in text else -1
    last: ObjectSpan | None = None
    broken = False
    position = 0
    endings: tuple[bool, bool] | None = None
    while True:
        if (endings_now := (position < block_end, position < line_end)) != endings:
            endings = endings_now
            prose, grammar = _prose(any(endings), keys), _grammar(*endings, keys)
        position = prose(text, position).end()
        if position == len(text):
            return Spans(last=last, broken=broken)
        if text[position] == "<":
            tag = cast("re.Match[str]", _tag(text, position))
            position = tag.end() if tag[1] else _end_of_reasoning(text, tag)
            last, broken = (None, False) if tag[1] else (last, broken)
            continue
        found = grammar.member(text, position + 1)
        if found.lastindex is None:
            position = _resume(text, found, grammar)
            continue
        reading = _Reading(text=text, keys=keys, levels=[_Level(position, is_object=True)])
        position = _read(text, found, grammar, reading)
        if reading.shows_key:
            broken = any(level.has_key for level in reading.levels) or reading.found[-1].too_deep
            last = None if broken else reading.found[-1]


def _end_of_reasoning(text: str, tag: re.Match[str]) -> int:
    closing = re.compile(rf"</{tag[2]}[ \t\r\n]*+>", re.IGNORECASE).search(text, tag.end())
    return len(text) if closing is None else closing.end()


def _read(text: str, found: re.Match[str], grammar: _Grammar, reading: _Reading) -> int:
    """Read one outermost object, of which `found` is the first member; return where the search goes on."""
    is_after = False
    while True:
        following = _marked(reading, found[1], found.end(), grammar) if is_after else _entered(reading, found, grammar)
        if following is None:
            return _after_break(found) if is_after else _resume(text, found, grammar)
        if not reading.levels:
            return found.end()
        is_after = following is grammar.after
        found = following(text, found.end())


def _entered(reading: _Reading, found: re.Match[str], grammar: _Grammar) -> _Find | None:
    """Take in a member or an item; return what may follow it, None when nothing fits."""
    if found.lastindex is None:
        return None
    key, openers, _, mark, closer = found.groups()
    if key is not None:
        name = key[1:-1]
        if name in reading.keys or ("\\" in name and _unescaped(name) in reading.keys):
            reading.levels[-1].has_key = reading.shows_key = True
    if openers is not None:
        last = found.end(2) - 1
        if len(openers) > 1:
            has_key = grammar.plain_run(reading.text, found.start(2)).end() < last
            reading.levels.append(_Level(found.start(2), is_object=False, has_key=has_key, run_end=last))
            reading.shows_key = reading.shows_key or has_key
        reading.levels.append(_Level(last, is_object=openers[-1] == "{"))
        return grammar.member if openers[-1] == "{" else grammar.item
    return _marked(reading, mark or closer, found.end(), grammar)


def _marked(reading: _Reading, mark: str | None, end: int, grammar: _Grammar) -> _Find | None:
    """Take in a comma or closer that ends at `end`; a comma before a closer is let through and repaired later."""
    if mark is None:
        return None
    if reading.levels[-1].run_end:
        reading.levels += _unfolded(reading, reading.levels.pop())
    is_object = reading.levels[-1].is_object
    if mark == ",":
        return grammar.member if is_object else grammar.item
    if (mark == "}") != is_object:
        return None
    _close(reading, end)
    return grammar.after


def _close(reading: _Reading, end: int) -> None:
    level = reading.levels.pop()
    if reading.levels:
        reading.levels[-1].depth = max(reading.levels[-1].depth, level.depth + 1)
    if level.has_key:
        while reading.found and reading.found[-1].start > level.start:
            reading.found.pop()
        reading.found.append(ObjectSpan(start=level.start, end=end, too_deep=level.depth > MAX_DEPTH))


def _unfolded(reading: _Reading, run: _Level) -> list[_Level]:
    """Return the single levels of a run."""
    levels = []
    for opener in _opener.finditer(reading.text, run.start, run.run_end):
        key = opener[1]
        levels.append(_Level(opener.start(), is_object=key is not None, has_key=(key or "")[1:-1] in reading.keys))
    levels[-1].depth = run.depth
    return levels


def _unescaped(name: str) -> str:
    return re.sub(r"\\u([0-9a-fA-F]{4})", lambda code: chr(int(code[1], 16)), name)


def _after_break(found: re.Match[str]) -> int:
    """Return where the search goes on when a closed object or list is followed by what may not stand there."""
    return found.end() if found[1] is None else found.start(1)


def _resume(text: str, found: re.Match[str], grammar: _Grammar) -> int:
    """Return where the search goes on after a member or an item that does not fit.

    That is inside the last string when it stands right before the break: a quote in prose can make two strings out of
    one. With a comment between it is behind the comment, which would else be read again and again.
    """
    start, end = found.span(3)
    broken_at = found.end() if found[4] is None else found.start(4)
    if found[3] is None and found[1] is None:
        string = _string(text, found.end())
        if string is None:
            return broken_at
        start, end = string.span()
        broken_at = grammar.skip(text, end).end()
    is_string = start >= 0 and text[start] in "'\""
    return start if is_string and "/" not in text[end:broken_at] else broken_at
