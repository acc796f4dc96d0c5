"""The loop as a pure reducer: what each event leads to, from the first question to the end of the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from interlock.errors import HostError
from interlock.loop.capabilities import REFERENCE
from interlock.loop.events import (
    Answered,
    Ask,
    Begun,
    Call,
    CheckFacts,
    Decided,
    Drafted,
    Event,
    FactsChecked,
    Finish,
    Generate,
    InputProvided,
    Parked,
    Provide,
    RequestApproval,
    Returned,
    Stopped,
    Unapproved,
)
from interlock.loop.state import PendingCall, State, Step, cells
from interlock.loop.step import Next, step
from interlock.questions import Json
from interlock.tools.base import InputSource, Tool


async def _never(arguments: Mapping[str, Json]) -> str:
    raise AssertionError(arguments)


def _tool(name: str, source: InputSource, parameters: Mapping[str, Json] | None = None) -> Tool:
    return Tool(
        name=name,
        description=f"when {name} applies",
        parameters=parameters or {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
        run=_never,
        input_text=lambda arguments: str(arguments.get("path", ".")),
        input_source=source,
    )


TOOLS = {
    "list_dir": _tool("list_dir", "fixed"),
    "read_file": _tool("read_file", "pick"),
    "write_file": _tool("write_file", "provide"),
}


def _state(**changes: object) -> State:
    return replace(State(task="what is in a.ts?", cwd="/project", tools=TOOLS), **changes)  # type: ignore[arg-type]


def _run(state: State, *events: Event) -> Next:
    result = Next(state=state, effects=())
    for event in events:
        result = step(result.state, event)
    return result


PICKED_READ = (
    Begun(),
    Decided(decision="needs_tool", action="use_tool"),
    Decided(decision="pick_tool", action="call", picked="read_file"),
)
READ = (
    *PICKED_READ,
    Decided(decision="pick_input", action="use", picked="a.ts"),
    Decided(decision="grade_risk", action="auto"),
    Returned(result="export function a() {}", failed=False, read="a.ts"),
)
DRAFTED = (*READ, Decided(decision="step_ok", action="continue"), Decided(decision="is_done", action="finish"))


def test_a_run_begins_with_the_question_whether_a_tool_is_needed() -> None:
    assert step(_state(), Begun()).effects == (Ask(decision="needs_tool"),)


def test_the_picked_tool_is_the_last_tool_before_its_input_is_known() -> None:
    result = _run(_state(), *PICKED_READ)
    assert result.effects == (Ask(decision="pick_input"),)
    assert result.state.last_tool == "read_file"
    assert result.state.history == ()


def test_risk_is_graded_on_a_step_that_has_no_result_yet() -> None:
    result = _run(_state(), *PICKED_READ, Decided(decision="pick_input", action="use", picked="a.ts"))
    assert result.effects == (Ask(decision="grade_risk"),)
    assert result.state.history == (Step(step=1, tool="read_file", input="a.ts"),)
    assert cells(result.state)["history"] == [{"step": 1, "tool": "read_file", "input": "a.ts", "result": None}]


def test_a_tool_with_a_fixed_input_goes_straight_to_its_risk() -> None:
    result = _run(
        _state(),
        Begun(),
        Decided(decision="needs_tool", action="use_tool"),
        Decided(decision="pick_tool", action="call", picked="list_dir"),
    )
    assert result.effects == (Ask(decision="grade_risk"),)
    assert result.state.history == (Step(step=1, tool="list_dir", input="."),)


def test_a_generated_input_is_asked_for_and_never_invented() -> None:
    picked = _run(_state(), Begun(), Decided(decision="pick_tool", action="call", picked="write_file"))
    assert picked.effects == (Provide(tool=TOOLS["write_file"]),)
    given = step(picked.state, InputProvided(arguments={"path": "b.ts"}))
    assert given.effects == (Ask(decision="grade_risk"),)
    unclear = step(picked.state, InputProvided(arguments=None, reason="the task names no path"))
    assert unclear.effects == (Generate(),)
    assert (unclear.state.halt, unclear.state.explanation) == ("input_unclear", "the task names no path")
    assert unclear.state.last_tool is None


def test_a_picked_label_fills_the_tools_required_argument() -> None:
    tool = _tool("open_ticket", "pick", {"properties": {"note": {}, "ticket": {}}, "required": ["ticket"]})
    pending = _state(pending=PendingCall(tool=tool), tools={"open_ticket": tool})
    result = step(pending, Decided(decision="pick_input", action="use", picked="42"))
    assert result.state.pending is not None
    assert result.state.pending.arguments == {"ticket": "42"}


def test_done_goes_to_the_answer_without_asking_for_a_risk() -> None:
    result = _run(_state(), Begun(), Decided(decision="pick_tool", action="call", picked="done"))
    assert result.effects == (Generate(),)
    assert result.state.halt == "agent_done"


@pytest.mark.parametrize("picked", [pytest.param("rm_rf", id="an-unknown-name"), pytest.param(None, id="no-name")])
def test_a_tool_that_is_not_in_the_table_ends_the_tool_loop(picked: str | None) -> None:
    result = _run(_state(), Begun(), Decided(decision="pick_tool", action="call", picked=picked))
    assert result.effects == (Generate(),)
    assert result.state.halt == "unknown_tool"


def test_only_an_audited_call_leaves_an_audit_row() -> None:
    graded = _run(_state(), *PICKED_READ, Decided(decision="pick_input", action="use", picked="a.ts")).state
    assert graded.pending is not None
    for action, audit in (("auto", False), ("auto_audit", True)):
        result = step(graded, Decided(decision="grade_risk", action=action))
        assert result.effects == (Call(call=graded.pending, audit=audit),)


def test_a_refused_call_leaves_no_step_and_restores_the_last_tool() -> None:
    before = _run(_state(), *READ, Decided(decision="step_ok", action="keep_going")).state
    asked = _run(
        before,
        Decided(decision="pick_tool", action="call", picked="list_dir"),
        Decided(decision="grade_risk", action="ask_human"),
    )
    assert isinstance(asked.effects[0], RequestApproval)
    assert asked.state.last_tool == "list_dir"
    refused = step(asked.state, Answered(approved=False, reason="no approver is configured"))
    assert refused.effects == (Generate(),)
    assert refused.state.halt == "denied"
    assert refused.state.last_tool == "read_file"
    assert refused.state.history == before.history


def test_an_approved_call_runs() -> None:
    asked = _run(
        _state(),
        Begun(),
        Decided(decision="pick_tool", action="call", picked="list_dir"),
        Decided(decision="grade_risk", action="ask_human"),
        Answered(approved=True),
    )
    assert isinstance(asked.effects[0], Call)


def test_a_call_that_waits_is_asked_about_again_or_ends_the_process_and_not_the_run() -> None:
    asked = _run(
        _state(),
        Begun(),
        Decided(decision="pick_tool", action="call", picked="list_dir"),
        Decided(decision="grade_risk", action="ask_human"),
    )
    again = step(asked.state, Unapproved())
    assert (again.effects, again.state.pending) == (asked.effects, asked.state.pending)
    parked = step(asked.state, Parked(approval="a" * 64, reason="nobody is here"))
    assert parked.effects == (Finish(),)
    assert (parked.state.halt_name, parked.state.waits_for, parked.state.delivered) == ("parked", "a" * 64, False)


def test_a_result_is_added_to_its_step_and_judged() -> None:
    result = _run(_state(), *READ)
    assert result.effects == (Ask(decision="step_ok"),)
    assert result.state.history == (
        Step(step=1, tool="read_file", input="a.ts", result="export function a() {}", failed=False),
    )
    assert result.state.read_files == ("a.ts",)
    assert result.state.last_result == "export function a() {}"


def test_a_file_read_twice_is_listed_once() -> None:
    result = _run(_state(), *READ, Decided(decision="step_ok", action="keep_going"), *READ[1:])
    assert result.state.read_files == ("a.ts",)


def test_a_listing_fills_the_files_and_a_read_keeps_them() -> None:
    listing = Returned(result="a.ts\nb.ts", failed=False, listed=("a.ts", "b.ts"))
    listed = _run(
        _state(),
        Begun(),
        Decided(decision="pick_tool", action="call", picked="list_dir"),
        Decided(decision="grade_risk", action="auto"),
        listing,
    )
    assert listed.state.files == ("a.ts", "b.ts")
    assert _run(listed.state, *READ[1:]).state.files == ("a.ts", "b.ts")


@pytest.mark.parametrize(
    ("event", "halt"),
    [
        pytest.param(Decided(decision="needs_tool", action="answer"), "answered_directly", id="answer"),
        pytest.param(Decided(decision="step_ok", action="stop"), "step_failed", id="stop"),
        pytest.param(Decided(decision="is_done", action="finish"), "task_done", id="finish"),
        pytest.param(Decided(decision="pick_tool", action="escalate"), "tool_unclear", id="unclear-tool"),
        pytest.param(Decided(decision="pick_input", action="escalate"), "input_unclear", id="unclear-input"),
        pytest.param(Decided(decision="step_ok", action="escalate"), "escalated:step_ok", id="escalated-by-a-rule"),
        pytest.param(
            Decided(decision="pick_tool", action="escalate", cause="unanswered"), "escalated:pick_tool", id="abstained"
        ),
        pytest.param(
            Decided(decision="pick_tool", action="escalate", cause="not_an_option"), "unknown_tool", id="not-offered"
        ),
        pytest.param(Decided(decision="is_done", action="escalate", cause="judge_down"), "judge_down", id="judge-down"),
        pytest.param(Stopped(halt="budget:seconds"), "budget:seconds", id="budget"),
        pytest.param(Decided(decision="pick_input", action="use"), "input_unclear", id="nothing-picked"),
    ],
)
def test_what_ends_the_tool_loop_is_named_and_an_answer_is_still_generated(event: Event, halt: str) -> None:
    result = step(_state(phase="needs_tool"), event)
    assert result.effects == (Generate(),)
    assert result.state.halt == halt


def test_a_draft_is_judged_after_the_world_was_looked_at() -> None:
    drafted = _run(_state(), *DRAFTED, Drafted(text="a.ts exports a"))
    assert drafted.effects == (CheckFacts(),)
    checked = step(drafted.state, FactsChecked(facts=("a.ts exists",)))
    assert checked.effects == (Ask(decision="can_deliver"),)
    assert cells(checked.state)["facts"] == ["a.ts exists"]
    assert cells(checked.state)["draft"] == "a.ts exports a"


CHECKED = (*DRAFTED, Drafted(text="first"), FactsChecked(facts=()))


def test_a_delivered_draft_ends_the_run() -> None:
    result = _run(_state(), *CHECKED, Decided(decision="can_deliver", action="deliver"))
    assert result.effects == (Finish(),)
    assert (result.state.delivered, result.state.halt_name) == (True, "task_done")


def test_a_refused_draft_is_revised_once_with_the_reason() -> None:
    refusal = Decided(decision="can_deliver", action="revise", reason="unsupported")
    once = _run(_state(), *CHECKED, refusal)
    assert once.effects == (Generate(revision_of="first", reason="unsupported"),)
    again = _run(once.state, Drafted(text="second"), FactsChecked(facts=()))
    twice = step(again.state, refusal)
    assert twice.effects == (Finish(),)
    assert (twice.state.delivered, twice.state.halt_name) == (False, "task_done+revise")
    better = step(again.state, Decided(decision="can_deliver", action="deliver"))
    assert (better.state.delivered, better.state.halt_name) == (True, "task_done")


def test_a_draft_that_was_cut_off_is_written_once_more_and_never_delivered() -> None:
    cut = _run(_state(), *DRAFTED, Drafted(text="a.ts exp", cut=True))
    reason = "the draft was cut off at the length that its model may write"
    assert cut.effects == (Generate(revision_of="a.ts exp", reason=reason),)
    twice = step(cut.state, Drafted(text="a.ts ex", cut=True))
    assert twice.effects == (Finish(),)
    assert (twice.state.delivered, twice.state.halt_name) == (False, "task_done+revise")
    assert twice.state.explanation == reason
    whole = step(cut.state, Drafted(text="a.ts exports a"))
    assert whole.effects == (CheckFacts(),)


def test_an_escalated_delivery_is_not_delivered_and_not_revised() -> None:
    result = _run(_state(), *CHECKED, Decided(decision="can_deliver", action="escalate", cause="judge_down"))
    assert result.effects == (Finish(),)
    assert (result.state.delivered, result.state.halt_name) == (False, "task_done+escalate")


def test_a_writer_that_fails_ends_the_run_and_keeps_the_steps() -> None:
    result = _run(_state(), *DRAFTED, Drafted(text="", failure="the writer returned nothing"))
    assert result.effects == (Finish(),)
    assert (result.state.halt_name, result.state.failed) == ("writer_failed", True)
    assert result.state.explanation == "the writer returned nothing"
    assert len(result.state.finished) == 1


@pytest.mark.parametrize(
    ("events", "halt"),
    [
        pytest.param(DRAFTED, "budget:seconds", id="before-the-draft"),
        pytest.param(CHECKED, "task_done+escalate", id="before-the-gate"),
        pytest.param(
            (*CHECKED, Decided(decision="can_deliver", action="revise")), "task_done+revise", id="before-the-revision"
        ),
    ],
)
def test_a_limit_after_the_tool_loop_ends_the_run_undelivered(events: tuple[Event, ...], halt: str) -> None:
    result = _run(_state(), *events, Stopped(halt="budget:seconds"))
    assert result.effects == (Finish(),)
    assert (result.state.delivered, result.state.halt_name) == (False, halt)


def test_the_same_call_failing_twice_stops_the_loop_without_asking_again() -> None:
    state = _state()
    for _ in range(2):
        state = _run(state, *READ[1:-1], Returned(result="[TOOL_ERROR] not-found: a.ts", failed=True)).state
    assert state.halt == "breaker:same_failure"
    assert state.phase == "generate"


def test_an_action_the_loop_does_not_know_stops_the_work() -> None:
    with pytest.raises(HostError, match="`needs_tool`: the reference loop has no action `launch`"):
        step(_state(), Decided(decision="needs_tool", action="launch"))


def test_a_cell_that_is_not_known_yet_is_not_supplied() -> None:
    assert set(cells(_state())) == {"task", "cwd", "canWrite", "canDelete", "readFiles", "history"}
    full = _run(_state(earlier="earlier task"), *CHECKED).state
    assert set(cells(replace(full, files=()))) == set(REFERENCE.cells)


def test_the_last_question_never_asks_itself_again() -> None:
    result = step(_state(), Decided(decision="is_done", action="continue"))
    assert result.effects == (Ask(decision="needs_tool"),)
