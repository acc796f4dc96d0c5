"""With the host at hand, contract, policy, frame and floors are derived again from what a run recorded."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from interlock.contract.compile import compile_contract
from interlock.journal import MemoryJournal
from interlock.journal.records import Record
from interlock.journal.rederive import HostRederiver
from interlock.journal.verify import verify_run
from interlock.loop.capabilities import REFERENCE
from interlock.loop.reference import reference_host, shipped_text
from interlock.loop.run import run
from interlock.loop.scripted import ScriptedWriter
from interlock.testing import ScriptedJudge
from interlock.tools.callables import tool_from_function

ANSWERS: dict[str, Any] = {
    "needs_tool": 0.9,
    "pick_tool": "list_dir",
    "grade_risk.risk": 0.0,
    "grade_risk.needs_auth": 0.1,
    "step_ok": 0.9,
    "is_done": 0.9,
    "can_deliver.deliverable": 0.9,
    "can_deliver.unsupported": 0.1,
}
Body = dict[str, Any]


def _recorded(directory: Path, *, record_state: bool) -> tuple[Record, ...]:
    (directory / "a.txt").write_text("one\n")
    result = run(
        "list the files",
        judge=ScriptedJudge(ANSWERS),
        writer=ScriptedWriter(["a.txt"]),
        cwd=directory,
        contract=compile_contract(shipped_text(), REFERENCE, overrides={"step_ok": 0.7}),
        record_state=record_state,
    )
    return result.records


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> tuple[Record, ...]:
    return _recorded(tmp_path_factory.mktemp("project"), record_state=True)


def _found(records: tuple[Record, ...], change: Callable[[str, Body], None], directory: Path) -> list[tuple[str, str]]:
    """Write the records anew, each body changed, and return what does not verify."""
    journal = MemoryJournal()
    for record in records:
        body = copy.deepcopy(dict(record.body))
        change(record.type, body)
        journal.append("r", record.type, body, ts=record.ts)
    with journal.snapshot() as view:
        check = verify_run(view, "r", rederiver=HostRederiver(reference_host(directory)))
    return [(finding.verdict, finding.what) for finding in check.findings]


def _decision(name: str, change: Callable[[Body], None]) -> Callable[[str, Body], None]:
    def apply(kind: str, body: Body) -> None:
        if kind == "decision" and body["decision"] == name:
            change(body)

    return apply


def _started(changes: Mapping[str, Any]) -> Callable[[str, Body], None]:
    def apply(kind: str, body: Body) -> None:
        if kind == "run_started":
            body.update(changes)

    return apply


def test_an_unchanged_run_verifies_under_its_overrides(records: tuple[Record, ...], tmp_path: Path) -> None:
    assert _found(records, lambda kind, body: None, tmp_path) == []


def test_without_raw_state_everything_else_verifies(tmp_path: Path) -> None:
    records = _recorded(tmp_path, record_state=False)
    assert all("cells" not in record.body for record in records)
    assert _found(records, lambda kind, body: None, tmp_path) == []


def _other_threshold(body: Body) -> None:
    body["policy"]["rules"][0]["threshold"] = 0.5
    body["outcome"]["threshold"] = 0.5
    body["outcome"]["margin"] = abs(body["outcome"]["value"] - 0.5)


def _lose_history(body: Body) -> None:
    body["cells"]["$unrecorded"] = ["history"]


@pytest.mark.parametrize(
    ("change", "verdict", "says"),
    [
        pytest.param(
            _decision("step_ok", _other_threshold), "mismatch", "policy: is not that of the contract", id="threshold"
        ),
        pytest.param(
            _decision("grade_risk", lambda body: body["cells"].update(lastTool="delete_file")),
            "mismatch",
            "floors: are not those that the recorded state gives",
            id="state-behind-a-floor",
        ),
        pytest.param(
            _decision("needs_tool", lambda body: body["cells"].update(task="another")),
            "mismatch",
            "frame: is not the one that the recorded state gives",
            id="state-behind-a-frame",
        ),
        pytest.param(
            _decision("needs_tool", lambda body: body.update(decision="needs_nothing")),
            "mismatch",
            "decision: is not in the contract of the run",
            id="unknown-decision",
        ),
        pytest.param(
            _decision("grade_risk", _lose_history),
            "partial",
            "frame: was not built again: cell `history` has no JSON form",
            id="cell-not-recorded",
        ),
        pytest.param(
            _started({"tools": {"list_dir": 0}}),
            "partial",
            "frame: was not built again: the run had other tools",
            id="other-tools",
        ),
        pytest.param(
            _started({"contract_text": "# x\n"}),
            "partial",
            "contract: its contract does not compile for the host at hand",
            id="contract-of-another-host",
        ),
        pytest.param(
            _started({"overrides": {}}),
            "partial",
            "frame: was not built again: its contract was compiled for another host, or by another release",
            id="other-digest",
        ),
        pytest.param(
            _started({"overrides": {"nothing": 1}}),
            "partial",
            "contract: its contract does not compile for the host at hand",
            id="unknown-override",
        ),
        pytest.param(
            _started({"overrides": []}), "mismatch", "cannot be read: `overrides` is not an object", id="not-an-object"
        ),
    ],
)
def test_what_does_not_follow_is_a_mismatch_and_what_cannot_be_derived_is_named(
    records: tuple[Record, ...], tmp_path: Path, change: Callable[[str, Body], None], verdict: str, says: str
) -> None:
    assert (verdict, says) in _found(records, change, tmp_path)


def test_a_run_with_tools_of_its_own_is_verified_by_its_own_host(tmp_path: Path) -> None:
    def count_lines(path: str) -> str:
        """The number of lines of a file is needed."""
        return path

    host = reference_host(tmp_path, tools=[tool_from_function(count_lines, base_risk=0)])
    result = run(
        "count",
        judge=ScriptedJudge({**ANSWERS, "pick_tool": "done"}),
        writer=ScriptedWriter(["1"]),
        cwd=tmp_path,
        host=host,
        record_state=True,
    )
    journal = MemoryJournal()
    for record in result.records:
        journal.append("r", record.type, record.body, ts=record.ts)
    with journal.snapshot() as view:
        assert verify_run(view, "r", rederiver=HostRederiver(host)).verdict == "verified"
        assert verify_run(view, "r", rederiver=HostRederiver(reference_host(tmp_path))).verdict == "partial"
