"""From text to lines: what is read, and what is prose because it stands in a fence or a comment.

Loses nothing: the lines with their endings are the text again. Knows nothing of keys or blocks.
Source: decision-contract/v1, lexical rules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from interlock.contract.findings import Findings

__all__ = ["MASK", "MAX_CHARS", "Source", "scan"]

MAX_CHARS = 500_000
"""A longer text is not read."""

MASK = "\x1f"
"""Stands in a readable line for each character of a comment; it is white space and is refused in the text itself."""

_BOM = "\ufeff"
_CONTROL = bytes(code for code in range(32) if code not in b"\t\n\r") + b"\x7f"
_CONTROL_CHARACTER = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_FENCE = re.compile(r"(`{3,}|~{3,})(.*)")
_BACKTICKS = re.compile(r"`+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A text as lines; line n of the file is at index n - 1. A text that is too large has no lines."""

    bom: bool
    lines: Sequence[str]
    """Every line as written, without its ending and without the mark that opens the file."""
    readable: Sequence[str]
    """Every line with its columns kept; blank inside a fence, `MASK` for each character of a comment."""
    endings: Sequence[str]
    """The ending of each line, empty for the last."""

    def text(self, lines: Sequence[str]) -> str:
        """Return the file with `lines` in place of its own; without a change it is the text that was scanned."""
        body = "".join(line + ending for line, ending in zip(lines, self.endings, strict=True))
        return _BOM + body if self.bom else body


def scan(text: str, findings: Findings) -> Source:
    """Return the lines of `text`, reporting what no line can be read from."""
    if len(text) > MAX_CHARS:
        findings.add(
            "too-large",
            1,
            1,
            0,
            f"the file has {len(text)} characters",
            fix=f"a contract has at most {MAX_CHARS}; check that this is the right file",
        )
        return Source(bom=False, lines=(), readable=(), endings=())
    bom = text.startswith(_BOM)
    if bom:
        text = text[1:]
    lines = text.split("\n")
    endings = ["\n"] * (len(lines) - 1) + [""]
    if "\r" in text:
        _cut_carriage_returns(lines, endings, findings)
    readable = _without_unreadable_characters(text, lines, findings)
    if "<!--" in text or _opens_fence(text, "```") or _opens_fence(text, "~~~"):
        readable = _Masking(findings).masked(readable)
    return Source(bom=bom, lines=lines, readable=readable, endings=endings)


def _cut_carriage_returns(lines: list[str], endings: list[str], findings: Findings) -> None:
    for index, line in enumerate(lines):
        kept = line
        if line.endswith("\r") and endings[index]:
            kept = line[:-1]
            lines[index] = kept
            endings[index] = "\r\n"
        at = kept.find("\r")
        if at >= 0:
            findings.add(
                "bare-carriage-return",
                index + 1,
                at + 1,
                1,
                "a carriage return without a line feed",
                fix="end lines with a line feed, or with both",
            )


def _without_unreadable_characters(text: str, lines: Sequence[str], findings: Findings) -> Sequence[str]:
    readable = lines
    try:
        data = text.encode()
    except UnicodeEncodeError:
        readable = [_without_surrogates(number, line, findings) for number, line in enumerate(lines, 1)]
        data = text.encode(errors="replace")
    if len(data.translate(None, _CONTROL)) == len(data):
        return readable
    for number, line in enumerate(lines, 1):
        match = _CONTROL_CHARACTER.search(line)
        if match:
            findings.add(
                "control-character",
                number,
                match.start() + 1,
                1,
                f"the control character U+{ord(match[0]):04X}",
                fix="write text; of the control characters only tabs and line ends are read",
            )
    return readable


def _without_surrogates(number: int, line: str, findings: Findings) -> str:
    try:
        line.encode()
    except UnicodeEncodeError as error:
        findings.add(
            "lone-surrogate",
            number,
            error.start + 1,
            1,
            f"half of a character, U+{ord(line[error.start]):04X}",
            fix="save the file as UTF-8",
        )
    return line.encode(errors="replace").decode()


def _opens_fence(text: str, mark: str) -> bool:
    """Say whether some line begins with `mark`; looks at one place in a line at most."""
    at = text.find(mark)
    while at >= 0:
        if not text[text.rfind("\n", 0, at) + 1 : at].strip():
            return True
        line_end = text.find("\n", at)
        at = -1 if line_end < 0 else text.find(mark, line_end)
    return False


class _Masking:
    """Walks the lines and remembers which fence or comment is open; what never closes hides its own line only."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._fence: str | None = None
        self._in_comment = False
        self._opened = (0, 0)
        """Line and column of what is open."""

    def masked(self, lines: Sequence[str]) -> list[str]:
        readable = [self._line(number, line) for number, line in enumerate(lines, 1)]
        if self._fence is not None or self._in_comment:
            self._report_what_is_open()
            opened = self._opened[0]
            readable[opened:] = lines[opened:]
        return readable

    def _line(self, number: int, line: str) -> str:
        if self._fence is not None:
            mark = line.strip()
            if mark.startswith(self._fence) and not mark.strip(self._fence[0]):
                self._fence = None
            return ""
        if self._in_comment or "<!--" in line:
            line = self._without_comments(number, line)
        match = _FENCE.match(line.strip()) if "```" in line or "~~~" in line else None
        if match is None or (match[1][0] == "`" and "`" in match[2]):
            return line
        self._fence = match[1]
        self._opened = (number, line.index(match[1]) + 1)
        return ""

    def _without_comments(self, number: int, line: str) -> str:
        parts: list[str] = []
        spans = _code_spans(line)
        at = 0
        while at < len(line):
            if self._in_comment:
                end = line.find("-->", at)
                self._in_comment = end < 0
                stop = len(line) if end < 0 else end + 3
                parts.append(MASK * (stop - at))
            else:
                start = _comment_start(line, at, spans)
                self._in_comment = start < len(line)
                parts.append(line[at:start])
                stop = start
                if self._in_comment:
                    self._opened = (number, start + 1)
                    parts.append(MASK * 4)
                    stop += 4
            at = stop
        return "".join(parts)

    def _report_what_is_open(self) -> None:
        line, column = self._opened
        if self._fence is not None:
            self._findings.add(
                "unclosed-fence",
                line,
                column,
                len(self._fence),
                "this fence never closes, so nothing after it is read",
                fix="close it with the same signs on a line of their own",
            )
        else:
            self._findings.add(
                "unclosed-comment",
                line,
                column,
                4,
                "this comment never closes, so nothing after it is read",
                fix="close it with `-->`",
            )


def _code_spans(line: str) -> list[tuple[int, int]]:
    """Return start and end of what stands between two equal runs of backticks, from the last to the first."""
    runs = [(match.start(), match.end()) for match in _BACKTICKS.finditer(line)]
    closing: dict[int, int] = {}
    partner: list[int | None] = [None] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        width = runs[index][1] - runs[index][0]
        partner[index] = closing.get(width)
        closing[width] = index
    spans: list[tuple[int, int]] = []
    index = 0
    while index < len(runs):
        other = partner[index]
        if other is not None:
            spans.append((runs[index][1], runs[other][0]))
            index = other
        index += 1
    spans.reverse()
    return spans


def _comment_start(line: str, at: int, spans: list[tuple[int, int]]) -> int:
    """Return where the next comment opens, code spans aside; the length of the line when none does.

    Takes from `spans` those that end before it.
    """
    start = line.find("<!--", at)
    while start >= 0:
        while spans and spans[-1][1] <= start:
            spans.pop()
        if not spans or start < spans[-1][0]:
            return start
        start = line.find("<!--", spans[-1][1])
    return len(line)
