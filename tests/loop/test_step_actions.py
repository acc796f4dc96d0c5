"""The running reducer against the table of actions: every action leads where the table says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from interlock.actions import ACTIONS
from interlock.loop.events import Decided
from interlock.loop.state import PendingCall, State
from interlock.loop.step import step
from interlock.questions import Json
from interlock.tools.base import InputSource, Tool


async def _never(arguments: Mapping[str, Json]) -> str:
    raise AssertionError(arguments)


def _tool(name: str, source: InputSource) -> Tool:
    return Tool(
        name=name,
        description=f"when {name} applies",
        parameters={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
        run=_never,
        input_text=lambda arguments: str(arguments.get("path", ".")),
        input_source=source,
    )


TOOLS = {"list_dir": _tool("list_dir", "fixed"), "read_file": _tool("read_file", "pick")}


def _state(**changes: object) -> State:
    return replace(State(task="what is in a.ts?", cwd="/project", tools=TOOLS), **changes)  # type: ignore[arg-type]


DECIDED_AT = {
    "use_tool": "needs_tool",
    "answer": "needs_tool",
    "use": "pick_input",
    "auto": "grade_risk",
    "auto_audit": "grade_risk",
    "ask_human": "grade_risk",
    "continue": "step_ok",
    "keep_going": "is_done",
    "stop": "step_ok",
    "finish": "is_done",
    "deliver": "can_deliver",
    "revise": "can_deliver",
}
"""Action → a decision that may come to it."""
NAMES = {"needs_tool": "next_step"}
"""The table's word for the phase that begins a turn."""


@pytest.mark.parametrize("action", [pytest.param(action, id=action) for action in DECIDED_AT])
def test_the_loop_goes_where_the_table_of_actions_says(action: str) -> None:
    decision = DECIDED_AT[action]
    pending = PendingCall(tool=TOOLS["read_file"], arguments={"path": "a.ts"} if decision == "grade_risk" else None)
    late = decision == "can_deliver"
    state = _state(
        pending=pending if decision in ("pick_input", "grade_risk") else None,
        draft="draft" if late else None,
        halt="task_done" if late else None,
    )
    result = step(state, Decided(decision=decision, action=action, picked="a.ts"))  # type: ignore[arg-type]
    reached = "regenerate" if action == "revise" else NAMES.get(result.state.phase, result.state.phase)
    assert reached in ACTIONS[action].next
    ended = result.state.halt is not None
    assert ended is ACTIONS[action].ends_loop


@pytest.mark.parametrize(
    ("picked", "reached"),
    [
        pytest.param("read_file", "pick_input", id="an-input-to-pick"),
        pytest.param("list_dir", "grade_risk", id="a-fixed-input"),
        pytest.param("done", "generate", id="done"),
    ],
)
def test_a_call_goes_where_the_table_of_actions_says(picked: str, reached: str) -> None:
    result = step(_state(), Decided(decision="pick_tool", action="call", picked=picked))
    assert result.state.phase == reached
    assert reached in ACTIONS["call"].next


@pytest.mark.parametrize("decision", ["needs_tool", "pick_tool", "pick_input", "step_ok", "is_done", "can_deliver"])
def test_escalate_leads_to_an_answer_and_at_the_gate_to_the_end(decision: str) -> None:
    halt = "task_done" if decision == "can_deliver" else None
    result = step(_state(halt=halt), Decided(decision=decision, action="escalate"))  # type: ignore[arg-type]
    assert result.state.phase == ("end" if decision == "can_deliver" else "generate")
    assert not result.state.delivered


def test_every_action_of_the_table_is_run_through_the_loop() -> None:
    assert set(ACTIONS) == {*DECIDED_AT, "call", "escalate"}
