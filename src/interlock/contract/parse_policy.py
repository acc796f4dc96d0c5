"""Types the rules of a policy: one predicate, one arrow, one action.

Source: decision-contract/v1, policy.
"""

from __future__ import annotations

import re
from typing import Literal, cast

from interlock.contract.document import Entry
from interlock.contract.findings import Findings, quoted, replace_in_line
from interlock.policy.predicates import rule_text
from interlock.policy.rules import Predicate, PredicateKind, Rule

__all__ = ["parse_rule"]

_THRESHOLD = re.compile(r"(?:(top)|(prob|score):([^\s<>=]+))\s*([<>=!≥≤＜＞]+)\s*([^\s<>=!≥≤＜＞]\S*)")
_PICKED = re.compile(r"picked:([^\s<>=]+)\s*(=+)\s*(.+)")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?|-?\.[0-9]+")
_OTHER_ARROW = re.compile(r"(=>|⇒|⟶|➔|➜|—>|–>)\s*[\w:-]+$")
_SAFE_COMPARISONS = {"≥": ">=", "＜": "<", "＞=": ">="}
_FORMS = "`else`, `top >= n`, `prob:id >= n`, `score:id >= n`, `<` for `>=`, or `picked:id = option`"

_ELSE = Predicate(kind="else", question=None, comparison=None, threshold=None, option=None)


def parse_rule(entry: Entry, only_question: str | None, findings: Findings) -> Rule | None:
    """Return one rule, or None when the line holds none.

    `only_question`: the id that `top` reads; None in a decision that has not exactly one question.
    """
    text = entry.text
    unicode_at, ascii_at = text.rfind("→"), text.rfind("->")
    at = max(unicode_at, ascii_at)
    if at < 0:
        _report_missing_arrow(entry, findings)
        return None
    action = text[at + (1 if at == unicode_at else 2) :].strip()
    predicate_text = text[:at].rstrip()
    if not predicate_text:
        message, fix = "nothing stands before the arrow", f"write {_FORMS}"
        _report("missing-predicate", entry, findings, at=0, width=len(text), message=message, fix=fix)
        return None
    if not action:
        message, fix = "nothing stands after the arrow", "write the action to take"
        _report("missing-action", entry, findings, at=at, width=len(text) - at, message=message, fix=fix)
        return None
    if len(action.split()) > 1:
        message, fix = f"the action {quoted(action)} is more than one word", "write one action and nothing after it"
        where = len(text) - len(action)
        _report("leftover-action", entry, findings, at=where, width=len(action), message=message, fix=fix)
        return None
    predicate = _predicate(predicate_text, entry, only_question, findings)
    if predicate is None:
        return None
    return Rule(predicate=predicate, action=action, text=rule_text(predicate, action), line=entry.line)


def _predicate(text: str, entry: Entry, only_question: str | None, findings: Findings) -> Predicate | None:
    if text == "else":
        return _ELSE
    match = _THRESHOLD.fullmatch(text)
    if match is not None:
        return _threshold(match, entry, only_question, findings)
    match = _PICKED.fullmatch(text)
    if match is None:
        message, fix = f"no predicate {quoted(text)}", f"write {_FORMS}"
        _report("unknown-predicate", entry, findings, at=0, width=len(text), message=message, fix=fix)
        return None
    question, sign, option = match.groups()
    if sign != "=" or option.startswith("="):
        message, fix = f"{quoted(text)} compares with another sign than `=`", "write `picked:id = option`"
        _report("unknown-comparison", entry, findings, at=match.start(2), width=len(sign), message=message, fix=fix)
        return None
    return Predicate(kind="picked", question=question, comparison="=", threshold=None, option=option)


def _threshold(match: re.Match[str], entry: Entry, only_question: str | None, findings: Findings) -> Predicate | None:
    top, kind, question, sign, number = match.groups()
    if sign not in (">=", "<"):
        safe = _SAFE_COMPARISONS.get(sign)
        column = entry.text_column + match.start(4)
        edit = None if safe is None else replace_in_line(entry.line, column, len(sign), safe)
        message, fix = f"no comparison `{sign}`", "write `>=` or `<`"
        findings.add("unknown-comparison", entry.line, column, len(sign), message, fix=fix, edit=edit)
        return None
    if _NUMBER.fullmatch(number) is None:
        message, fix = f"{quoted(number)} is not a plain decimal number", "write one such as `0.6`"
        _report("malformed-threshold", entry, findings, at=match.start(5), width=len(number), message=message, fix=fix)
        return None
    return Predicate(
        kind="top" if top else cast("PredicateKind", kind),
        question=only_question if top else question,
        comparison=cast("Literal['>=', '<']", sign),
        threshold=float(number) + 0.0,
        option=None,
    )


def _report_missing_arrow(entry: Entry, findings: Findings) -> None:
    text = entry.text
    other = _OTHER_ARROW.search(text)
    edit = None
    if other is not None:
        edit = replace_in_line(entry.line, entry.text_column + other.start(1), len(other[1]), "→")
    message, fix = f"{quoted(text)} has no arrow", "write `predicate → action`; `->` is read as the arrow too"
    findings.add("missing-arrow", entry.line, entry.text_column, len(text), message, fix=fix, edit=edit)


def _report(code: str, entry: Entry, findings: Findings, *, at: int, width: int, message: str, fix: str) -> None:
    findings.add(code, entry.line, entry.text_column + at, width, message, fix=fix)
