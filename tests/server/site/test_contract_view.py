"""A contract as it is read: every part of its meaning stands at the line that declares it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from interlock.contract.compile import check_contract, compile_contract
from interlock.frame.spec import Exclusion, FrameField
from interlock.loop.capabilities import REFERENCE
from interlock.loop.reference import shipped_contract, shipped_text
from interlock.pipeline.plan import PLANS
from interlock.server.site.contract_view import ContractView, contract_view, meaning_of
from interlock.server.site.plan_view import cells_of, plan_view


@pytest.fixture
def view() -> ContractView:
    """Return the contract that ships with the package."""
    return contract_view(shipped_text(), check_contract(shipped_text(), REFERENCE))


def test_every_line_of_the_source_is_shown_as_it_stands(view: ContractView) -> None:
    assert "\n".join(line.text for line in view.lines) == shipped_text()
    assert [line.number for line in view.lines] == list(range(1, len(view.lines) + 1))


def test_every_part_stands_at_the_line_that_declares_it(view: ContractView) -> None:
    source = shipped_text().split("\n")
    for shown in view.decisions:
        assert source[shown.decision.line - 1] == f"## {shown.decision.id}"
        for question in shown.questions:
            assert question.line is not None
            assert question.instructions in source[question.line - 1]
            for line, outcome in question.outcomes:
                assert line is not None
                assert (outcome.text or outcome.name) in source[line - 1]
        for placed in (*shown.fields, *shown.exclusions):
            assert placed.line is not None
            assert isinstance(placed.item, FrameField | Exclusion)
            name = placed.item.key if isinstance(placed.item, FrameField) else placed.item.cell
            assert name in source[placed.line - 1]
            assert placed.item.reason in source[placed.line - 1]
        for placed in shown.rules:
            assert placed.line is not None
            assert "→" in source[placed.line - 1]


def test_a_line_leads_to_what_it_compiles_to_and_prose_leads_nowhere(view: ContractView) -> None:
    text = {line.number: line.text for line in view.lines if line.is_compiled}

    assert all(line.startswith(("##", "ask:", "-", "  ")) for line in text.values())
    assert len(text) == sum(
        1
        + len(shown.fields)
        + len(shown.exclusions)
        + len(shown.rules)
        + sum(1 + len(question.outcomes) for question in shown.questions)
        for shown in view.decisions
    )


def test_findings_stand_at_their_lines_errors_first() -> None:
    text = "# t\n\nschema: decision-contract/v1\n\n## a\nkind: nul\nask: x\u202e\n"
    found = contract_view(text, check_contract(text, REFERENCE))

    (finding,) = [each for each in found.lines[5].findings if each.code == "unknown-kind"]
    assert (finding.line, finding.severity, finding.decision) == (6, "error", "a")
    assert found.check.findings[0].severity == "error"
    assert found.lines[6].text == "ask: x\\u202e"
    assert found.decisions == ()
    assert all(meaning_of(each.code) for each in found.check.findings)


def test_a_frame_of_the_host_has_no_lines() -> None:
    frame = shipped_contract().decisions["is_done"].frame
    assert frame is not None
    host = replace(REFERENCE, frames={"is_done": frame})
    head, _, rest = shipped_text().partition("## is_done")
    before, _, after = rest.partition("frame:")
    text = f"{head}## is_done{before}{after[after.index('policy:') :]}"
    found = contract_view(text, check_contract(text, host))
    (shown,) = [each for each in found.decisions if each.decision.id == "is_done"]

    assert {placed.line for placed in (*shown.fields, *shown.exclusions)} == {None}
    assert len(shown.fields) == len(frame.fields)


@pytest.mark.parametrize("name", PLANS)
def test_every_decision_is_asked_in_some_wave(name: str) -> None:
    contract = shipped_contract()
    plan = plan_view(contract, next(each for each in PLANS if each == name))

    assert plan is not None
    asked = [[one for request in wave.requests for one in request.decisions] for wave in plan.waves]
    assert {name for wave in asked for name, _ in wave} == set(contract.decisions)
    assert len(plan.pairs) == 21
    assert all(pair.why for pair in plan.pairs)
    assert all((wave.due, False) in each for wave, each in zip(plan.waves, asked, strict=True))


def test_a_cell_is_seen_excluded_or_neither_by_each_decision() -> None:
    contract = compile_contract(shipped_text(), REFERENCE)
    rows = {row.name: dict(zip(contract.decisions, row.seen, strict=True)) for row in cells_of(contract)}

    assert rows["task"]["needs_tool"] == "="
    assert rows["task"]["step_ok"] == "-"
    assert rows["lastTool"]["grade_risk"] == "toolOrUnknown, localToolRisk"
    assert all(seen for row in rows.values() for seen in row.values())
