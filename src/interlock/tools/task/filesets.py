"""Which files a text means: by name, by kind, by number, or by pointing back.

Knows nothing of acts or of what was done.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from interlock.tools.mentions import find_named, mentions, stem

__all__ = ["FileSet", "is_test", "kind_of", "kind_of_files", "meant_files"]

_KINDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        r"typescript|\bts\b": ("ts", "tsx"),
        r"javascript|\bjs\b": ("js", "jsx", "mjs"),
        r"python|\bpy\b": ("py",),
        r"\brust\b": ("rs",),
        r"\bgo\b(?! (?:and|to|on|ahead|through|over|back))|golang": ("go",),
        r"\bjava\b": ("java",),
        r"\bkotlin\b": ("kt",),
        r"\bruby\b": ("rb",),
        r"\bphp\b": ("php",),
        r"\bc\+\+|\bcpp\b": ("cpp", "cc", "hpp"),
        r"markdown|\bmd\b": ("md",),
        r"\byaml\b|\byml\b": ("yaml", "yml"),
        r"\btoml\b": ("toml",),
        r"\bjson\b": ("json",),
        r"\bcsv\b": ("csv",),
        r"\btext files?\b|\btxt\b|文本文件": ("txt",),
        r"\bsql\b": ("sql",),
        r"\bhtml\b": ("html", "htm"),
        r"\bcss\b|style ?sheets?": ("css",),
        r"\bshell\b|\bbash\b": ("sh",),
        r"\blogs? files?\b|日志文件": ("log",),
        r"\bpdfs?\b": ("pdf",),
        r"\bxml\b": ("xml",),
    }
)
_NUMBERS: Mapping[str, int] = MappingProxyType(
    {
        "both": 2,
        "two": 2,
        "three": 3,
        "four": 4,
        "five": 5,
        "two of": 2,
        "两": 2,
        "二": 2,
        "三": 3,
        "四": 4,
        "五": 5,
        "2": 2,
        "3": 3,
        "4": 4,
    }
)
_COUNTED = re.compile(
    r"\b(both|two|three|four|five|2|3|4) (?:of )?(?:these |those |the )?(?:\w+ ){0,2}(?:files|modules|scripts"
    r"|documents|configs)\b"
    r"|([两二三四五234])个?\s*(?:[A-Za-z]+\s*)?(?:文件|模块|脚本|文档)",
    re.IGNORECASE,
)
_EVERY = re.compile(
    r"\b(?:every|all|each)\b(?: of)?(?: the)?(?: other)? ?(?:\w+ ){0,2}(?:files?|modules?|scripts?|documents?"
    r"|configs?)\b|\beverything\b"
    r"|(?:所有|全部|每个|每一个|各个)的?\s*(?:[A-Za-z]+\s*)?(?:文件|模块|脚本|文档)|(?:文件|模块)(?:全部|全都|都)",
    re.IGNORECASE,
)
_ORDER = re.compile(r"\b(?:(first)|(last))\b (?:\w+ )?file|(?:(第一)|(最后一))个文件", re.IGNORECASE)
_BACK = re.compile(
    r"\b(?:it|its|them|that file|this file|the file|that one|this one|the same file|again)\b|它|那个文件|这个文件"
    r"|该文件|再读|再看|刚才",
    re.IGNORECASE,
)
_TESTS = re.compile(r"\btests?\b|\bspecs?\b|测试", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSet:
    """Files that a text means."""

    paths: tuple[str, ...]
    """Known paths, and names as written where none is known."""
    count: int
    """How many are meant, where only a number is given; else 0."""
    every: bool
    """True when it means all files, or all of a kind."""


def kind_of(text: str) -> tuple[str, ...]:
    """Return the extensions of the kind of file that `text` speaks of; empty when it names none."""
    return tuple(
        extension for pattern, found in _KINDS.items() if re.search(pattern, text, re.IGNORECASE) for extension in found
    )


def kind_of_files(text: str) -> tuple[str, ...]:
    """Return the extensions of files that `text` speaks of as such: `the Rust files`, not `this Rust project`."""
    return tuple(
        extension
        for pattern, found in _KINDS.items()
        if re.search(
            rf"(?:{pattern})\s*(?:\w+\s)?(?:files?|modules?|scripts?|sources?|文件|模块|脚本)", text, re.IGNORECASE
        )
        for extension in found
    )


def is_test(path: str) -> bool:
    """Return True when a file's name says that it holds tests."""
    return re.search(r"(?:^|[_.-])(?:tests?|specs?)(?:$|[_.-])|(?:^|/)tests?/", path.lower()) is not None or stem(
        path
    ).lower().startswith("test")


def meant_files(text: str, excepted: str, known: Sequence[str], earlier: str) -> FileSet:
    """Return the files that `text` means.

    Args:
        text: The clause.
        excepted: What the clause leaves out.
        known: Paths of files that are known to exist.
        earlier: What earlier turns said, read where the clause points back.
    """
    named = _named(text, known)
    if named:
        return FileSet(paths=named, count=0, every=False)
    of_kind = _of_kind(text, excepted, known)
    if _EVERY.search(text):
        return FileSet(paths=of_kind, count=0, every=True)
    counted = _COUNTED.search(text)
    if counted:
        count = _NUMBERS[(counted.group(1) or counted.group(2)).lower()]
        return FileSet(paths=of_kind if len(of_kind) == count else (), count=count, every=False)
    ordered = _ORDER.search(text)
    if ordered and known:
        return FileSet(paths=(known[0] if ordered[1] or ordered[3] else known[-1],), count=0, every=False)
    if earlier and _BACK.search(text):
        return FileSet(paths=_named(earlier, known), count=0, every=False)
    alone = of_kind if kind_of(text) and len(of_kind) == 1 and re.search(r"\bfiles?\b|文件", text) else ()
    return FileSet(paths=alone, count=0, every=False)


def _named(text: str, known: Sequence[str]) -> tuple[str, ...]:
    found = list(find_named(text, known))
    for written in mentions(text).paths:
        if not any(_same(written, path) for path in found):
            found.append(written)
    return tuple(sorted(found, key=lambda path: _place(text, path)))


def _same(written: str, path: str) -> bool:
    return path.lower() == written.lower() or path.lower().endswith("/" + written.lower().removeprefix("./"))


def _place(text: str, path: str) -> int:
    at = text.lower().find(path.lower())
    return at if at >= 0 else text.lower().find(path.rpartition("/")[2].lower())


def _of_kind(text: str, excepted: str, known: Sequence[str]) -> tuple[str, ...]:
    kinds = kind_of(text)
    out = find_named(excepted, known)
    without_tests = bool(excepted) and _TESTS.search(excepted) is not None
    left_out = kind_of(excepted)
    return tuple(
        path
        for path in known
        if (not kinds or path.rpartition(".")[2].lower() in kinds)
        and path not in out
        and not (without_tests and is_test(path))
        and not (left_out and path.rpartition(".")[2].lower() in left_out)
    )
