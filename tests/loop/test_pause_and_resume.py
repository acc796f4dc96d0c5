"""A gated call may wait for its person: what was settled before is settled, and what has changed since is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from interlock.contract.capabilities import Cell
from interlock.errors import ApprovalError, HeadMovedError, HostError, JournalError
from interlock.journal.approval_steps import answer_approval
from interlock.journal.approvals import Approval, approvals_of, moment
from interlock.journal.base import Store
from interlock.journal.recording import Recorder
from interlock.journal.records import Record
from interlock.journal.summary import kept_runs
from interlock.journal.verify import verify_run
from interlock.loop.approval import ApprovalAnswer, ApprovalRequest
from interlock.loop.budget import Budgets
from interlock.loop.reference import reference_host
from interlock.loop.result import RunResult
from interlock.loop.resume import resume
from interlock.loop.resume_flight import InFlight, InFlightChoice
from interlock.loop.run import run
from interlock.loop.scripted import ScriptedWriter
from interlock.pipeline.host import Host
from interlock.questions import Content, Json, Question
from interlock.testing import Scripted, ScriptedJudge
from interlock.tools.base import Tool
from interlock.tools.callables import tool_from_function


class Case:
    """A run that deletes `a.ts`, then pays, each behind a gate; whoever works on it has a judge of its own."""

    def __init__(self, at: Path, journal: Store) -> None:
        self.at = at
        self.journal = journal
        self.paid: list[int] = []
        self.asked: list[ApprovalRequest] = []
        self.judges: list[ScriptedJudge] = []
        self.spoilt = False
        """True where a test changes records by hand."""

    def host(self, **changes: Any) -> Host:
        def pay(amount: int) -> str:
            """Money is to be paid."""
            self.paid.append(amount)
            return f"paid {amount}"

        return replace(reference_host(self.at, tools=[tool_from_function(pay, base_risk=3)]), **changes)

    def options(self, **changes: Any) -> dict[str, Any]:
        self.judges.append(ScriptedJudge(_script))
        return {"judge": self.judges[-1], "writer": _Writer(), "host": self.host(), "journal": self.journal, **changes}

    def start(self, **changes: Any) -> RunResult:
        options = self.options(**{"park": True, **changes})
        return run("delete a.ts and pay 7", cwd=self.at, can_delete=True, **options)

    def resume(self, parked: RunResult, **changes: Any) -> RunResult:
        return resume(parked.run_id, **self.options(**changes))

    def approvals(self, run_id: str) -> tuple[Approval, ...]:
        with self.journal.snapshot() as view:
            return approvals_of(view, run_id)

    def answer(self, parked: RunResult, *, approved: bool = True, by: str = "ada") -> Approval:
        """Answer as another process does."""
        assert parked.waits_for is not None
        return answer_approval(self.recorder(parked), parked.waits_for, approved=approved, by=by, saw="the call")

    def replace(self, run_id: str, records: Sequence[Record]) -> None:
        """Let the journal hold other records of a run than those that were written."""
        head = self.journal.head(run_id)
        assert head is not None
        self.journal.prune(run_id, {}, ts=records[0].ts, expected=head)
        self.journal.restore(records)

    def cut(self, run_id: str, *, at: int) -> None:
        """Let the process have died with the record `at`; nothing was paid."""
        self.replace(run_id, [record for record in self.journal.records(run_id) if record.seq <= at])
        self.paid.clear()

    def recorder(self, parked: RunResult) -> Recorder:
        last = self.approvals(parked.run_id)[-1]
        return Recorder(self.journal, parked.run_id, clock=lambda: moment(last.asked))

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked.append(request)
        return ApprovalAnswer(approved=True, by="bob", saw=request.input)


class _Writer(ScriptedWriter):
    def __init__(self) -> None:
        super().__init__(["deleted and paid"] * 3)
        self.provided: list[str] = []

    async def provide(self, tool: Any, request: Any) -> Any:
        self.provided.append(tool.name)
        arguments: Mapping[str, Json] = {"path": "a.ts"} if tool.name == "delete_file" else {"amount": 7}
        return await ScriptedWriter(["x"], [arguments]).provide(tool, request)


def _script(state: Content, id_: str, question: Question) -> Scripted:
    shown = str(state)
    answers: dict[str, Scripted] = {
        "needs_tool": 0.9,
        "pick_tool": "pay" if "delete_file" in shown else "delete_file",
        "risk": 3.0,
        "needs_auth": 0.9,
        "step_ok": 0.9,
        "is_done": 0.9 if "paid" in shown or "took effect is not known" in shown else 0.1,
        "deliverable": 0.9,
        "unsupported": 0.1,
    }
    return answers[id_.rpartition(".")[2]]


def _types(records: tuple[Record, ...]) -> list[str]:
    quiet = ("decision", "judge_request", "judge_reply", "generation")
    return [record.type for record in records if record.type not in quiet]


@pytest.fixture
def case(project: Path, any_store: Store) -> Iterator[Case]:
    """Give a case; what its journal holds when it is over is free of contradictions."""
    made = Case(project, any_store)
    yield made
    with any_store.snapshot() as view:
        for run_id in kept_runs(view):
            wrong = [finding for finding in verify_run(view, run_id).findings if finding.verdict == "mismatch"]
            assert made.spoilt == bool(wrong), wrong


def test_a_call_that_nobody_can_be_asked_about_waits_and_the_run_has_not_ended(case: Case) -> None:
    parked = case.start()
    assert (parked.halt, parked.delivered, parked.answer, parked.draft) == ("parked", False, None, None)
    assert (case.at / "a.ts").exists()
    (approval,) = case.approvals(parked.run_id)
    assert parked.waits_for == approval.id == parked.head
    assert _types(parked.records) == ["run_started", "approval_requested"]
    assert "waits for approval" in (parked.reason or "")
    assert approval.judgement is not None
    assert approval.judgement["action"] == "ask_human"


def test_an_approver_that_fails_parks_the_call(case: Case) -> None:
    async def fails(request: ApprovalRequest) -> ApprovalAnswer:
        raise ConnectionError

    parked = case.start(ask=fails)
    assert parked.halt == "parked"
    assert "the approver raised ConnectionError" in (parked.reason or "")


def test_an_approved_call_runs_on_resume_and_neither_judge_nor_approver_nor_writer_is_asked_again(case: Case) -> None:
    parked = case.start()
    case.answer(parked)
    writer, heard = _Writer(), list[Record]()
    again = case.resume(parked, ask=case.ask, writer=writer, on_event=heard.append)
    assert not (case.at / "a.ts").exists()
    assert case.paid == [7]
    assert [request.tool for request in case.asked] == ["pay"], "the approved call was asked about again"
    assert writer.provided == ["pay"]
    first = next(record for record in heard if record.type in ("decision", "judge_request"))
    assert first.body.get("decision", first.body.get("decisions")) in ("step_ok", ["step_ok"], ["step_ok", "is_done"])
    assert again.delivered
    assert tuple(heard) == again.records
    assert [record.type for record in heard[:3]] == ["approval_consumed", "tool_about_to_run", "tool_result"]
    about = [record.body for record in heard if record.type == "tool_about_to_run"]
    assert [body["approved_by"] for body in about] == ["ada", "bob"]


def test_what_still_waits_parks_again_under_the_same_id_and_nothing_is_written(case: Case) -> None:
    parked = case.start()
    again = case.resume(parked)
    assert (again.halt, again.waits_for, again.head) == ("parked", parked.waits_for, parked.head)
    assert again.records == ()
    assert again.accounting.decisions == parked.accounting.decisions


def test_a_person_at_hand_answers_what_waits(case: Case) -> None:
    parked = case.start()
    case.resume(parked, ask=case.ask)
    assert case.asked[0].id == parked.waits_for
    first = case.approvals(parked.run_id)[0]
    assert first.answer is not None
    assert (first.answer.by, first.answer.saw) == ("bob", "a.ts")


def test_a_denied_call_does_not_run_and_the_run_ends_with_an_honest_answer(case: Case) -> None:
    parked = case.start()
    case.answer(parked, approved=False, by="eve")
    ended = case.resume(parked)
    assert ended.halt == "denied"
    assert ended.reason == "`delete_file` on `a.ts` was refused by eve"
    assert (case.at / "a.ts").exists()
    assert ended.steps == ()


def test_a_run_with_two_gates_stops_at_each_and_no_call_is_made_twice(case: Case) -> None:
    first = case.start()
    case.answer(first)
    second = case.resume(first)
    assert second.halt == "parked"
    assert second.waits_for != first.waits_for
    assert not (case.at / "a.ts").exists()
    assert case.paid == []
    case.answer(second)
    ended = case.resume(second)
    assert ended.delivered
    assert case.paid == [7]
    assert [step.tool for step in ended.steps] == ["delete_file", "pay"]
    about = [record.body["tool"] for record in case.journal.records(first.run_id) if record.type == "tool_about_to_run"]
    assert about == ["delete_file", "pay"]


def test_what_was_already_answered_elsewhere_is_not_answered_again(case: Case) -> None:
    async def late(request: ApprovalRequest) -> ApprovalAnswer:
        if request.tool == "delete_file":
            recorder = Recorder(case.journal, request.run_id, clock=lambda: moment(request.expires) - timedelta(1))
            answer_approval(recorder, request.id, approved=False, by="eve")
        return ApprovalAnswer(approved=True, by="bob")

    ended = case.start(ask=late)
    assert ended.halt == "denied"
    assert "refused by eve" in (ended.reason or "")


def test_the_path_is_looked_at_again_before_the_call(case: Case) -> None:
    parked = case.start()
    case.answer(parked)
    (case.at / "a.ts").unlink()
    outside = case.at.parent / "outside.ts"
    outside.write_text("precious")
    (case.at / "a.ts").symlink_to(outside)
    again = case.resume(parked)
    assert outside.read_text() == "precious"
    assert (again.steps[0].result or "").startswith("[TOOL_ERROR] outside-root")
    assert case.approvals(parked.run_id)[0].used is None


def test_an_approval_that_ran_out_is_asked_for_again_with_the_reason(case: Case) -> None:
    parked = case.start(approval_ttl=timedelta(milliseconds=1))
    case.answer(parked)
    again = case.resume(parked)
    assert (again.halt, (case.at / "a.ts").exists()) == ("parked", True)
    assert again.waits_for not in {None, parked.waits_for}
    first, second = case.approvals(parked.run_id)
    assert first.ran_out
    assert second.reason is not None
    assert "asked again: approval" in second.reason
    assert "expired at" in second.reason
    assert _types(again.records) == ["approval_expired", "error", "approval_requested"]


def test_a_call_whose_approvals_never_hold_is_refused_after_a_few(case: Case) -> None:
    async def slow(request: ApprovalRequest) -> ApprovalAnswer:
        case.asked.append(request)
        await anyio.sleep(0.005)
        return ApprovalAnswer(approved=True, by="bob")

    ended = case.start(ask=slow, approval_ttl=timedelta(milliseconds=1), park=False)
    assert ended.halt == "denied"
    assert "did not run: approval" in (ended.reason or "")
    assert len(case.asked) == 3
    assert (case.at / "a.ts").exists()


def test_another_directory_under_the_same_name_is_not_what_was_approved(case: Case) -> None:
    parked = case.start()
    case.answer(parked)
    elsewhere = case.at.rename(case.at.parent / "elsewhere")
    case.at.symlink_to(elsewhere)
    again = case.resume(parked)
    assert again.halt == "parked"
    assert (elsewhere / "a.ts").exists()
    assert "is for the directory" in (case.approvals(parked.run_id)[1].reason or "")


def test_a_run_whose_records_were_changed_is_not_resumed(case: Case) -> None:
    parked = case.start()
    records = tuple(case.journal.records(parked.run_id))
    asked = records[-1]
    forged = replace(asked, text=asked.text.replace("a.ts", "b.ts"), body={**asked.body, "arguments": {"path": "b.ts"}})
    case.replace(parked.run_id, (*records[:-1], forged))
    case.spoilt = True
    with pytest.raises(ApprovalError, match=r"its record does not hold: row \d+ was changed") as refused:
        case.resume(parked)
    assert refused.value.kind == "forged"
    assert (case.at / "b.ts").exists()


def test_a_run_goes_on_only_with_the_host_and_the_contract_that_it_had(case: Case) -> None:
    parked = case.start()
    with pytest.raises(HostError, match="had other tools: `pay`"):
        case.resume(parked, host=reference_host(case.at))
    cells = {**case.host().capabilities.cells, "extra": Cell(type="text", provenance="host")}
    fields = replace(case.host().capabilities, cells=cells)
    with pytest.raises(HostError, match="its contract"):
        case.resume(parked, host=case.host(capabilities=fields))


def test_a_run_that_ended_or_never_was_or_is_worked_on_is_not_resumed(case: Case) -> None:
    parked = case.start()
    with case.journal.hold(parked.run_id), pytest.raises(JournalError, match="another process works on it"):
        case.resume(parked)
    case.answer(parked, approved=False)
    case.resume(parked)
    with pytest.raises(JournalError, match="has ended with `denied`; start a new run"):
        case.resume(parked)
    with pytest.raises(JournalError, match="no run `nowhere`"):
        resume("nowhere", **case.options())


def test_no_call_is_made_by_a_process_that_another_has_overtaken(case: Case) -> None:
    def overtake(record: Record) -> None:
        if record.type == "approval_consumed":
            Recorder(case.journal, record.run_id, clock=lambda: moment(record.ts)).record("audit", {})

    with pytest.raises(HeadMovedError, match="another process appended first"):
        case.start(ask=case.ask, on_event=overtake)
    assert (case.at / "a.ts").exists()


def test_the_input_that_a_host_gave_is_not_asked_for_again(case: Case) -> None:
    given: list[str] = []

    async def provide(tool: str, cells: Mapping[str, object]) -> Mapping[str, Json]:
        given.append(tool)
        return {"path": "a.ts"} if tool == "delete_file" else {"amount": 7}

    parked = case.start(host=case.host(provide_input=provide))
    case.answer(parked)
    case.resume(parked, host=case.host(provide_input=provide), ask=case.ask)
    assert given == ["delete_file", "pay"]


def test_the_turns_that_came_before_are_known_after_a_pause(case: Case) -> None:
    before = case.start(ask=case.ask)
    (case.at / "a.ts").write_text("again")
    parked = case.start(after=before.run_id)
    case.answer(parked)
    case.resume(parked, ask=case.ask)
    asked = [seen.frame_state for seen in case.judges[-1].seen if "needs_tool" in seen.questions]
    assert asked
    assert all(isinstance(state, Mapping) and "delete a.ts and pay 7" in str(state["earlier"]) for state in asked)


def test_budgets_go_on_where_they_were_and_waiting_costs_nothing(case: Case) -> None:
    parked = case.start(budgets=Budgets(max_steps=1, max_seconds=100))
    case.answer(parked)
    ended = case.resume(parked, ask=case.ask)
    assert ended.halt == "max_steps"
    assert case.paid == []
    assert ended.accounting.decisions > parked.accounting.decisions
    assert ended.accounting.writer_calls == parked.accounting.writer_calls + 1


def test_a_run_that_was_cut_while_its_person_thought_goes_on_from_the_question(case: Case) -> None:
    whole = case.start(ask=case.ask)
    (requested,) = [record.seq for record in whole.records if record.type == "approval_requested"][:1]
    (case.at / "a.ts").write_text("again")
    case.cut(whole.run_id, at=requested)
    case.asked.clear()
    again = case.resume(whole, ask=case.ask)
    assert [request.tool for request in case.asked] == ["delete_file", "pay"]
    assert (again.delivered, case.paid) == (True, [7])


def _in_flight(case: Case) -> RunResult:
    """Return a run whose process died while money was being paid; whether it was is not known."""
    whole = case.start(ask=case.ask)
    about = [record.seq for record in whole.records if record.type == "tool_about_to_run"][-1]
    case.cut(whole.run_id, at=about)
    return whole


def test_a_call_of_which_nothing_tells_whether_it_happened_waits_for_a_person(case: Case) -> None:
    run_ = _in_flight(case)
    before = case.journal.head(run_.run_id)
    parked = case.resume(run_, ask=case.ask)
    assert (parked.halt, parked.waits_for, case.paid) == ("parked", None, [])
    assert parked.reason is not None
    assert "whether `pay` on" in parked.reason
    assert "look, then choose retry, skip or stop" in parked.reason
    assert case.journal.head(run_.run_id) == before


@pytest.mark.parametrize(
    ("choice", "paid", "ends"),
    [
        pytest.param("retry", [7], ("task_done", "paid 7"), id="retry"),
        pytest.param("skip", [], ("task_done", "[recovered] whether `pay` took effect is not known; eve"), id="skip"),
        pytest.param("stop", [], ("denied", "deleted a.ts"), id="stop"),
    ],
)
def test_a_person_chooses_what_becomes_of_an_uncertain_call_and_it_is_on_record(
    case: Case, choice: InFlightChoice, paid: list[int], ends: tuple[str, str]
) -> None:
    run_ = _in_flight(case)
    ended = case.resume(run_, in_flight=InFlight(choice=choice, by="eve"))
    assert (case.paid, ended.halt) == (paid, ends[0])
    assert (ended.steps[-1].result or "").startswith(ends[1])
    chosen = next(record.body for record in ended.records if record.type == "audit")
    assert (chosen["in_flight"], chosen["by"], chosen["tool"]) == (choice, "eve", "pay")


def test_what_a_person_chose_stands_when_the_process_dies_again(case: Case) -> None:
    run_ = _in_flight(case)
    stopped = case.resume(run_, in_flight=InFlight(choice="stop", by="eve"))
    audit = next(record.seq for record in stopped.records if record.type == "audit")
    case.cut(run_.run_id, at=audit)
    again = case.resume(run_)
    assert (again.halt, again.reason) == (stopped.halt, stopped.reason)


def test_a_call_that_the_disk_proves_is_not_made_again(case: Case) -> None:
    whole = case.start(ask=case.ask)
    about = next(record.seq for record in whole.records if record.type == "tool_about_to_run")
    case.cut(whole.run_id, at=about)
    again = case.resume(whole, ask=case.ask)
    results = [record.body for record in again.records if record.type == "tool_result"]
    assert [body["recovered"] for body in results] == [True, False]
    assert (again.steps[0].result or "").startswith("[recovered] `delete_file` took effect before")
    assert "tool_about_to_run" not in _types(again.records)[:1]


@pytest.mark.parametrize("proof", [pytest.param("unknown", id="cannot-tell"), pytest.param(None, id="fails")])
def test_a_tool_that_could_tell_and_cannot_is_not_trusted_to_be_called_twice(case: Case, proof: str | None) -> None:
    def tell(arguments: object, before: object) -> str:
        if proof is None:
            raise OSError
        return proof

    def host() -> Host:
        made = case.host()
        tools: dict[str, Tool] = {**made.tools}
        tools["pay"] = replace(tools["pay"], idempotent=True, proof=tell)  # type: ignore[arg-type] # a bad tool
        return replace(made, tools=tools)

    whole = case.start(ask=case.ask, host=host())
    about = [record.seq for record in whole.records if record.type == "tool_about_to_run"][-1]
    case.cut(whole.run_id, at=about)
    assert (case.resume(whole, host=host()).halt, case.paid) == ("parked", [])


def test_the_records_of_another_loop_are_refused(case: Case) -> None:
    parked = case.start()
    recorder = case.recorder(parked)
    recorder.record("tool_result", {"tool": "pay", "input": "x", "failed": False, "result": "r", "elapsed_s": 0.0})
    with pytest.raises(JournalError, match=r"row \d+: `pay` has returned where `delete_file` was called"):
        case.resume(parked)
    other = Recorder(case.journal, "other", clock=recorder.now)
    other.record("error", {"where": "x", "kind": "y", "message": "z"})
    with pytest.raises(JournalError, match="does not begin with how it was started"):
        resume("other", **case.options())


def test_an_approval_must_hold_for_a_while(case: Case) -> None:
    with pytest.raises(HostError, match="approval_ttl: is not above 0"):
        case.start(approval_ttl=timedelta())
