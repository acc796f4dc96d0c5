"""Recorded decisions are decided again without a judge where that is possible, and named where it is not."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.contract.compile import compile_contract
from interlock.contract.compiled import Contract
from interlock.errors import ContractError, JournalError, SettingsError
from interlock.journal import MemoryJournal, Planned, Recorder, run_started_body
from interlock.journal.basis import Bases
from interlock.journal.decision_read import read_decision
from interlock.journal.records import Record
from interlock.journal.replay import Redecided, redecide
from interlock.journal.replay_report import report, report_json
from interlock.judge.base import Usage
from interlock.judge.scripted import Scripted, ScriptedJudge
from interlock.loop.capabilities import REFERENCE
from interlock.loop.reference import reference_host, shipped_text
from interlock.pipeline import Gating, Host, decide
from interlock.pipeline.outcome import outcome_of
from interlock.pipeline.result import DecisionResult

TEXT = shipped_text()
SHIPPED = compile_contract(TEXT, REFERENCE)
CELLS: Mapping[str, object] = {
    "task": "Read src/alpha.ts and say what it exports",
    "cwd": "/project",
    "canWrite": True,
    "canDelete": False,
    "files": ["src/alpha.ts", "src/beta.ts", "src/gamma.ts"],
    "readFiles": ["src/alpha.ts"],
    "history": [{"step": 1, "tool": "read_file", "input": "src/alpha.ts", "result": "export function totalOf() {}"}],
    "lastTool": "read_file",
    "lastResult": "export function totalOf() {}",
    "draft": "It exports totalOf.",
    "facts": ["the draft quotes nothing"],
    "earlier": "",
}
ANSWERS: Mapping[str, Scripted] = {
    "needs_tool": 0.9,
    "pick_tool": "read_file",
    "pick_input": "src/beta.ts",
    "grade_risk.risk": 1.2,
    "grade_risk.needs_auth": 0.1,
    "step_ok": 0.65,
    "is_done": 0.9,
    "can_deliver.deliverable": 0.9,
    "can_deliver.unsupported": 0.1,
}
HOST = reference_host(Path(__file__).parent)

Edit = tuple[str, str]


def edited(*edits: Edit, **overrides: float) -> Contract:
    """Return the shipped contract with text replaced and thresholds set."""
    text = TEXT
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return compile_contract(text, REFERENCE, overrides=overrides)


def take(
    name: str,
    *,
    contract: Contract = SHIPPED,
    host: Host = HOST,
    gating: Gating | None = None,
    answers: Mapping[str, Scripted] = ANSWERS,
    **cells: object,
) -> DecisionResult:
    """Return one decision on the usual state, some of its cells replaced."""
    judge = ScriptedJudge(answers)
    return decide(contract, name, {**CELLS, **cells}, judge, host=host, gating=gating or Gating())


def recorded(
    *results: DecisionResult,
    contract: Contract | None = SHIPPED,
    plan: Planned | None = None,
    run_id: str = "run-1",
    gaps: Mapping[str, str] | None = None,
) -> list[Record]:
    """Return the records of one run; without a contract its first record is missing."""
    journal = MemoryJournal()
    recorder = Recorder(journal, run_id, clock=lambda: datetime(2026, 1, 2, tzinfo=UTC), contract=contract)
    if contract is not None:
        body = started(contract)
        told = {key: value for key, value in body.items() if key != "gaps"}
        recorder.record("run_started", told if gaps is None else {**told, "gaps": dict(gaps)})
    for step, result in enumerate(results):
        recorder.decision(result, step=step, plan=plan or Planned())
    return list(journal.records(run_id))


def started(contract: Contract) -> Mapping[str, Any]:
    return run_started_body(
        task="t",
        cwd="/",
        contract_digest=contract.digest,
        contract_text=contract.text,
        judge="scripted",
        writer="extractive",
        plan="sequential",
        budgets={},
        overrides=contract.overrides,
        modes={},
        can_write=True,
        can_delete=False,
        tools={},
        after=None,
        version="0",
    )


def again(records: list[Record], contract: Contract | None = None, /, **gates: float) -> list[Redecided]:
    return list(redecide(records, Bases(REFERENCE, contract=contract, gates=gates)))


def said(found: list[Redecided]) -> list[tuple[str, str, str | None, str | None, str | None]]:
    return [
        (item.decision, item.status, item.was, None if item.outcome is None else item.outcome.action, item.reason)
        for item in found
    ]


def test_under_its_own_contract_every_decision_is_the_same() -> None:
    results = [take(name) for name in SHIPPED.decisions]
    for contract in (None, SHIPPED):
        found = again(recorded(*results), contract)
        assert [item.status for item in found] == ["same"] * len(results)
        assert [item.outcome for item in found] == [result.outcome for result in results]


def test_a_raised_threshold_changes_what_it_decided() -> None:
    found = again(recorded(take("step_ok"), take("is_done")), step_ok=0.7)
    assert said(found) == [
        ("step_ok", "changed", "continue", "stop", None),
        ("is_done", "same", "finish", "finish", None),
    ]
    assert [item.follows_a_change for item in found] == [False, True]


def test_thresholds_that_were_set_then_hold_unless_set_anew() -> None:
    records = recorded(take("step_ok", contract=(run := edited(**{"step_ok.ok": 0.9}))), contract=run)
    assert said(again(records)) == [("step_ok", "same", "stop", "stop", None)]
    assert said(again(records, is_done=0.7)) == [("step_ok", "same", "stop", "stop", None)]
    assert said(again(records, step_ok=0.5)) == [("step_ok", "changed", "stop", "continue", None)]
    assert said(again(records, SHIPPED)) == [("step_ok", "changed", "stop", "continue", None)]


NAMES = list(SHIPPED.decisions)
PROBABILITIES = st.floats(0, 1).map(lambda value: round(value, 3))


@given(
    st.lists(st.tuples(st.sampled_from(NAMES), PROBABILITIES, PROBABILITIES, st.booleans()), min_size=1, max_size=6),
    st.dictionaries(
        st.sampled_from(["needs_tool", "step_ok", "is_done", "can_deliver.unsupported", "grade_risk.risk[0]"]),
        st.sampled_from([0.3, 0.55, 0.8, 0.95]),
    ),
)
@settings(max_examples=60, deadline=None)
def test_the_changes_are_those_of_a_recomputation(
    taken: list[tuple[str, float, float, bool]], gates: dict[str, float]
) -> None:
    """The recomputation reads each record in full and asks the policy; it shares nothing else with the replay."""
    contract = edited(("score:risk >= 1 ", "score:risk >= 0.2 "), **gates)
    results = []
    for name, first, second, degraded in taken:
        answers = {**ANSWERS, name: first, f"{name}.risk": first * 3, f"{name}.needs_auth": second}
        answers |= {f"{name}.deliverable": first, f"{name}.unsupported": second, "pick_tool": "read_file"}
        answers |= {"pick_input": {"src/beta.ts": first, "src/gamma.ts": 1 - first}}
        judge = ScriptedJudge(answers, degraded=degraded)
        results.append(decide(SHIPPED, name, CELLS, judge, host=HOST))
    records = recorded(*results)
    expected = []
    for record in records[1:]:
        result = read_decision(record.body).result
        now = outcome_of(contract.decisions[result.decision], result.readings, result.floors, result.call_facts)
        assert result.outcome is not None
        if now.action != result.outcome.action:
            expected.append((record.seq, result.outcome.action, now.action))
    told = report(again(records, contract))
    assert [(item.seq, item.was, item.outcome and item.outcome.action) for item in told.changed] == expected
    assert told.count("fresh") == 0


STEP_OK = "This tool call itself completed and returned output this step can use."


@pytest.mark.parametrize(
    ("edit", "name", "reason"),
    [
        pytest.param((STEP_OK, "It worked."), "step_ok", "question `ok`: instructions changed", id="instructions"),
        pytest.param(
            ("- destructive\n", "- destroys\n"), "grade_risk", "question `risk`: option `3` changed", id="level"
        ),
        pytest.param(
            ("the target shows the path\n", "x\n  + room 9 lastInput —— x\n"), "grade_risk",
            "field `room` added", id="field",
        ),
        pytest.param(
            ("+ tool        40 toolOrUnknown", "+ tool        40 toolOrEmpty"), "grade_risk", "field `tool` changed",
            id="projection",
        ),
        pytest.param(
            ("fileOptions(ctx: files, readFiles)", "toolsFor(ctx: history, files, readFiles, canWrite, canDelete)"),
            "pick_input", "candidates changed", id="provider",
        ),
        pytest.param(
            ("- read_file — the content", "- read_file — the whole content"), "pick_tool",
            "question `tool`: option `read_file` changed", id="option-that-was-offered",
        ),
    ],
)  # fmt: skip
def test_what_is_asked_anew_needs_a_judgement(edit: Edit, name: str, reason: str) -> None:
    found = again(recorded(take(name)), edited(edit))
    assert [(item.status, item.reason) for item in found] == [("fresh", reason)]
    assert again(recorded(take("is_done")), edited(edit))[0].status == "same"


@pytest.mark.parametrize(
    ("edit", "name"),
    [
        pytest.param(("the target shows the path", "another reason"), "grade_risk", id="reason"),
        pytest.param(("- move_file — the task", "- move_file — perhaps the task"), "pick_tool", id="not-offered"),
        pytest.param(("- a file not read yet —", "- any file —"), "pick_input", id="example"),
        pytest.param(("Use the evidence below and nothing else.", "x"), "is_done", id="generator"),
    ],
)  # fmt: skip
def test_what_the_judge_did_not_see_needs_none(edit: Edit, name: str) -> None:
    assert [item.status for item in again(recorded(take(name)), edited(edit))] == ["same"]


@pytest.mark.parametrize(
    ("bound", "size", "status"),
    [
        pytest.param(300, 40, "same", id="shorter-than-both"),
        pytest.param(20, 40, "fresh", id="would-be-cut"),
        pytest.param(900, 700, "fresh", id="was-cut-and-more-is-seen"),
        pytest.param(200, 700, "fresh", id="was-cut-and-less-is-seen"),
        pytest.param(41, 41, "same", id="exactly"),
    ],
)
def test_a_bound_matters_where_it_cuts(bound: int, size: int, status: str) -> None:
    contract = edited(("+ task         400             —— completeness", f"+ task {bound} —— completeness"))
    found = again(recorded(take("is_done", task="x" * size)), contract)
    assert [item.status for item in found] == [status]


def test_a_decision_that_is_gone_is_a_change() -> None:
    start, end = TEXT.index("## is_done"), TEXT.index("## can_deliver")
    told = report(again(recorded(take("is_done")), edited((TEXT[start:end], ""))))
    assert (told.count("gone"), len(told.changed)) == (1, 1)
    assert told.moves == {"is_done": {("finish", None): 1}}


def test_shadow_is_decided_again_off_is_not_and_a_discarded_decision_never_acted() -> None:
    shadow = take("step_ok", gating=Gating(modes={"step_ok": "shadow"}))
    off = take("step_ok", gating=Gating(modes={"step_ok": "off"}))
    found = again(recorded(shadow, off), step_ok=0.9)
    assert [(item.status, item.mode) for item in found] == [("changed", "shadow"), ("unjudged", "off")]
    discarded = recorded(take("step_ok"), plan=Planned(speculative=True, discarded=True))
    assert [item.status for item in again(discarded, step_ok=0.9)] == ["discarded"]


OPENED: tuple[Edit, ...] = (
    ("when: before-call", "when: after-tool"),
    ("→ ask_human", "→ stop"),
    ("→ auto_audit", "→ continue"),
    ("→ auto\n", "→ continue\n"),
)
"""Edits that turn the gate before a call into a decision that guards nothing."""
GUARDED: tuple[Edit, ...] = (
    ("when: after-tool —— asked after every call that worked", "when: after-generate —— x"),
    ("→ finish", "→ deliver"),
    ("→ keep_going", "→ revise"),
)
"""Edits that turn `is_done` into a decision that guards a delivery."""


def test_a_gap_refuses_where_the_decision_guards_and_nowhere_else() -> None:
    gap = take("grade_risk", task=None)
    assert gap.gap_refused
    assert said(again(recorded(gap))) == [("grade_risk", "same", "ask_human", "ask_human", None)]
    assert said(again(recorded(gap), edited(*OPENED))) == [
        ("grade_risk", "fresh", "ask_human", None, "a gap kept the judge from being asked, and does no more")
    ]


def test_a_gap_that_was_only_recorded_refuses_a_decision_that_guards_now() -> None:
    gap = take("is_done", task=None)
    assert gap.gaps
    assert not gap.gap_refused
    found = again(recorded(gap), edited(*GUARDED))
    assert said(found) == [("is_done", "changed", "finish", "escalate", None)]
    assert found[0].outcome is not None
    assert found[0].outcome.reason == "gap in the frame: task: unfilled"


@pytest.mark.parametrize("says", [True, False], ids=["the-run-says-so", "the-run-does-not-say"])
def test_a_gap_policy_that_was_set_by_hand_stays_set(says: bool) -> None:
    gap = take("is_done", task=None, gating=Gating(gaps={"is_done": "refuse"}))
    assert said(again(recorded(gap, gaps={"is_done": "refuse"} if says else None))) == [
        ("is_done", "same", "escalate", "escalate", None)
    ]
    let = take("grade_risk", task=None, gating=Gating(gaps={"grade_risk": "warn"}))
    records = recorded(let, gaps={"grade_risk": "warn"} if says else None)
    assert said(again(records)) == [("grade_risk", "same", "auto_audit", "auto_audit", None)]


def test_a_gap_policy_that_is_none_is_named() -> None:
    with pytest.raises(JournalError, match="run `run-1` row 1: `is_done` is not one of `refuse`, `warn`"):
        again(recorded(take("is_done"), gaps={"is_done": "maybe"}))


def test_a_judge_that_failed_closes_again() -> None:
    failed = take("grade_risk", answers={})
    assert said(again(recorded(failed), None, **{"grade_risk.risk[0]": 3})) == [
        ("grade_risk", "same", "ask_human", "ask_human", None)
    ]


def test_a_single_candidate_needs_no_judge_whatever_the_question_says_now() -> None:
    alone = take("pick_input", files=["src/alpha.ts", "src/beta.ts"])
    assert alone.reply is None
    contract = edited(("Which file should this tool call target?", "Which file?"))
    assert [item.status for item in again(recorded(alone), contract)] == ["same"]
    several = take("pick_input")
    assert [item.status for item in again(recorded(several), contract)] == ["fresh"]


class TestARunThatHoldsNoContract:
    """Its records are compared with the new contract themselves."""

    def test_is_decided_again_where_frame_and_questions_fit(self) -> None:
        results = [take(name) for name in SHIPPED.decisions]
        records = recorded(*results, contract=None)
        other = edited(("Use the evidence below and nothing else.", "x"), step_ok=0.7)
        assert [item.status for item in again(records, SHIPPED)] == ["same"] * len(results)
        assert [item.status for item in again(records, edited(step_ok=0.7))].count("changed") == 1
        assert [(item.decision, item.status) for item in again(records, other) if item.status != "same"] == [
            ("step_ok", "changed")
        ]

    @pytest.mark.parametrize(
        ("edit", "name", "reason"),
        [
            pytest.param((STEP_OK, "It worked."), "step_ok", "question `ok` changed", id="question"),
            pytest.param(("### ok\n", "### fine\n"), "step_ok", "the questions changed", id="id"),
            pytest.param(
                ("+ task         400             —— completeness", "+ task 20 —— completeness"), "is_done",
                "field `task`: more or less of it is seen", id="bound",
            ),
            pytest.param(
                ("  + already_read  12 readCount     —— a count is enough here, the list belongs to other questions\n",
                 "  - readFiles —— x\n"), "step_ok", "field `already_read` lost", id="field-lost",
            ),
            pytest.param(
                ("  - facts                          —— they are for the delivery gate; this question",
                 "  + facts 9 hostFacts —— x"), "step_ok", "field `facts` added", id="field-added",
            ),
            pytest.param(
                ("- read_file — the content", "- read_file — the whole content"), "pick_tool",
                "question `tool` changed", id="option",
            ),
        ],
    )  # fmt: skip
    def test_says_what_does_not_fit(self, edit: Edit, name: str, reason: str) -> None:
        edits = (edit,) if edit[0] != "### ok\n" else (edit, ("prob:ok ", "prob:fine "))
        found = again(recorded(take(name), contract=None), edited(*edits))
        assert [(item.status, item.reason) for item in found] == [("fresh", reason)]

    def test_needs_a_contract_to_be_named(self) -> None:
        records = [*recorded(take("is_done"), contract=None), *recorded(take("is_done"), run_id="run-2")]
        assert [(item.run_id, item.status) for item in again(records)] == [("run-1", "unknown"), ("run-2", "same")]
        assert [item.status for item in again(records, SHIPPED)] == ["same", "same"]

    def test_one_that_does_not_compile_here_is_none(self) -> None:
        records = recorded(take("is_done"), contract=replace(SHIPPED, text="# nothing"))
        assert [item.status for item in again(records)] == ["unknown"]
        assert [item.status for item in again(records, SHIPPED)] == ["same"]


def test_a_threshold_that_does_not_exist_or_cannot_hold_stops_the_replay() -> None:
    records = recorded(take("is_done"))
    with pytest.raises(SettingsError, match="gate `is_don`: no such threshold; did you mean `is_done`"):
        again(records, is_don=0.7)
    with pytest.raises(ContractError, match="out-of-range"):
        again(records, is_done=7)


def test_a_record_that_cannot_be_read_is_named() -> None:
    records = recorded(take("is_done"))
    broken: dict[str, Any] = copy.deepcopy(dict(records[1].body))
    broken["readings"]["done"]["answer"]["noul"] = "much"
    with pytest.raises(JournalError, match=r"run `run-1` row 2: `noul` is not a number; run `interlock verify`"):
        again([records[0], replace(records[1], body=broken)])


def test_requests_that_were_made_together_cost_once() -> None:
    def told(result: DecisionResult, tokens: int | None) -> DecisionResult:
        assert result.reply is not None
        usage = None if tokens is None else Usage(
            input_tokens=tokens, output_tokens=2, cached_input_tokens=None, cost_usd=None
        )  # fmt: skip
        return replace(result, reply=replace(result.reply, usage=usage))

    contract = edited((STEP_OK, "It worked."), ("no further tool call is needed", "nothing is left"))
    alone = recorded(told(take("step_ok"), 100), told(take("step_ok"), None), told(take("is_done"), 10))
    cost = report(again(alone, contract)).cost
    assert (cost.requests, cost.tokens, cost.known) == (3, 114, 2)
    together = replace(take("is_done"), reply=told(take("step_ok"), 100).reply)
    records = recorded(told(take("step_ok"), 100), contract=SHIPPED, plan=Planned(wave=1, fused_with=("is_done",)))
    records += [replace(recorded(together, plan=Planned(wave=1, fused_with=("step_ok",)))[1], seq=3)]
    cost = report(again(records, contract)).cost
    assert (cost.requests, cost.tokens, cost.known) == (1, 102, 1)


def test_the_report_for_machines_lists_every_change() -> None:
    records = recorded(take("step_ok"), take("is_done"))
    told = report_json(report(again(records, edited(("no further tool call is needed", "x"), step_ok=0.7))))
    assert told["moves"] == [{"decision": "step_ok", "was": "continue", "now": "stop", "records": 1}]
    assert told["counts"] == {"step_ok": {"changed": 1}, "is_done": {"fresh": 1}}
    assert told["cost"] == {"requests": 1, "tokens": 0, "tokens_known_for": 0}
    changed = told["changed"]
    assert isinstance(changed, list)
    assert changed[0] == {
        "run_id": "run-1", "seq": 2, "step": 0, "decision": "step_ok", "status": "changed", "mode": "enforce",
        "was": "continue", "now": "stop", "rule": "else → stop", "value": None, "threshold": None,
        "margin": pytest.approx(0.05), "reason": None, "follows_a_change": False,
    }  # fmt: skip
