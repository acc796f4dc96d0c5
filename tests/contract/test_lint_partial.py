"""Advice says nothing of what a decision lacks, and takes two cuts on one question for what they are."""

from __future__ import annotations

import pytest

from interlock.contract import check_contract
from interlock.contract.document import Entry
from interlock.contract.draft import DraftDecision, DraftFrame, DraftQuestion
from interlock.contract.findings import Findings
from interlock.contract.lint import Target, linter
from interlock.judge.base import Caps
from interlock.judge.locks import Locks
from interlock.loop.capabilities import REFERENCE
from interlock.loop.reference import shipped_text

HEADING = Entry(line=1, mark="##", text="x", whole="## x")


@pytest.mark.parametrize("with_frame", [False, True])
def test_a_decision_without_its_parts_gets_no_advice(with_frame: bool) -> None:
    question = DraftQuestion(id="q", heading=HEADING, type=None, question=None, ask=None, options=(), labels=())
    frame = DraftFrame(entry=HEADING, fields=(), exclusions=(), exclusion_entries=(), unread=())
    draft = DraftDecision(
        id="x",
        heading=HEADING,
        kind=None,
        when=None,
        position=None,
        purpose=None,
        dynamic_entry=None,
        dynamic=None,
        questions=(question,),
        frame=frame if with_frame else None,
        policy=None,
    )
    findings = Findings()
    for targets in ((), (Target(id="j", caps=Caps(), model="j"),)):
        linter(targets=targets)([draft], REFERENCE, findings)
    assert findings.found == []


def test_a_choice_of_candidates_from_code_has_no_lock_to_keep() -> None:
    """Its question is another one each time; the others are named, none of them was tried."""
    target = Target(id="s:m", caps=Caps(), model="m", locks=Locks(locks=frozenset()))
    found = check_contract(shipped_text(), REFERENCE, lint=linter(targets=[target]))
    cuts = {item.decision for item in found.diagnostics if item.code == "confidence-cut"}
    assert "needs_tool" in cuts
    assert not cuts & {"pick_tool", "pick_input"}


def test_two_cuts_on_one_question_are_no_complements() -> None:
    text = shipped_text().replace(
        "  - prob:ok >= 0.6 → continue\n", "  - prob:ok < 0.2 → stop\n  - prob:ok >= 0.6 → continue\n"
    )
    assert text != shipped_text()
    found = check_contract(text, REFERENCE, lint=linter())
    assert found.verdict == "ok"
    assert [item for item in found.diagnostics if item.code == "assumed-complement"] == []
