"""Which candidate a call should target: the rule of `pick_input`.

Names first, then kinds of files, then what files of a kind usually hold.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from interlock.judge.rules.fields import Fields
from interlock.judge.rules.topics import on_topic
from interlock.judge.rules.verdict import Verdict, exact, likely
from interlock.questions import Choice, Question
from interlock.tools.base import ToolTable
from interlock.tools.mentions import find_named, mentions, stem
from interlock.tools.task.clauses import Clause, clauses_of
from interlock.tools.task.filesets import is_test, kind_of_files, meant_files
from interlock.tools.task.terms import held, terms

__all__ = ["pick_input"]

_TESTS = re.compile(r"\b(?:tests?|specs?)\b|测试", re.IGNORECASE)
_RELATES = re.compile(
    r"^(?:which|what|find|who|where)\b.*\b(?:imports?|uses?|calls?|references?|includes?|depends? on|mentions?"
    r"|links? to|loads?|extends?)\b"
    r"|(?:哪个|哪些).{0,10}(?:导入|引用|调用|使用|依赖|包含)",
    re.IGNORECASE,
)
"""Another file is wanted than the one that is named."""
_ORDER = re.compile(r"\b(first|last)\b (?:\w+ )?file|(第一|最后一)个文件", re.IGNORECASE)
_READING_ORDER = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:^|/)readme(?:\.\w+)*$",
        r"\.(?:md|txt|rst|adoc)$",
        r"\.log$",
        r"\.(?:ya?ml|toml|json|ini|cfg|conf|env|properties|csv|sql)$",
        r"\.(?:py|ts|js|go|rs|java|rb|kt|c|h|cpp|cs|php|sh)$",
    )
)
_LONG_LIST = 6
"""From this many candidates on, one after another is worth reading even where the task has no topic."""
_MOST_READ = 10
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH_CHINESE = re.compile(r"(\d{1,2}) ?月")


def pick_input(fields: Fields, question: Question, _tools: ToolTable) -> Verdict | None:
    """The candidate that the task names, or the only plausible one."""
    task = fields.text("task")
    if not isinstance(question, Choice) or not task.strip():
        return None
    read = fields.items("already_read")
    options = tuple(option for option in question.criteria if option not in read)
    clauses = clauses_of(task)
    asked = " ".join(clause.text for clause in clauses) or task
    allowed = _without_excepted(options, clauses)
    related = find_named(asked, allowed) if _RELATES.search(asked) else ()
    allowed = tuple(option for option in allowed if option not in related)
    return (
        _by_name(asked, allowed)
        or _by_record(asked, allowed)
        or _by_kind(clauses, allowed)
        or _by_topic(asked, allowed)
        or _by_words(asked, allowed)
        or _by_place(asked, allowed, len(read))
    )


def _without_excepted(options: Sequence[str], clauses: Sequence[Clause]) -> tuple[str, ...]:
    left_out = find_named(" ".join(clause.excepted for clause in clauses), options)
    return tuple(option for option in options if option not in left_out)


def _by_name(asked: str, options: Sequence[str]) -> Verdict | None:
    named = find_named(asked, options)
    if not named:
        return None
    folders = {name: len(terms(name.rpartition("/")[0]) & terms(asked)) for name in named}
    nearest = [name for name in named if folders[name] == max(folders.values())]
    return exact(named[0]) if len(named) == 1 else likely(nearest[0])


def _by_record(asked: str, options: Sequence[str]) -> Verdict | None:
    """An option that is an identifier of the task, or holds the numbers or the month of it."""
    seen = mentions(asked)
    names = {name.lower() for name in (*seen.identifiers, *seen.quoted, *seen.addresses, *seen.numbers)}
    hits = [option for option in options if option.lower() in names]
    if len(hits) == 1:
        return exact(hits[0])
    dates = [number for number in seen.numbers if len(number) >= 2]
    by_year = [option for option in options if any(_holds_number(option, number) for number in dates)]
    by_month = [option for option in by_year or options if any(_holds_number(option, m) for m in _months(asked))]
    best = by_month or by_year
    return likely(best[0]) if len(best) == 1 else None


def _months(text: str) -> list[str]:
    lower = text.lower()
    spelled = [f"{at:02d}" for at, name in enumerate(_MONTHS, start=1) if re.search(rf"\b{name}\b", lower)]
    return spelled + [f"{int(month):02d}" for month in _MONTH_CHINESE.findall(text)]


def _holds_number(option: str, number: str) -> bool:
    return re.search(rf"(?<!\d){re.escape(number)}(?!\d)", option) is not None


def _by_kind(clauses: Sequence[Clause], options: Sequence[str]) -> Verdict | None:
    for clause in clauses:
        files = meant_files(clause.text, clause.excepted, options, "")
        if files.every and files.paths:
            return exact(files.paths[0]) if len(files.paths) == 1 else likely(files.paths[0])
        kinds = kind_of_files(clause.text)
        of_kind = [option for option in options if option.rpartition(".")[2].lower() in kinds]
        kept = (
            of_kind if _TESTS.search(clause.text) else [option for option in of_kind if not is_test(option)] or of_kind
        )
        if len(kept) == 1:
            return likely(kept[0])
    return None


def _by_topic(asked: str, options: Sequence[str]) -> Verdict | None:
    hits = on_topic(asked, options)
    best = _closest(asked, hits) or hits
    return likely(best[0]) if best else None


def _by_words(asked: str, options: Sequence[str]) -> Verdict | None:
    best = _closest(asked, options)
    return likely(best[0]) if len(best) == 1 else None


def _by_place(asked: str, options: Sequence[str], read: int) -> Verdict | None:
    """The first or last one where the task says so; what may stand in any: prose, logs, settings, code."""
    ordered = _ORDER.search(asked)
    if ordered and options:
        return likely(options[0] if (ordered[1] or ordered[2]).lower() in {"first", "第一"} else options[-1])
    anywhere = bool(terms(asked)) and not mentions(asked).paths
    if read >= _MOST_READ or not (anywhere or len(options) >= _LONG_LIST):
        return None
    ranked = [option for kind in _READING_ORDER for option in options if kind.search(option)]
    return likely(ranked[0]) if ranked else None


def _closest(asked: str, options: Sequence[str]) -> list[str]:
    """The options whose names share most words with the task; tests only where they are asked for."""
    wanted = terms(asked)
    tests = _TESTS.search(asked) is not None
    scored = {
        option: 4 * len(held(wanted, terms(stem(option))))
        + len(held(wanted, terms(option)))
        - (is_test(option) != tests)
        - len(terms(stem(option)) - wanted) / 10
        for option in options
    }
    top = max(scored.values(), default=0)
    return [option for option, score in scored.items() if score == top and score > 1]
