"""Traces one statement of a draft back to what is known: names, numbers, opposites, sources, words.

Every function takes a statement and its case; none gives a verdict.
"""

from __future__ import annotations

import re

from interlock._text import ELLIPSIS
from interlock.judge.rules.case import Case
from interlock.judge.rules.progress import covers
from interlock.judge.rules.statements import Statement
from interlock.tools.mentions import mentions, numbers, stem
from interlock.tools.task.lexicon import words
from interlock.tools.task.terms import held, terms

__all__ = [
    "belongs_to_another",
    "contradicts",
    "is_known_code",
    "of_another_source",
    "speaks_of_known",
    "strange_names",
    "strange_numbers",
]

_OPPOSITES = (
    ("passed", "failed"), ("enabled", "disabled"), ("open", "closed"), ("running", "stopped"), ("true", "false"),
    ("active", "inactive"), ("success", "failure"), ("online", "offline"), ("up", "down"), ("healthy", "unhealthy"),
    ("paid", "unpaid"), ("valid", "invalid"), ("public", "private"), ("on", "off"), ("shipped", "pending"),
    ("approved", "rejected"), ("required", "optional"), ("succeeded", "failed"), ("成功", "失败"), ("启用", "禁用"),
    ("开启", "关闭"), ("已付款", "未付款"), ("已发货", "未发货"), ("在线", "离线"), ("正常", "异常"), ("通过", "失败"),
)  # fmt: skip
_EVERY = re.compile(r"\b(?:all|every|each)\b|全部|所有|都", re.IGNORECASE)
_UNITS = {
    "minute": 60,
    "min": 60,
    "hour": 3600,
    "day": 86400,
    "分钟": 60,
    "小时": 3600,
    "天": 86400,
    "kb": 1024,
    "mb": 1048576,
}
_PLAIN = re.compile(r"\d+(?:\.\d+)?")
_SLACK = 0.2
_SLACK_ANCHORED = 0.5
"""Which part of a statement's words may be missing from what is known; more where a traced name holds it."""
_NAMELIKE = re.compile(r"[\w]*[\d/_.-][\w/.-]*:?$")
_AGREES = re.compile(r"^\W*(?:yes|no)\b|^\W*(?:是的|对|不是|没有)[，,。]", re.IGNORECASE)
_LIGHT = terms(
    """
    shows reports states lists holds total average currently now named called set value found result yes note done
    time date about approximately exactly together altogether come amount made given left free available located
    stands new whole number following namely respectively still belongs takes lasts costs seconds minutes hours days
    weeks months years january february march april may june july august september october november december
    """
) | words(
    "目前 现在 一共 共有 总共 已经 分别 如下 结果 可以 需要 使用 位于 属于 注意 其中 名为 叫做 时间 数量 改到 定在 已使"
)


def strange_names(one: Statement, case: Case) -> list[str]:
    """Return the names of the statement that stand nowhere in what is known."""
    known = case.known
    lower = known.lower()
    return [name for name in one.names if not covers(known, name) and name.lower() not in lower]


def strange_numbers(one: Statement, case: Case) -> list[str]:
    """Return the numbers that neither stand in what is known nor follow from it."""
    known = frozenset((*numbers(case.known), *(run.lstrip("0") or "0" for run in re.findall(r"\d+", case.known))))
    return [number for number in one.numbers if number not in known and not _follows(number, one, case)]


def contradicts(one: Statement, case: Case) -> bool:
    """Return True when the statement says one of two opposites, or a count, and the evidence only another."""
    said, shown = one.text.lower(), case.evidence.lower()
    for mine, other in (*_OPPOSITES, *(pair[::-1] for pair in _OPPOSITES)):
        if not _has(said, mine) or _has(said, other) or not _has(shown, other):
            continue
        if not _has(shown, mine) or (_EVERY.search(said) and re.search(rf"\b[1-9]\d* {other}\b", shown)):
            return True
    return any(_counts_otherwise(number, one, case) for number in one.spelled)


def belongs_to_another(one: Statement, case: Case) -> bool:
    """Return True when a number of the statement stands beside another name than the one it is given to.

    Results are read in pieces between commas, semicolons and line ends: the name's own piece holds another number.
    """
    pieces = [piece for call in case.done for piece in re.split(r"[,;，；、\n|]", call.result or "") if piece.strip()]
    if _is_listing(pieces) and _words_of_another_entry(one, pieces):
        return True
    with_numbers = [(piece, frozenset(numbers(piece))) for piece in pieces if numbers(piece)]
    told = frozenset(one.numbers)
    if len(with_numbers) < 2 or not told:
        return False
    for name in one.names:
        own = [found for piece, found in with_numbers if covers(piece, name)]
        others = [found for piece, found in with_numbers if not covers(piece, name)]
        if own and not any(found & told for found in own) and any(found & told for found in others):
            return True
    return False


def _is_listing(pieces: list[str]) -> bool:
    """Every piece is short and begins with a name of its own."""
    heads = [piece.split(maxsplit=1)[0] for piece in pieces]
    return len(pieces) > 1 and all(_NAMELIKE.search(head) for head in heads) and max(map(len, pieces)) < 80


def _words_of_another_entry(one: Statement, pieces: list[str]) -> bool:
    entries = {piece.split(maxsplit=1)[0].strip(":"): piece for piece in pieces}
    own = [head for head in entries if covers(one.text, head)]
    if len(own) != 1:
        return False
    said = terms(one.text) - terms(entries[own[0]]) - _LIGHT
    return any(said & terms(entry) for head, entry in entries.items() if head != own[0])


def of_another_source(one: Statement, case: Case) -> bool:
    """Return True when the statement names one source, and what it says stands only in another one."""
    sources = [call for call in case.done if "read" in call.acts and call.input and call.result]
    mine = {call.input: call for call in sources if _names_source(one.text, call.input)}
    if len(mine) != 1 or len({call.input for call in sources}) < 2:
        return False
    own = next(iter(mine.values()))
    if ELLIPSIS in (own.result or "") or "[cut: " in (own.result or ""):
        return False
    others = "\n".join(call.result or "" for call in sources if call.input != own.input)
    said = terms(one.text) - terms(f"{own.input}\n{own.result}")
    return bool(said & terms(others))


def speaks_of_known(one: Statement, case: Case) -> bool | None:
    """Return whether the statement's words stand in what is known; None when that does not tell."""
    said = frozenset(word for word in terms(one.text) - terms(case.task) - _LIGHT if not _says_no_fact(word))
    if one.opens or not said:
        return None if _AGREES.match(one.text) and not _asked_is_shown(case) else True
    known = terms(case.known)
    found = held(said, known)
    missing = said - found
    anchored = bool(one.numbers or set(one.names) - set(mentions(case.task).paths))
    slack = len(said) * (_SLACK_ANCHORED if anchored else _SLACK)
    if len(missing) <= slack:
        return True
    return False if not found and not anchored and not case.clipped and len(said) > 1 else None


def _says_no_fact(word: str) -> bool:
    """Numbers are traced by themselves; a mark of the past is none."""
    return word.isdecimal() or word[0] in "已被了"


def _asked_is_shown(case: Case) -> bool:
    """A bare yes is supported where the evidence speaks of everything that the task asks."""
    asked = terms(case.task) - frozenset(word for call in case.done for word in terms(call.input)) - _LIGHT
    return len(held(asked, terms(case.known.removeprefix(case.task)))) == len(asked)


def is_known_code(one: Statement, case: Case) -> bool:
    """Return True when a line of code stands in what is known, spaces aside."""
    return re.sub(r"\s+", " ", one.text.strip()) in re.sub(r"\s+", " ", case.known)


def _follows(number: str, one: Statement, case: Case) -> bool:
    """A count of what is shown, a sum, difference or product, or the same quantity in another unit."""
    if _PLAIN.fullmatch(number) is None:
        return False
    value = float(number)
    counts = [len([line for line in re.split(r"\n|, ", call.result or "") if line.strip()]) for call in case.done]
    if value in {float(count) for count in (*counts, len(case.done), len(one.names))}:
        return True
    shown = [float(n) for n in numbers(case.evidence) if _PLAIN.fullmatch(n)][:12]
    units = [factor for unit, factor in _UNITS.items() if unit in one.text.lower()]
    pairs = [(a, b) for at, a in enumerate(shown) for b in shown[at + 1 :]]
    reached = [a + b for a, b in pairs] + [abs(a - b) for a, b in pairs] + [a * b for a, b in pairs]
    reached += [a * f for a in shown for f in units]
    reached += [a / f for a in shown for f in units] + [sum(shown)]
    return any(abs(one_of - value) < 1e-9 for one_of in reached)


def _counts_otherwise(number: int, one: Statement, case: Case) -> bool:
    """A number in words stands beside a noun that the evidence counts otherwise."""
    if str(number) in numbers(case.evidence) or _follows(str(number), one, case):
        return False
    said = terms(one.text)
    return any(terms(noun) & said for noun in re.findall(r"\b\d+ ([A-Za-z]+)", case.evidence))


def _has(text: str, word: str) -> bool:
    return word in text and (not word.isascii() or re.search(rf"(?<![a-z]){word}(?![a-z])", text) is not None)


def _names_source(text: str, given: str) -> bool:
    name = stem(given.rpartition(" ")[2])
    return covers(text, given) or (len(name) >= 2 and covers(text, name))
