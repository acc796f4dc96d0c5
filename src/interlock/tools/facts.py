"""Facts that the host finds on disk after a run's effects and for a draft's quotes; a tool's text is not asked.

| fact | means |
|---|---|
| `PATH exists, N bytes, sha256 HEX` | a step wrote or moved a file here and it is, as written if that is known |
| `PATH differs from what was written, N bytes, sha256 HEX` | a file is here with other content |
| `PATH is missing` | a step wrote or moved a file here and none is |
| `PATH is gone` | a step moved or deleted the file and no file is here |
| `PATH still exists, N bytes, sha256 HEX` | a step moved or deleted the file and one is here |
| `quote verified: PATH:LINE` | a line that the draft quotes stands there |
| `quote differs: PATH:LINE` | the draft cites this line for a text that does not stand there |

Size and digest are left out where there is no readable file.

Source: reference loop specification, host-checked facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from interlock._canonical import sha256_hex
from interlock.tools.base import Effect, Target
from interlock.tools.execute import TOOL_ERROR
from interlock.tools.files import read_text
from interlock.tools.quotes import Quote, quotes
from interlock.tools.root import Root
from interlock.tools.seen import look_at
from interlock.tools.table import ARROW, reference_table

__all__ = ["facts_on"]

_Cells: TypeAlias = Mapping[str, object]
_MAX_QUOTES = 40
_MAX_FILES = 50
"""Files that uncited quotes are looked for in, newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Expected:
    """What the last step that touched a path should have left there."""

    present: bool
    sha256: str | None
    """Of the content; None when it is not known."""


def facts_on(root: Root) -> Callable[[_Cells], tuple[str, ...]]:
    """Return what looks at the disk for the cells `history`, `readFiles` and `draft`.

    What contradicts the run comes first, then what confirms its effects, newest first, then quotes, cited ones first.
    """
    effects = {name: tool.effect for name, tool in reference_table().items()}

    def facts(cells: _Cells) -> tuple[str, ...]:
        steps = _finished(cells.get("history"), effects)
        touched = [_effect_fact(look_at(root, path), expected) for path, expected in _expected(steps).items()]
        found = [*touched, *_quote_facts(root, cells, steps)]
        return tuple(fact.text for fact in sorted(found, key=lambda fact: fact.confirms))

    return facts


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fact:
    text: str
    confirms: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    effect: Effect
    input: str
    result: str


def _finished(history: object, effects: Mapping[str, Effect]) -> list[_Step]:
    """Return the finished steps of the reference tools that did not fail, oldest first."""
    rows = [row for row in history if isinstance(row, Mapping)] if isinstance(history, list | tuple) else []
    return [
        _Step(effect=effects[row["tool"]], input=str(row["input"]), result=str(row["result"]))
        for row in rows
        if row.get("tool") in effects and row.get("result") is not None and not _failed(str(row["result"]))
    ]


def _failed(result: str) -> bool:
    return result.startswith(TOOL_ERROR)


def _expected(steps: Sequence[_Step]) -> dict[str, _Expected]:
    """Return what should be at each path that was touched, the newest first."""
    expected: dict[str, _Expected] = {}
    for step in steps:
        for path, state in _left_by(step, expected).items():
            expected.pop(path, None)
            expected[path] = state
    return dict(reversed(expected.items()))


def _left_by(step: _Step, before: Mapping[str, _Expected]) -> dict[str, _Expected]:
    match step.effect:
        case "write":
            path, _, content = step.input.partition("\n")
            return {_plain(path): _Expected(present=True, sha256=sha256_hex(content))}
        case "delete":
            return {_plain(step.input): _Expected(present=False, sha256=None)}
        case "move" if step.input.count(ARROW) == 1:
            source, target = (_plain(part) for part in step.input.split(ARROW))
            moved = before[source].sha256 if source in before else None
            return {source: _Expected(present=False, sha256=None), target: _Expected(present=True, sha256=moved)}
        case _:
            return {}


def _plain(path: str) -> str:
    return path.removeprefix("./")


def _effect_fact(found: Target, expected: _Expected) -> _Fact:
    as_found = "" if found.sha256 is None else f", {found.size_bytes} bytes, sha256 {found.sha256}"
    if not found.exists:
        return _Fact(
            text=f"{found.path} {'is missing' if expected.present else 'is gone'}", confirms=not expected.present
        )
    if not expected.present:
        return _Fact(text=f"{found.path} still exists{as_found}", confirms=False)
    if found.sha256 is None or expected.sha256 not in {None, found.sha256}:
        return _Fact(text=f"{found.path} differs from what was written{as_found}", confirms=False)
    return _Fact(text=f"{found.path} exists{as_found}", confirms=True)


def _quote_facts(root: Root, cells: _Cells, steps: Sequence[_Step]) -> list[_Fact]:
    draft = cells.get("draft")
    if not isinstance(draft, str):
        return []
    seen = _seen_paths(cells, steps)
    disk = _Disk(root)
    facts: dict[str, _Fact] = {}
    cited_first = sorted(quotes(draft, _unique([*seen, *_texts(cells.get("files"))])), key=lambda one: one.path is None)
    for quote in cited_first:
        fact = _cited_fact(disk, quote) if quote.path is not None else _found_fact(disk, quote, seen[:_MAX_FILES])
        if fact is not None and len(facts) < _MAX_QUOTES:
            facts.setdefault(fact.text, fact)
    return list(facts.values())


def _cited_fact(disk: _Disk, quote: Quote) -> _Fact | None:
    """Return whether a cited text stands where it is said to; None when only a part of it does."""
    place = f"{quote.path}:{quote.line}"
    lines = disk.lines(quote.path or "")
    line = lines[quote.line - 1] if quote.line and quote.line <= len(lines) else ""
    held = [text in line for text in quote.texts]
    if all(held) if quote.every else any(held):
        return _Fact(text=f"quote verified: {place}", confirms=True)
    return None if any(held) else _Fact(text=f"quote differs: {place}", confirms=False)


def _found_fact(disk: _Disk, quote: Quote, paths: Sequence[str]) -> _Fact | None:
    """Return where an uncited text stands in the files of the run; None when nowhere."""
    for path in paths:
        for text in quote.texts:
            number = disk.line_of(path, text, exact=quote.exact)
            if number is not None:
                return _Fact(text=f"quote verified: {path}:{number}", confirms=True)
    return None


def _seen_paths(cells: _Cells, steps: Sequence[_Step]) -> list[str]:
    """Return the files whose content the run has seen or made, the newest first."""
    made = [_plain(step.input.partition("\n")[0]) for step in steps if step.effect in {"write", "read"}]
    hits = [line.split(":", 1)[0] for step in steps if step.effect == "search" for line in step.result.split("\n")]
    return _unique([*reversed(made), *reversed(_texts(cells.get("readFiles"))), *(hit for hit in hits if hit)])


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str) and item] if isinstance(value, list | tuple) else []


def _unique(paths: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(paths))


class _Disk:
    """The texts of files, each read once."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._texts: dict[str, str] = {}
        self._numbers: dict[str, dict[str, int]] = {}

    def lines(self, path: str) -> list[str]:
        return self._text(path).split("\n")

    def line_of(self, path: str, text: str, *, exact: bool) -> int | None:
        """Return the number of the first line that is, or else holds, a text."""
        if exact:
            return self._lines_by_text(path).get(text)
        at = self._text(path).find(text)
        return None if at < 0 else self._text(path).count("\n", 0, at) + 1

    def _text(self, path: str) -> str:
        if path not in self._texts:
            self._texts[path] = read_text(self._root, path) or ""
        return self._texts[path]

    def _lines_by_text(self, path: str) -> dict[str, int]:
        if path not in self._numbers:
            numbers: dict[str, int] = {}
            for number, line in enumerate(self.lines(path), start=1):
                numbers.setdefault(line.strip(), number)
            self._numbers[path] = numbers
        return self._numbers[path]
