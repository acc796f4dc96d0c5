"""Phrases that claim a result, per language, and where a text makes such a claim.

Knows nothing of actions; whether a claim is true is for the observations to say.
Source: decision-engine specification, check 9.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

__all__ = ["CLAIMS", "find_claim", "named_ids"]

CLAIMS: Mapping[str, tuple[str, ...]] = {
    "en": (
        "search results show",
        "search results say",
        "search results indicate",
        "search results confirm",
        "according to the search results",
        "according to my search",
        "according to the observation",
        "according to the tool",
        "based on the search results",
        "based on the observation",
        "based on the tool output",
        "the search shows",
        "the search returned",
        "my search found",
        "my search shows",
        "the results show",
        "the observation shows",
        "the observation says",
        "the tool returned",
        "the tool reported",
        "the tool says",
        "the tool output shows",
        "the query returned",
        "the api returned",
        "the web page says",
        "the website says",
        "the file shows",
        "the output shows",
        "i searched the web",
        "i searched for",
        "i looked it up",
        "i found online",
        "i have run the",
        "i ran the",
    ),
    "zh": (
        "搜索结果显示",
        "搜索结果表明",
        "搜索结果指出",
        "搜索显示",
        "网络结果显示",
        "检索结果显示",
        "检索结果表明",
        "查询结果显示",
        "查询结果表明",
        "根据搜索结果",
        "根据检索结果",
        "根据查询结果",
        "根据观察结果",
        "根据工具返回",
        "观察结果显示",
        "观察结果表明",
        "工具返回",
        "工具结果显示",
        "工具显示",
        "接口返回",
        "网页显示",
        "文件显示",
        "执行结果显示",
        "运行结果显示",
        "经查询",
        "经搜索",
        "我搜索了",
        "我检索到",
        "我查到",
        "我查询了",
    ),
}
"""Language → phrases; each claims that a tool was used or what it gave."""

_CLAUSE_END = re.compile(r"[.,;:!?\n，。；：！？、]")
_CONDITION = re.compile(
    r"(?:\b(?:if|when|once|whether|until|unless|do|does|did|should|what)(?:\s+\w+){0,2}\s*|"
    r"(?:如果|若|假如|倘若|要是|一旦|当|等|是否|待)\w{0,2})\Z"
)
"""What before a phrase makes a condition or a question of it."""
_NUMBER = re.compile(r"#[0-9]+(?![A-Za-z0-9_#])")
_BACKWARDS = re.compile(r"[A-Za-z0-9_.-]*[A-Za-z_]")
"""A name read from its end."""
_NAME_CHARS = 64
"""Longer names are not looked for."""


def _pattern(phrases: Iterable[str]) -> re.Pattern[str]:
    parts = [r"\s+".join(map(re.escape, phrase.split())) for phrase in phrases]
    bounded = [rf"\b{part}\b" if part[0].isascii() else part for part in parts]
    return re.compile("|".join(sorted(bounded, key=len, reverse=True)), re.IGNORECASE)


_LISTED = tuple(phrase for phrases in CLAIMS.values() for phrase in phrases)
_PHRASES = _pattern(_LISTED)


def find_claim(text: str) -> str | None:
    """Return the first phrase by which `text` claims a result; one that stands in a condition or question is none."""
    folded = " ".join(text.casefold().split())
    if not any(phrase in folded for phrase in _LISTED):
        return None
    for found in _PHRASES.finditer(text):
        before = _CLAUSE_END.split(text[max(0, found.start() - 80) : found.start()])[-1]
        if _CONDITION.search(before.casefold()) is None:
            return " ".join(found[0].split())
    return None


def named_ids(text: str, names: Iterable[str] = ()) -> tuple[str, ...]:
    """Return every observation id `NAME#n` in `text`, in order; `names` are found in any script."""
    known = sorted(names, key=len, reverse=True)
    found: list[str] = []
    for number in _NUMBER.finditer(text):
        before = text[max(0, number.start() - _NAME_CHARS) : number.start()]
        name = next((item for item in known if _ends_with(before, item)), None)
        if name is None:
            word = _BACKWARDS.match(before[::-1])
            name = None if word is None else word[0][::-1]
        if name is not None:
            found.append(f"{name}{number[0]}")
    return tuple(dict.fromkeys(found))


def _ends_with(text: str, name: str) -> bool:
    """True when `text` ends with the whole word `name`."""
    before = text[: -len(name)][-1:]
    is_inside = name[:1].isascii() and before.isascii() and (before.isalnum() or before == "_")
    return text.endswith(name) and not is_inside
