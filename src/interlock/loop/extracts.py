"""Chooses which lines of the evidence answer a task.

Definitions for questions about them, else lines by relevance; pure.
Source: reference loop specification, generation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from interlock.loop.definitions import definitions
from interlock.loop.naming import Named, asks_for_definitions, definitions_of
from interlock.loop.passages import Passage, passages
from interlock.loop.phrases import Relation
from interlock.loop.relevance import bm25, coverage
from interlock.loop.writer import Evidence
from interlock.tools.mentions import find_named, mentions, stem
from interlock.tools.task.terms import terms

__all__ = ["Extract", "extract"]

_FIRST_LINE = re.compile(r"\bfirst line\b|(?:第一|首)行", re.IGNORECASE)
_LAST_LINE = re.compile(r"\b(?:last|final) line\b|(?:最后一|末)行", re.IGNORECASE)
_OVERVIEW = re.compile(
    r"^\W*(?:please )?(?:summari[sz]e|explain|describe|show|read|print|open|view|what does|what is in|what's in)\b"
    r"|总结|概括|解释|介绍|读一下|看一下|显示|写了什么|是什么内容|说了什么",
    re.IGNORECASE,
)
ANSWERS_FROM = 0.6
"""The part of the question's content words that a line and what it belongs to must hold to count as an answer."""
_COMPARES = re.compile(r"\bcompar|\bdiff|比较|对比|区别|不同|差异", re.IGNORECASE)
_ASKS_WHERE = re.compile(
    r"\b(?:where|which (?:\w+ )?(?:files?|modules?)|find|locate|in which)\b|哪个文件|哪些文件|在哪|哪里|找出|找到",
    re.IGNORECASE,
)
_DEFINED = re.compile(r"\b(?:defin|declar|implement|written)|定义|声明|实现", re.IGNORECASE)
_TROUBLE = re.compile(
    r"\b(?:what (?:happened|went wrong)|went wrong|fail\w*|crash\w*|broke\w*|problems?|errors?|happened)\b"
    r"|出了什么问题|发生了什么|出错|失败|崩溃|报错|问题",
    re.IGNORECASE,
)
_LOG = re.compile(r"\.log(?:\.\d+)?$|(?:^|/)logs?/", re.IGNORECASE)
_TROUBLE_LINE = re.compile(r"\b(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC|WARN(?:ING)?)\b|错误|失败|异常")
_OVERVIEW_LINES = 6
_SECTION_LINES = 3
_LINES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """What of the evidence is shown."""

    named: tuple[Named, ...] = ()
    relation: Relation = "defines"
    quotes: tuple[Passage, ...] = ()
    answers: bool = False
    """True when the quotes answer the task, False when they only come near."""


def extract(task: str, evidence: Sequence[Evidence]) -> Extract:
    """Return the lines of `evidence` that answer `task`, best first within each file's order."""
    found = passages(evidence)
    if asks_for_definitions(task) and not _ASKS_WHERE.search(task):
        defined = definitions_of(task, evidence)
        if defined is not None:
            return Extract(named=defined.named, relation=defined.relation, quotes=defined.quotes, answers=True)
    special = _by_place(task, found) or _by_name(task, found) or _by_trouble(task, found)
    if special is not None:
        return special
    question = terms(task) - _names_of_files(task, found)
    if not question or _is_overview(task, question, found):
        return _overview(task, found)
    return _by_relevance(task, question, found)


def _by_place(task: str, found: Sequence[Passage]) -> Extract | None:
    """The first or the last line of each file that the task means, where it asks for that line."""
    first, last = _FIRST_LINE.search(task) is not None, _LAST_LINE.search(task) is not None
    meant = find_named(task, dict.fromkeys(p.path for p in found if p.path is not None))
    if first == last or not meant:
        return None
    own = ([p for p in found if p.path == path and p.text.strip()] for path in meant)
    quotes = tuple(lines[0 if first else -1] for lines in own if lines)
    return Extract(quotes=quotes, answers=True) if quotes else None


def _by_name(task: str, found: Sequence[Passage]) -> Extract | None:
    """Lines that hold the identifiers or quoted words of the task, its definition first where that is asked for."""
    named = mentions(task)
    names = tuple(dict.fromkeys((*named.identifiers, *(text for text in named.quoted if text not in named.paths))))
    holding = [p for p in found if any(name in p.text for name in names)]
    if not names or not holding or not _ASKS_WHERE.search(task):
        return None
    defining = [p for p in holding if any(d.name in names for d in definitions(p.text, p.path or ""))]
    chosen = defining if defining and _DEFINED.search(task) else holding
    return Extract(quotes=tuple(chosen), answers=True)


def _by_trouble(task: str, found: Sequence[Passage]) -> Extract | None:
    """The lines of logs that report trouble, where the task asks what went wrong and names nothing more."""
    logs = [p for p in found if p.path is not None and _LOG.search(p.path) and _TROUBLE_LINE.search(p.text)]
    if not logs or not _TROUBLE.search(task):
        return None
    beside = terms(_TROUBLE.sub(" ", task)) - _names_of_files(task, found)
    fitting = [p for p in logs if coverage(beside, f"{p.text} {p.context}") >= ANSWERS_FROM]
    return Extract(quotes=tuple(fitting[-_LINES:]), answers=True) if fitting else None


def _names_of_files(task: str, found: Sequence[Passage]) -> frozenset[str]:
    named = find_named(task, dict.fromkeys(p.path for p in found if p.path is not None))
    return frozenset(word for path in named for word in (*terms(path), *terms(stem(path))))


def _is_overview(task: str, question: frozenset[str], found: Sequence[Passage]) -> bool:
    paths = dict.fromkeys(p.path for p in found if p.path is not None)
    meant = find_named(task, paths) or (tuple(paths) if len(paths) == 1 else ())
    beside = question - frozenset(word for path in meant for word in terms(path))
    return bool(meant) and _OVERVIEW.search(task) is not None and not beside


def _overview(task: str, found: Sequence[Passage]) -> Extract:
    paths = dict.fromkeys(p.path for p in found if p.path is not None)
    meant = find_named(task, paths) or tuple(paths)[-1:]
    if len(meant) > 1 and _COMPARES.search(task):
        differing = _differing(found, meant)
        if differing:
            return Extract(quotes=tuple(differing), answers=True)
    per_file = max(1, _OVERVIEW_LINES // max(1, len(meant)))
    quotes = [p for path in meant for p in [q for q in found if q.path == path and re.search(r"\w", q.text)][:per_file]]
    if not quotes:
        quotes = [p for p in found if p.path is None][:_OVERVIEW_LINES]
    return Extract(quotes=tuple(quotes), answers=bool(quotes))


def _differing(found: Sequence[Passage], paths: Sequence[str]) -> list[Passage]:
    """The lines that do not stand in every one of the files, at most a few of each."""
    texts = {path: {p.text.strip() for p in found if p.path == path} for path in paths}
    common = frozenset.intersection(*(frozenset(lines) for lines in texts.values()))
    own = {path: [p for p in found if p.path == path and p.text.strip() not in common] for path in paths}
    return [p for path in paths for p in own[path][:_LINES]]


def _by_relevance(task: str, question: frozenset[str], found: Sequence[Passage]) -> Extract:
    paths = dict.fromkeys(p.path for p in found if p.path is not None)
    meant = find_named(task, paths)
    among = [p for p in found if p.path in meant] if meant else list(found)
    scores = bm25(question, [f"{p.text} {p.context}" for p in among])
    own = bm25(question, [p.text for p in among])
    ranked = sorted(
        (at for at in range(len(among)) if own[at] > 0), key=lambda at: (-round(scores[at] + own[at], 6), at)
    )
    covers = {at: coverage(question, f"{among[at].text} {among[at].context}") for at in ranked}
    good = [at for at in ranked if covers[at] >= ANSWERS_FROM]
    chosen = _with_sections(_spread(good or ranked[:3], among, meant, ranked), among)
    return Extract(quotes=tuple(among[at] for at in sorted(chosen)), answers=bool(good))


def _spread(best: Sequence[int], among: Sequence[Passage], meant: Sequence[str], ranked: Sequence[int]) -> list[int]:
    """The best lines, and the best one of every file that the task names."""
    chosen = list(best[:_LINES])
    for path in meant:
        own = [at for at in ranked if among[at].path == path]
        if own and not any(among[at].path == path for at in chosen):
            chosen.append(own[0])
    return chosen


def _with_sections(chosen: Sequence[int], among: Sequence[Passage]) -> list[int]:
    """A heading or an opening key is followed by the first lines of what belongs to it."""
    kept = list(chosen)
    for at in chosen:
        title = among[at].text.strip()
        if not title.startswith("#") and not title.endswith((":", "{", "[")):
            continue
        below = range(at + 1, min(at + 1 + _SECTION_LINES, len(among)))
        kept += [n for n in below if n not in kept and _belongs(among[n], among[at])]
    return kept


def _belongs(line: Passage, title: Passage) -> bool:
    if line.path != title.path:
        return False
    deeper = len(line.text) - len(line.text.lstrip()) > len(title.text) - len(title.text.lstrip())
    return deeper or (title.text.startswith("#") and title.text.strip() in line.context)
