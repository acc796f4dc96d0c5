"""A run of the engine: what it observes and remembers, and the name of whatever ends it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from interlock.actions import STANDARD_SPACE, SpaceAction
from interlock.engine import (
    FALLBACK_QUESTION,
    EngineOptions,
    EngineResult,
    Limits,
    Prices,
    RunOptions,
    Waiting,
    arun_engine,
    result_json,
    run_engine,
)
from interlock.journal import MemoryJournal
from interlock.journal.verify import verify_run
from interlock.judge.base import Judge
from interlock.models.base import Failure, TextModel, TextReply, Usage
from interlock.prompts import PromptPack
from interlock.testing import FakeClock, ScriptedModel

Says = Callable[..., str]


@dataclass(frozen=True)
class Plain:
    model: TextModel | None
    judge: Judge | None = None


@dataclass
class Web:
    """Tools that fail when told to, and remember their calls."""

    fails: bool = False

    def __post_init__(self) -> None:
        self.calls: list[str] = []

    def search(self, query: str) -> str:
        """Search the web."""
        self.calls.append(query)
        if self.fails:
            raise ConnectionError(f"no route for {query}")
        return f"page about {query}"


class Runner:
    """Runs a script of replies."""

    def __init__(self, pack: PromptPack, waiting: Waiting) -> None:
        self.pack = pack
        self.waiting = waiting
        self.web = Web()
        self.model = ScriptedModel([])

    def __call__(self, *replies: Any, options: EngineOptions | None = None, **run: Any) -> EngineResult:
        self.model = ScriptedModel(replies)
        return run_engine(
            "Explain agents",
            [self.web.search],
            runtime=Plain(self.model),
            pack=self.pack,
            options=options or EngineOptions(),
            run=RunOptions(waiting=self.waiting, **run),
        )

    def loop(self, request: int) -> dict[str, Any]:
        """Return the state that one request showed."""
        read: dict[str, Any] = json.loads(str(self.model.requests[request].messages[2].content))
        return read


@pytest.fixture
def runner(pack: PromptPack, waiting: Waiting) -> Runner:
    return Runner(pack, waiting)


@pytest.fixture
def search(says: Says) -> Callable[[str], str]:
    """Return what writes a call of the search."""
    return lambda query: says("tool_call", tool="search", given={"query": query})


Search = Callable[[str], str]


def test_a_run_decides_calls_observes_and_answers(runner: Runner, says: Says, search: Search) -> None:
    result = runner(search("agents"), says("finish", "They act (search#1)."))

    assert (result.halt, result.answer, result.delivered, result.reason) == (
        "finish",
        "They act (search#1).",
        True,
        None,
    )
    assert runner.web.calls == ["agents"]
    assert [(item.id, item.text, item.failed) for item in result.observations] == [
        ("search#1", "page about agents", False)
    ]
    assert "Observation search#1:\npage about agents" in [item.content for item in runner.model.requests[1].messages]
    assert runner.loop(1)["last_observation"] == "search#1: page about agents"
    assert runner.loop(0)["budget"] == {"max_steps": 6, "max_tool_calls": 3, "max_tokens": None, "max_cost_usd": None}
    assert runner.loop(1)["budget"] == {"max_steps": 5, "max_tool_calls": 2, "max_tokens": None, "max_cost_usd": None}
    assert (result.used.steps, result.used.tool_calls, result.used.model_calls) == (2, 1, 2)


def test_a_question_without_anyone_to_ask_ends_the_run(runner: Runner, says: Says) -> None:
    result = runner(says("ask_user", "Which year?"))

    assert (result.halt, result.final, result.answer, result.delivered) == ("ask_user", "Which year?", None, False)


def test_an_answered_question_is_an_observation(runner: Runner, says: Says) -> None:
    async def answer(question: str) -> str:
        return f"{question} 1996."

    result = runner(says("ask_user", "Which year?"), says("finish", "See ask_user#1."), handlers={"ask_user": answer})

    assert result.answer == "See ask_user#1."
    assert [(item.id, item.text) for item in result.observations] == [("ask_user#1", "Which year? 1996.")]


def test_an_action_of_the_host_is_carried_out_or_ends_the_run(runner: Runner, says: Says) -> None:
    space = STANDARD_SPACE.added(SpaceAction(name="hand_over", description="a colleague is needed"))
    options = EngineOptions(space=space)

    async def hand_over(text: str) -> str:
        raise LookupError(f"nobody for {text}")

    alone = runner(says("hand_over", "to Ada"), options=options)
    carried = runner(
        says("hand_over", "to Ada"), says("finish", "x"), options=options, handlers={"hand_over": hand_over}
    )

    assert (alone.halt, alone.final) == ("hand_over", "to Ada")
    assert "- hand_over: a colleague is needed" in str(runner.model.requests[0].messages[0].content)
    assert carried.halt == "finish"
    assert [(item.id, item.text, item.failed) for item in carried.observations] == [
        ("hand_over#1", "[TOOL_ERROR] LookupError: nobody for to Ada", True)
    ]


def test_the_fallback_goes_the_way_of_a_question(runner: Runner) -> None:
    result = runner("nothing")

    assert (result.halt, result.final) == ("ask_user", FALLBACK_QUESTION)
    assert result.decided[0].decision.fallback
    assert len(result.decided[0].decision.attempts) == 3


STEPS = {
    "max_steps": (Limits(max_steps=2), "2 of 2 before the next decision"),
    "max_tool_calls": (Limits(max_tool_calls=2), "2 of 2 before the next tool call"),
}


@pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in STEPS])
def test_a_run_stops_at_each_count_by_its_name(name: str, runner: Runner, search: Search) -> None:
    limits, reason = STEPS[name]
    result = runner(*[search(f"word {n}") for n in range(9)], limits=limits)

    assert (result.halt, result.reason, result.final, result.delivered) == (name, reason, None, False)
    assert runner.web.calls == ["word 0", "word 1"]


def reply(text: str, *, tokens: int = 100, cost: str | None = None) -> TextReply:
    """Return a reply that says what it used."""
    usage = Usage(input_tokens=tokens - 10, output_tokens=10, cost_usd=None if cost is None else Decimal(cost))
    return TextReply(text=text, finish="stop", usage=usage, requested_model="m", served_model="m", request_id=None)


def test_a_run_stops_at_its_tokens(runner: Runner, search: Search) -> None:
    result = runner(*[reply(search(f"{n}")) for n in range(9)], limits=Limits(max_tokens=150))

    assert (result.halt, result.reason) == ("max_tokens", "200 of 150 before the next decision")
    assert result.used.tokens == 200
    assert not result.used.tokens_estimated
    assert runner.loop(1)["budget"]["max_tokens"] == 50


def test_retries_count_against_the_tokens(runner: Runner) -> None:
    """A limit that only counted good replies would let bad ones cost without end."""
    result = runner(*[reply("bad")] * 9, limits=Limits(max_tokens=150), max_retries=8)

    assert (result.halt, result.reason) == ("max_tokens", "200 of 150 before the next model call")
    assert len(runner.model.requests) == 2
    assert result.decided == ()


def test_tokens_are_estimated_where_nobody_reports_them(runner: Runner, says: Says, search: Search) -> None:
    result = runner(search("x"), says("finish", "x"), limits=Limits(max_tokens=100))

    assert result.halt == "max_tokens"
    assert result.used.tokens_estimated
    assert result.used.input_tokens > 100


@pytest.mark.parametrize(
    ("cost", "prices", "used"),
    [
        pytest.param("0.02", None, "0.04", id="as-reported"),
        pytest.param(
            None,
            Prices(input_usd_per_million=Decimal(200), output_usd_per_million=Decimal(200)),
            "0.04",
            id="by-prices",
        ),
    ],
)
def test_a_run_stops_at_its_cost(
    cost: str | None, prices: Prices | None, used: str, runner: Runner, search: Search
) -> None:
    result = runner(
        *[reply(search(f"{n}"), cost=cost) for n in range(9)],
        limits=Limits(max_cost_usd=Decimal("0.03")),
        prices=prices,
    )

    assert (result.halt, result.reason) == ("max_cost_usd", "0.04 of 0.03 before the next decision")
    assert result.used.cost_usd == Decimal(used)
    assert runner.loop(1)["budget"]["max_cost_usd"] == 0.01


def test_a_cost_that_cannot_be_known_is_no_limit_that_is_ignored(runner: Runner, search: Search) -> None:
    result = runner(search("x"), search("y"), limits=Limits(max_cost_usd=Decimal(1)))

    assert (result.halt, result.reason) == (
        "max_cost_usd",
        "the model reports no cost; give prices, or lift the limit",
    )
    assert len(runner.model.requests) == 1


def test_a_failing_call_is_not_made_again(runner: Runner, says: Says, search: Search) -> None:
    """The model is told by check 10, before any step is spent on it."""
    runner.web.fails = True
    result = runner(search("agents"), search("agents"), search("agents loop"), says("finish", "I do not know."))

    assert result.halt == "finish"
    assert runner.web.calls == ["agents", "agents loop"]
    assert [item.text for item in result.observations] == [
        "[TOOL_ERROR] ConnectionError: no route for agents",
        "[TOOL_ERROR] ConnectionError: no route for agents loop",
    ]
    assert [item.check for item in result.decided[1].decision.attempts] == [10]
    assert runner.loop(1)["last_error"] == "[TOOL_ERROR] ConnectionError: no route for agents"


def test_a_model_that_insists_on_a_failing_call_ends_in_a_question(runner: Runner, search: Search) -> None:
    runner.web.fails = True
    result = runner(search("agents"))

    assert (result.halt, result.final) == ("ask_user", FALLBACK_QUESTION)
    assert [item.check for item in result.decided[1].decision.attempts] == [10, 10, 10]
    assert runner.web.calls == ["agents"]


def test_the_same_call_with_the_same_result_ends_the_run(runner: Runner, search: Search) -> None:
    result = runner(search("agents"), limits=Limits(max_steps=99, max_tool_calls=99))

    assert (result.halt, result.reason) == ("breaker:same_result", "one call gave one result 3 times")
    assert len(runner.web.calls) == 3


def test_two_replans_without_a_call_between_them_end_the_run(runner: Runner, says: Says) -> None:
    result = runner(says("replan", "read"), says("replan", "write"))

    assert (result.halt, result.reason) == ("breaker:replan", "2 replans without a tool call between them")
    assert result.plan == "write"
    assert [(item.plan, item.reason) for item in result.failed_plans] == [("read", "the model gave no reason")]


def test_a_plan_that_failed_is_remembered_with_its_reason(runner: Runner, says: Says, search: Search) -> None:
    runner.web.fails = True
    result = runner(
        says("replan", "search the web"),
        search("agents"),
        says("replan", "answer from memory"),
        says("finish", "They act."),
        memory_summary="The user is in a hurry.",
    )

    assert result.halt == "finish"
    assert runner.loop(0)["plan"] is None
    assert runner.loop(1)["plan"] == "search the web"
    assert runner.loop(3)["plan"] == "answer from memory"
    assert runner.loop(3)["memory_summary"] == (
        "The user is in a hurry.\n\n"
        "Failed plan: search the web\nIt failed because: [TOOL_ERROR] ConnectionError: no route for agents"
    )
    assert [item.plan for item in result.failed_plans] == ["search the web"]


def test_a_model_that_cannot_be_reached_ends_the_run_by_its_reason(runner: Runner, search: Search) -> None:
    result = runner(search("x"), Failure(reason="auth", status=401))

    assert (result.halt, result.reason) == ("model:auth", "scripted: the model call failed: auth (status 401)")
    assert [item.id for item in result.observations] == ["search#1"]


def test_a_mode_that_is_lacking_is_not_tried_again(runner: Runner, says: Says, search: Search) -> None:
    result = runner(Failure(reason="bad-request"), search("x"), says("finish", "x"), options=EngineOptions(mode="json"))

    assert [item.mode for item in result.decided] == ["text", "text"]
    assert [(item.mode, item.reason) for item in result.fell] == [("json", "bad-request")]
    assert [request.schema is None for request in runner.model.requests] == [False, True, True]


@pytest.mark.anyio
async def test_both_colours_run_the_same(pack: PromptPack, waiting: Waiting, says: Says, search: Search) -> None:
    replies = [search("x"), says("finish", "x")]
    options = RunOptions(waiting=waiting)
    first = await arun_engine("g", [Web().search], runtime=Plain(ScriptedModel(replies)), pack=pack, run=options)
    second = run_engine("g", [Web().search], runtime=Plain(ScriptedModel(replies)), pack=pack, run=options)

    assert result_json(first) == result_json(second)


def test_a_declared_tool_cannot_be_run(pack: PromptPack) -> None:
    tool = {"name": "search", "description": "", "parameters": {}}
    with pytest.raises(TypeError, match="is not a tool"):
        run_engine("g", [tool], runtime=Plain(ScriptedModel(["x"])), pack=pack)


def test_every_decision_is_in_the_journal_with_its_prompts(
    pack: PromptPack, waiting: Waiting, says: Says, search: Search
) -> None:
    """Name, version and digest of each layer stand beside each decision, and the texts at the beginning."""
    journal = MemoryJournal()
    model = ScriptedModel(["bad", search("x"), says("finish", "x")])
    result = run_engine(
        "g", [Web().search], runtime=Plain(model), pack=pack, run=RunOptions(waiting=waiting), journal=journal
    )
    assert result.run_id is not None
    records = list(journal.records(result.run_id))

    assert [record.type for record in records] == [
        *("engine_started", "action", "tool_about_to_run", "tool_result", "action", "engine_ended")
    ]
    assert result.head == records[-1].hash
    refs = {
        layer: {"name": ref.name, "version": ref.version, "digest": ref.digest} for layer, ref in pack.refs().items()
    }
    first = records[1].body
    assert first["layers"] == refs
    assert first["experiment"] is None
    assert (first["action"], first["tool"], first["tool_input"]) == ("tool_call", "search", {"query": "x"})
    (attempt,) = json.loads(records[1].text)["attempts"]
    assert (attempt["check"], attempt["reply"], attempt["number"]) == (1, "bad", 1)
    layers = records[0].body["layers"]
    assert isinstance(layers, dict)
    assert layers["system"]["text"] == pack.system
    assert records[-1].body["answer"] == "x"
    with journal.snapshot() as view:
        assert verify_run(view, result.run_id).verdict == "verified"


def test_the_thought_is_in_the_journal(pack: PromptPack, waiting: Waiting) -> None:
    journal = MemoryJournal()
    reply = '{"thought": "easy", "action": "finish", "tool": null, "tool_input": null, "final": "x"}'
    result = run_engine(
        "g",
        [],
        runtime=Plain(ScriptedModel([reply])),
        pack=pack,
        options=EngineOptions(mode="cot"),
        run=RunOptions(waiting=waiting),
        journal=journal,
    )
    (action,) = [record for record in journal.records(str(result.run_id)) if record.type == "action"]

    assert (action.body["thought"], action.body["mode"]) == ("easy", "cot")


def test_nothing_waits_for_real(runner: Runner, clock: FakeClock) -> None:
    runner("bad")

    assert clock.slept == [0.4, 0.8]
