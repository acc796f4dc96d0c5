"""Searching the files under a root for a text or a regular expression, within limits.

Knows nothing of who asks. A regular expression runs in a process of its own and is stopped when its time is up.
Source: reference loop specification, tools and the risk ladder.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from interlock.errors import ToolError
from interlock.tools import matcher
from interlock.tools.files import Tree, read_text, walk
from interlock.tools.root import Root
from interlock.tools.text import EMPTY

__all__ = ["check_pattern", "search_text"]

MAX_HITS = 200
MAX_CHARS = 33_554_432
"""Characters of all files together that one search looks at."""
READ_SECONDS = 10.0
MATCH_SECONDS = 5.0
_MAX_PATTERN_CHARS = 1_000
_SHOWN_CHARS = 300
_SHOWN_BEFORE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hit:
    file: int
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Corpus:
    paths: list[str]
    texts: list[str]
    note: str | None
    """What was not searched; None when everything was."""


def check_pattern(pattern: str) -> None:
    """Refuse a pattern that cannot be searched for.

    Raises:
        ToolError: `bad-pattern`.
    """
    if pattern == "":
        raise ToolError("bad-pattern", "the pattern is empty; name what to search for")
    if len(pattern) > _MAX_PATTERN_CHARS:
        raise ToolError("bad-pattern", f"the pattern has {len(pattern)} characters; at most {_MAX_PATTERN_CHARS}")
    if "\n" in pattern or "\x00" in pattern:
        raise ToolError("bad-pattern", "the pattern holds a line break or NUL; lines are searched one by one")


def search_text(root: Root, pattern: str, *, regex: bool) -> str:
    """Return `PATH:LINE: TEXT` for every line that holds the pattern; what was not searched is said at the end.

    Raises:
        ToolError: `bad-pattern`, or `timeout` for a regular expression that takes too long.
    """
    check_pattern(pattern)
    corpus = _read(root)
    hits = _matching(pattern, corpus.texts) if regex else _holding(pattern, corpus.texts)
    lines = [_shown(corpus, hit) for hit in hits[:MAX_HITS]]
    if len(hits) > MAX_HITS:
        lines.append(f"[cut: only the first {MAX_HITS} lines are shown]")
    if corpus.note is not None:
        lines.append(corpus.note)
    return "\n".join(lines) or EMPTY


def _read(root: Root) -> _Corpus:
    """Read the files that are text, until there are too many or reading takes too long."""
    until, room = time.monotonic() + READ_SECONDS, MAX_CHARS
    paths: list[str] = []
    texts: list[str] = []
    skipped = 0
    for path in walk(root, Tree()):
        text = read_text(root, path) if room > 0 and time.monotonic() < until else None
        if text is None or len(text) > room:
            skipped += 1
            continue
        room -= len(text)
        paths.append(path)
        texts.append(text)
    note = f"[left out: files that are not text, too large or too many ({skipped})]" if skipped else None
    return _Corpus(paths=paths, texts=texts, note=note)


def _holding(pattern: str, texts: list[str]) -> list[_Hit]:
    hits: list[_Hit] = []
    for file, text in enumerate(texts):
        if pattern not in text:
            continue
        for number, line in enumerate(text.split("\n")):
            column = line.find(pattern)
            if column >= 0:
                hits.append(_Hit(file=file, line=number, column=column))
        if len(hits) > MAX_HITS:
            break
    return hits


def _matching(pattern: str, texts: list[str]) -> list[_Hit]:
    request = json.dumps({"pattern": pattern, "files": texts, "limit": MAX_HITS + 1})
    command = [sys.executable, "-I", "-S", "-W", "ignore", str(Path(matcher.__file__))]
    try:
        done = subprocess.run(command, input=request, capture_output=True, text=True, timeout=MATCH_SECONDS, check=True)  # noqa: S603 - our own file
    except subprocess.TimeoutExpired as error:
        raise ToolError("timeout", f"the pattern was stopped after {MATCH_SECONDS:g} s; write a simpler one") from error
    except (OSError, subprocess.CalledProcessError) as error:
        raise ToolError("exception", f"the pattern could not be matched ({error}); search for a literal") from error
    reply = json.loads(done.stdout)
    if "error" in reply:
        raise ToolError("bad-pattern", f"`{pattern}` is no regular expression: {reply['error']}")
    return [_Hit(file=file, line=line, column=column) for file, line, column in reply["hits"]]


def _shown(corpus: _Corpus, hit: _Hit) -> str:
    line = corpus.texts[hit.file].split("\n")[hit.line].rstrip("\r")
    start = max(0, hit.column - _SHOWN_BEFORE) if len(line) > _SHOWN_CHARS else 0
    end = start + _SHOWN_CHARS
    text = f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"
    return f"{corpus.paths[hit.file]}:{hit.line + 1}: {text}"
