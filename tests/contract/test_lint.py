"""Advice on contracts: one file per code, which it fires on and stays clean beside, and what advice never does.

`INTERLOCK_UPDATE_SNAPSHOTS=1` writes the expectations anew; read the difference like code.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from interlock.contract import CODES, Capabilities, check_contract, compile_contract
from interlock.contract.codes import LINT_CODES
from interlock.contract.compile import CheckResult
from interlock.contract.lint import Target, linter
from interlock.diagnostics import Diagnostic
from interlock.judge.base import Caps
from interlock.judge.locks import FORMAT, Lock, Locks, locks_from_json
from interlock.loop.capabilities import REFERENCE
from interlock.loop.reference import shipped_text

CONFORMANCE = Path(__file__).parents[2] / "spec" / "conformance"
CASES = sorted((CONFORMANCE / "lint").glob("*.json"))
DOCUMENT = Path(__file__).parents[3] / "shared" / "cases" / "document-004.md"
UPDATE = os.environ.get("INTERLOCK_UPDATE_SNAPSHOTS") == "1"


def _stem(path: Path) -> str:
    return path.stem


def _given(case: Mapping[str, Any]) -> dict[str, Any]:
    return {key: case[key] for key in ("judge", "sizes") if key in case}


def _check(text: str, host: Capabilities, case: Mapping[str, Any]) -> CheckResult:
    targets = []
    if "judge" in case:
        targets = [Target(**case["judge"] | {"caps": Caps(**case["judge"]["caps"]), "locks": _locks(case["judge"])})]
    sizes = {tuple(name.split(".")): size for name, size in case.get("sizes", {}).items()}
    return check_contract(text, host, lint=linter(targets=targets, sizes=sizes))


def _locks(judge: Mapping[str, Any]) -> Locks | None:
    return locks_from_json({"format": FORMAT, "locks": judge["locks"]}, "locks") if "locks" in judge else None


def _advice(result: CheckResult) -> list[Diagnostic]:
    return [item for item in result.diagnostics if item.code in LINT_CODES]


def _finding(found: Diagnostic) -> dict[str, Any]:
    return {
        "code": found.code,
        "severity": found.severity,
        "layer": found.layer,
        "decision": found.decision,
        **dataclasses.asdict(found.span),
        "message": found.message,
        "fix": found.fix,
    }


@pytest.mark.parametrize("path", CASES, ids=_stem)
def test_a_file_gets_exactly_its_advice(path: Path, host: Capabilities) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    result = _check(path.with_suffix(".md").read_text(encoding="utf-8"), host, case)
    wanted = _given(case) | {"diagnostics": [_finding(item) for item in _advice(result)]}
    if UPDATE:
        path.write_text(json.dumps(wanted, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    assert json.loads(path.read_text(encoding="utf-8")) == wanted
    assert not {item.code for item in result.diagnostics} - CODES.keys() - LINT_CODES.keys()


@pytest.mark.parametrize("path", CASES, ids=_stem)
def test_it_fires_where_it_should_and_stays_silent_beside(path: Path, host: Capabilities) -> None:
    """Each file holds a pair: a decision that has the fault, and `clean`, which differs in nothing else."""
    case = json.loads(path.read_text(encoding="utf-8"))
    advice = _advice(_check(path.with_suffix(".md").read_text(encoding="utf-8"), host, case))
    mine = [item.decision for item in advice if item.code == path.stem]
    assert mine
    assert "clean" not in mine


def test_every_code_has_its_pair() -> None:
    assert {path.stem for path in CASES} == set(LINT_CODES)


def test_no_code_means_two_things() -> None:
    assert not set(CODES) & set(LINT_CODES)


@pytest.mark.parametrize("path", CASES, ids=_stem)
def test_the_compiler_gives_no_advice(path: Path, host: Capabilities) -> None:
    """A contract compiles to the same thing whatever could be said about its wording."""
    contract = compile_contract(path.with_suffix(".md").read_text(encoding="utf-8"), host)
    assert not [item for item in contract.diagnostics if item.code in LINT_CODES]


def test_an_alias_is_an_error_once_thresholds_are_locked(host: Capabilities) -> None:
    text = (CONFORMANCE / "lint" / "floating-alias.md").read_text(encoding="utf-8")
    lock = Lock(question="0", model="jev-1.13.0", requested="jev-1.13.0", basis="decision_model")
    target = Target(id="typesafe:jev-latest", caps=Caps(), model="jev-latest", locks=Locks(locks=frozenset([lock])))
    result = check_contract(text, host, lint=linter(targets=[target]))
    (found,) = [item for item in result.diagnostics if item.code == "floating-alias"]
    assert (found.severity, result.verdict) == ("error", "error")


def test_a_file_with_errors_gets_no_advice(host: Capabilities) -> None:
    text = (CONFORMANCE / "lint" / "counting.md").read_text(encoding="utf-8").replace("→ answer", "→ answr", 1)
    result = check_contract(text, host, lint=linter())
    assert result.verdict == "error"
    assert not _advice(result)


def test_the_shipped_contract_has_advice_and_no_error() -> None:
    result = check_contract(shipped_text(), REFERENCE, lint=linter())
    assert result.verdict == "ok"
    assert {item.code for item in _advice(result)} == {"bare-level", "compound-question", "untrusted-into-gate"}


@pytest.mark.needs_system
@pytest.mark.skipif(not DOCUMENT.exists(), reason="the shared cases are not on this machine")
def test_the_original_document_stays_without_an_error() -> None:
    result = check_contract(DOCUMENT.read_text(encoding="utf-8"), REFERENCE, lint=linter())
    assert result.verdict == "ok"
    assert result.contract is not None


def test_without_capabilities_advice_is_what_needs_no_host(host: Capabilities) -> None:
    text = (CONFORMANCE / "lint" / "untrusted-into-gate.md").read_text(encoding="utf-8")
    assert "untrusted-into-gate" not in {item.code for item in check_contract(text, None, lint=linter()).diagnostics}
    large = (CONFORMANCE / "lint" / "frame-too-large.md").read_text(encoding="utf-8")
    assert "frame-too-large" in {item.code for item in check_contract(large, None, lint=linter()).diagnostics}


def test_without_a_judge_only_what_no_judge_takes_is_too_large(host: Capabilities) -> None:
    text = (CONFORMANCE / "lint" / "over-caps.md").read_text(encoding="utf-8")
    assert "over-caps" not in {item.code for item in check_contract(text, host, lint=linter()).diagnostics}
    last = "- g — the letter g, or none of these"
    wide = text.replace(last, "\n".join(f"- o{at} — option {at}, or none of these" for at in range(260)), 1)
    (found,) = [item for item in check_contract(wide, host, lint=linter()).diagnostics if item.code == "over-caps"]
    assert (found.severity, found.message) == ("warning", "266 options, and any judge that is known takes 255")


def test_a_judge_that_takes_too_little_is_an_error(host: Capabilities) -> None:
    case = json.loads((CONFORMANCE / "lint" / "over-caps.json").read_text(encoding="utf-8"))
    result = _check((CONFORMANCE / "lint" / "over-caps.md").read_text(encoding="utf-8"), host, case)
    assert (result.verdict, result.contract) == ("error", None)


def test_confidence_is_no_predicate_so_no_cut_on_it_compiles(host: Capabilities, minimal: str) -> None:
    """The same 0.9 accepts between 30 and 63 of 100 answers, by whose formula it is; the format has no such cut."""
    result = check_contract(minimal.replace("prob:done >= 0.6", "confidence >= 0.9"), host, lint=linter())
    assert "unknown-predicate" in {item.code for item in result.diagnostics}


def test_another_language_gets_no_advice_on_wording(host: Capabilities, minimal: str) -> None:
    text = minimal.replace("Everything that was asked for has been done", "任务是否没有完成，并且不是没有错误")
    assert [item.code for item in _advice(check_contract(text, host, lint=linter()))] == []


@pytest.mark.parametrize(
    "ask",
    [
        "The answer is right",
        "Files and folders are listed",
        "The tool, the input and the output fit together",
        "It writes to the working directory only",
        "The last call returned a list",
        "The value is the one that was requested",
    ],
)
def test_plain_questions_get_no_advice(host: Capabilities, minimal: str, ask: str) -> None:
    text = minimal.replace("Everything that was asked for has been done", ask)
    assert [item.code for item in _advice(check_contract(text, host, lint=linter()))] == []
