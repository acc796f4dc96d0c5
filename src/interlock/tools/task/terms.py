"""The content words of a text: roots of English words, pairs of Chinese characters.

Knows nothing of tasks or tools.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from interlock.tools.task.glossary import ENGLISH
from interlock.tools.task.lexicon import words
from interlock.tools.task.verbs import root

__all__ = ["held", "share", "terms"]

SHORTEST_PREFIX = 4
_NONE: frozenset[str] = frozenset()
_WORDS = re.compile(r"[A-Za-z]+|\d+|[\u3400-\u9fff]+")
_PARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_")

_STOP = frozenset(
    root(word)
    for word in words(
        """
        a an the this that these those it its they them their there here i me my we us our you your he she his her of in
        on at to into onto from by for with without about as and or but nor not no if then than so such between after
        before during per via do does did be is are was were been being have has had can could should would will shall
        may might must what which who whom whose when where why how many much any some all each every both either
        neither one ones own same other another more most very just only also too again still yet already please tell
        me show give find list read explain describe summarise summarize compare check count translate print open
        display view locate identify determine quote output say says said contain contains mention mentions use uses
        used using get make let go look want need s t ll re ve m d repository repo package codebase first last file
        files folder directory project
        """
    )
)
_STOP_CHINESE = re.compile(
    r"多[大长高久远重]|什么|哪些|哪个|哪里|哪|谁|多少|几个|几|吗|呢|是否|如何|怎么|怎样|为什么|为何|请|帮我|一下|告诉我|告诉|这个|那个|这些|那些|这|那|它们|它"
    r"|我们|我|你|他|她|的|了|着|在|里面|里|中|内|是|有|和|与|跟|及|或|把|将|被|给|从|到|对|为|于|等|都|各|每个|每|所有|全部|两个"
    r"|文件夹|文件|目录|项目|列出|读取|读|看看|查看|看|总结|解释|说明|找出|找|写了|写|出来|出|个|叫"
)


def terms(text: str) -> frozenset[str]:
    """Return the content words of `text`."""
    found: set[str] = set()
    for match in _WORDS.finditer(_PARTS.sub(" ", text)):
        word = match.group()
        if word[0] >= "\u3400":
            found.update(_pairs(word))
        else:
            found.add(root(word))
    return frozenset(found - _STOP)


def share(wanted: frozenset[str], text: str) -> float:
    """Return which part of `wanted` stands among the content words of `text`, in [0, 1]."""
    return len(held(wanted, terms(text))) / len(wanted) if wanted else 0.0


def held(wanted: frozenset[str], found: frozenset[str]) -> frozenset[str]:
    """Return the words of `wanted` that `found` holds, as they are, shortened to their beginning, or in English."""
    long = [word for word in found if len(word) >= SHORTEST_PREFIX and word.isascii()]
    return frozenset(
        word for word in wanted if word in found or ENGLISH.get(word, _NONE) & found or _begins(word, long)
    )


def _begins(word: str, long: Sequence[str]) -> bool:
    if len(word) < SHORTEST_PREFIX or not word.isascii():
        return False
    return any(word.startswith(other) or other.startswith(word) for other in long)


def _pairs(run: str) -> list[str]:
    return [pair for piece in _STOP_CHINESE.split(run) if piece for pair in _pairs_of(piece)]


def _pairs_of(piece: str) -> list[str]:
    """Pairs of neighbours; a pair that is a known word takes its characters with it."""
    pairs: list[str] = []
    at = 0
    while at < max(1, len(piece) - 1):
        pair = piece[at : at + 2]
        pairs.append(pair)
        at += 2 if pair in ENGLISH else 1
    return pairs
