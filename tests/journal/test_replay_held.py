"""What is held ready comes to the same as what is read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.contract.compile import compile_contract
from interlock.contract.compiled import Contract
from interlock.errors import ContractError, UsageError
from interlock.journal import MemoryJournal, Recorder, run_started_body
from interlock.journal.basis import Bases
from interlock.journal.records import Record
from interlock.journal.replay import Redecided, redecide
from interlock.journal.replay_held import Held, hold_run
from interlock.judge.scripted import ScriptedJudge
from interlock.loop.capabilities import REFERENCE
from interlock.loop.reference import reference_host, shipped_text
from interlock.pipeline import decide

TEXT = shipped_text()
HOST = reference_host(Path(__file__).parent)
CELLS: Mapping[str, object] = {
    "task": "Read src/alpha.ts and say what it exports",
    "cwd": "/project",
    "canWrite": True,
    "canDelete": False,
    "files": ["src/alpha.ts", "src/beta.ts"],
    "readFiles": ["src/alpha.ts"],
    "history": [{"step": 1, "tool": "read_file", "input": "src/alpha.ts", "result": "export function totalOf() {}"}],
    "lastTool": "read_file",
    "lastResult": "export function totalOf() {}",
    "draft": "It exports totalOf.",
    "facts": ["the draft quotes nothing"],
    "earlier": "",
}


def recorded(run_id: str, contract: Contract, values: Sequence[float]) -> list[Record]:
    """Return the records of a run in which every decision of the contract was taken once per value."""
    journal = MemoryJournal()
    recorder = Recorder(journal, run_id, clock=lambda: datetime(2026, 1, 2, tzinfo=UTC), contract=contract)
    recorder.record(
        "run_started",
        run_started_body(
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
        ),
    )
    for step, value in enumerate(values):
        judge = ScriptedJudge(
            {
                "needs_tool": value,
                "pick_tool": "read_file",
                "pick_input": "src/beta.ts",
                "grade_risk.risk": value * 3,
                "grade_risk.needs_auth": 1 - value,
                "step_ok": value,
                "is_done": value,
                "can_deliver.deliverable": value,
                "can_deliver.unsupported": 1 - value,
            }
        )
        for name in contract.decisions:
            recorder.decision(decide(contract, name, CELLS, judge, host=HOST), step=step)
    return list(journal.records(run_id))


SHIPPED = compile_contract(TEXT, REFERENCE)
RUNS = {
    "run-1": recorded("run-1", SHIPPED, [0.2, 0.55, 0.65, 0.9]),
    "run-2": recorded("run-2", compile_contract(TEXT, REFERENCE, overrides={"step_ok": 0.8}), [0.7, 0.85]),
    "run-3": recorded("run-3", compile_contract(TEXT.replace("prob:ok >= 0.6", "prob:ok >= 0.5"), REFERENCE), [0.52]),
}
CHANGED = compile_contract(TEXT.replace("This tool call itself completed", "This call itself completed"), REFERENCE)
WITHOUT = compile_contract(TEXT.replace("  - prob:ok >= 0.6 → continue\n", ""), REFERENCE)


def held(contract: Contract | None = None) -> Held:
    bases = Bases(REFERENCE, contract=contract, gates={})
    return Held([hold_run(run_id, records, bases) for run_id, records in RUNS.items()], REFERENCE)


def read_again(gates: Mapping[str, float], contract: Contract | None = None) -> list[Redecided]:
    compiled = None if contract is None else compile_contract(contract.text, REFERENCE, overrides=gates)
    records = [record for run in RUNS.values() for record in run]
    return list(redecide(records, Bases(REFERENCE, contract=compiled, gates=gates)))


OWN = held()
GATES = st.dictionaries(
    st.sampled_from(["needs_tool", "step_ok", "step_ok.ok[0]", "is_done", "grade_risk.needs_auth"]),
    st.floats(0.01, 1.0),
    max_size=3,
)


@given(gates=GATES, risk=st.none() | st.floats(1.01, 2.0))
@settings(max_examples=100, deadline=None)
def test_at_any_thresholds_it_is_what_reading_again_comes_to(gates: dict[str, float], risk: float | None) -> None:
    if risk is not None:
        gates["grade_risk.risk[0]"] = risk
    assert list(OWN.decide(gates)) == read_again(gates)


@pytest.mark.parametrize("contract", [SHIPPED, CHANGED], ids=["the-same-questions", "another-question"])
def test_under_a_contract_that_is_named_too(contract: Contract) -> None:
    found = held(contract)
    statuses = {item.status for item in found.decide({})}
    assert ("fresh" in statuses) == (contract is CHANGED)
    for gates in ({}, {"step_ok": 0.7}, {"step_ok": 0.72, "is_done": 0.9}):
        assert list(found.decide(gates)) == read_again(gates, contract)


def test_a_threshold_is_named_shortly_with_what_it_was_and_what_was_compared() -> None:
    found = {threshold.key: threshold for threshold in OWN.thresholds}
    assert list(found) == [
        "needs_tool", "pick_tool", "pick_input", "grade_risk.risk[0]", "grade_risk.risk[1]", "grade_risk.needs_auth",
        "step_ok", "is_done", "can_deliver.unsupported", "can_deliver.deliverable",
    ]  # fmt: skip
    assert found["step_ok"].recorded == (0.5, 0.8, 0.6)
    assert sorted(found["step_ok"].values) == [0.2, 0.52, 0.55, 0.65, 0.7, 0.85, 0.9]
    assert found["step_ok"].runs == 3
    assert OWN.keys["step_ok.ok[0]"] == "step_ok"


def test_the_number_compared_is_that_closest_to_its_threshold() -> None:
    gates = {"step_ok": 0.7, "grade_risk.needs_auth": 0.9}
    taken = [item for item in OWN.decide(gates) if item.run_id == "run-1" and item.step == 2]
    found = {item.decision: OWN.closest(item, gates) for item in taken}
    assert found["step_ok"] == 0.65
    assert found["grade_risk"] == pytest.approx(1.95)
    assert found["pick_input"] == 1.0


def test_a_threshold_that_no_contract_has_is_refused() -> None:
    with pytest.raises(UsageError, match="gate `other`: no such threshold"):
        list(OWN.decide({"other": 0.5}))


def test_a_threshold_out_of_range_is_refused() -> None:
    with pytest.raises(ContractError, match="a probability goes from 0 to 1"):
        list(OWN.decide({"step_ok": 1.5}))


def test_a_contract_without_a_threshold_keeps_what_it_has() -> None:
    bases = Bases(REFERENCE, contract=None, gates={})
    bare = hold_run("run-4", recorded("run-4", WITHOUT, [0.9]), bases)
    both = Held([hold_run("run-1", RUNS["run-1"], bases), bare], REFERENCE)
    assert both.lacking({"step_ok": 0.7}) == ("run-4",)
    assert both.lacking({"is_done": 0.7}) == ()
    changed = [item for item in both.decide({"step_ok": 0.7}) if item.status == "changed"]
    assert [(item.run_id, item.decision) for item in changed] == [("run-1", "step_ok")]
    assert {threshold.key: threshold.runs for threshold in both.thresholds}["step_ok"] == 1
