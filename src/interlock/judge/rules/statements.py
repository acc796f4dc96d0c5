"""Takes a draft apart: its statements, what each one names, and of which kind it is.

Knows nothing of evidence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from interlock._text import ELLIPSIS
from interlock.tools.mentions import mentions, numbers
from interlock.tools.task.lexicon import either, words
from interlock.tools.task.verbs import verb_act

__all__ = ["Statement", "statements_of"]

_QUOTED_LINE = re.compile(r"^\W{0,3}(?P<where>[^\s:][^:\n]*:\d+)(?::|\s|$)")
_FENCE = re.compile(r"```[^\n]*\n(.*?)(?:```|\Z)", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'\d(])|(?<=[。！？；])|\n+")
_ABSENCE = re.compile(
    r"\b(?:no|not|none|nothing|never|neither|nor|without|cannot|can't|couldn't|doesn't|don't|didn't|isn't|aren't"
    r"|wasn't|weren't|hasn't|haven't|won't|lacks?|missing|unable|unknown|only)\b"
    r"|没有|没|未|不|无法|缺少|找不到|只有|并非|无",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"\b(?:failed|could not be|couldn't be|cannot be|can't be|unable to|not carried out|did not take place|did not work"
    r"|was refused|was denied|timed out)\b|失败|无法|没有成功|未完成|没能",
    re.IGNORECASE,
)
_NOT_DONE = re.compile(r"\b(?:was|were|been|is|are|did|do|does)(?: not|n't) (?:yet )?(\w+)", re.IGNORECASE)
_TELLS = either(
    r"says? said mention(?:s|ed)? contain(?:s|ed)? state[sd]? specif\w+ includ\w+ show[sn]? list(?:s|ed)? finds? found"
    r" provide[sd]? knows? known determined? answers? evidence exists? information defines? exports? holds? given"
    r" available reports? recorded changed touched modified affected copied",
    "写 提到 提及 找到 说明 答案 信息 记录 内容 定义 导出 动 改 有",
)
_PROPOSES = re.compile(
    r"\b(?:(?:should|could|would)(?! not\b|n't)|recommend|suggest|instead|ought to|better to|consider|must)\b"
    r"|应该?为?|建议|可以改|最好",
    re.IGNORECASE,
)
_OPENS = re.compile(r"^\W*(?:here|note|below|the following|以下|如下|注意|下面)|[:：]$", re.IGNORECASE)
_NAME = re.compile(r"(?<![\w.`/-])[A-Z][a-z]+(?:[ -][A-Z][a-z]+)*(?![\w/`-]|\.\w)")
_COMMON = words(
    """
    I The A An It Its This That These Those There In On At To From For By With And But Or As If When While Where Which
    What Who How Why Yes No Not Done Note However Also Here Both All Each Every Only Please Found None One Two Three
    Four Five Six Seven Eight Nine Ten Read Listed Wrote Written Created Copied Moved Deleted Monday Tuesday Wednesday
    Thursday Friday Saturday Sunday January February March April May June July August September October November
    December English Chinese File Files Function Functions Class Classes Line Lines So Then According Based After
    Before During Since Because Summary Answer Result Results Evidence Looked Nothing
    """
)
_ENGLISH_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_WORD_NUMBERS = {
    **{word: at for at, word in enumerate(_ENGLISH_NUMBERS, start=2)},
    **{word: at for at, word in enumerate("二三四五六七八九十", start=2)},
    "两": 2,
}
_SPELLED = re.compile(
    r"\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"
    r"|([两二三四五六七八九十])(?=[个条项份次名位行台张封])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence or line of a draft."""

    text: str
    where: str | None
    """`PATH:LINE` when the line is a quote with its place."""
    absent: bool
    """True when it says that something was not found, not said, or not done."""
    proposes: bool
    """True when it says what should be rather than what is."""
    code: bool
    """True for a line of a code block."""
    opens: bool
    """True when it only leads over to what follows."""
    names: tuple[str, ...]
    """Paths, identifiers, quoted words, addresses and proper names."""
    numbers: tuple[str, ...]
    spelled: tuple[int, ...]
    """Numbers written as words."""


def statements_of(draft: str) -> tuple[Statement, ...]:
    """Return the statements of `draft` in order; a draft cut at its end loses its last word."""
    text = re.sub(rf"\S*{ELLIPSIS}$", "", draft.strip())
    code = [line for block in _FENCE.findall(text) for line in block.split("\n") if line.strip()]
    prose = [piece.strip() for piece in _SENTENCE.split(_FENCE.sub("\n", text)) if piece and piece.strip()]
    return tuple([_statement(piece, code=False) for piece in prose] + [_statement(line, code=True) for line in code])


def _statement(text: str, *, code: bool) -> Statement:
    place = _QUOTED_LINE.match(text)
    found = mentions(text)
    names = (*found.paths, *found.identifiers, *found.quoted, *found.addresses, *_proper_names(text))
    spelled = tuple(_WORD_NUMBERS[(m.group(1) or m.group(2)).lower()] for m in _SPELLED.finditer(text))
    return Statement(
        text=text,
        where=place["where"] if place else None,
        absent=_is_absence(text),
        proposes=_PROPOSES.search(text) is not None,
        code=code,
        opens=_OPENS.search(text) is not None,
        names=tuple(dict.fromkeys(names)),
        numbers=numbers(re.sub(r"^\W*\d+[.)] ", "", text)) if not found.identifiers else found.numbers,
        spelled=spelled,
    )


def _is_absence(text: str) -> bool:
    """It denies that something was found or said, or that an act took place; a denial of a fact is a claim."""
    if _FAILED.search(text):
        return True
    if not _ABSENCE.search(text):
        return False
    return _TELLS.search(text) is not None or any(verb_act(word) for word in _NOT_DONE.findall(text))


def _proper_names(text: str) -> list[str]:
    """Capitalised words; the first word of a statement only as part of a name of several words."""
    found = []
    for match in _NAME.finditer(text):
        words = [word for word in re.split(r"[ -]", match.group()) if word not in _COMMON]
        opens = not text[: match.start()].strip(" -*`\"'([")
        if words and not (opens and len(words) == 1):
            found += words
    return found
