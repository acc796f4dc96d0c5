"""A contract as a person reads it: its lines with what was found at them, beside what it compiles to.

Pure; knows nothing of templates or files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from interlock._text import clip, visible
from interlock.contract.codes import CODES, LINT_CODES
from interlock.contract.compile import CheckResult
from interlock.contract.compiled import Contract, Decision
from interlock.contract.document import Block
from interlock.contract.findings import Findings
from interlock.contract.sections import read_document
from interlock.contract.syntax import scan
from interlock.diagnostics import Diagnostic, Severity
from interlock.frame.spec import Exclusion, FrameField
from interlock.judge.offered import Offered, as_text, offered
from interlock.policy.rules import Rule
from interlock.questions import as_json

__all__ = [
    "CheckView", "ContractView", "DecisionLines", "Finding", "FixView", "Placed", "QuestionLines", "SourceLine",
    "check_view", "contract_view", "meaning_of",
]  # fmt: skip

MAX_FINDINGS = 200
MAX_DECISIONS = 60
MAX_LINES = 5_000
"""More are counted, not shown."""
_MAX_COLUMNS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FixView:
    """A change that is safe to apply: within one line, columns are 1-based and count characters."""

    line: int
    column: int
    end_column: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding; nothing in it can steer how it is shown."""

    code: str
    severity: Severity
    line: int
    column: int
    end_column: int
    decision: str | None
    message: str
    fix: str
    edit: FixView | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLine:
    """One line of the text."""

    number: int
    text: str
    findings: tuple[Finding, ...]
    is_compiled: bool
    """True when something that it compiles to is shown beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A field, an exclusion or a rule, with the line that declares it; None when a host does."""

    line: int | None
    item: FrameField | Exclusion | Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionLines:
    """One question with its lines."""

    id: str
    kind: str
    line: int | None
    instructions: str
    outcomes: tuple[tuple[int | None, Offered], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionLines:
    """One decision with its lines."""

    decision: Decision
    questions: tuple[QuestionLines, ...]
    fields: tuple[Placed, ...]
    exclusions: tuple[Placed, ...]
    rules: tuple[Placed, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckView:
    """What was found in a text."""

    result: CheckResult
    findings: tuple[Finding, ...]
    more: int
    """Findings that are not shown."""
    counts: Mapping[Severity, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractView:
    """A contract with its source."""

    check: CheckView
    lines: tuple[SourceLine, ...]
    more_lines: int
    decisions: tuple[DecisionLines, ...]
    more_decisions: int


def meaning_of(code: str) -> str:
    """Return what a code says about any file; empty for one that is not known."""
    found = CODES.get(code) or LINT_CODES.get(code)
    return "" if found is None else found.meaning


def check_view(result: CheckResult) -> CheckView:
    """Return what is shown of a check: errors before warnings before notes, each by place."""
    order: Sequence[Severity] = ("error", "warning", "info")
    found = sorted(result.diagnostics, key=lambda item: order.index(item.severity))
    return CheckView(
        result=result,
        findings=tuple(_finding(item) for item in found[:MAX_FINDINGS]),
        more=max(0, len(found) - MAX_FINDINGS),
        counts={severity: sum(item.severity == severity for item in found) for severity in order},
    )


def contract_view(text: str, result: CheckResult) -> ContractView:
    """Return a contract with its source; without decisions when it does not compile."""
    check, lines = check_view(result), text.split("\n")
    decisions = () if result.contract is None else tuple(_decisions(text, result.contract))
    compiled = {line for each in decisions for line in _lines_of(each)}
    at: Mapping[int, list[Finding]] = defaultdict(list)
    for finding in check.findings:
        at[finding.line].append(finding)
    return ContractView(
        check=check,
        lines=tuple(
            SourceLine(
                number=number,
                text=visible(clip(line.rstrip("\r"), _MAX_COLUMNS)),
                findings=tuple(at.get(number, ())),
                is_compiled=number in compiled,
            )
            for number, line in enumerate(lines[:MAX_LINES], start=1)
        ),
        more_lines=max(0, len(lines) - MAX_LINES),
        decisions=decisions,
        more_decisions=0 if result.contract is None else max(0, len(result.contract.decisions) - MAX_DECISIONS),
    )


def _finding(item: Diagnostic) -> Finding:
    edit = item.edit
    return Finding(
        code=item.code,
        severity=item.severity,
        line=item.span.line,
        column=item.span.column,
        end_column=item.span.end_column if item.span.end_line == item.span.line else item.span.column,
        decision=None if item.decision is None else visible(item.decision),
        message=visible(item.message),
        fix=visible(item.fix or ""),
        edit=None
        if edit is None
        else FixView(
            line=edit.span.line, column=edit.span.column, end_column=edit.span.end_column, text=edit.text
        ),
    )  # fmt: skip


def _decisions(text: str, contract: Contract) -> Iterator[DecisionLines]:
    document = read_document(scan(text, Findings()), Findings())
    blocks = {block.heading.line: block for block in document.blocks}
    for decision in list(contract.decisions.values())[:MAX_DECISIONS]:
        yield _decision(decision, blocks.get(decision.line))


def _decision(decision: Decision, block: Block | None) -> DecisionLines:
    frame = [] if block is None else list(block.frame)
    fields = () if decision.frame is None else decision.frame.fields
    exclusions = () if decision.frame is None else decision.frame.exclusions
    return DecisionLines(
        decision=decision,
        questions=tuple(_questions(decision, block)),
        fields=_placed(fields, [entry.line for entry in frame if entry.mark == "+"]),
        exclusions=_placed(exclusions, [entry.line for entry in frame if entry.mark == "-"]),
        rules=tuple(Placed(line=rule.line or None, item=rule) for rule in decision.policy.rules),
    )


def _questions(decision: Decision, block: Block | None) -> Iterator[QuestionLines]:
    written = () if block is None or len(block.questions) != len(decision.questions) else block.questions
    for at, (id_, question) in enumerate(decision.questions.items()):
        outcomes = offered(question)
        source = written[at] if written else None
        lines = [] if source is None else [entry.line for entry in source.options]
        known: Sequence[int | None] = lines if len(lines) == len(outcomes) else [None] * len(outcomes)
        yield QuestionLines(
            id=id_,
            kind=str(as_json(question)["type"]),
            line=None if source is None else (source.ask or source.heading).line,
            instructions=as_text(question.instructions),
            outcomes=tuple(zip(known, outcomes, strict=True)),
        )


def _placed(items: Sequence[FrameField | Exclusion], lines: Sequence[int]) -> tuple[Placed, ...]:
    known: Sequence[int | None] = lines if len(lines) == len(items) else [None] * len(items)
    return tuple(Placed(line=line, item=item) for line, item in zip(known, items, strict=True))


def _lines_of(shown: DecisionLines) -> Iterator[int]:
    yield shown.decision.line
    for question in shown.questions:
        yield from (line for line in (question.line, *(line for line, _ in question.outcomes)) if line is not None)
    for placed in (*shown.fields, *shown.exclusions, *shown.rules):
        if placed.line is not None:
            yield placed.line
