"""Reads the lines of one decision: keys, items of the list that is open, and prose that could be either.

Knows nothing of what a value means.
Source: decision-contract/v1, lexical rules.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from interlock.contract.document import KEYS, Block, Entry, QuestionBlock
from interlock.contract.findings import Findings, quoted, replace_in_line, suggest
from interlock.contract.syntax import MASK

__all__ = ["KEY", "BlockReader", "entry_of"]

_Mode: TypeAlias = Literal["options", "frame", "policy", "closed"]

KEY = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)[ \t]*:(.*)")
"""A line that reads as a key: the word and what follows the colon."""

_WIDE_COLON = re.compile(r"((?:kind|when|dynamic|ask|frame|policy|schema)\s*)：", re.IGNORECASE)
_LOST_COLON = re.compile(
    r"(?:frame|policy)\W*$|kind\W+(?:noul|choice|score|mixed|rule)$|dynamic.*\(\s*ctx\s*:", re.IGNORECASE
)
_PREDICATE = re.compile(r"(?:else|top|prob|score|picked)\b")
_SIGNS = {"frame": ("+", "-"), "policy": ("-", "*")}
_CONTINUED = frozenset(("ask", "when", "dynamic", "option", "frame", "policy"))


def entry_of(number: int, text: str, mark: str, value: str) -> Entry:
    """Return the entry of a line; `value` is what follows the mark up to the end of the stripped line."""
    body = value.strip()
    column = len(text) - len(text.lstrip()) + 1
    text_column = len(text.rstrip()) - len(value.lstrip()) + 1
    if MASK in body:
        body = body.replace(MASK, "")
    return Entry(line=number, column=column, mark=mark, text=body, text_column=text_column)


class BlockReader:
    """Takes the lines of a decision in order; `_mode` says what an item belongs to."""

    def __init__(self, heading: Entry, findings: Findings) -> None:
        self._heading = heading
        self._findings = findings
        self._keys: dict[str, Entry] = {}
        self._lists: dict[str, list[Entry]] = {}
        self._items: list[Entry] = []
        """The list that is open: options, fields or rules."""
        self._ask: Entry | None = None
        self._question = heading
        self._questions: list[QuestionBlock] = []
        self._options: list[Entry] = self._items
        self._mode: _Mode = "options"
        self._previous = ""
        """What the line directly above was."""
        self.holds_schema = False

    def blank(self) -> None:
        """End a list of fields or rules; options go on after a blank line."""
        self._previous = ""
        if self._mode != "options":
            self._mode = "closed"

    def question(self, heading: Entry) -> None:
        """Begin another question."""
        self._end_question()
        self._question = heading
        self._previous = ""

    def close(self) -> Block:
        """Return what the lines hold."""
        self._end_question()
        return Block(
            heading=self._heading,
            keys=self._keys,
            questions=tuple(self._questions),
            frame=tuple(self._lists.get("frame", ())),
            policy=tuple(self._lists.get("policy", ())),
        )

    def line(self, number: int, text: str, stripped: str) -> None:
        """Take one line that is neither blank nor a heading that counts."""
        if stripped[0] in "-+*" and _is_item(stripped):
            self._item(entry_of(number, text, stripped[0], stripped[1:]))
            return
        match = KEY.match(stripped) if ":" in stripped else None
        if match is None:
            self._prose(number, text, stripped)
        elif self._mode == "policy" and match[1] in ("prob", "score", "picked"):
            self._report_lost_sign(number, text, stripped)
        else:
            self._key(entry_of(number, text, match[1].lower(), match[2]), match[1])

    def _end_question(self) -> None:
        if self._ask is not None or self._options or self._question.mark == "###":
            question = QuestionBlock(heading=self._question, ask=self._ask, options=tuple(self._options))
            self._questions.append(question)
        self._ask = None
        self._items = self._options = []
        self._mode = "options"

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
            self._findings.add(
                "value-after-list-key",
                entry.line,
                entry.text_column,
                len(entry.text),
                f"`{entry.mark}:` takes no text on its own line",
                fix="write one item per line below it",
            )

    def _report_unknown(self, entry: Entry, written: str) -> None:
        if entry.mark == "schema":
            self.holds_schema = True
            message, fix = "`schema:` stands inside a decision", "name the schema before the first `##`"
            self._findings.add("misplaced-schema", entry.line, entry.column, len(written), message, fix=fix)
            return
        message = f"no key {quoted(written + ':')}"
        fix = f"{suggest(entry.mark, KEYS)} to write prose, quote the line with `> ` or drop the colon"
        self._findings.add("unknown-key", entry.line, entry.column, len(written), message, fix=fix)

    def _item(self, entry: Entry) -> None:
        if self._mode == "closed" or (self._mode == "options" and entry.mark == "+"):
            self._previous = ""
            self._findings.add(
                "item-outside-list",
                entry.line,
                entry.column,
                entry.text_column - entry.column + len(entry.text),
                "this item belongs to no list; a blank line or prose ended the list before it",
                fix="join it to its list, or write prose without a leading sign",
            )
            return
        self._previous = "option" if self._mode == "options" else self._mode
        signs = _SIGNS.get(self._mode)
        if signs is not None and entry.mark not in signs:
            self._report_sign(entry, signs)
        elif not entry.text:
            self._findings.add(
                "empty-item", entry.line, entry.column, 1, "an item without text", fix="write or drop it"
            )
        else:
            self._items.append(entry)

    def _report_sign(self, entry: Entry, signs: tuple[str, str]) -> None:
        self._findings.add(
            "malformed-item",
            entry.line,
            entry.column,
            1,
            f"items under `{self._mode}:` do not begin with `{entry.mark}`",
            fix=f"begin the line with `{signs[0]} ` or `{signs[1]} `",
        )

    def _prose(self, number: int, text: str, stripped: str) -> None:
        if self._reads_like_an_item(stripped):
            self._report_lost_sign(number, text, stripped)
            return
        wide = _WIDE_COLON.match(stripped)
        column = len(text) - len(text.lstrip()) + 1
        if wide is not None:
            place = column + len(wide[1])
            message, fix = f"{quoted(wide[0])} has a full-width colon", f"write {quoted(wide[1].rstrip() + ':')}"
            edit = replace_in_line(number, place, 1, ":")
            self._findings.add("malformed-key", number, place, 1, message, fix=fix, edit=edit)
        elif _LOST_COLON.match(stripped) is not None:
            message, fix = f"{quoted(stripped)} reads like a key without its colon", "write the colon after the key"
            self._findings.add("malformed-key", number, column, len(stripped), message, fix=fix)
        elif self._previous in _CONTINUED:
            message = f"this line is prose and no part of the line above it ({quoted(self._previous)})"
            fix = "join the two lines, or leave a blank line between them"
            self._findings.add("continued-line", number, column, len(stripped), message, fix=fix)
        self.blank()

    def _reads_like_an_item(self, stripped: str) -> bool:
        if self._mode == "policy":
            return "→" in stripped or "->" in stripped or "=>" in stripped or _PREDICATE.match(stripped) is not None
        if self._mode == "frame":
            return stripped[0] in "+-" or "——" in stripped or " -- " in stripped
        return False

    def _report_lost_sign(self, number: int, text: str, stripped: str) -> None:
        lost = self._mode == "policy" and _PREDICATE.match(stripped) is not None
        column = len(text) - len(text.lstrip()) + 1
        signs = _SIGNS[self._mode]
        self._findings.add(
            "malformed-item",
            number,
            column,
            len(stripped),
            f"{quoted(stripped)} reads like an item of `{self._mode}:` without its sign",
            fix=f"begin the line with `{signs[0]} ` or `{signs[1]} `, or leave a blank line above prose",
            edit=replace_in_line(number, column, 0, "- ") if lost else None,
        )


def report_twice(entry: Entry, first: Entry, findings: Findings) -> None:
    """Report a key that stands a second time."""
    findings.add(
        "duplicate-key",
        entry.line,
        entry.column,
        len(entry.mark),
        f"`{entry.mark}:` is written twice; the first stands on line {first.line}",
        fix="keep one of them",
    )


def _is_item(stripped: str) -> bool:
    """Say whether a line that begins with a sign is an item; a rule across the page is not."""
    if len(stripped) > 1 and not stripped[1].isspace():
        return False
    return stripped.count(stripped[0]) < 3 or bool(stripped.strip(stripped[0] + " \t"))
