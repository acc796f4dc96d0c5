"""Bytes of a file as text, and long text as its head and tail.

Pure: knows nothing of files or tools.
Source: reference loop specification, tools and the risk ladder.
"""

from __future__ import annotations

import codecs
import re

from interlock.errors import ToolError

__all__ = ["EMPTY", "cut_label", "decode", "head_and_tail", "is_note", "one_line"]

EMPTY = "(empty)"
"""What a tool gives when there is nothing to show."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = frozenset(range(32)) - {7, 8, 9, 10, 11, 12, 13, 27}
_NOTE = re.compile(r"\[(?:cut|left out|not UTF-8): [^\n]*\]")


def decode(data: bytes, *, name: str) -> str:
    """Return bytes as text: a byte order mark decides, else UTF-8; what is not UTF-8 is replaced and said.

    Raises:
        ToolError: `binary`: the bytes are not text.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _replacing(data[len(mark) :], encoding)
    if looks_binary(data):
        raise ToolError("binary", f"`{name}` is not text; only text can be shown")
    return _replacing(data, "utf-8")


def looks_binary(data: bytes) -> bool:
    """Return whether bytes hold a NUL, or control characters beyond one in fifty."""
    controls = sum(data.count(code) for code in _CONTROLS)
    return 0 in data or controls * 50 > len(data)


def cut_label(size: int, unit: str) -> str:
    """Return the line that stands where something was cut."""
    return f"[cut: {size} {unit}]"


def is_note(line: str) -> bool:
    """Return whether a line of tool output is a note of the tool, not content."""
    return _NOTE.fullmatch(line) is not None


def head_and_tail(text: str, bound: int) -> str:
    """Return `text` within `bound` characters, its middle replaced by a line that says how much was cut."""
    if len(text) <= bound:
        return text
    room = max(0, bound - len(cut_label(len(text), "characters")) - 2)
    head, tail = text[: room - room // 2], text[len(text) - room // 2 :]
    dropped = len(text) - len(head) - len(tail)
    return f"{head}\n{cut_label(dropped, 'characters')}\n{tail}"


def one_line(text: str, bound: int = 300) -> str:
    """Return `text` on one line: space and control characters become one blank; the end is cut."""
    plain = " ".join("".join(" " if not character.isprintable() else character for character in text).split())
    return plain if len(plain) <= bound else plain[: bound - 1] + "…"


def _replacing(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
    note = f"[not UTF-8: bytes shown as � ({text.count('�')})]"
    return f"{text}{'' if text.endswith(chr(10)) else chr(10)}{note}"
