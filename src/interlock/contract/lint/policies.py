"""Advice on cuts that mean something else than they seem to, and on policies without a way to a person.

Source: backends specification, section 11.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interlock.contract.document import Entry
from interlock.contract.draft import DraftDecision
from interlock.contract.findings import Findings, quoted
from interlock.contract.lint.place import at_entry
from interlock.policy.rules import Rule

__all__ = ["advise_on_policy", "ported_thresholds"]

_TO_A_PERSON = frozenset({"escalate", "ask_human"})
_YES_NO = (frozenset({"yes", "no"}), frozenset({"true", "false"}), frozenset({"是", "否"}))


def advise_on_policy(draft: DraftDecision, findings: Findings) -> None:
    """Report a choice that nothing escalates, and cuts on two nouls that are taken for complements."""
    if draft.policy is None:
        return
    choices = [question for question in draft.questions if question.type == "choice"]
    if choices and not any(rule.action in _TO_A_PERSON for rule in draft.policy.rules):
        message = f"no rule sends an unsure pick of {quoted(choices[0].id)} on"
        fix = "end with `top >= 0.6 → …` and `else → escalate`, or another threshold that was tried"
        at_entry(findings, "no-escalation-branch", draft.policy.rule_entries[-1], message, fix)
    _complements(draft, findings)


def ported_thresholds(drafts: Sequence[DraftDecision], findings: Findings) -> None:
    """Report one number that cuts a noul and a choice between yes and no."""
    on_nouls = {
        rule.predicate.threshold: rule.line for draft in drafts for rule, _ in _rules(draft) if _reads_noul(rule, draft)
    }
    for draft in drafts:
        for rule, entry in _rules(draft):
            line = on_nouls.get(rule.predicate.threshold)
            if rule.predicate.kind == "top" and line is not None and _is_yes_no(draft):
                findings.decision = draft.id
                message = f"{rule.predicate.threshold:g} also cuts a noul on line {line}, where it means something else"
                at_entry(findings, "ported-threshold", entry, message, "fit a threshold for each of the two")
    findings.decision = None


def _complements(draft: DraftDecision, findings: Findings) -> None:
    seen: list[Rule] = []
    for rule, entry in _rules(draft):
        predicate = rule.predicate
        if predicate.kind != "prob" or predicate.threshold is None:
            continue
        for other in seen:
            cut = other.predicate.threshold
            if cut is None or other.predicate.question == predicate.question:
                continue
            if other.predicate.comparison != predicate.comparison and abs(cut + predicate.threshold - 1) < 1e-9:
                message = f"{quoted(rule.text)} takes 1 - p of {quoted(other.predicate.question or '')} for this one"
                fix = "two nouls need not sum to 1; cut both on the same one, or fit each"
                at_entry(findings, "assumed-complement", entry, message, fix)
                break
        seen.append(rule)


def _rules(draft: DraftDecision) -> Iterator[tuple[Rule, Entry]]:
    if draft.policy is not None:
        yield from zip(draft.policy.rules, draft.policy.rule_entries, strict=True)


def _reads_noul(rule: Rule, draft: DraftDecision) -> bool:
    if rule.predicate.kind == "prob":
        return True
    return rule.predicate.kind == "top" and [question.type for question in draft.questions] == ["noul"]


def _is_yes_no(draft: DraftDecision) -> bool:
    (question, *others) = draft.questions
    return not others and question.type == "choice" and frozenset(map(str.casefold, question.labels)) in _YES_NO
