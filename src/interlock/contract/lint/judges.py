"""Advice on what the judge at hand cannot take, and on what it is known to do.

Source: backends specification, section 11.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.contract.document import Entry
from interlock.contract.draft import DraftDecision, DraftQuestion
from interlock.contract.findings import Findings, quoted
from interlock.contract.lint.place import at_entry
from interlock.contract.lint.target import Target
from interlock.judge.locks import is_moving
from interlock.policy.rules import Rule
from interlock.questions import Choice, Score

__all__ = ["advise_for_judge", "advise_on_model", "advise_without_judge"]

MOST_OPTIONS = 255
MOST_LEVELS = 10
"""More than these no judge is known to take."""
SHARP_FROM = 11
"""Menus from this size on come back sharpened."""


def advise_on_model(target: Target, findings: Findings) -> None:
    """Report a model's name that is an alias, which is given to another model without notice."""
    if is_moving(target.model):
        message = f"{quoted(target.model)} moves without notice, and thresholds belong to one model"
        fix = "name the version that the thresholds were tried with"
        is_locked = target.locks is not None and bool(target.locks.locks)
        findings.add("floating-alias", 1, 1, 0, message, fix=fix, severity="error" if is_locked else "warning")


def advise_without_judge(draft: DraftDecision, findings: Findings) -> None:
    """Report questions that are larger than any judge takes."""
    for question in draft.questions:
        _over(question, MOST_OPTIONS, MOST_LEVELS, "any judge that is known", findings, is_error=False)


def advise_for_judge(draft: DraftDecision, target: Target, findings: Findings) -> None:
    """Report what this judge cannot take, or what its answers would not mean."""
    caps = target.caps
    for question in draft.questions:
        _over(question, caps.max_options, caps.max_levels, quoted(target.id), findings, is_error=True)
    if caps.joint_reads and caps.max_questions != 1 and len(draft.questions) > 1:
        message = f"{quoted(target.id)} lets questions of one request move each other, and here are several"
        fix = "make them decisions of their own, or take a judge whose answers stay"
        at_entry(findings, "unsafe-fusion", draft.heading, message, fix)
    for rule, entry in _cuts(draft):
        _about_cut(draft, target, rule, entry, findings)


def _over(
    question: DraftQuestion,
    options: int | None,
    levels: int | None,
    who: str,
    findings: Findings,
    *,
    is_error: bool,
) -> None:
    asked = question.question
    if isinstance(asked, Choice):
        count, limit, what = len(asked.criteria), options, "options"
    elif isinstance(asked, Score):
        count, limit, what = len(asked.criteria), levels, "levels"
    else:
        return
    if limit is None or count <= limit:
        return
    message = f"{count} {what}, and {who} takes {limit}"
    at_entry(
        findings,
        "over-caps",
        question.options[limit],
        message,
        "ask in two steps, or leave some out",
        severity="error" if is_error else "warning",
    )


def _cuts(draft: DraftDecision) -> Iterator[tuple[Rule, Entry]]:
    """Yield the rules that compare a number."""
    if draft.policy is not None:
        for rule, entry in zip(draft.policy.rules, draft.policy.rule_entries, strict=True):
            if rule.predicate.threshold is not None:
                yield rule, entry


def _about_cut(draft: DraftDecision, target: Target, rule: Rule, entry: Entry, findings: Findings) -> None:
    if target.caps.basis == "label_only":
        message = f"{quoted(target.id)} gives a label without numbers, and {quoted(rule.text)} compares one"
        at_entry(findings, "label-only-judge", entry, message, "write `picked:`, or take a judge with probabilities")
        return
    _about_lock(draft, target, rule, entry, findings)
    choice = next((question for question in draft.questions if question.type == "choice"), None)
    if rule.predicate.kind != "top" or choice is None:
        return
    if target.sharpens and (draft.dynamic_entry is not None or len(choice.labels) >= SHARP_FROM):
        message = f"{quoted(target.id)} reports nearly 1 for the first of {SHARP_FROM} options or more"
        at_entry(findings, "sharpened-menu", entry, message, "offer fewer options, or let `picked:` decide")
    if target.order_matters:
        message = f"{quoted(target.id)} may pick another option in another order, and none is checked"
        fix = "set `judging.order` to `reversed_check`"
        at_entry(findings, "order-sensitive", entry, message, fix)


def _about_lock(draft: DraftDecision, target: Target, rule: Rule, entry: Entry, findings: Findings) -> None:
    """Report a threshold on a question that was not tried with this model; candidates from code change the question."""
    if target.locks is None or target.model == target.id:
        return
    asked = next((item.question for item in draft.questions if item.id == rule.predicate.question), None)
    if asked is None or (isinstance(asked, Choice) and draft.dynamic_entry is not None):
        return
    if not target.locks.expects(asked, requested=target.model, basis=target.caps.basis):
        message = f"{quoted(rule.text)} compares a number that was not tried with {quoted(target.id)}"
        at_entry(findings, "confidence-cut", entry, message, "try it, then lock it with `interlock judge lock`")
