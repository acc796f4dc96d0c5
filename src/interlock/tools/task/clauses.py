"""Splits a task into clauses and says of each whether it asks or orders, and by which act.

English and Chinese; knows nothing of tools or of what was done.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from interlock.tools.mentions import Language, language
from interlock.tools.task.lexicon import (
    ASKS,
    ASKS_CHINESE,
    CARRIES,
    EXCEPTS,
    EXCEPTS_CHINESE,
    EXPORTS,
    FORBIDS,
    POLITE,
    POLITE_CHINESE,
    WRITES_TO,
    words,
)
from interlock.tools.task.verbs import CHINESE, OBSERVING, phrase_act, root, verb_act

__all__ = ["Clause", "clauses_of"]

Mood: TypeAlias = Literal["asks", "orders", "other"]

_STRING = re.compile(
    r"`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|《[^》\n]*》|(?<!\w)'[^'\n]*'(?!\w)|```.*?```",
    re.DOTALL,
)
_SENTENCE = re.compile(
    r"(?<=[.!?;])\s+|[;；。！？\n]+|,?\s+(?:and then|then|after that|afterwards|and finally|finally)\s+"
)
_JOINT = re.compile(
    r",?\s+(?:and|but|or)\s+(?:(?:then|also|please|just|only|finally|afterwards|to)\s+)*(?=([A-Za-z]+))"
    r"|,\s+(?:(?:please|just|also|only|simply|instead|rather)\s+)*(?=([A-Za-z]+))"
)
_JOINT_CHINESE = re.compile(r"[，,]|然后|并且|接着|之后|随后|最后|并(?!发|行|列)|再(?=[^次])")
_PASSIVE = re.compile(r".{1,80}?\b(?:should|must|has to|have to|needs to|need to) be (?:\w+ly )?(\w+)")
_ENGLISH_WORDS = re.compile(
    r"\b(?:the|of|to|and|is|are|this|that|these|my|our|your|with|for|from|into|please|every|each|by|not)\b",
    re.IGNORECASE,
)
_NOUN_AFTER = re.compile(r"^[A-Za-z]+\s+(?:in|of|for|on|at|from|inside|and|or|is|are)\b", re.IGNORECASE)
_NO_VERB = words(
    "the a an this that these those my our your all any some no one it its i we you he she they there here"
)
_KANA = re.compile(r"[\u3040-\u30ff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One clause of a task."""

    text: str
    """As written, without what it excepts."""
    excepted: str
    """What follows `except`, `without`, `除了`; empty when nothing is excepted."""
    mood: Mood
    act: str | None
    """The act that its leading verb names; the verb itself where no act is known for it; None when it asks."""
    understood: bool
    """False when the verb is unknown or the language is another one."""
    lang: Language


def clauses_of(task: str) -> tuple[Clause, ...]:
    """Return the clauses of `task` that ask or order something; what it forbids is left out."""
    lang = language(task)
    masked, strings = _mask(task)
    parts = [piece for part in _SENTENCE.split(masked) if part for piece in _pieces(part, lang)]
    found = (_clause(_unmask(part, strings), lang) for part in parts)
    return tuple(clause for clause in found if clause is not None)


def _mask(task: str) -> tuple[str, list[str]]:
    strings: list[str] = []

    def keep(match: re.Match[str]) -> str:
        strings.append(match.group())
        return f"\x00{len(strings) - 1}\x01"

    return _STRING.sub(keep, task), strings


def _unmask(text: str, strings: list[str]) -> str:
    return re.sub(r"\x00(\d+)\x01", lambda m: strings[int(m[1])] if int(m[1]) < len(strings) else "", text)


def _pieces(part: str, lang: Language) -> list[str]:
    if lang == "zh":
        return [piece for piece in _JOINT_CHINESE.split(part) if piece.strip()]
    cuts = [0]
    for match in _JOINT.finditer(part):
        rest = part[match.end() :]
        word = match[1] or match[2]
        if (verb_act(word) and _is_base_form(word)) or FORBIDS.match(rest) or ASKS.match(rest):
            cuts.append(match.start())
    pieces = [part[begin:end] for begin, end in zip(cuts, [*cuts[1:], len(part)], strict=True)]
    return [re.sub(r"^[,\s]*(?:(?:and|but|or|then|also)\s+)*", "", piece) for piece in pieces if piece.strip()]


def _is_base_form(word: str) -> bool:
    return word.islower() and not word.endswith(("ed", "ing")) and not (word.endswith("s") and not word.endswith("ss"))


def _clause(text: str, lang: Language) -> Clause | None:
    text = text.strip(" \t,，.")
    if not text or FORBIDS.match(text):
        return None
    tail = (EXCEPTS_CHINESE if lang == "zh" else EXCEPTS).search(text)
    cut = tail.start() if tail and tail.start() > 0 else len(text)
    kept, excepted = text[:cut].strip(), text[cut:]
    return _chinese(kept, excepted) if lang == "zh" else _english(kept, excepted)


def _english(text: str, excepted: str) -> Clause:
    bare = POLITE.sub("", text)
    if ASKS.match(bare):
        return Clause(text=bare, excepted=excepted, mood="asks", act=None, understood=True, lang="en")
    word = re.match(r"[A-Za-z]+", bare)
    passive = _PASSIVE.match(bare)
    act = verb_act(passive[1]) if passive else phrase_act(bare)
    if act is None and word is not None and _is_base_form(word.group().lower()):
        act = verb_act(word.group())
    if act is not None:
        return Clause(text=bare, excepted=excepted, mood="orders", act=act, understood=True, lang="en")
    english = _ENGLISH_WORDS.search(bare) is not None
    act = _unknown_verb(bare, word.group() if word else "") if english else None
    understood = act is None and english
    return Clause(text=bare, excepted=excepted, mood="other", act=act, understood=understood, lang="en")


def _unknown_verb(text: str, word: str) -> str | None:
    """The root of a first word that is no noun phrase's beginning, such as `deduplicate`."""
    lower = word.lower()
    if not word or lower in _NO_VERB or not _is_base_form(lower) or _NOUN_AFTER.match(text) or len(text.split()) < 2:
        return None
    return root(lower)


def _chinese(text: str, excepted: str) -> Clause:
    bare = POLITE_CHINESE.sub("", text)
    known = _KANA.search(bare) is None
    if ASKS_CHINESE.search(bare) and not WRITES_TO.search(bare):
        return Clause(text=bare, excepted=excepted, mood="asks", act=None, understood=known, lang="zh")
    act = _chinese_act(bare)
    carries = CARRIES.search(bare) is not None
    if act in OBSERVING and carries and not bare.startswith(("读", "看", "查")):
        act = None
    return Clause(
        text=bare,
        excepted=excepted,
        mood="orders" if act else "other",
        act=act or ("other" if carries else None),
        understood=known and act is not None,
        lang="zh",
    )


def _chinese_act(text: str) -> str | None:
    """The first verb that changes something, else the first one."""
    if EXPORTS.search(text):
        return "write"
    text = text.replace("告诉我", "看看")
    hits = sorted((text.index(word), -len(word), act) for word, act in CHINESE if word in text)
    changing = [hit for hit in hits if hit[2] not in OBSERVING]
    return (changing or hits)[0][2] if hits else None
