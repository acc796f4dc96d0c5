"""Does a draft state what was never observed: the rule of `can_deliver.unsupported`.

Every path, number, quoted term, identifier and proper name is traced to the task, the evidence or a fact.
Source: offline specification, principle 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from interlock._text import ELLIPSIS
from interlock.judge.rules.checked import Checked, read_facts
from interlock.judge.rules.fields import Fields
from interlock.judge.rules.goals import Goal, goals_of
from interlock.judge.rules.ledger import Done, from_evidence
from interlock.judge.rules.progress import covers, is_met
from interlock.judge.rules.statements import Statement, statements_of
from interlock.judge.rules.terms import share, terms
from interlock.judge.rules.verbs import CHINESE, verb_act
from interlock.judge.rules.verdict import Verdict, exact, likely
from interlock.questions import Question
from interlock.tools.base import ToolTable
from interlock.tools.mentions import numbers, stem

__all__ = ["Case", "claims_done", "read_case", "unsupported"]

_OPPOSITES = (
    ("passed", "failed"), ("enabled", "disabled"), ("open", "closed"), ("running", "stopped"), ("true", "false"),
    ("active", "inactive"), ("success", "failure"), ("online", "offline"), ("up", "down"), ("healthy", "unhealthy"),
    ("paid", "unpaid"), ("valid", "invalid"), ("public", "private"), ("on", "off"), ("成功", "失败"), ("启用", "禁用"),
    ("开启", "关闭"), ("已付款", "未付款"), ("已发货", "未发货"), ("在线", "离线"), ("正常", "异常"), ("通过", "失败"),
)  # fmt: skip
_ALL = re.compile(r"\b(?:all|every|each|no)\b|全部|所有|都", re.IGNORECASE)
_SECONDS = {
    "second": 1,
    "sec": 1,
    "s": 1,
    "minute": 60,
    "min": 60,
    "hour": 3600,
    "day": 86400,
    "秒": 1,
    "分钟": 60,
    "小时": 3600,
    "天": 86400,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One draft with everything it can be held against."""

    task: str
    answer: str
    evidence: str
    done: tuple[Done, ...]
    goals: tuple[Goal, ...]
    facts: Checked
    statements: tuple[Statement, ...]

    @property
    def clipped(self) -> bool:
        """True when part of the evidence was cut away."""
        return ELLIPSIS in self.evidence or "[cut: " in self.evidence

    @property
    def complete(self) -> bool:
        """True when the evidence shows every call: it never holds more than three."""
        return len(self.done) < 3 and not self.clipped


def read_case(fields: Fields, tools: ToolTable) -> Case:
    """Return what the fields of a delivery frame come to."""
    task, answer, evidence = fields.text("task"), fields.text("answer"), fields.text("evidence")
    done = from_evidence(evidence, tools)
    known = tuple(dict.fromkeys(call.input for call in done if call.acts & {"read", "write", "delete"} and call.input))
    return Case(
        task=task,
        answer=answer,
        evidence=evidence,
        done=done,
        goals=goals_of(task, known),
        facts=read_facts(fields.items("facts")),
        statements=statements_of(answer),
    )


def unsupported(fields: Fields, _question: Question, tools: ToolTable) -> Verdict | None:
    """True when something in the draft traces back to nothing."""
    case = read_case(fields, tools)
    if not case.answer.strip() or not fields.has("evidence"):
        return None
    if case.facts.refuted or any(_refuted(case, goal) for goal in case.goals):
        return exact(True)
    for goal in case.goals:
        undone = goal.changes and claims_done(case, goal) and not happened(case, goal)
        if undone:
            return exact(True) if case.complete or _tried_in_vain(case, goal) else likely(True)
    open_ones = [one for one in case.statements if not _verified(one, case)]
    if not open_ones:
        return exact(False)
    verdicts = [_trace(one, case) for one in open_ones]
    wrong = [one for one in verdicts if one is not None and one.pick is True]
    if wrong:
        return max(wrong, key=lambda one: one.probability)
    return None if None in verdicts else likely(False)


def happened(case: Case, goal: Goal) -> bool:
    """Return True when the evidence or a fact shows that a change took place."""
    if goal.act == "write" and goal.targets and all(_listed_in(case.facts.exists, t) for t in goal.targets):
        return True
    if goal.act == "delete" and goal.targets and all(_listed_in(case.facts.missing, t) for t in goal.targets):
        return True
    return is_met(goal, case.done, (), case.task).met is True


def claims_done(case: Case, goal: Goal) -> bool:
    """Return True when the draft says that the change of `goal` took place."""
    return any(
        _says_done(one.text, goal.act)
        for one in case.statements
        if not one.absent and not one.proposes and not one.code
    )


def _says_done(text: str, act: str) -> bool:
    words = re.findall(r"[A-Za-z]+", text)
    past = any(verb_act(word) == act and re.search(r"(?:ed|en|ote|ent|ade|ut|id|one)$", word.lower()) for word in words)
    done = re.search(r"^\W*(?:done|completed|finished|all set)\b|已完成|完成了|搞定", text, re.IGNORECASE) is not None
    chinese = (
        any(word in text for word, known in CHINESE if known == act) and re.search(r"已|了|完成|成功", text) is not None
    )
    return past or done or chinese


def _refuted(case: Case, goal: Goal) -> bool:
    """The host looked: what was to be written is not there, or what was to be deleted still is."""
    if not claims_done(case, goal):
        return False
    against = case.facts.missing if goal.act == "write" else case.facts.exists if goal.act == "delete" else frozenset()
    return any(_listed_in(against, target) for target in goal.targets)


def _tried_in_vain(case: Case, goal: Goal) -> bool:
    return any(call.failed and goal.act in call.acts for call in case.done)


def _listed_in(paths: frozenset[str], target: str) -> bool:
    return any(covers(path, target) for path in paths)


def _verified(one: Statement, case: Case) -> bool:
    return one.where is not None and one.where in case.facts.verified


def _trace(one: Statement, case: Case) -> Verdict | None:
    """Trace one statement; None when it can be neither traced nor refuted."""
    if one.code:
        return _code(one, case)
    if one.absent and not one.proposes:
        return likely(False)
    whole = f"{case.task}\n{case.evidence}\n" + "\n".join(case.facts.exists | case.facts.missing | case.facts.verified)
    strange = [name for name in one.names if not covers(whole, name) and name.lower() not in whole.lower()]
    unknown = [number for number in one.numbers if number not in numbers(whole) and number not in _all_digits(whole)]
    unknown = [number for number in unknown if not _derived(number, one, case)]
    if strange or unknown:
        return (
            None
            if case.clipped and not _short_of_nothing(case)
            else exact(True)
            if strange and unknown
            else likely(True)
        )
    if _contradicts(one, case) or _of_another_source(one, case):
        return likely(True)
    return _by_words(one, case)


def _short_of_nothing(case: Case) -> bool:
    """A clipped evidence still refutes when the clip concerns only older steps; this cannot be known from text."""
    return False


def _code(one: Statement, case: Case) -> Verdict | None:
    plain = re.sub(r"\s+", " ", one.text.strip())
    if plain in re.sub(r"\s+", " ", case.evidence):
        return likely(False)
    return None if case.clipped else likely(True)


def _all_digits(text: str) -> frozenset[str]:
    return frozenset(run.lstrip("0") or "0" for run in re.findall(r"\d+", text))


def _derived(number: str, one: Statement, case: Case) -> bool:
    """A count of what is shown, a sum, difference, product or quotient of two numbers, or the same time in another unit."""
    if not re.fullmatch(r"\d+(?:\.\d+)?", number):
        return False
    value = float(number)
    lines = [len([line for line in re.split(r"\n|, ", call.result or "") if line.strip()]) for call in case.done]
    if value in {float(count) for count in (*lines, len(case.done), len(one.names))}:
        return True
    shown = [float(n) for n in numbers(case.evidence) if re.fullmatch(r"\d+(?:\.\d+)?", n)][:12]
    if shown and abs(sum(shown) - value) < 1e-9:
        return True
    pairs = [(a, b) for a in shown for b in shown]
    if any(abs(a + b - value) < 1e-9 or abs(a - b - value) < 1e-9 or abs(a * b - value) < 1e-9 for a, b in pairs):
        return True
    return any(abs(value * unit - a) < 1e-9 or abs(value - a * unit) < 1e-9 for a in shown for unit in _units(one.text))


def _units(text: str) -> list[int]:
    return [factor for unit, factor in _SECONDS.items() if factor > 1 and re.search(rf"{unit}", text, re.IGNORECASE)]


def _contradicts(one: Statement, case: Case) -> bool:
    """The statement says one of two opposites, the evidence only the other, or `all` against a count of the other."""
    said, shown = one.text.lower(), case.evidence.lower()
    for pair in _OPPOSITES:
        for mine, other in (pair, pair[::-1]):
            if not _has(said, mine) or _has(said, other) or not _has(shown, other):
                continue
            if not _has(shown, mine):
                return True
            if _ALL.search(said) and re.search(rf"\b[1-9]\d* {other}|{other}\D{{0,3}}[1-9]", shown):
                return True
    return any(_other_count(number, one, case) for number in one.spelled)


def _other_count(number: int, one: Statement, case: Case) -> bool:
    """A spelled number stands before a noun that the evidence counts otherwise."""
    if str(number) in numbers(case.evidence) or _derived(str(number), one, case):
        return False
    wanted = terms(one.text)
    return any(terms(noun) & wanted for noun in re.findall(r"\b\d+ ([A-Za-z]+)", case.evidence))


def _has(text: str, word: str) -> bool:
    return (
        (re.search(rf"(?<![a-z]){word}(?![a-z])", text) if word.isascii() else word in text) is not None
        and (not word.isascii() or re.search(rf"(?<![a-z]){word}(?![a-z])", text) is not None)
        and word in text
    )


def _of_another_source(one: Statement, case: Case) -> bool:
    """The statement names one source, and what it says of it stands only in another one."""
    sources = [call for call in case.done if call.acts & {"read"} and call.input and call.result]
    mine = [call for call in sources if covers(one.text, call.input) or _names_stem(one.text, call.input)]
    if len(sources) < 2 or len({call.input for call in mine}) != 1:
        return False
    own = f"{mine[0].input}\n{mine[0].result}"
    others = "\n".join(call.result or "" for call in sources if call.input != mine[0].input)
    said = terms(one.text) - terms(own)
    return bool(said & terms(others))


def _names_stem(text: str, given: str) -> bool:
    name = stem(given.split()[-1])
    return len(name) >= 2 and covers(text, name)


def _by_words(one: Statement, case: Case) -> Verdict | None:
    """Nothing named is strange: the words decide, as far as they can."""
    said = terms(one.text) - terms(case.task)
    if not said:
        return likely(False)
    part = share(said, f"{case.evidence}\n{case.task}")
    if part >= 0.4 or len(said) <= 2 or one.numbers or one.names:
        return likely(False)
    return None if case.clipped or part > 0 or not _is_claim(one) else likely(True)


def _is_claim(one: Statement) -> bool:
    return not re.match(
        r"^\W*(?:here|note|below|the following|以下|如下|注意|下面)", one.text, re.IGNORECASE
    ) and not one.text.endswith((":", "："))


def all_sources(done: Sequence[Done]) -> tuple[str, ...]:
    """Return the inputs of the calls that read something."""
    return tuple(call.input for call in done if "read" in call.acts)
