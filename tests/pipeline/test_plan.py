"""What a plan says of a contract: who may share a request, under which equalities, and why the others may not.

The picture of every plan of the shipped contract is a snapshot of `interlock plan`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from interlock.contract.capabilities import Capabilities
from interlock.contract.compile import compile_contract
from interlock.contract.declaration import capabilities_from_json
from interlock.judge.base import Caps
from interlock.loop.reference import shipped_contract
from interlock.pipeline.plan import PLANS, Plan, PlanName, plan_contract

CONFORMANCE = Path(__file__).parents[2] / "spec" / "conformance"
ANY = Caps()


def plan_of(name: PlanName, caps: Caps = ANY) -> Plan:
    return plan_contract(shipped_contract(), caps, name=name)


def requests(plan: Plan) -> list[list[tuple[str, ...]]]:
    return [[group.decisions for group in wave.requests] for wave in plan.waves]


def reasons(plan: Plan, first: str, second: str) -> dict[str, set[str]]:
    """Return kind → what is in the way of one pair."""
    found: dict[str, set[str]] = {}
    for pair in plan.pairs:
        if set(pair.decisions) == {first, second}:
            for refusal in pair.refusals:
                found.setdefault(refusal.kind, set()).add(refusal.subject)
    return found


def test_the_same_contract_and_judge_give_the_same_plan() -> None:
    assert plan_of("full") == plan_of("full")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param(
            "sequential",
            [["needs_tool"], ["pick_tool"], ["pick_input"], ["grade_risk"], ["step_ok"], ["is_done"], ["can_deliver"]],
            id="sequential",
        ),
        pytest.param(
            "fused",
            [["needs_tool+pick_tool"], ["pick_input"], ["grade_risk"], ["step_ok"], ["is_done"], ["can_deliver"]],
            id="fused",
        ),
        pytest.param(
            "next",
            [
                ["needs_tool+pick_tool", "pick_input"],
                ["grade_risk"],
                ["step_ok", "is_done", "needs_tool+pick_tool", "pick_input"],
                ["can_deliver"],
            ],
            id="next",
        ),
        pytest.param(
            "full",
            [
                ["needs_tool+pick_tool", "pick_input", "grade_risk"],
                ["step_ok", "is_done", "needs_tool+pick_tool", "pick_input", "grade_risk"],
                ["can_deliver"],
            ],
            id="full",
        ),
    ],
)
def test_the_waves_of_the_shipped_contract(name: PlanName, expected: list[list[str]]) -> None:
    assert [["+".join(group) for group in wave] for wave in requests(plan_of(name))] == expected


def test_the_first_question_and_the_choice_of_a_tool_share_a_request_while_two_lists_agree() -> None:
    plan = plan_of("fused")
    pair = next(pair for pair in plan.pairs if pair.decisions == ("needs_tool", "pick_tool"))
    assert plan.may_share("needs_tool", "pick_tool")
    assert plan.may_share("pick_tool", "needs_tool")
    assert [(one.field, one.cell) for one in pair.equalities] == [
        ("files_known", "files"),
        ("already_read", "readFiles"),
    ]


def test_two_decisions_after_a_tool_may_not_share_a_request_and_the_plan_says_why() -> None:
    plan = plan_of("next")
    assert not plan.may_share("step_ok", "is_done")
    found = reasons(plan, "step_ok", "is_done")
    assert found == {"excluded": {"task", "lastTool", "lastResult"}, "differs": {"already_read"}}
    texts = [refusal.text for refusal in plan.waves[2].refusals if set(refusal.decisions) == {"step_ok", "is_done"}]
    assert "`is_done` reads cell `task`, which `step_ok` excludes" in texts
    assert "field `already_read` is a number in `step_ok` and a list in `is_done`" in texts


def test_a_decision_never_shares_a_request_with_itself() -> None:
    assert not plan_of("full").may_share("grade_risk", "grade_risk")


def test_what_is_asked_after_a_pick_is_on_another_state() -> None:
    found = [refusal.subject for refusal in plan_of("next").waves[0].refusals if refusal.kind == "other_state"]
    assert found == ["pick_input", "pick_input"]


@pytest.mark.parametrize(
    ("caps", "kind"),
    [
        pytest.param(Caps(joint_reads=True), "joint_reads", id="questions-are-read-together"),
        pytest.param(Caps(max_questions=1), "max_questions", id="one-question-per-request"),
    ],
)
def test_a_judge_can_forbid_every_shared_request(caps: Caps, kind: str) -> None:
    plan = plan_of("next", caps)
    assert all(any(refusal.kind == kind for refusal in pair.refusals) for pair in plan.pairs)
    assert all(len(group) == 1 for wave in requests(plan) for group in wave)


def test_a_group_never_asks_more_than_the_judge_takes() -> None:
    """Three decisions of one question each, any two of which fit."""
    text = (CONFORMANCE / "valid" / "minimal.md").read_text(encoding="utf-8")
    block = text[text.index("## done") : text.index("## generator")]
    copies = [block.replace("## done", f"## {name}").replace("prob:done", f"prob:{name}") for name in ("seen", "known")]
    tripled = text.replace(block, block + "".join(copies))
    contract = compile_contract(tripled, conformance_host())
    plan = plan_contract(contract, Caps(max_questions=2), name="fused")
    assert all(not pair.refusals for pair in plan.pairs)
    assert plan.max_questions == 2


def conformance_host() -> Capabilities:
    return capabilities_from_json(json.loads((CONFORMANCE / "capabilities.json").read_text(encoding="utf-8")))


def _valid() -> Sequence[Path]:
    return sorted((CONFORMANCE / "valid").glob("*.md"))


@pytest.mark.parametrize("file", _valid(), ids=lambda file: file.stem)
@pytest.mark.parametrize("name", PLANS)
def test_every_valid_contract_has_a_plan_that_asks_each_judged_decision(file: Path, name: PlanName) -> None:
    contract = compile_contract(file.read_bytes().decode("utf-8"), conformance_host())
    plan = plan_contract(contract, ANY, name=name)
    asked = {decision for wave in requests(plan) for group in wave for decision in group}
    assert asked == set(contract.decisions)
    for wave in plan.waves:
        for group in wave.requests:
            _require_no_excluded_cell(plan, group.decisions)


def _require_no_excluded_cell(plan: Plan, group: Sequence[str]) -> None:
    needs = {one.decision: one for one in plan.needs}
    read = {cell for name in group for cell in needs[name].reads}
    for name in group:
        if len(group) > 1:
            assert not read & set(needs[name].excludes), name


def test_code_shares_no_request_and_is_never_asked_ahead() -> None:
    text = (CONFORMANCE / "valid" / "every-kind.md").read_text(encoding="utf-8")
    plan = plan_contract(compile_contract(text, conformance_host()), ANY, name="full")
    assert reasons(plan, "done", "within_budget") == {"not_judged": {"within_budget"}}
    assert all("within_budget" not in ahead for ahead in plan.ahead.values())


def test_options_drawn_from_a_cell_count_where_another_decision_excludes_it() -> None:
    text = (CONFORMANCE / "valid" / "every-kind.md").read_text(encoding="utf-8")
    plan = plan_contract(compile_contract(text, conformance_host()), ANY, name="full")
    pair = next(pair for pair in plan.pairs if pair.decisions == ("done", "pick_file"))
    assert [(refusal.kind, refusal.subject, refusal.by) for refusal in pair.refusals] == [("excluded", "files", "done")]
    assert pair.refusals[0].text == "the options of `pick_file` come from cell `files`, which `done` excludes"
