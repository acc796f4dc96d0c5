"""Checks one predicate against the question it reads, and the predicates of a policy against each other.

Source: decision-contract/v1, policy.
"""

from __future__ import annotations

import re

from interlock.contract.document import Entry
from interlock.contract.draft import DraftDecision, DraftPolicy, DraftQuestion, QuestionType
from interlock.contract.findings import Findings, quoted, suggest
from interlock.policy.predicates import predicate_text, threshold_range
from interlock.policy.rules import PredicateKind, Rule

__all__ = ["check_predicate", "check_tiers"]

_READS: dict[PredicateKind, QuestionType] = {"prob": "noul", "score": "score", "picked": "choice"}
_INSTEAD = {"noul": "prob", "score": "score", "choice": "picked"}
_THRESHOLD = re.compile(r"(?<![0-9.])(-?[0-9.]+)\s*(?:→|->)[^→]*$")


def check_predicate(rule: Rule, entry: Entry, draft: DraftDecision, findings: Findings) -> None:
    """Report a predicate that reads nothing, reads the wrong type, or compares in vain."""
    predicate = rule.predicate
    if predicate.kind == "top" and predicate.question is None:
        if len(draft.questions) > 1:
            message = f"`top` could mean any of {len(draft.questions)} questions"
            fix = "name one with `prob:id`, `score:id` or `picked:id`"
            findings.add("ambiguous-top", entry.line, entry.text_column, len("top"), message, fix=fix)
        return
    question = next((item for item in draft.questions if item.id == predicate.question), None)
    if question is None:
        _report_unknown_question(rule, entry, draft, findings)
        return
    if question.type is None:
        return
    if question.type != _READS.get(predicate.kind, question.type):
        message = f"`{predicate.kind}` reads a {_READS[predicate.kind]}, and {quoted(question.id)} is a {question.type}"
        fix = f"write `{_INSTEAD[question.type]}:{question.id}` with what fits it"
        findings.add("wrong-question-type", entry.line, entry.text_column, len(predicate.kind), message, fix=fix)
    elif predicate.kind == "picked":
        _check_option(rule, entry, question, draft, findings)
    else:
        _check_threshold(rule, entry, question, draft, findings)


def check_tiers(policy: DraftPolicy, findings: Findings) -> None:
    """Report a predicate that stands twice, and a threshold that an earlier one on the same question covers."""
    seen: dict[tuple[object, ...], Rule] = {}
    tiers: dict[tuple[object, ...], Rule] = {}
    for rule, entry in zip(policy.rules, policy.rule_entries, strict=True):
        predicate = rule.predicate
        if predicate.kind == "else":
            continue
        group = (predicate.kind, predicate.question, predicate.comparison)
        first = seen.setdefault((*group, predicate.threshold, predicate.option), rule)
        if first is not rule:
            message = f"the predicate of line {first.line} again, so this rule is never reached"
            findings.add(
                "duplicate-predicate", entry.line, entry.text_column, len(entry.text), message, fix="keep one of them"
            )
            continue
        above = tiers.setdefault(group, rule)
        if above is rule or predicate.threshold is None or above.predicate.threshold is None:
            continue
        if (predicate.threshold < above.predicate.threshold) == (predicate.comparison == ">="):
            tiers[group] = rule
            continue
        order = "lower" if predicate.comparison == ">=" else "higher"
        message = f"{quoted(predicate_text(above.predicate))} on line {above.line} covers this rule"
        fix = f"each further `{predicate.comparison}` on one question needs a {order} threshold"
        findings.add("unordered-tiers", entry.line, entry.text_column, len(entry.text), message, fix=fix)


def _report_unknown_question(rule: Rule, entry: Entry, draft: DraftDecision, findings: Findings) -> None:
    name = rule.predicate.question or ""
    message = f"no question {quoted(name)} in {quoted(draft.id)}"
    fix = suggest(name, [question.id for question in draft.questions])
    column = entry.text_column + entry.text.index(":") + 1
    findings.add("unknown-question", entry.line, column, len(name), message, fix=fix)


def _check_option(rule: Rule, entry: Entry, question: DraftQuestion, draft: DraftDecision, findings: Findings) -> None:
    option = rule.predicate.option or ""
    if option in question.labels:
        return
    code = "unlisted-option" if draft.dynamic_entry is not None else "unknown-option"
    message = f"the question {quoted(question.id)} lists no option {quoted(option)}"
    column = entry.text_column + entry.text.index("=") + 1
    column += entry.text[column - entry.text_column :].index(option)
    findings.add(code, entry.line, column, len(option), message, fix=suggest(option, question.labels))


def _check_threshold(
    rule: Rule, entry: Entry, question: DraftQuestion, draft: DraftDecision, findings: Findings
) -> None:
    predicate, number = rule.predicate, rule.predicate.threshold
    if question.question is None or number is None:
        return
    lowest, highest = threshold_range(predicate.kind, question.question)
    certain = 0.5 if predicate.kind == "top" and question.type == "noul" else lowest
    if not lowest <= number <= highest:
        what = "the levels go" if predicate.kind == "score" else "a probability goes"
        message = f"{quoted(predicate_text(predicate))} is out of range: {what} from {lowest:g} to {highest:g}"
        _report_threshold(findings, "threshold-out-of-range", entry, message, "write a number in that range")
    elif number <= certain:
        how = "always" if predicate.comparison == ">=" else "never"
        message = f"{quoted(predicate_text(predicate))} {how} holds: the value is never below {certain:g}"
        _report_threshold(findings, "constant-predicate", entry, message, f"write a threshold above {certain:g}")
    else:
        _warn_about_threshold(rule, entry, question, draft, findings)


def _warn_about_threshold(
    rule: Rule, entry: Entry, question: DraftQuestion, draft: DraftDecision, findings: Findings
) -> None:
    predicate, number = rule.predicate, rule.predicate.threshold
    if number is None or predicate.kind == "score":
        return
    if number == 0.5 and predicate.comparison == ">=":
        message = f"an answer of 0.5 says nothing, and {quoted(rule.text)} lets it through"
        _report_threshold(findings, "uninformative-cut", entry, message, "write a threshold above 0.5")
    chance = 1 / len(question.options) if len(question.options) > 1 and draft.dynamic_entry is None else 0.0
    if predicate.kind == "top" and number < chance:
        message = f"an even spread over {len(question.options)} options gives {chance:.2g}, more than {number:g}"
        _report_threshold(findings, "below-chance", entry, message, f"write a threshold above {chance:.2g}")


def _report_threshold(findings: Findings, code: str, entry: Entry, message: str, fix: str) -> None:
    match = _THRESHOLD.search(entry.text)
    at, width = (0, len(entry.text)) if match is None else (match.start(1), len(match[1]))
    findings.add(code, entry.line, entry.text_column + at, width, message, fix=fix)
