"""The door of the contract room: text and capabilities in, a compiled contract or every finding out.

Source: decision-contract/v1, compile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from interlock.contract.build import build_contract
from interlock.contract.capabilities import Capabilities
from interlock.contract.check import check, check_document
from interlock.contract.compiled import Contract
from interlock.contract.document import Document
from interlock.contract.draft import DraftDecision
from interlock.contract.findings import Findings
from interlock.contract.overrides import overridden
from interlock.contract.parse import parse_document
from interlock.contract.sections import read_document
from interlock.contract.syntax import scan
from interlock.diagnostics import Diagnostic
from interlock.errors import ContractError, SchemaVersionError

__all__ = ["CheckResult", "Lint", "Verdict", "check_contract", "compile_contract"]

Verdict: TypeAlias = Literal["ok", "error", "schema"]
Lint: TypeAlias = Callable[[Sequence[DraftDecision], Capabilities | None, Findings], None]
"""Adds advice on a contract that has no errors."""

_NONE: Mapping[str, float] = MappingProxyType({})
_SCHEMA_CODES = frozenset(("missing-schema", "unknown-schema", "misplaced-schema"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """Everything there is to say about one file."""

    schema: str | None
    """As written; None when the file names none."""
    verdict: Verdict
    """`schema`: this release cannot read the file, which may be fine."""
    decisions: int
    judged: int
    code: int
    gates: int
    """Decisions whose policy can ask a person."""
    diagnostics: tuple[Diagnostic, ...]
    """By place in the file."""
    contract: Contract | None
    """None with an error, and without capabilities."""

    @property
    def sentence(self) -> str:
        """What the file amounts to, such as `7 decisions, 7 go to a judge, 0 are code, 1 are gates`."""
        return f"{self.decisions} decisions, {self.judged} go to a judge, {self.code} are code, {self.gates} are gates"


def compile_contract(text: str, capabilities: Capabilities, *, overrides: Mapping[str, float] = _NONE) -> Contract:
    """Return the contract that `text` declares for a host with `capabilities`.

    `overrides`: threshold key → number, such as `grade_risk.risk[0]` → 3.0; checked by the rules of the file's own.

    Raises:
        SchemaVersionError: the file names no schema, or one that this release cannot read.
        ContractError: the file is wrong; `diagnostics` holds every finding.
        SettingsError: an override has an unknown key; the message lists those that exist.
    """
    result = check_contract(text, capabilities, overrides=overrides)
    if result.contract is not None:
        return result.contract
    first = next(item for item in result.diagnostics if item.severity == "error")
    errors = sum(item.severity == "error" for item in result.diagnostics)
    count = "1 error" if errors == 1 else f"{errors} errors"
    message = f"contract: {count}; the first, on line {first.span.line}: {first.code}: {first.message}"
    if result.verdict == "schema":
        raise SchemaVersionError(message, result.diagnostics)
    raise ContractError(message, result.diagnostics)


def check_contract(
    text: str,
    capabilities: Capabilities | None,
    *,
    overrides: Mapping[str, float] = _NONE,
    lint: Lint | None = None,
) -> CheckResult:
    """Return every finding on `text`; without capabilities nothing is compared with a host, and infos say so.

    `lint`: gives advice on a file without errors; None: none is given.

    Raises:
        SettingsError: an override has an unknown key; the message lists those that exist.
    """
    findings = Findings()
    source = scan(text, findings)
    if not source.lines:
        return _result(None, (), None, findings)
    document = read_document(source, findings)
    if not check_document(document, findings):
        findings.keep_layer("schema")
        return _result(document, (), None, findings)
    drafts: Sequence[DraftDecision] = parse_document(document, findings)
    if overrides and not findings.has_errors():
        drafts = overridden(drafts, overrides)
    check(drafts, capabilities, findings)
    if lint is not None and not findings.has_errors():
        lint(drafts, capabilities, findings)
    contract = None
    if capabilities is not None and not findings.has_errors():
        contract = build_contract(
            document, drafts, capabilities, diagnostics=findings.ordered(), text=text, overrides=overrides
        )
    return _result(document, drafts, contract, findings)


def _result(
    document: Document | None, drafts: Sequence[DraftDecision], contract: Contract | None, findings: Findings
) -> CheckResult:
    verdict: Verdict = "ok"
    if findings.has_errors():
        verdict = "schema" if any(item.code in _SCHEMA_CODES for item in findings.found) else "error"
    code = sum(draft.kind == "rule" for draft in drafts)
    return CheckResult(
        schema=None if document is None or document.schema is None else document.schema.text,
        verdict=verdict,
        decisions=len(drafts),
        judged=len(drafts) - code,
        code=code,
        gates=sum(_is_gate(draft) for draft in drafts),
        diagnostics=findings.ordered(),
        contract=contract,
    )


def _is_gate(draft: DraftDecision) -> bool:
    return draft.policy is not None and any(rule.action == "ask_human" for rule in draft.policy.rules)
