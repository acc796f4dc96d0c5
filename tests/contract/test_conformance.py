"""The files of `spec/conformance`: what is valid and what it means, what is invalid and exactly why.

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
from interlock.contract.export import contract_to_json
from interlock.diagnostics import Diagnostic
from interlock.errors import ContractError, SchemaVersionError

CONFORMANCE = Path(__file__).parents[2] / "spec" / "conformance"
VALID = sorted((CONFORMANCE / "valid").glob("*.md"))
INVALID = sorted((CONFORMANCE / "invalid").glob("*.json"))
UPDATE = os.environ.get("INTERLOCK_UPDATE_SNAPSHOTS") == "1"


def _stem(path: Path) -> str:
    return path.stem


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def _finding(found: Diagnostic) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "code": found.code,
        "severity": found.severity,
        "layer": found.layer,
        "decision": found.decision,
        **dataclasses.asdict(found.span),
        "message": found.message,
        "fix": found.fix,
    }
    if found.edit is not None:
        entry["edit"] = {**dataclasses.asdict(found.edit.span), "text": found.edit.text}
    return entry


def _matches(path: Path, actual: Mapping[str, object]) -> None:
    plain = json.loads(json.dumps(actual))
    if UPDATE:
        # A lone surrogate becomes its JSON escape.
        path.write_bytes((json.dumps(plain, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace"))
    assert json.loads(path.read_text(encoding="utf-8")) == plain


@pytest.mark.parametrize("path", VALID, ids=_stem)
def test_a_valid_file_compiles_to_its_snapshot(path: Path, host: Capabilities) -> None:
    """Questions, frames, policies and digest are read in review like code."""
    contract = compile_contract(_read(path), host)

    _matches(path.with_suffix(".json"), contract_to_json(contract))


@pytest.mark.parametrize("path", INVALID, ids=_stem)
def test_a_file_gets_exactly_its_diagnostics(path: Path, host: Capabilities) -> None:
    """One file per code: the code is there, and nothing is said that the file does not say here."""
    case = json.loads(path.read_text(encoding="utf-8"))
    text = case["text"] * case.get("times", 1) if "text" in case else _read(path.with_suffix(".md"))
    result = check_contract(text, None if case.get("capabilities") == "none" else host)
    given = {key: case[key] for key in ("capabilities", "text", "times") if key in case}

    _matches(path, {**given, "verdict": result.verdict, "diagnostics": [_finding(item) for item in result.diagnostics]})
    assert path.stem in {item.code for item in result.diagnostics}


@pytest.mark.parametrize("path", INVALID, ids=_stem)
def test_an_error_stops_the_compiler_and_a_warning_does_not(path: Path, host: Capabilities) -> None:
    """The exception carries the same findings as the check."""
    case = json.loads(path.read_text(encoding="utf-8"))
    text = case["text"] * case.get("times", 1) if "text" in case else _read(path.with_suffix(".md"))
    result = check_contract(text, host)
    if result.verdict == "ok":
        assert compile_contract(text, host).diagnostics == result.diagnostics
        return
    expected = SchemaVersionError if result.verdict == "schema" else ContractError
    with pytest.raises(expected, match=r"^contract: \d+ error") as caught:
        compile_contract(text, host)
    assert caught.value.diagnostics == result.diagnostics


def test_every_code_has_its_file() -> None:
    """A code without a broken file beside it is a promise nobody checks."""
    assert {path.stem for path in INVALID} == set(CODES)


def test_every_file_has_its_expectation() -> None:
    """A file without one would be skipped in silence."""
    alone = [path for path in CONFORMANCE.rglob("*.md") if not path.with_suffix(".json").exists()]

    assert not alone


def test_spelling_and_prose_do_not_change_the_digest(host: Capabilities) -> None:
    """The same decision in other signs, line ends, order of keys and surroundings is the same contract."""
    spelt = {name: compile_contract(_read(CONFORMANCE / "valid" / f"{name}.md"), host) for name in SAME_MEANING}

    assert len({contract.digest for contract in spelt.values()}) == 1


SAME_MEANING = ("minimal", "ascii-signs", "tight-signs", "crlf-and-mark")
