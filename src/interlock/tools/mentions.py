"""What a text names: its paths, identifiers, quoted words, numbers and addresses, and its language.

Pure text analysis for English and Chinese; knows nothing of judges, writers or the disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Language", "Mentions", "find_named", "language", "mentions", "normal_number", "numbers", "stem"]

Language: TypeAlias = Literal["en", "zh"]

_CJK = "\u3400-\u9fff"
_ADDRESS = re.compile(
    r"[a-z][a-z0-9+.-]*://[^\s\u3000-\u9fff<>\"'`]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.IGNORECASE | re.ASCII
)
_QUOTED = re.compile(
    r"`([^`\n]+)`|\"([^\"\n]+)\"|“([^”\n]+)”|‘([^’\n]+)’|「([^」\n]+)」|『([^』\n]+)』|《([^》\n]+)》"
    r"|(?<!\w)'([^'\n]+)'(?!\w)"
)
_RUN = re.compile(rf"(?<![*?])[A-Za-z0-9_{_CJK}@+.~$:()\\/-]+")
"""Characters that a path may hold; a path never reaches over more than one run."""
_LONGEST = 300
_OVERLONG = re.compile(rf"[A-Za-z0-9_@+.~$:()\\/#-]{{{_LONGEST},}}")
_SEGMENT = rf"[A-Za-z0-9_{_CJK}@+.~-]"
_FILE = re.compile(
    rf"(?:[A-Za-z]:[\\/]|[\\/]{{1,2}})?(?:{_SEGMENT}+[\\/])*{_SEGMENT}*\.[A-Za-z][A-Za-z0-9]{{0,9}}(?![A-Za-z0-9_])"
)
_FOLDER = re.compile(
    rf"(?<![A-Za-z0-9])(?:[A-Za-z]:[\\/]|~[\\/]|\.{{1,2}}/|/)(?:{_SEGMENT}+[\\/]?)+"
    r"|(?<![A-Za-z0-9])(?:[A-Za-z0-9_.-]+/){2,}[A-Za-z0-9_.-]*"
    r"|(?<![A-Za-z0-9/])[A-Za-z0-9_.-]+/(?![A-Za-z0-9])"
    r"|(?<![A-Za-z0-9])(?:src|docs?|lib|tests?|app|config|bin|etc|var|tmp|logs?|data|pkg|cmd|internal)/[A-Za-z0-9_.-]+"
)
_MIXED = re.compile(rf"^.*[{_CJK}](?=[A-Za-z0-9_~])")
"""Chinese that runs into a Latin name without a space."""
_LEAD = re.compile(
    r"^.*(?:[把将从到至在的和与跟或及用为给请看读写入进存改了个下件]|打开|删除|删掉|移除|复制|比较|列出|解释|翻译|总结|对比"
    r"|新建|创建)(?=.)"
)
"""Chinese words that run into a Chinese name."""
_NOT_PATHS = frozenset({"e.g", "i.e", "a.m", "p.m", "node.js", "vue.js", "next.js", "asp.net", "d.h", "u.s"})
_DOMAINS = frozenset({"com", "org", "net", "example", "cn", "edu", "gov", "dev", "ai"})
_IDENTIFIER = re.compile(
    r"[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_]\w*)*\(\)|[A-Za-z][A-Za-z0-9]*(?:[-#][A-Za-z0-9]*\d[A-Za-z0-9]*)+"
    r"|_*[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Z]{2,}[a-z]+[A-Z]\w*"
    r"|[A-Z]\w*Error",
    re.ASCII,
)
_PRODUCTS = frozenset(
    {"typescript", "javascript", "github", "gitlab", "postgresql", "mysql", "graphql", "macos", "ios", "iphone"}
    | {"youtube", "openai", "linkedin", "chatgpt", "devops", "dropbox", "whatsapp", "wordpress"}
)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*", re.ASCII)
_WORD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mentions:
    """What a text names, each in the order of its first appearance, without repetition."""

    paths: tuple[str, ...]
    """Files and folders as written; a folder keeps its trailing slash."""
    identifiers: tuple[str, ...]
    """Words that only code or records use: `camelCase`, `snake_case`, `call()`, `INV-17`; no parentheses."""
    quoted: tuple[str, ...]
    """What stands in quotation marks or backticks, without them."""
    numbers: tuple[str, ...]
    """Numbers outside of the above, in normal form."""
    addresses: tuple[str, ...]
    """Mail addresses and URLs."""


def mentions(text: str) -> Mentions:
    """Return what `text` names."""
    text = _bounded(text)
    quoted = tuple(dict.fromkeys(next(g for g in m.groups() if g) for m in _QUOTED.finditer(text)))
    addresses = tuple(dict.fromkeys(m.group().rstrip(".,;:!?)") for m in _ADDRESS.finditer(text)))
    rest = _ADDRESS.sub(" ", text)
    paths = _paths(rest)
    for path in sorted(paths, key=len, reverse=True):
        rest = rest.replace(path, " ")
    found = (m.group().removesuffix("()") for m in _IDENTIFIER.finditer(rest))
    identifiers = tuple(dict.fromkeys(word for word in found if word.lower() not in _PRODUCTS))
    return Mentions(
        paths=paths,
        identifiers=identifiers,
        quoted=quoted,
        numbers=numbers(_IDENTIFIER.sub(" ", rest)),
        addresses=addresses,
    )


def language(text: str) -> Language:
    """Return `zh` when, names and quotes aside, more is written in Chinese characters than in Latin words."""
    plain = _IDENTIFIER.sub(" ", _ADDRESS.sub(" ", _QUOTED.sub(" ", _bounded(text))))
    plain = _RUN.sub(lambda run: _FILE.sub(" ", run.group()) if len(run.group()) <= _LONGEST else run.group(), plain)
    chinese = len(re.findall(rf"[{_CJK}]", text if not plain.strip() else plain))
    return "zh" if chinese > len(_WORD.findall(plain)) else "en"


def find_named(text: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return the paths or names of `known` that `text` names, in the order in which it does.

    A path counts when it, its tail or its last part stands in the text between non-word characters.
    """
    at: dict[str, int] = {}
    for name in known:
        where = _position(text, name)
        if where is not None:
            at[name] = where
    return tuple(sorted(at, key=lambda name: at[name]))


def stem(path: str) -> str:
    """Return the last part of `path` without its extension: `a/b_test.go` → `b_test`, `.env` → `.env`."""
    last = re.split(r"[\\/]", path.rstrip("/\\"))[-1]
    head, dot, _ = last.rpartition(".")
    return head if dot and head else last


def numbers(text: str) -> tuple[str, ...]:
    """Return the numbers of `text` in normal form, in order, without repetition."""
    return tuple(dict.fromkeys(part for m in _NUMBER.finditer(text) for part in normal_number(m.group())))


def normal_number(written: str) -> tuple[str, ...]:
    """Return `1,200.50` as `1200.5` and `007` as `7`; commas that do not group digits separate numbers."""
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", written):
        written = written.replace(",", "")
    return tuple(_plain(part) for part in written.split(",") if part)


def _plain(number: str) -> str:
    if number.count(".") == 1:
        whole, _, fraction = number.partition(".")
        fraction = fraction.rstrip("0")
        return (whole.lstrip("0") or "0") + (f".{fraction}" if fraction else "")
    return number if "." in number else number.lstrip("0") or "0"


def _bounded(text: str) -> str:
    """Return `text` without runs of Latin letters and signs that are too long for any name."""
    return _OVERLONG.sub(" ", text)


def _paths(text: str) -> tuple[str, ...]:
    found = [path for run in _RUN.findall(text) if len(run) <= _LONGEST for path in _paths_of_run(run)]
    return tuple(dict.fromkeys(path for path in found if _is_path(path)))


def _paths_of_run(run: str) -> list[str]:
    spans = [(m.start(), m.end(), _without_lead(m.group())) for m in _FILE.finditer(run)]
    taken = [(start, end) for start, end, _ in spans]
    spans += [
        (m.start(), m.end(), m.group().rstrip("."))
        for m in _FOLDER.finditer(run)
        if not any(start < m.end() and m.start() < end for start, end in taken)
    ]
    return [path for _, _, path in sorted(spans)]


def _without_lead(path: str) -> str:
    """Cut Chinese words that run into the name; only the first part of a path can have them."""
    first = path.split("/", 1)[0]
    bare = first if "/" in path else first.rpartition(".")[0]
    lead = _MIXED.match(bare) or _LEAD.match(bare)
    return path[lead.end() :] if lead else path


def _is_path(path: str) -> bool:
    extension = path.rpartition(".")[2].lower()
    plain = path.lower().strip("/")
    if len(path.strip("/.~\\")) == 0 or plain in _NOT_PATHS:
        return False
    return "/" in path or extension not in _DOMAINS


def _position(text: str, name: str) -> int | None:
    folded, lower = text.casefold(), name.casefold()
    last = re.split(r"[\\/]", lower.rstrip("/\\"))[-1]
    for form in dict.fromkeys((lower, last)):
        if not form:
            continue
        found = re.search(rf"(?<![A-Za-z0-9_]){re.escape(form)}(?![A-Za-z0-9_]|[.-][A-Za-z0-9_])", folded)
        if found is None:
            continue
        before = folded[: found.start()]
        if form == last != lower and before.endswith(("/", "\\")) and not _tail_agrees(before, lower):
            continue
        return found.start()
    return None


def _tail_agrees(before: str, path: str) -> bool:
    """Return True when the folder written in front of the name is the end of the path's folder."""
    written = re.search(r"[\w.~+-]+(?=[\\/]$)", before)
    folders = re.split(r"[\\/]", path)[:-1]
    return written is not None and bool(folders) and folders[-1] == written.group()
