"""Checks a policy against its position and its questions: every rule can be reached, can hold and can be acted on.

Source: decision-contract/v1, positions and policy.
"""

from __future__ import annotations

from interlock.actions.meaning import ANYWHERE
from interlock.contract.check_predicate import check_predicate, check_tiers
from interlock.contract.document import Entry
from interlock.contract.draft import DraftDecision, DraftPolicy
from interlock.contract.findings import Findings, quoted, suggest
from interlock.contract.host_names import HostNames
from interlock.policy.rules import Rule

__all__ = ["check_policy"]


def check_policy(draft: DraftDecision, host: HostNames | None, findings: Findings) -> None:
    """Report what is wrong with position and policy; without a host, names are not compared."""
    if host is not None:
        _check_position(draft, host, findings)
        _check_host(draft, host, findings)
    if draft.policy is None:
        if draft.kind != "rule":
            message = f"the decision {quoted(draft.id)} has no policy"
            fix = "write `policy:` and end it with `- else → action`"
            _report(findings, "missing-policy", draft.heading, message, fix)
        return
    _check_order(draft.policy, findings)
    for rule, entry in zip(draft.policy.rules, draft.policy.rule_entries, strict=True):
        if host is not None:
            _check_action(rule, entry, draft.position, host, findings)
        if rule.predicate.kind == "else":
            continue
        if draft.kind != "rule":
            check_predicate(rule, entry, draft, findings)
            continue
        message = f"code answers this decision, so {quoted(rule.text)} has nothing to read"
        fix = "keep `else` alone; the function of the host picks the other actions"
        _report(findings, "rule-with-predicate", entry, message, fix)
    check_tiers(draft.policy, findings)


def _check_position(draft: DraftDecision, host: HostNames, findings: Findings) -> None:
    position, entry = draft.position, draft.when
    if position is None or entry is None or position in host.handled:
        return
    message, fix = f"no position {quoted(position)}", suggest(position, host.handled)
    findings.add("unknown-position", entry.line, entry.text_column, len(position), message, fix=fix)


def _check_host(draft: DraftDecision, host: HostNames, findings: Findings) -> None:
    """Report a rule that the host does not answer, and a floor of the host that finds no score."""
    if draft.kind == "rule" and draft.id not in host.capabilities.rules:
        message = f"no code of the host answers {quoted(draft.id)}"
        _report(findings, "unknown-rule", draft.heading, message, suggest(draft.id, host.capabilities.rules))
    for name, floor in host.capabilities.floors.items():
        decision, _, bounded = name.partition(".")
        if decision != draft.id:
            continue
        question = next((item for item in draft.questions if item.id == bounded), None)
        if question is None:
            message = f"the host bounds {quoted(name)} by {quoted(floor.projection)}, and there is no such question"
            _report(findings, "unused-floor", draft.heading, message, f"name the score {quoted(bounded)}")
        elif question.type not in ("score", None):
            message = f"the host bounds {quoted(name)} from below, and it is a {question.type}"
            fix = "write its options as the levels of a score"
            _report(findings, "floor-without-score", question.heading, message, fix)


def _check_order(policy: DraftPolicy, findings: Findings) -> None:
    kinds = [rule.predicate.kind for rule in policy.rules]
    if "else" not in kinds:
        if not policy.unread:
            message, fix = "the policy does not end with `else`", "add `- else → action` as its last line"
            place = policy.rule_entries[-1] if policy.rule_entries else policy.entry
            findings.add("missing-else", place.line, place.column, place.width, message, fix=fix)
        return
    first = kinds.index("else")
    for entry in policy.rule_entries[first + 1 :]:
        message = f"`else` on line {policy.rules[first].line} always holds, so this rule is never reached"
        _report(findings, "rule-after-else", entry, message, "move it above `else`")


def _check_action(rule: Rule, entry: Entry, position: str | None, host: HostNames, findings: Findings) -> None:
    action = rule.action
    here = None if position is None else host.handled.get(position)
    if action in (host.actions if here is None else here):
        return
    column = entry.text_column + entry.text.rindex(action)
    if position is None or here is None or action not in host.actions:
        known = sorted(host.actions if here is None else here)
        message, fix = f"no action {quoted(action)}", suggest(action, known)
        findings.add("unknown-action", entry.line, column, len(action), message, fix=fix)
        return
    message = f"the position `{position}` does not handle {quoted(action)}"
    handled = [*host.capabilities.positions[position], *ANYWHERE]
    fix = "it handles " + ", ".join(f"`{name}`" for name in handled)
    findings.add("unhandled-action", entry.line, column, len(action), message, fix=fix)


def _report(findings: Findings, code: str, entry: Entry, message: str, fix: str) -> None:
    findings.add(code, entry.line, entry.text_column, len(entry.text), message, fix=fix)
