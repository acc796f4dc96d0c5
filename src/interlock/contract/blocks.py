"""Reads the lines of one decision: keys, items of the list that is open, and prose that could be either.

Knows nothing of what a value means.
Source: decision-contract/v1, lexical rules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_letters
from typing import Literal, TypeAlias

from interlock.contract.document import KEYS, Block, Entry, QuestionBlock
from interlock.contract.findings import Findings, quoted, replace_in_line, suggest
from interlock.contract.syntax import MASK

__all__ = ["KEY", "BlockReader", "check_heading", "entry_of", "report_twice"]

_Mode: TypeAlias = Literal["options", "frame", "policy", "closed"]

KEY = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)[ \t]*:")
"""The beginning of a line that reads as a key."""

_WORD_STARTS = frozenset("#_" + ascii_letters)
"""How a line begins that can be a heading or a key; another line is prose, wherever no list is open above it."""

_QUESTION = re.compile(r"(###)(?!#)(\s*)(.*)")
_WIDE_COLON = re.compile(r"(kind|when|dynamic|ask|frame|policy|schema)(\s*)：", re.IGNORECASE)
_LOST_COLON = re.compile(
    r"(frame|policy)\W*$"
    r"|(kind)\W+(?=(?:noul|choice|score|mixed|rule)$)"
    r"|(dynamic)\W+(?=\w+\s*\(\s*ctx\s*:)",
    re.IGNORECASE,
)
_PREDICATE = re.compile(r"(?:else|top|prob|score|picked)\b")
_SIGNS = {"options": "-*", "frame": "+-", "policy": "-*", "closed": ""}
_CONTINUED = {
    "ask": "question",
    "when": "position",
    "dynamic": "provider",
    "options": "option",
    "frame": "frame",
    "policy": "policy",
}
"""What stands above a line of prose → what a reader could take the prose for a part of."""


def entry_of(number: int, whole: str, mark: str, text: str) -> Entry:
    """Return the entry of a line, comments taken out of its text."""
    return Entry(line=number, mark=mark, text=text.replace(MASK, "") if MASK in text else text, whole=whole)


class BlockReader:
    """Takes the lines of a decision in order; `_mode` says what an item belongs to."""

    def __init__(self, heading: Entry, findings: Findings) -> None:
        self._heading = heading
        self._findings = findings
        self._keys: dict[str, Entry] = {}
        self._lists: dict[str, list[Entry]] = {}
        self._ask: Entry | None = None
        self._options: list[Entry] = []
        self._items = self._options
        """The list that is open: options, fields or rules."""
        self._question = heading
        self._questions: list[QuestionBlock] = []
        self._mode: _Mode = "options"
        self._previous = ""
        """What the line directly above was; never empty while a list of fields or rules is open."""
        self._strays: list[Entry] = []
        self.holds_schema = False

    def read(self, lines: Sequence[str], stripped: Sequence[str], start: int) -> Block:
        """Return what the lines hold; `stripped` begins at index `start` of `lines`."""
        for index, content in enumerate(stripped, start):
            if not content:
                if self._previous:
                    self._end_list()
            elif content[0] in "-+*" and _is_item(content):
                self._item(entry_of(index + 1, lines[index], content[0], content[1:].lstrip()))
            elif self._previous or content[0] in _WORD_STARTS:
                self._line(index + 1, lines[index], content)
        self._end_question()
        return Block(
            heading=self._heading,
            keys=self._keys,
            questions=tuple(self._questions),
            frame=tuple(self._lists.get("frame", ())),
            policy=tuple(self._lists.get("policy", ())),
            strays=tuple(self._strays),
        )

    def _end_list(self) -> None:
        """End a list of fields or rules; options go on after a blank line."""
        self._previous = ""
        if self._mode != "options":
            self._mode = "closed"

    def _line(self, number: int, whole: str, content: str) -> None:
        if content[0] == "#":
            heading = _QUESTION.match(content)
            if heading is not None:
                check_heading(number, whole, heading, self._findings)
                self._end_question()
                self._question = entry_of(number, whole, "###", heading[3])
                return
        match = KEY.match(content) if ":" in content else None
        if match is None:
            self._prose(number, whole, content)
        elif self._mode == "policy" and match[1] in ("prob", "score", "picked"):
            self._report_lost_sign(number, whole, content)
        else:
            self._key(entry_of(number, whole, match[1].lower(), content[match.end() :].lstrip()), match[1])

    def _end_question(self) -> None:
        if self._ask is not None or self._options or self._question.mark == "###":
            question = QuestionBlock(heading=self._question, ask=self._ask, options=tuple(self._options))
            self._questions.append(question)
        self._ask = None
        self._items = self._options = []
        self._mode = "options"
        self._previous = ""

    def _key(self, entry: Entry, written: str) -> None:
        key = self._previous = entry.mark
        if key == "ask":
            self._mode = "options"
            self._items = self._options
            if self._ask is None:
                self._ask = entry
            else:
                report_twice(entry, self._ask, self._findings)
            return
        if self._mode != "options":
            self._mode = "closed"
        if key in self._keys:
            report_twice(entry, self._keys[key], self._findings)
        elif key in KEYS:
            self._keys[key] = entry
        else:
            self._report_unknown(entry, written)
        if key in ("frame", "policy"):
            self._open_list(entry)

    def _open_list(self, entry: Entry) -> None:
        self._mode = "frame" if entry.mark == "frame" else "policy"
        self._items = []
        self._lists.setdefault(entry.mark, self._items)
        if entry.text:
            message = f"`{entry.mark}:` takes no text on its own line"
            fix = "write one item per line below it"
            width = len(entry.text)
            self._findings.add("value-after-list-key", entry.line, entry.text_column, width, message, fix=fix)

    def _report_unknown(self, entry: Entry, written: str) -> None:
        if entry.mark == "schema":
            self.holds_schema = True
            message, fix = "`schema:` stands inside a decision", "name the schema before the first `##`"
            self._findings.add("misplaced-schema", entry.line, entry.column, len(written), message, fix=fix)
            return
        message = f"no key {quoted(written + ':')}"
        fix = f"{suggest(entry.mark, KEYS)}; for prose, quote the line with `> ` or write it without the colon"
        self._findings.add("unknown-key", entry.line, entry.column, len(written), message, fix=fix)

    def _item(self, entry: Entry) -> None:
        mode = self._mode
        self._previous = mode
        if entry.text and entry.mark in _SIGNS[mode]:
            self._items.append(entry)
        elif mode == "closed" or (mode == "options" and entry.mark == "+"):
            self._previous = ""
            self._strays.append(entry)
            message = "this item belongs to no list; a blank line or prose ended the list before it"
            fix = "join it to its list, or write prose without a leading sign"
            self._findings.add("item-outside-list", entry.line, entry.column, entry.width, message, fix=fix)
        elif entry.mark not in _SIGNS[mode]:
            self._strays.append(entry)
            message = f"items under `{mode}:` do not begin with `{entry.mark}`"
            fix = "begin the line with `{} ` or `{} `".format(*_SIGNS[mode])
            self._findings.add("malformed-item", entry.line, entry.column, 1, message, fix=fix)
        else:
            message, fix = "an item without text", "write its text or drop the line"
            self._findings.add("empty-item", entry.line, entry.column, 1, message, fix=fix)

    def _prose(self, number: int, whole: str, content: str) -> None:
        if self._reads_like_an_item(content):
            self._report_lost_sign(number, whole, content)
            return
        if self._lost_colon(number, whole, content):
            return
        if self._previous in _CONTINUED:
            message = f"this line is prose and no part of the {_CONTINUED[self._previous]} above it"
            fix = "join the two lines, or leave a blank line between them"
            self._findings.add("continued-line", number, _column(whole), len(content), message, fix=fix)
        self._end_list()

    def _lost_colon(self, number: int, whole: str, content: str) -> bool:
        """Report a key whose colon is missing or full-width, and read it as the key; say whether the line was one."""
        if content[0] not in "kwdafpsKWDAFPS":
            return False
        column = _column(whole)
        match = _WIDE_COLON.match(content)
        if match is not None:
            key, at = match[1], column + match.end() - 1
            message, fix = f"{quoted(match[0])} has a full-width colon", f"write `{key}:`"
            edit = replace_in_line(number, at, 1, ":")
            self._findings.add("malformed-key", number, at, 1, message, fix=fix, edit=edit)
        else:
            match = _LOST_COLON.match(content)
            if match is None:
                return False
            key = match[1] or match[2] or match[3]
            message, fix = f"{quoted(content)} reads like a key without its colon", f"write `{key}:`"
            self._findings.add("malformed-key", number, column, len(content), message, fix=fix)
        self._key(entry_of(number, whole, key.lower(), content[match.end() :].lstrip()), key)
        return True

    def _reads_like_an_item(self, content: str) -> bool:
        if self._mode == "policy":
            return "→" in content or "->" in content or "=>" in content or _PREDICATE.match(content) is not None
        if self._mode == "frame":
            return content[0] in "+-" or "——" in content or " -- " in content
        return False

    def _report_lost_sign(self, number: int, whole: str, content: str) -> None:
        self._strays.append(entry_of(number, whole, content[0], content.lstrip("+-* ")))
        lost = self._mode == "policy" and _PREDICATE.match(content) is not None
        column = _column(whole)
        signs = _SIGNS[self._mode]
        self._findings.add(
            "malformed-item",
            number,
            column,
            len(content),
            f"{quoted(content)} reads like an item of `{self._mode}:` without its sign",
            fix=f"begin the line with `{signs[0]} ` or `{signs[1]} `, or leave a blank line above prose",
            edit=replace_in_line(number, column, 0, "- ") if lost else None,
        )


def check_heading(number: int, whole: str, match: re.Match[str], findings: Findings) -> None:
    """Report a heading without a space after its signs or without text; groups: signs, space, text."""
    signs, space, words = match.groups()
    column = _column(whole)
    if not words:
        message, fix = "a heading without text", f"write `{signs} id`"
        findings.add("malformed-heading", number, column, len(signs), message, fix=fix)
    elif not space:
        message, fix = f"{quoted(match[0])} has no space after `{signs}`", f"write {quoted(f'{signs} {words}')}"
        edit = replace_in_line(number, column + len(signs), 0, " ")
        findings.add("malformed-heading", number, column, len(match[0]), message, fix=fix, edit=edit)


def report_twice(entry: Entry, first: Entry, findings: Findings) -> None:
    """Report a key that stands a second time."""
    message = f"`{entry.mark}:` is written twice; the first stands on line {first.line}"
    findings.add("duplicate-key", entry.line, entry.column, len(entry.mark), message, fix="keep one of them")


def _column(whole: str) -> int:
    return len(whole) - len(whole.lstrip()) + 1


def _is_item(content: str) -> bool:
    """Say whether a line that begins with a sign is an item; a rule across the page is not."""
    if content[1:2] != " " and not content[1:2].isspace() and len(content) > 1:
        return False
    return content[-1] != content[0] or len(content) == 1 or bool(content.strip(content[0] + " \t"))
