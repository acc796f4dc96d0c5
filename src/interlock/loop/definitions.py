"""Finds the definitions in a source text: their names, their kinds, and the exact lines of each.

Python by indentation; TypeScript, JavaScript, Go, Rust, Java and C-like languages by braces. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from interlock.tools.task.lexicon import words

__all__ = ["Definition", "Kind", "definitions"]

Kind: TypeAlias = Literal["function", "class", "value"]

_PYTHON = re.compile(r"^(?P<indent>[ \t]*)(?:(?:async )?(?P<def>def)|(?P<class>class)) (?P<name>\w+)")
_PYTHON_VALUE = re.compile(r"^(?P<name>[A-Za-z_]\w*)(?:\s*:[^=]+)?\s*=(?!=)")
_MODIFIERS = (
    r"(?:(?:export|default|declare|async|abstract|public|private|protected|internal|static|final|sealed|override"
    r"|virtual"
    r"|unsafe|extern|const|inline|synchronized|partial|data|open|suspend|pub(?:\([\w: ]+\))?)\s+)*"
)
_CLASS_WORDS = "class|interface|struct|enum|trait|record|object|protocol|union|namespace|module"
_KEYWORD = re.compile(
    rf"^\s*{_MODIFIERS}(?:(?P<function>function\s*\*?|func(?:\s*\([^)]*\))?|fn|fun)|(?P<class>{_CLASS_WORDS})"
    r"|(?P<value>type|let|var|val))\s+(?:mut\s+)?(?P<name>[A-Za-z_$][\w$]*)"
)
_VALUE_AFTER_MODIFIER = re.compile(
    r"^\s*(?:export\s+)?(?:declare\s+)?(?:pub(?:\([\w: ]+\))?\s+)?(?:const"
    r"|static)\s+(?:mut\s+)?(?P<name>[A-Za-z_$][\w$]*)\s*[:=]"
)
_ARROW = re.compile(r"=\s*(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*(?::[^=]+)?=>|=\s*(?:async\s+)?function\b")
_SIGNATURE = re.compile(
    rf"^\s*{_MODIFIERS}(?:[\w$.<>\[\],?*&: ]+[\s*&])(?P<name>[A-Za-z_$][\w$]*)\s*\([^;{{}}]*\)"
    r"\s*(?:const\s*|throws [\w., ]+|noexcept\s*)?\{"
)
_METHOD = re.compile(
    r"^\s+(?:(?:async|static|get|set|public|private|protected"
    r"|readonly)\s+)*(?P<name>[A-Za-z_$][\w$]*)\s*\([^;{}]*\)[^;{}]*\{\s*$"
)
_CONTROL = words("if for while switch catch return else do try with new throw match loop unless function")
_OPEN_ENDS = ("=", "=>", "(", "|", "&", "+", "->", "?", ":", ",", "where")
_LEADS = re.compile(r"^\s*(?:@\w|#\[)")
_HIDDEN_PYTHON = re.compile(r"^_")
_EXPORTED = {
    "ts": r"\bexport\b", "tsx": r"\bexport\b", "js": r"\bexport\b", "jsx": r"\bexport\b", "mjs": r"\bexport\b",
    "rs": r"^\s*pub\b", "java": r"\bpublic\b", "cs": r"\bpublic\b", "kt": r"^(?!\s*(?:private|internal))",
}  # fmt: skip
_MAX_LINES = 50_000
_MAX_CHARS = 500
"""A longer line is generated code and defines nothing by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """One definition and where it stands."""

    name: str
    kind: Kind
    line: int
    """1-based line of the name."""
    first: int
    last: int
    """1-based lines of the whole definition, decorators and attributes included."""
    nested: bool
    """True when it stands inside of another definition."""
    exported: bool
    """True when other files can use it, as far as one line tells."""


def definitions(text: str, path: str) -> tuple[Definition, ...]:
    """Return the definitions of `text`, in order; the extension of `path` decides how it is read."""
    lines = text.split("\n")[:_MAX_LINES]
    extension = path.rpartition(".")[2].lower()
    return tuple(_python(lines) if extension in {"py", "pyi"} else _braces(lines, extension))


def _python(lines: Sequence[str]) -> list[Definition]:
    found = []
    open_until = 0
    for at, line in enumerate(lines):
        match = _PYTHON.match(line)
        value = None if match or at < open_until else _PYTHON_VALUE.match(line)
        if match is None and value is None:
            continue
        end = _python_end(lines, at, match["indent"]) if match else _brackets_end(lines, at)
        nested = match is not None and match["indent"] != ""
        if not nested:
            open_until = end + 1
        name = (match or value)["name"]  # type: ignore[index]  # one of the two matched
        found.append(
            Definition(
                name=name,
                kind="value" if match is None else "class" if match["class"] else "function",
                line=at + 1,
                first=_leads_from(lines, at) + 1,
                last=end + 1,
                nested=nested,
                exported=not nested and not _HIDDEN_PYTHON.match(name),
            )
        )
    return found


def _python_end(lines: Sequence[str], at: int, indent: str) -> int:
    """The last line that is indented deeper than the head, which itself may run over several lines."""
    end = _head_end(lines, at)
    for below in range(end + 1, len(lines)):
        line = lines[below]
        if not line.strip():
            continue
        deeper = line.startswith(indent) and line[len(indent) :][:1] in {" ", "\t"}
        if not deeper:
            break
        end = below
    return end


def _head_end(lines: Sequence[str], at: int) -> int:
    depth = 0
    for below in range(at, min(at + 60, len(lines))):
        code = _without_text(lines[below])
        depth += sum(code.count(c) for c in "([{") - sum(code.count(c) for c in ")]}")
        if depth <= 0 and (code.rstrip().endswith(":") or ":" in code):
            return below
    return at


def _brackets_end(lines: Sequence[str], at: int) -> int:
    depth = 0
    for below in range(at, len(lines)):
        code = _without_text(lines[below])
        depth += sum(code.count(c) for c in "([{") - sum(code.count(c) for c in ")]}")
        if depth <= 0 and not code.rstrip().endswith("\\"):
            return below
    return at


def _braces(lines: Sequence[str], extension: str) -> list[Definition]:
    found: list[Definition] = []
    closes = -1
    for at, line in enumerate(lines):
        named = _named(line, lines[at + 1] if at + 1 < len(lines) else "")
        if named is None:
            continue
        name, kind = named
        nested = at <= closes
        if nested and kind == "value":
            continue
        end = _block_end(lines, at, is_value=kind == "value")
        closes = max(closes, end)
        found.append(
            Definition(
                name=name,
                kind=kind,
                line=at + 1,
                first=_leads_from(lines, at) + 1,
                last=end + 1,
                nested=nested,
                exported=not nested and _is_exported(line, name, extension),
            )
        )
    return found


def _named(line: str, following: str) -> tuple[str, Kind] | None:
    """The name and kind that a line defines; the brace of a signature may stand on the line after it."""
    if len(line) > _MAX_CHARS or line.lstrip().startswith(("//", "*", "/*", "#")):
        return None
    value = _VALUE_AFTER_MODIFIER.match(line)
    keyword = None if value else _KEYWORD.match(line)
    if value or (keyword and keyword["value"]):
        match = value or keyword
        assert match is not None  # noqa: S101 - one of the two matched
        typed = re.search(rf"\b{re.escape(match['name'])}\s+(?:struct|interface)\b", line) is not None
        return match["name"], "class" if typed else "function" if _ARROW.search(line) else "value"
    if keyword:
        return keyword["name"], "class" if keyword["class"] else "function"
    whole = f"{line.rstrip()} {{" if following.strip().startswith("{") else line
    for pattern in (_SIGNATURE, _METHOD):
        match = pattern.match(whole)
        if match and match["name"] not in _CONTROL and line.split(maxsplit=1)[0] not in _CONTROL:
            return match["name"], "function"
    return None


def _is_exported(line: str, name: str, extension: str) -> bool:
    if extension == "go":
        return name[:1].isupper()
    pattern = _EXPORTED.get(extension)
    return pattern is None or re.search(pattern, line) is not None


def _block_end(lines: Sequence[str], at: int, *, is_value: bool) -> int:
    """The line on which the braces that the definition opens are closed, or its statement ends."""
    depth, opened = 0, False
    for below in range(at, len(lines)):
        code = _without_text(lines[below])
        for character in code:
            if character in "{([":
                depth += 1
                opened = opened or character == "{"
            elif character in "})]":
                depth -= 1
        closed = code.rstrip().endswith((";", ",") if is_value else ";")
        if depth <= 0 and (opened or closed or not _goes_on(lines, below)):
            return below
    return at


def _goes_on(lines: Sequence[str], at: int) -> bool:
    """A head without a brace goes on when it ends in an operator, or the next line opens the brace or goes deeper."""
    code = _without_text(lines[at]).rstrip()
    following = lines[at + 1].strip() if at + 1 < len(lines) else ""
    return code.endswith(_OPEN_ENDS) or re.match(r"\{|where\b|[|&.]|->", following) is not None


def _leads_from(lines: Sequence[str], at: int) -> int:
    """The first of the decorator or attribute lines right above."""
    first = at
    while first > 0 and _LEADS.match(lines[first - 1]):
        first -= 1
    return first


_TEXT = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\\n])*`|//.*$|/\*.*?\*/|(?<!\S)#.*$")


def _without_text(line: str) -> str:
    """The line without string literals and comments, whose brackets do not count."""
    return _TEXT.sub('""', line)
