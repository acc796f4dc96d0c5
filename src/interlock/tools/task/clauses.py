"""Splits a task into clauses and says of each whether it asks, orders or forbids.

English and Chinese; knows nothing of tools or of what was done.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from interlock.tools.task.verbs import CHINESE, verb_act
from interlock.tools.mentions import Language, language

__all__ = ["Clause", "clauses_of"]

Mood: TypeAlias = Literal["asks", "orders", "other"]

_STRING = re.compile(
    r"`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|《[^》\n]*》|(?<!\w)'[^'\n]*'(?!\w)|```.*?```",
    re.DOTALL,
)
_SPLIT = re.compile(
    r"(?<=[.!?;])\s+|[;；。！？\n]+|,?\s+(?:and then|then|after that|afterwards|and finally|finally)\s+"
)
_SPLIT_ENGLISH = re.compile(
    r",?\s+(?:and|but|or)\s+(?:(?:then|also|please|just|only|finally|afterwards|to)\s+)*(?=([A-Za-z]+))|,\s+(?:please\s+|just\s+|also\s+)*(?=([A-Za-z]+))"
)
_SPLIT_CHINESE = re.compile(r"[，,]|然后|并且|接着|之后|随后|最后|并(?!发|行|列)|再(?=[^次])")
_POLITE = re.compile(
    r"^(?:(?:please|kindly|now|first|next|just|also|ok|okay|hi|hello|hey|so|and|then|finally|only|quickly|go ahead and|i(?:'d| would) like you to"
    r"|i(?:'d| would) like to|i want you to|i want to|i need you to|i need to|i need|you should|you must|you need to|we need to|we should|we must|let's|let us"
    r"|can you|could you|would you|will you|can we|could we|help me(?: to)?|try to|make sure to|be sure to|remember to|try)[,:]?\s+)+",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    r"^(?:please )?(?:do not|don't|never|avoid|no need to|without)\b|^(?:请)?(?:不要|别|请勿|无需|不用|禁止|不得|不许|切勿|不必)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r",?\s+(?:without|instead of|rather than|except(?: for)?|excluding|but not|other than|apart from|not)\s+.*$|(?:，|,)?(?:但)?(?:不要|别|请勿|而不是|(?<![删移去清扣解拆根废消])除(?!以)了?|不含|不包括).*$",
    re.IGNORECASE | re.DOTALL,
)
_ASKS = re.compile(
    r"^(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|has|have|had|can|could|should|will|would|may|must|if|whether"
    r"|in which|on which|under which|from which|to which|at what|of what|by whom|for which|with what)\b",
    re.IGNORECASE,
)
_ASKS_CHINESE = re.compile(
    r"什么|哪|谁|多少|几[个次条行岁点天年月]|吗|如何|怎么|怎样|为什么|为何|是否|有没有|是不是|何时|能否|呢$|多[大长高久]|[?？]$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One clause of a task."""

    text: str
    """As written, without what it excepts."""
    excepted: str
    """What follows `except`, `without`, `除了`; empty when nothing is excepted."""
    mood: Mood
    act: str | None
    """The act that its leading verb names; None when it asks or no verb is known."""
    lang: Language


def clauses_of(task: str) -> tuple[Clause, ...]:
    """Return the clauses of `task` that ask or order something; what it forbids is left out."""
    lang = language(task)
    masked, strings = _mask(task)
    parts = [piece for part in _SPLIT.split(masked) if part for piece in _pieces(part, lang)]
    found = (_clause(_unmask(part, strings), lang) for part in parts)
    return tuple(clause for clause in found if clause is not None)


def _mask(task: str) -> tuple[str, list[str]]:
    strings: list[str] = []

    def keep(match: re.Match[str]) -> str:
        strings.append(match.group())
        return f"\x00{len(strings) - 1}\x01"

    return _STRING.sub(keep, task), strings


def _unmask(text: str, strings: list[str]) -> str:
    return re.sub(r"\x00(\d+)\x01", lambda m: strings[int(m.group(1))] if int(m.group(1)) < len(strings) else "", text)


def _pieces(part: str, lang: Language) -> list[str]:
    if lang == "zh":
        return [piece for piece in _SPLIT_CHINESE.split(part) if piece.strip()]
    cuts = [0]
    for match in _SPLIT_ENGLISH.finditer(part):
        word = match.group(1) or match.group(2)
        if (
            verb_act(word)
            and _is_base_form(word)
            or _FORBIDS.match(part[match.end() :])
            or _ASKS.match(part[match.end() :])
        ):
            cuts.append(match.start())
    pieces = [part[begin:end] for begin, end in zip(cuts, [*cuts[1:], len(part)], strict=True)]
    return [re.sub(r"^[,\s]*(?:(?:and|but|or|then|also)\s+)*", "", piece) for piece in pieces if piece.strip()]


def _is_base_form(word: str) -> bool:
    return word.islower() and not word.endswith(("ed", "ing")) and not (word.endswith("s") and not word.endswith("ss"))


def _clause(text: str, lang: Language) -> Clause | None:
    text = text.strip(" \t,，.")
    if not text or _FORBIDS.match(text):
        return None
    tail = _TAIL.search(text)
    kept = text[: tail.start()].strip() if tail and tail.start() > 0 else text
    excepted = tail.group() if tail and tail.start() > 0 else ""
    return _chinese(kept, excepted) if lang == "zh" else _english(kept, excepted)


def _english(text: str, excepted: str) -> Clause:
    bare = _POLITE.sub("", text)
    word = re.match(r"[A-Za-z]+", bare)
    act = verb_act(word.group()) if word and (_is_base_form(word.group().lower())) else None
    if _ASKS.match(bare):
        return Clause(text=bare, excepted=excepted, mood="asks", act=None, lang="en")
    passive = re.match(r".{1,80}?\b(?:should|must|has to|have to|needs to|need to) be (?:\w+ly )?(\w+)", bare)
    if passive and verb_act(passive.group(1)):
        act = verb_act(passive.group(1))
    return Clause(text=bare, excepted=excepted, mood="orders" if act else "other", act=act, lang="en")


def _chinese(text: str, excepted: str) -> Clause:
    bare = re.sub(r"^(?:请|帮我|麻烦|帮忙|你|我想要?|我要|需要|能不能|可以|先|给我|快速|现在)+", "", text)
    asks = _ASKS_CHINESE.search(bare) is not None
    act = _chinese_act(bare)
    writes_to = re.search(r"(?:写到|写入|写进|存为|存到|存入|保存为|保存到|记到|导出到|抄到)", bare) is not None
    if asks and not writes_to:
        return Clause(text=bare, excepted=excepted, mood="asks", act=None, lang="zh")
    return Clause(text=bare, excepted=excepted, mood="orders" if act else "other", act=act, lang="zh")


def _chinese_act(text: str) -> str | None:
    """The verb after `把…` or `将…` decides, else the first verb; a changing act wins over an observing one before it."""
    hits = [(text.index(word), -len(word), act) for word, act in CHINESE if word in text]
    if not hits:
        return None
    hits.sort()
    changing = [hit for hit in hits if hit[2] not in {"read", "list", "search"}]
    return (changing or hits)[0][2]
