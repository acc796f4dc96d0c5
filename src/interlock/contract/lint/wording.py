"""Advice on how a question is put. Reads English only: another language gets none.

Source: backends specification, section 11.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from interlock.contract.document import Entry
from interlock.contract.draft import DraftDecision, DraftQuestion
from interlock.contract.findings import Findings, quoted
from interlock.contract.lint.place import at_match

__all__ = ["advise_on_wording"]

_NEGATION = re.compile(
    r"\b(?:not|never|no|nothing|none|nobody|neither|nor|without|cannot|(?:is|are|was|were|do|does|did|has|have|had|ca|wo|"
    r"would|could|should)n't)\b",
    re.IGNORECASE,
)
_FIRST_WORDS = re.compile(r"(?:\S+\s+){0,4}\S*")
_SENTENCE = re.compile(r"[^.?!;—]+")
_JOINED = re.compile(
    r"(?<=\s)(?:and|or)\s+(?:it|they|there|is|are|was|were|has|have|does|do|did|can|will|would|should|must|not|\w+ed)\b"
    r"|^[^,]*?(?P<comma>,\s+(?:and|or)\s)",
    re.IGNORECASE,
)

_A_NO = re.compile(
    r"\s+(?:—|--)\s+(no(?=\s*(?:[,.:;]|$))|not\b|never\b|false\b|(?:it|this|that|there|they|the \w+) "
    r"(?:(?:is|are|was|were|does|do|did|has|have|had|can|will) (?:not|never)"
    r"|(?:is|are|was|were|does|do|did|has|have)n't)\b)",
    re.IGNORECASE,
)
"""A criterion, dash included, that begins with a no."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """Words that ask for what a judge does badly."""

    code: str
    pattern: re.Pattern[str]
    message: str
    fix: str
    only: str | None = None
    """The one type of question that is meant; None: all."""


_MONTHS = r"january|february|march|april|june|july|august|september|october|november|december"
_WORDS = (
    _Words(
        code="counting",
        pattern=re.compile(
            r"\b(?:how many|the number of|count (?:the|of|how)|(?:at least|at most|more than|fewer than|exactly) "
            r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten))\b",
            re.IGNORECASE,
        ),
        message="asks to count",
        fix="count in code, or ask one noul per item",
    ),
    _Words(
        code="arithmetic",
        pattern=re.compile(
            r"\b(?:sum of|total (?:of|cost|price|amount)|average|percent(?:age)?|multipl(?:y|ied)|divided by|"
            r"difference between|adds? up)\b|\d\s*[+*/]\s*\d|\d\s*%",
            re.IGNORECASE,
        ),
        message="asks to calculate",
        fix="calculate in code and show the result in the frame",
    ),
    _Words(
        code="date-order",
        pattern=re.compile(
            rf"\b(?:before|after|earlier than|later than|older than|newer than|within|since|until)\b[^.?!]{{0,30}}?"
            rf"\b(?:dates?|days?|weeks?|months?|years?|deadline|\d{{4}}-\d{{2}}|{_MONTHS})\b"
            r"|\b(?:most recent|expired|overdue|oldest|chronological)\b",
            re.IGNORECASE,
        ),
        message="compares dates",
        fix="compare them in code and show the result in the frame",
    ),
    _Words(
        code="generation-wording",
        pattern=re.compile(
            r"(?:^|(?<=[.!?]\s))(?:please\s+)?(?:write|explain|list|enumerate|summari[sz]e|describe|draft|compose|"
            r"translate|rewrite|generate|provide|tell|give)\b",
            re.IGNORECASE,
        ),
        message="asks for text",
        fix="ask what can be picked or graded; a judge cannot write",
    ),
    _Words(
        code="presence-wording",
        pattern=re.compile(
            r"\b(?:mentions?|contains?|says?|includes?|refers? to|talks? about|speaks? of)\b", re.IGNORECASE
        ),
        message="asks whether words are there",
        fix="ask what is meant: a denial names the same words",
        only="noul",
    ),
)


def advise_on_wording(draft: DraftDecision, findings: Findings) -> None:
    """Report what makes the questions of a decision hard to judge."""
    for question in draft.questions:
        if question.ask is None:
            continue
        for words in _WORDS:
            match = words.pattern.search(question.ask.text) if words.only in (None, question.type) else None
            if match is not None:
                message = f"{quoted(match[0].strip())} {words.message}"
                at_match(findings, words.code, question.ask, match, message=message, fix=words.fix)
        _compound(question, findings)
        _negated(question, question.ask, findings)
        _inverted(question, findings)


def _compound(question: DraftQuestion, findings: Findings) -> None:
    if question.type != "noul" or question.ask is None:
        return
    match = _JOINED.search(question.ask.text)
    if match is None:
        return
    start = match.start("comma") if match["comma"] is not None else match.start()
    text = question.ask.text[start : match.end()].strip(" ,")
    message = f"{quoted(text)} joins two conditions in one yes or no"
    fix = "ask two questions, and let the policy join them"
    column = question.ask.text_column + start
    findings.add("compound-question", question.ask.line, column, match.end() - start, message, fix=fix)


def _negated(question: DraftQuestion, ask: Entry, findings: Findings) -> None:
    text = ask.text
    for sentence in _SENTENCE.finditer(text):
        found = list(_NEGATION.finditer(text, sentence.start(), sentence.end()))
        if len(found) > 1:
            message = f"{quoted(found[0][0])} and {quoted(found[1][0])} in one sentence are a double negative"
            fix = "say what holds, not what does not"
            at_match(findings, "negated-question", ask, found[1], message=message, fix=fix)
            return
    first = _NEGATION.search(text, 0, _end_of_first_words(text))
    if question.type == "noul" and first is not None:
        message = f"{quoted(first[0])} makes `true` mean that something is not so"
        fix = "ask for what holds, and turn the policy"
        at_match(findings, "negated-question", ask, first, message=message, fix=fix)


def _end_of_first_words(text: str) -> int:
    match = _FIRST_WORDS.match(text)
    return 0 if match is None else match.end()


def _inverted(question: DraftQuestion, findings: Findings) -> None:
    """Report a noul whose `true` describes a no and whose `false` does not."""
    if question.type != "noul":
        return
    sides = dict(zip(question.labels, question.options, strict=True))
    said = {name: _A_NO.match(entry.text.removeprefix(name)) for name, entry in sides.items()}
    match, entry = said["true"], sides["true"]
    if match is None or said["false"] is not None:
        return
    message = f"`true` is described by {quoted(match[1])}, which is a no"
    column = entry.text_column + len("true") + match.start(1)
    fix = "describe a yes under `true`"
    findings.add("inverted-criteria", entry.line, column, len(match[1]), message, fix=fix)
