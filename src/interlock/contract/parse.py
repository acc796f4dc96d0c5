"""Types a document's blocks: every decision as its author wrote it, with a finding for each part that cannot be read.

Compares nothing with a host.
Source: decision-contract/v1, questions, positions, frame and policy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast, get_args

from interlock.contract.document import Block, Document, Entry
from interlock.contract.draft import DraftDecision, DraftField, DraftFrame, DraftPolicy, DraftQuestion, Kind
from interlock.contract.findings import Findings, quoted, suggest
from interlock.contract.parse_frame import parse_dynamic, parse_exclusion, parse_field, parse_when
from interlock.contract.parse_policy import parse_rule
from interlock.contract.parse_questions import ID, look, parse_question
from interlock.frame.spec import Exclusion
from interlock.policy.rules import Rule

__all__ = ["parse_document"]

_KINDS: tuple[str, ...] = get_args(Kind)


def parse_document(document: Document, findings: Findings) -> tuple[DraftDecision, ...]:
    """Return the decisions in the order of the file."""
    drafts = tuple(_decision(block, findings) for block in document.blocks)
    findings.decision = None
    _check_ids([block.heading for block in document.blocks], "duplicate-decision", findings)
    return drafts


def _decision(block: Block, findings: Findings) -> DraftDecision:
    heading, keys = block.heading, block.keys
    findings.decision = heading.text or None
    _check_id(heading, findings)
    kind = _kind(heading, keys, findings)
    when_entry, dynamic_entry = keys.get("when"), keys.get("dynamic")
    when = parse_when(when_entry, findings) if when_entry is not None else None
    if when_entry is None:
        message, fix = f"the decision {quoted(heading.text)} has no `when:`", "write `when: position —— purpose`"
        findings.add("missing-when", heading.line, heading.text_column, len(heading.text), message, fix=fix)
    questions = _questions(block, findings)
    return DraftDecision(
        id=heading.text,
        heading=heading,
        kind=kind,
        when=when_entry,
        position=None if when is None else when.position,
        purpose=None if when is None else when.purpose,
        dynamic_entry=dynamic_entry,
        dynamic=None if dynamic_entry is None else parse_dynamic(dynamic_entry, findings),
        questions=questions,
        frame=_frame(keys["frame"], block, findings) if "frame" in keys else None,
        policy=_policy(keys["policy"], block, questions, findings) if "policy" in keys else None,
    )


def _kind(heading: Entry, keys: Mapping[str, Entry], findings: Findings) -> Kind | None:
    entry = keys.get("kind")
    if entry is None:
        message = f"the section {quoted(heading.text)} has no `kind:`, and every section is a decision"
        fix = f"write `kind:` and one of {', '.join(_KINDS)}"
        findings.add("missing-kind", heading.line, heading.text_column, len(heading.text), message, fix=fix)
        return None
    if entry.text not in _KINDS:
        message, fix = f"no kind {quoted(entry.text)}", suggest(entry.text, _KINDS)
        findings.add("unknown-kind", entry.line, entry.text_column, len(entry.text), message, fix=fix)
        return None
    return cast("Kind", entry.text)


def _questions(block: Block, findings: Findings) -> list[DraftQuestion]:
    questions = [
        parse_question(question, dynamic="dynamic" in block.keys, findings=findings) for question in block.questions
    ]
    headings = [question.heading for question in block.questions]
    for heading in headings:
        if heading is not block.heading:
            _check_id(heading, findings)
    _check_ids(headings, "duplicate-question", findings)
    return questions


def _check_ids(headings: Sequence[Entry], code: str, findings: Findings) -> None:
    seen: dict[str, Entry] = {}
    for heading in headings:
        first = seen.setdefault(look(heading.text), heading)
        if first is not heading and heading.text:
            message = f"the id {quoted(heading.text)} is taken by {quoted(first.text)} on line {first.line}"
            fix = "give each an id of its own, different in more than case"
            findings.add(code, heading.line, heading.text_column, len(heading.text), message, fix=fix)


def _check_id(heading: Entry, findings: Findings) -> None:
    if heading.text and ID.fullmatch(heading.text) is None:
        message = f"{quoted(heading.text)} is not one word of letters, digits, `_` and `-`"
        fix = "write a short id, and the rest as prose below it"
        findings.add("bad-id", heading.line, heading.text_column, len(heading.text), message, fix=fix)


def _frame(line: Entry, block: Block, findings: Findings) -> DraftFrame:
    if not block.frame and not block.strays:
        message, fix = "the frame lists nothing", "write `+ field 200 —— why` and `- cell —— why` below it"
        findings.add("empty-frame", line.line, line.column, len("frame:"), message, fix=fix)
    fields: list[DraftField] = []
    exclusions: list[Exclusion] = []
    exclusion_entries: list[Entry] = []
    unread = list(block.strays)
    for entry in block.frame:
        if entry.mark == "-":
            exclusion = parse_exclusion(entry, findings)
            if exclusion is not None:
                exclusions.append(exclusion)
                exclusion_entries.append(entry)
                continue
        else:
            field = parse_field(entry, findings)
            if field is not None:
                fields.append(field)
                continue
        unread.append(entry)
    return DraftFrame(
        entry=line, fields=fields, exclusions=exclusions, exclusion_entries=exclusion_entries, unread=unread
    )


def _policy(line: Entry, block: Block, questions: Sequence[DraftQuestion], findings: Findings) -> DraftPolicy:
    only_question = questions[0].id if len(questions) == 1 else None
    rules: list[Rule] = []
    rule_entries: list[Entry] = []
    for entry in block.policy:
        rule = parse_rule(entry, only_question, findings)
        if rule is not None:
            rules.append(rule)
            rule_entries.append(entry)
    unread = len(block.policy) - len(rules) + len(block.strays)
    return DraftPolicy(entry=line, rules=rules, rule_entries=rule_entries, unread=unread)
