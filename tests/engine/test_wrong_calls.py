"""What a programmer got wrong is refused by name before a model is asked or a record is made."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from interlock import Runtime
from interlock.engine import EngineOptions, Limits, RunOptions, Waiting, next_action, run_engine
from interlock.errors import PromptError
from interlock.journal import MemoryJournal
from interlock.prompts import PromptPack
from interlock.testing import ScriptedModel

Says = Callable[..., str]


async def hear(question: str) -> str:
    return question


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"mode": "xml"}, "mode is 'xml'; write one of text, tools, json, cot", id="mode"),
        pytest.param({"form": "functions"}, "form is 'functions'; write one of json, lines", id="form"),
        pytest.param({"deliberate": "long"}, "write one of none, brief, full", id="depth"),
        pytest.param({"observation_role": "assistant"}, "write one of system, user, tool", id="role"),
    ],
)
def test_options_are_closed_lists(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        EngineOptions(**options)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        pytest.param({"observation": 5}, TypeError, "an observation is text or an Observation", id="observation"),
        pytest.param({"observation": ["seen"]}, TypeError, "an observation is text or an Observation", id="texts"),
        pytest.param({"pack": None}, TypeError, "pack is a PromptPack; load one", id="no-pack"),
        pytest.param({"runtime": None}, TypeError, "runtime is a Runtime", id="no-runtime"),
        pytest.param({"max_retries": -1}, ValueError, "max_retries is -1", id="retries"),
    ],
)
def test_a_wrong_argument_is_named(
    given: dict[str, Any], error: type[Exception], message: str, pack: PromptPack, waiting: Waiting
) -> None:
    model = ScriptedModel(["x"])
    with pytest.raises(error, match=message):
        next_action({"goal": "g"}, [], **{"runtime": Runtime(model), "pack": pack, "waiting": waiting, **given})

    assert model.requests == []


@pytest.mark.parametrize("amount", [math.nan, math.inf, -math.inf])
def test_a_budget_that_is_no_amount_is_refused(amount: float, pack: PromptPack, waiting: Waiting) -> None:
    """JSON has no word for it, so no model could be shown it and no record could hold it."""
    runtime = Runtime(ScriptedModel(["x"]))
    with pytest.raises(PromptError, match="budget `max_tokens` is a number or null"):
        next_action({"goal": "g", "budget": {"max_tokens": amount}}, [], runtime=runtime, pack=pack, waiting=waiting)


@pytest.mark.parametrize("action", ["ask_usr", "finish", "tool_call", "replan"])
def test_a_handler_that_would_never_be_called_is_refused(action: str, pack: PromptPack) -> None:
    with pytest.raises(ValueError, match=f"the host carries out no action `{action}`; .*`ask_user`"):
        run_engine("g", [], runtime=Runtime(ScriptedModel(["x"])), pack=pack, run=RunOptions(handlers={action: hear}))


def test_a_run_that_cannot_begin_leaves_no_record(says: Says, pack: PromptPack) -> None:
    journal = MemoryJournal()
    runtime = Runtime(ScriptedModel([says("finish", "done")]))
    for goal, tried in (("", pack), ("g", replace(pack, system="Do as you like."))):
        with pytest.raises(PromptError):
            run_engine(goal, [], runtime=runtime, pack=tried, journal=journal)

    with journal.snapshot() as view:
        assert view.run_ids() == ()


@pytest.mark.parametrize("limits", [Limits(max_steps=0), Limits(max_steps=-1), Limits(max_tokens=0)])
def test_a_run_without_room_ends_at_once_by_the_name_of_the_limit(limits: Limits, pack: PromptPack) -> None:
    model = ScriptedModel(["x"])
    result = run_engine("g", [], runtime=Runtime(model), pack=pack, run=RunOptions(limits=limits))

    assert result.halt in ("max_steps", "max_tokens")
    assert model.requests == []
