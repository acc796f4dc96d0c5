"""The table of positions and actions is complete and consistent."""

from __future__ import annotations

from interlock.actions import ACTIONS, POSITIONS
from interlock.actions.meaning import ANYWHERE

TOOL_NODES = {"pick_tool", "pick_input", "grade_risk", "run_tool", "human", "is_done", "next_step"}
ANSWER_NODES = {"generate", "regenerate", "end"}


def test_every_action_has_a_meaning_and_a_position() -> None:
    """No action is handled without one, none is meant without the other."""
    handled = {action for actions in POSITIONS.values() for action in actions} | set(ANYWHERE)

    assert handled == set(ACTIONS)


def test_every_action_leads_somewhere() -> None:
    """A node that nobody knows would end a run in the middle."""
    assert {node for meaning in ACTIONS.values() for node in meaning.next} == TOOL_NODES | ANSWER_NODES


def test_what_ends_the_loop_still_generates_or_ends() -> None:
    """Ending the tool loop is not ending the run."""
    ending = {name for name, meaning in ACTIONS.items() if meaning.ends_loop}

    assert ending == {"answer", "stop", "finish", "deliver", "revise", "escalate"}
    assert all(set(ACTIONS[name].next) <= ANSWER_NODES for name in ending)


def test_only_a_revision_is_retried() -> None:
    """Once; and only delivery and revision need evidence."""
    assert {name: meaning.retries for name, meaning in ACTIONS.items() if meaning.retries} == {"revise": 1}
    assert {name for name, meaning in ACTIONS.items() if meaning.needs_evidence} == {"deliver", "revise"}
