"""A decision made on a Runtime is a node of its session: its options, the pick, and the prompts it came from."""

from __future__ import annotations

from collections.abc import Callable

import anyio
import pytest

from interlock import Agent, Runtime
from interlock.engine import FALLBACK_QUESTION, RunOptions, Waiting, arun_engine, next_action, run_engine
from interlock.errors import ModelError
from interlock.functions.visibility import Node
from interlock.journal import MemoryJournal
from interlock.models.base import Failure, TextReply, TextRequest
from interlock.prompts import PromptPack
from interlock.testing import ScriptedJudge, ScriptedModel

Says = Callable[..., str]


def search(query: str) -> str:
    """Search the web."""
    return f"found {query}"


def the_node(runtime: Runtime) -> Node:
    (node,) = runtime.nodes
    return node


def test_a_decision_is_a_node_with_options_pick_attempts_and_prompts(
    says: Says, pack: PromptPack, waiting: Waiting
) -> None:
    call = says("tool_call", tool="search", given={"query": "bridge"})
    runtime = Runtime(ScriptedModel(["no object", call]))
    next_action({"goal": "When?"}, [search], runtime=runtime, pack=pack, waiting=waiting)
    node = the_node(runtime)

    assert (node.kind, node.name, node.status, node.input) == ("decision", "next_action", "ok", "When?")
    assert node.output == {"action": "tool_call", "tool": "search", "tool_input": {"query": "bridge"}, "final": None}
    assert node.facts == {
        "options": ["search", "finish", "ask_user", "replan"],
        "pick": "search",
        "way": "text",
        "attempts": 2,
        "fallback": False,
        "probabilities": None,
        "mode": "text",
        "fell": [],
        "layers": {layer: ref.fields for layer, ref in pack.refs().items()},
        "experiment": None,
    }
    assert node.facts["layers"]["role"]["name"] == "web_research"  # type: ignore[index]  # facts hold any value


def test_a_judged_decision_has_its_probabilities(pack: PromptPack, waiting: Waiting) -> None:
    def clock() -> str:
        """Tell the time."""
        return "noon"

    runtime = Runtime(ScriptedModel([]), judge=ScriptedJudge({"pick": "clock"}))
    next_action({"goal": "When?"}, [search, clock], runtime=runtime, pack=pack, waiting=waiting)
    facts = the_node(runtime).facts

    assert (facts["pick"], facts["way"], facts["attempts"]) == ("clock", "judge", 1)
    assert list(facts["probabilities"]) == ["search", "clock", "finish", "ask_user", "replan"]  # type: ignore[call-overload]  # facts hold any value


def test_a_fallback_is_no_error_and_says_so(pack: PromptPack, waiting: Waiting) -> None:
    runtime = Runtime(ScriptedModel(["x"]))
    next_action({"goal": "g"}, [], runtime=runtime, pack=pack, waiting=waiting, max_retries=1)
    node = the_node(runtime)

    assert (node.status, node.facts["fallback"], node.facts["attempts"]) == ("ok", True, 2)
    assert node.output == {"action": "ask_user", "tool": None, "tool_input": None, "final": FALLBACK_QUESTION}


def test_every_decision_of_a_run_is_a_node(says: Says, pack: PromptPack, waiting: Waiting) -> None:
    call = says("tool_call", tool="search", given={"query": "x"})
    runtime = Runtime(ScriptedModel([call, says("finish", "done")]))
    run_engine("g", [search], runtime=runtime, pack=pack, run=RunOptions(waiting=waiting))

    assert [node.facts["pick"] for node in runtime.nodes] == ["search", "finish"]


def test_a_model_that_fails_ends_the_node_with_an_error(pack: PromptPack, waiting: Waiting) -> None:
    runtime = Runtime(ScriptedModel([Failure(reason="unauthorised", retryable=False)]))
    with pytest.raises(ModelError, match="unauthorised"):
        next_action({"goal": "g"}, [], runtime=runtime, pack=pack, waiting=waiting)
    node = the_node(runtime)

    assert node.status == "error"
    assert "unauthorised" in str(node.output)
    assert set(node.facts) == {"options", "layers", "experiment"}


def test_a_cancelled_decision_ends_its_node(pack: PromptPack, waiting: Waiting) -> None:
    class Slow(ScriptedModel):
        async def generate(self, request: TextRequest) -> TextReply:
            await anyio.sleep_forever()
            return await super().generate(request)

    runtime = Runtime(Slow([]))

    async def run() -> None:
        with anyio.move_on_after(0.05):
            await arun_engine("g", [], runtime=runtime, pack=pack, run=RunOptions(waiting=waiting))

    anyio.run(run)
    assert the_node(runtime).status == "cancelled"


def test_a_decision_inside_an_agents_method_stands_in_its_node(says: Says, pack: PromptPack, waiting: Waiting) -> None:
    class Clerk(Agent):
        def work(self) -> str:
            """Work."""
            found = next_action({"goal": "g"}, [search], runtime=runtime, pack=pack, waiting=waiting)
            return str(found.final)

    runtime = Runtime(ScriptedModel([says("finish", "done")]))
    assert Clerk(runtime=runtime).work() == "done"
    function, decision = runtime.nodes

    assert (function.kind, decision.kind, decision.caller) == ("function", "decision", function.seq)


def test_the_journal_of_a_runtime_holds_the_node(says: Says, pack: PromptPack, waiting: Waiting) -> None:
    journal = MemoryJournal()
    runtime = Runtime(ScriptedModel([says("finish", "done")]), journal=journal)
    next_action({"goal": "g"}, [], runtime=runtime, pack=pack, waiting=waiting)
    started, ended = journal.records(runtime.run_id)

    assert (started.type, started.body["kind"]) == ("node_started", "decision")
    assert ended.type == "node_ended"
    assert ended.body["facts"]["layers"]["system"] == pack.refs()["system"].fields  # type: ignore[index,call-overload]  # as written
