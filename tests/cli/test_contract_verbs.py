"""`check`, `fmt` and `spec` on files as people have them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from interlock.cli.main import main
from interlock.contract.compile import compile_contract
from interlock.contract.declaration import capabilities_from_json
from interlock.contract.export import contract_to_json
from interlock.loop.capabilities import REFERENCE
from interlock.loop.reference import shipped_text

SHIPPED = shipped_text()
TYPO = SHIPPED.replace("  - prob:ok >= 0.6 → continue", "  - prob:ok >= 0.6 → contnue")
LINE = TYPO.split("\n").index("  - prob:ok >= 0.6 → contnue") + 1


def run(*args: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, list(args), input=stdin)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A correct contract in the working directory."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "DECISION.md"
    path.write_text(SHIPPED, encoding="utf-8")
    return path


def test_check_reads_the_contract_of_the_working_directory(file: Path) -> None:
    """Warnings are printed and change no exit code."""
    result = run("check")

    assert (result.exit_code, result.stderr) == (0, "")
    assert "DECISION.md:36:24: warning: uninformative-cut: " in result.stdout
    assert result.stdout.splitlines()[-1] == (
        "DECISION.md: 0 errors, 7 warnings, 1 note; 7 decisions, 7 go to a judge, 0 are code, 1 are gates"
    )


def test_an_error_has_place_code_and_fix(file: Path) -> None:
    """Exit code 1, printed like a compiler."""
    file.write_text(TYPO, encoding="utf-8")

    result = run("check", "DECISION.md")

    assert result.exit_code == 1
    assert f"DECISION.md:{LINE}:22: unknown-action: " in result.stdout
    assert "did you mean `continue`?" in result.stdout
    assert "DECISION.md: 1 error, 4 warnings, 0 notes" in result.stdout


@pytest.mark.parametrize("flags", [("--format", "json"), ("--json",)], ids=["format", "short"])
def test_json_has_every_part_of_every_finding(file: Path, flags: tuple[str, ...]) -> None:
    """Machines read the same findings."""
    file.write_text(TYPO, encoding="utf-8")

    result = run("check", *flags)

    whole = json.loads(result.stdout)
    assert result.exit_code == 1
    assert list(whole) == ["file", "schema", "summary", "diagnostics"]
    assert (whole["file"], whole["schema"]) == ("DECISION.md", "decision-contract/v1")
    assert whole["summary"] == {
        "errors": 1, "warnings": 4, "infos": 0, "decisions": 7, "judged": 7, "code": 0, "gates": 1,
    }  # fmt: skip
    (found,) = [item for item in whole["diagnostics"] if item["severity"] == "error"]
    assert {**found, "message": "", "fix": ""} == {
        "code": "unknown-action",
        "severity": "error",
        "layer": "policy",
        "decision": "step_ok",
        "line": LINE,
        "column": 22,
        "end_line": LINE,
        "end_column": 29,
        "message": "",
        "fix": "",
    }


def test_sarif_names_rule_level_and_region(file: Path) -> None:
    """Code scanning shows the finding at its place."""
    file.write_text(TYPO, encoding="utf-8")

    (scan,) = json.loads(run("check", "--format", "sarif").stdout)["runs"]

    (found,) = [item for item in scan["results"] if item["level"] == "error"]
    assert scan["tool"]["driver"]["name"] == "interlock"
    assert {rule["id"] for rule in scan["tool"]["driver"]["rules"]} == {"unknown-action", "uninformative-cut"}
    assert found["ruleId"] == "unknown-action"
    assert found["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "DECISION.md"},
        "region": {"startLine": LINE, "startColumn": 22, "endLine": LINE, "endColumn": 29},
    }


def test_github_annotations_escape_what_would_end_them(tmp_path: Path) -> None:
    """A comma or a percent sign in a name or message would cut the annotation."""
    file = tmp_path / "50%,a:b.md"
    file.write_text(TYPO.replace("contnue", "100%"), encoding="utf-8")

    result = run("check", str(file), "--format", "github")

    (line,) = [line for line in result.stdout.splitlines() if line.startswith("::error ")]
    assert "50%25%2Ca%3Ab.md,line=" in line
    assert f",line={LINE},endLine={LINE},col=22,endColumn=26,title=unknown-action::" in line
    assert "`100%25`" in line.split("::")[2]


@pytest.mark.parametrize(
    ("text", "code", "schema", "found"),
    [
        pytest.param("", 3, None, "missing-schema", id="empty"),
        pytest.param("# T\n", 3, None, "missing-schema", id="no-schema"),
        pytest.param("# T\nschema: decision-contract/v2\n", 3, "decision-contract/v2", "unknown-schema", id="newer"),
        pytest.param(
            "# T\nschema: decision-contract/v1\n```\n", 1, "decision-contract/v1", "unclosed-fence", id="fence"
        ),
    ],
)
def test_a_schema_that_cannot_be_read_is_its_own_exit_code(
    tmp_path: Path, text: str, code: int, schema: str | None, found: str
) -> None:
    """The file may be fine; this release cannot tell."""
    file = tmp_path / "a.md"
    file.write_text(text, encoding="utf-8")

    result = run("check", str(file), "--json")

    whole = json.loads(result.stdout)
    assert (result.exit_code, whole["schema"]) == (code, schema)
    assert found in {item["code"] for item in whole["diagnostics"]}


@pytest.mark.parametrize("verb", ["check", "fmt", "spec"])
@pytest.mark.parametrize(
    ("content", "code"),
    [
        pytest.param(b"\xff\xfe# T", 1, id="not-utf-8"),
        pytest.param(b"# T\0", 1, id="binary"),
        pytest.param(b"a" * 10_000_000, 1, id="ten-megabytes"),
        pytest.param(b"", 3, id="empty"),
        pytest.param(b"a" * 600_000, 1, id="longer-than-a-contract"),
        pytest.param(None, 2, id="missing"),
    ],
)
def test_a_file_that_is_no_contract_is_one_clear_sentence(
    tmp_path: Path, verb: str, content: bytes | None, code: int
) -> None:
    """Whatever is handed in, there is no traceback and nothing is changed."""
    file = tmp_path / "a.md"
    if content is not None:
        file.write_bytes(content)

    result = run(verb, str(file))

    said = (result.stdout + result.stderr).strip().splitlines()
    assert result.exit_code == code
    assert isinstance(result.exception, SystemExit)
    assert str(file) in said[0]
    assert content is None or file.read_bytes() == content


def test_a_contract_may_come_through_a_pipe() -> None:
    """Findings then name standard input."""
    checked, formatted, compiled = (
        run("check", "-", stdin=TYPO),
        run("fmt", "-", stdin=SHIPPED.replace(" —— ", " -- ")),
        run("spec", "-", "--json", stdin=SHIPPED),
    )

    assert f"standard input:{LINE}:22: unknown-action" in checked.stdout
    assert formatted.stdout == SHIPPED
    assert json.loads(compiled.stdout)["file"] == "standard input"


def test_fix_applies_what_is_safe_and_reports_the_rest(file: Path) -> None:
    """The typo needs a person; the full-width colon and the other arrow do not."""
    file.write_text(
        TYPO.replace("kind: noul", "kind：noul", 1).replace("→ escalate", "=> escalate", 1), encoding="utf-8"
    )

    result = run("check", "--fix")

    assert result.exit_code == 1
    assert result.stderr == "interlock: DECISION.md: fixed\n"
    assert "1 error" in result.stdout
    fixed = file.read_text(encoding="utf-8")
    assert "kind:noul" in fixed
    assert "→ escalate" in fixed
    assert "contnue" in fixed


def test_fix_leaves_a_file_without_safe_fixes_as_it_is(file: Path) -> None:
    """Nothing is written, so nothing is said about writing."""
    before = file.stat().st_mtime_ns

    result = run("check", "--fix")

    assert (result.exit_code, result.stderr, file.stat().st_mtime_ns) == (0, "", before)


def test_standard_input_cannot_be_fixed() -> None:
    """There is no file to write."""
    result = run("check", "-", "--fix", stdin=SHIPPED)

    assert (result.exit_code, result.stderr) == (
        2,
        "interlock: --fix changes a file; name one instead of `-`\n",
    )


def test_capabilities_none_says_what_stayed_unverified(file: Path) -> None:
    """The check is weaker, and says so."""
    result = run("check", "--capabilities", "none")

    assert result.exit_code == 0
    assert "info: unverified-policy: " in result.stdout
    assert "info: unverified-frame: " in result.stdout


def test_capabilities_of_another_host_replace_the_reference(file: Path, tmp_path: Path) -> None:
    """The printed declaration reads back, and an edited one is what counts."""
    printed = run("spec", "--capabilities").stdout
    edited: Any = json.loads(printed)
    edited["cells"]["weather"] = {"type": "text", "provenance": "tool"}
    (tmp_path / "host.json").write_text(json.dumps(edited), encoding="utf-8")

    result = run("check", "--capabilities", "host.json")

    assert capabilities_from_json(json.loads(printed)) == REFERENCE
    assert result.exit_code == 1
    assert result.stdout.count("unaccounted-cell") == 7


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("{", "host.json: is not JSON: ", id="not-json"),
        pytest.param("{}", "host.json: capabilities: `cells` is missing", id="no-cells"),
        pytest.param('{"cells": {}, "cells": {}}', "host.json: is not JSON: json: a key is repeated", id="twice"),
        pytest.param('{"cells": ' + "[" * 100_000, "host.json: is not JSON: ", id="deep"),
        pytest.param(
            '{"cells": {"a": {"type": "text", "provenance": "x"}}}', "host.json: cells.a.provenance: ", id="path"
        ),
    ],
)
def test_capabilities_that_cannot_be_read_are_one_sentence(file: Path, tmp_path: Path, text: str, message: str) -> None:
    """The message names the file and the path in it."""
    (tmp_path / "host.json").write_text(text, encoding="utf-8")

    result = run("check", "--capabilities", "host.json")

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"interlock: {message}")
    assert len(result.stderr.splitlines()) == 1


def test_fmt_writes_once_and_then_finds_nothing_to_do(file: Path) -> None:
    """The second run says nothing."""
    file.write_text(SHIPPED.replace(" —— ", " -- ").replace(" → ", "  ->"), encoding="utf-8")

    checked, written, again = run("fmt", "--check"), run("fmt"), run("fmt", "--check")

    assert (checked.exit_code, checked.stdout) == (1, "DECISION.md: would change\n")
    assert (written.exit_code, written.stdout) == (0, "DECISION.md: changed\n")
    assert (again.exit_code, again.stdout) == (0, "")
    assert file.read_text(encoding="utf-8") == SHIPPED


def test_fmt_refuses_what_it_cannot_read(file: Path) -> None:
    """A broken structure is named and the file stays as it is."""
    broken = SHIPPED.replace("kind: noul", "knid: noul", 1).replace(" —— ", " -- ")
    file.write_text(broken, encoding="utf-8")

    result = run("fmt")

    assert result.exit_code == 1
    assert "unknown-key" in result.stderr
    assert file.read_text(encoding="utf-8") == broken


def test_fmt_accepts_a_wrong_action(file: Path) -> None:
    """Spelling can be put right before meaning is."""
    file.write_text(TYPO.replace(" → ", "->"), encoding="utf-8")

    result = run("fmt")

    assert result.exit_code == 0
    assert file.read_text(encoding="utf-8").replace(" ", "") == TYPO.replace(" ", "")


def test_spec_says_what_the_contract_amounts_to(file: Path) -> None:
    """The sentence is computed from the file."""
    out = run("spec").stdout

    assert "7 decisions, 7 go to a judge, 0 are code, 1 are gates" in out.splitlines()
    assert "grade_risk: mixed at before-call, a gate" in out.splitlines()
    assert "  asks risk (score 0 to 3): How risky is this tool call?" in out.splitlines()
    assert "  sees base_risk = localToolRisk(lastTool): number, at most 12, from host" in out.splitlines()
    assert "  score:risk >= 2 → ask_human" in out.splitlines()


def test_spec_as_json_holds_the_whole_meaning(file: Path) -> None:
    """Questions, frames and policies, each in the order of the file."""
    whole = json.loads(run("spec", "--json").stdout)

    gate = whole["decisions"]["grade_risk"]
    assert whole["summary"]["sentence"] == "7 decisions, 7 go to a judge, 0 are code, 1 are gates"
    assert (list(whole["decisions"])[3], gate["position"]) == ("grade_risk", "before-call")
    assert gate["questions"]["risk"] == {
        "type": "score",
        "instructions": "How risky is this tool call?",
        "criteria": ["read-only", "reversible write", "irreversible", "destructive"],
    }
    assert gate["frame"]["fields"][1]["projection"] == "localToolRisk"
    assert gate["policy"]["rules"][0] == {
        "predicate": {"kind": "score", "question": "risk", "comparison": ">=", "threshold": 2.0, "option": None},
        "action": "ask_human",
        "text": "score:risk >= 2 → ask_human",
        "line": gate["policy"]["rules"][0]["line"],
    }
    assert whole["generator"].startswith("Every decision has been made")


CONFORMANCE = Path(__file__).parents[2] / "spec" / "conformance"


@pytest.mark.parametrize("path", sorted((CONFORMANCE / "valid").glob("*.md")), ids=lambda path: path.stem)
def test_the_shape_is_that_of_the_conformance_files(path: Path) -> None:
    """Another implementation compares its own output with those files."""
    host = capabilities_from_json(json.loads((CONFORMANCE / "capabilities.json").read_text(encoding="utf-8")))
    contract = compile_contract(path.read_bytes().decode(), host)

    assert json.loads(json.dumps(contract_to_json(contract))) == json.loads(path.with_suffix(".json").read_bytes())


def test_spec_of_a_broken_contract_prints_the_findings(file: Path) -> None:
    """There is nothing to show of a contract that does not compile."""
    file.write_text(TYPO, encoding="utf-8")

    result = run("spec", "--json")

    assert (result.exit_code, result.stdout) == (1, "")
    assert "unknown-action" in result.stderr


def test_the_printed_capabilities_fit_the_published_schema() -> None:
    """Whoever writes a host's declaration by hand validates with it."""
    schema = json.loads((Path(__file__).parents[2] / "spec/capabilities.schema.json").read_text(encoding="utf-8"))

    jsonschema.validate(json.loads(run("spec", "--capabilities").stdout), schema)
