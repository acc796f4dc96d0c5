"""The door: one text in, one contract or every finding out."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from interlock.contract import CODES, Capabilities, check_contract, compile_contract
from interlock.errors import ContractError, SchemaVersionError
from interlock.loop.capabilities import REFERENCE
from interlock.questions import Choice, Noul, Score

DOCUMENT = Path(__file__).parents[3] / "shared" / "cases" / "document-004.md"


def test_every_finding_is_carried(every_kind: str, host: Capabilities) -> None:
    """Reading never stops at the first mistake, whatever stage it belongs to."""
    broken = (
        every_kind.replace("schema: decision-contract/v1\n", "")
        .replace("kind: score", "kind: scor")
        .replace("prob:allowed", "prob:alowed")
        .replace("  - draft —— written later", "", 1)
        .replace("→ inspect", "→ inspct", 1)
    )
    with pytest.raises(
        SchemaVersionError, match=r"^contract: 5 errors; the first, on line 1: missing-schema"
    ) as caught:
        compile_contract(broken, host)

    assert [(item.code, item.decision) for item in caught.value.diagnostics] == [
        ("missing-schema", None),
        ("unaccounted-cell", "done"),
        ("unknown-question", "grade"),
        ("unknown-action", "route"),
        ("unknown-kind", "effort"),
    ]
    assert isinstance(caught.value, ContractError)


def test_a_file_of_another_schema_is_not_judged_by_this_one(minimal: str, host: Capabilities) -> None:
    """It may be fine; nothing but its schema is said."""
    text = minimal.replace("contract/v1", "contract/v2").replace("kind: noul", "kind: tribunal")
    result = check_contract(text, host)

    assert (result.verdict, [item.code for item in result.diagnostics]) == ("schema", ["unknown-schema"])


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", "no contract at all", "\x00\x01\x02", "\ud800"])
def test_any_text_is_answered(text: str, host: Capabilities) -> None:
    """With findings, never with another exception."""
    with pytest.raises(SchemaVersionError, match=r"^contract: [23] errors; the first, on line 1: "):
        compile_contract(text, host)


def test_the_sentence_counts_what_the_file_holds(every_kind: str, host: Capabilities) -> None:
    """Also without a host, and with errors."""
    sentence = "6 decisions, 5 go to a judge, 1 are code, 1 are gates"

    assert check_contract(every_kind, host).sentence == sentence
    assert check_contract(every_kind, None).sentence == sentence
    assert check_contract(every_kind.replace("kind: score", "kind: scor"), host).sentence == sentence


def test_without_capabilities_it_says_what_stayed_unverified(every_kind: str) -> None:
    """Names of the host go unchecked, the rest does not."""
    strange = every_kind.replace("step-start —— before", "host:dawn —— before").replace("task 400", "nothing 400")
    result = check_contract(strange, None)
    wrong = check_contract(strange.replace("prob:allowed", "score:allowed"), None)

    assert (result.verdict, result.contract) == ("ok", None)
    assert [(item.code, item.severity) for item in result.diagnostics] == [
        ("unverified-policy", "info"),
        ("unverified-frame", "info"),
    ]
    assert "wrong-question-type" in {item.code for item in wrong.diagnostics}


def test_what_is_compiled_is_typed(every_kind: str, host: Capabilities) -> None:
    """Questions by how their options are written, gates by their actions."""
    contract = compile_contract(every_kind, host)
    kinds = {
        f"{decision.id}.{name}": type(question)
        for decision in contract.decisions.values()
        for name, question in decision.questions.items()
    }

    assert kinds == {
        "done.done": Noul,
        "grade.risk": Score,
        "grade.allowed": Noul,
        "route.route": Choice,
        "pick_file.pick_file": Choice,
        "effort.effort": Score,
    }
    assert [decision.id for decision in contract.decisions.values() if decision.is_gate] == ["grade"]
    assert contract.decisions["within_budget"].frame is None
    assert contract.text == every_kind
    assert contract.capabilities is host


def test_the_digest_is_over_the_meaning(every_kind: str, host: Capabilities) -> None:
    """Every part that a judge, a policy or the writer can see moves it; a reason, a purpose and prose do not."""
    digest = compile_contract(every_kind, host).digest
    same = [
        ("—— before every step", "—— at every step"),
        ("—— what was asked for", "—— the wish"),
        ("—— listed anew every step", "—— rebuilt"),
        ("# Every kind", "# Another title"),
        ("## generator", "Some prose.\n\n## generator"),
    ]
    other = [
        ("Everything that was asked", "All that was asked"),
        ("nothing is left to do", "nothing is left"),
        ("- days", "- weeks"),
        ("- park —", "- wait —"),
        ("+ task 400", "+ task 401"),
        ("+ output 300 outputMaybe", "+ output 300"),
        ("+ output 300", "+ result 300"),
        ("prob:allowed < 0.5", "prob:allowed < 0.4"),
        ("→ use_tool", "→ escalate"),
        ("Write the answer", "Write an answer"),
    ]
    for old, new in same:
        assert compile_contract(every_kind.replace(old, new), host).digest == digest, new
    for old, new in other:
        text = every_kind.replace(old, new).replace("= park →", "= wait →" if new == "- wait —" else "= park →")
        assert compile_contract(text, host).digest != digest, new


def test_every_code_has_one_sentence() -> None:
    """Pages are made from the table."""
    for name, code in CODES.items():
        assert name == name.lower()
        assert code.meaning.endswith(".")
        assert code.meaning.count(". ") == 0


def test_a_frame_of_the_host_is_replaced_by_one_in_the_file(minimal: str, host: Capabilities) -> None:
    """The file wins."""
    text = minimal.replace("## done", "## framed_by_host").replace("prob:done", "top")
    frame = compile_contract(text, host).decisions["framed_by_host"].frame

    assert frame is not None
    assert [field.key for field in frame.fields] == ["task", "output"]


def test_an_extension_is_owed_only_by_a_file_that_names_it(every_kind: str, host: Capabilities) -> None:
    """Naming it once makes every frame of the file account for it."""
    named = every_kind.replace("  - draft", "  + facts 5 —— checked\n  - draft", 1)
    read = dataclasses.replace(host, providers={"fileOptions": host.providers["fileOptions"]})
    found = check_contract(named, read).diagnostics

    assert [(item.code, item.decision) for item in found] == [
        ("unaccounted-cell", name) for name in ("grade", "route", "pick_file", "effort")
    ]


def test_document_004_reads_without_an_error() -> None:
    """Seven decisions, one gate; the only warnings are its thresholds of 0.5."""
    if not DOCUMENT.exists():
        pytest.skip("reads ../shared/cases/document-004.md, which is not part of the repository")
    contract = compile_contract(DOCUMENT.read_text(encoding="utf-8"), REFERENCE)

    assert [item.code for item in contract.diagnostics] == ["uninformative-cut"] * 4
    assert {name: [rule.text for rule in decision.policy.rules] for name, decision in contract.decisions.items()} == {
        "needs_tool": ["prob:needs_tool >= 0.5 → use_tool", "else → answer"],
        "pick_tool": ["top >= 0.6 → call", "else → escalate"],
        "pick_input": ["top >= 0.5 → use", "else → escalate"],
        "grade_risk": [
            "score:risk >= 2 → ask_human",
            "prob:needs_auth >= 0.5 → ask_human",
            "score:risk >= 1 → auto_audit",
            "else → auto",
        ],
        "step_ok": ["prob:ok >= 0.6 → continue", "else → stop"],
        "is_done": ["prob:done >= 0.6 → finish", "else → keep_going"],
        "can_deliver": ["prob:unsupported >= 0.5 → revise", "prob:deliverable >= 0.6 → deliver", "else → revise"],
    }
    frames = [decision.frame for decision in contract.decisions.values() if decision.frame is not None]
    assert [(len(frame.fields), len(frame.exclusions)) for frame in frames] == [
        (6, 5), (6, 5), (4, 7), (4, 8), (4, 7), (3, 8), (3, 8),
    ]  # fmt: skip
    assert contract.generator is not None
    assert contract.generator.endswith("证据不够就明说缺什么。")
