"""One decision: attempts, waits and messages exactly as specified, and the fallback when nothing is valid."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from interlock import Runtime
from interlock.actions import Observation
from interlock.engine import FALLBACK_QUESTION, EngineOptions, Waiting, anext_action, next_action
from interlock.errors import ModelError, PromptError
from interlock.journal import MemoryJournal, Recorder
from interlock.judge.base import Judge
from interlock.models.base import Failure, TextModel
from interlock.prompts import PromptPack
from interlock.testing import FakeClock, ScriptedModel

Says = Callable[..., str]
STATE = {"goal": "Explain what an agent is"}
BAD = [
    pytest.param("no idea", 1, id="prose"),
    pytest.param('{"action": "finish"}', 2, id="keys"),
    pytest.param('{"action": "walk", "tool": null, "tool_input": null, "final": "x"}', 3, id="action"),
]


def search(query: str) -> str:
    """Search the web."""
    return f"found {query}"


@dataclass(frozen=True)
class Plain:
    """A runtime that is nothing but a model, to show what the engine needs of one."""

    model: TextModel | None
    judge: Judge | None = None


@pytest.mark.parametrize("failures", [0, 1, 2])
@pytest.mark.parametrize(("bad", "check"), BAD)
def test_attempts_waits_and_messages_are_exact(
    *, bad: str, check: int, failures: int, says: Says, pack: PromptPack, clock: FakeClock, waiting: Waiting
) -> None:
    """A model that fails k times is told k times what was wrong, after 0.4 s, 0.8 s, …"""
    model = ScriptedModel([*[bad] * failures, says("finish", "An agent acts.")])
    decision = next_action(STATE, [search], runtime=Plain(model), pack=pack, waiting=waiting)

    assert (decision.action, decision.final, decision.fallback) == ("finish", "An agent acts.", False)
    assert clock.slept == [0.4, 0.8][:failures]
    assert [item.check for item in decision.attempts] == [check] * failures
    assert [item.number for item in decision.attempts] == list(range(1, failures + 1))
    assert [item.waited_s for item in decision.attempts] == [0.0, 0.4][:failures]
    assert [item.reply for item in decision.attempts] == [bad] * failures
    assert len(model.requests) == failures + 1
    for number, request in enumerate(model.requests):
        told = [message.content for message in request.messages[3:]]
        assert told == [
            f"Your previous output failed check {check}: {item.reason}. "
            "Output only one valid JSON object that matches the schema."
            for item in decision.attempts[:number]
        ]
        assert {message.role for message in request.messages[3:]} <= {"system"}


@pytest.mark.parametrize("retries", [0, 1, 2, 4])
def test_a_model_that_never_succeeds_ends_in_the_fallback(
    retries: int, pack: PromptPack, clock: FakeClock, waiting: Waiting
) -> None:
    """The question is one constant, the attempts are attached, and nothing is waited for after the last."""
    model = ScriptedModel(["nothing"])
    decision = next_action(STATE, [search], runtime=Plain(model), pack=pack, waiting=waiting, max_retries=retries)

    assert (decision.action, decision.final, decision.fallback) == ("ask_user", FALLBACK_QUESTION, True)
    assert (decision.tool, decision.tool_input) == (None, None)
    assert len(decision.attempts) == retries + 1 == len(model.requests)
    assert clock.slept == pytest.approx([0.4 * 2**k for k in range(retries)])


def test_jitter_comes_from_the_generator(pack: PromptPack, clock: FakeClock) -> None:
    """At most a quarter is added."""
    waiting = Waiting(now=clock.now, sleep=clock.sleep, rng=lambda: 1.0)
    next_action(STATE, [], runtime=Plain(ScriptedModel(["x"])), pack=pack, waiting=waiting)

    assert clock.slept == pytest.approx([0.5, 1.0])


def test_transport_errors_have_their_own_budget(
    says: Says, pack: PromptPack, clock: FakeClock, waiting: Waiting
) -> None:
    """They are repeated, waited for by their own rule, and never counted as bad answers."""
    busy = Failure(reason="busy", retryable=True)
    model = ScriptedModel([busy, busy, "bad", busy, says("finish", "x")])
    decision = next_action(STATE, [], runtime=Plain(model), pack=pack, waiting=waiting)

    assert decision.final == "x"
    assert [item.check for item in decision.attempts] == [1]
    assert clock.slept == [0.5, 1.0, 0.4, 0.5]


@pytest.mark.parametrize(
    ("failure", "calls"),
    [
        pytest.param(Failure(reason="busy", retryable=True), 3, id="after-its-repetitions"),
        pytest.param(Failure(reason="auth", status=401), 1, id="at-once"),
        pytest.param(Failure(reason="bad-request", status=400), 1, id="bad-request-in-plain-text"),
    ],
)
def test_a_model_that_cannot_be_reached_is_an_error(
    failure: Failure, calls: int, pack: PromptPack, waiting: Waiting
) -> None:
    """A failed call is no bad answer, so it is no reason to ask the user."""
    model = ScriptedModel([failure])
    with pytest.raises(ModelError, match=failure.reason) as caught:
        next_action(STATE, [], runtime=Plain(model), pack=pack, waiting=waiting)

    assert caught.value.reason == failure.reason
    assert len(model.requests) == calls


def test_a_reply_that_is_not_text_is_a_failed_attempt(says: Says, pack: PromptPack, waiting: Waiting) -> None:
    model = ScriptedModel([None, says("finish", "x")])
    decision = next_action(STATE, [], runtime=Plain(model), pack=pack, waiting=waiting)

    assert [(item.check, item.reply, item.reason) for item in decision.attempts] == [(1, None, "the reply is not text")]


def test_a_pack_becomes_three_messages_and_the_state(says: Says, pack: PromptPack, waiting: Waiting) -> None:
    """Rules, role, then the seven keys as JSON with non-ASCII kept."""
    model = ScriptedModel([says("finish", "好")])
    next_action(
        {"goal": "解释智能体", "memory_summary": "短"}, [search], runtime=Plain(model), pack=pack, waiting=waiting
    )
    system, role, user = model.requests[0].messages

    assert (system.role, role.role, user.role) == ("system", "system", "user")
    assert isinstance(user.content, str)
    assert "解释智能体" in user.content
    loop = json.loads(user.content)
    assert list(loop) == [
        *("goal", "tools_available", "memory_summary", "budget", "last_observation", "last_error", "plan")
    ]
    assert [tool["name"] for tool in loop["tools_available"]] == ["search"]
    assert loop["tools_available"][0]["parameters"]["properties"] == {"query": {"type": "string"}}


@pytest.mark.parametrize("role", ["system", "user", "tool"])
def test_observations_follow_the_state(role: str, says: Says, pack: PromptPack, waiting: Waiting) -> None:
    """By default as a system message; otherwise there is one system message only, feedback included."""
    seen = [
        Observation(name="search", number=1, text="agents act", tool_input={"query": "agents"}),
        Observation(name="ask_user", number=1, text="briefly"),
    ]
    model = ScriptedModel(["bad", says("finish", "They act (search#1).")])
    options = EngineOptions(observation_role=role)  # type: ignore[arg-type]  # a parameter of this test
    decision = next_action(
        STATE, [search], runtime=Plain(model), pack=pack, observation=seen, options=options, waiting=waiting
    )
    messages = model.requests[-1].messages
    texts = [message.content for message in messages]

    assert decision.final == "They act (search#1)."
    assert "Observation search#1:\nagents act" in texts
    assert "Observation ask_user#1:\nbriefly" in texts
    roles = [message.role for message in messages]
    expected = {
        "system": ["system", "system", "user", "system", "system", "system"],
        "user": ["system", "user", "user", "user", "user"],
        "tool": ["system", "user", "assistant", "tool", "user", "user"],
    }
    assert roles == expected[role]
    if role == "tool":
        assert messages[2].tool_calls[0].name == "search"
        assert messages[3].tool_call_id == messages[2].tool_calls[0].id


def test_a_text_as_observation_may_be_cited(says: Says, pack: PromptPack, waiting: Waiting) -> None:
    model = ScriptedModel([says("finish", "See observation#1.")])
    decision = next_action(STATE, [], runtime=Plain(model), pack=pack, observation="42", waiting=waiting)

    assert decision.final == "See observation#1."
    assert json.loads(str(model.requests[0].messages[2].content))["last_observation"] == "observation#1: 42"


def test_thought_is_asked_for_checked_and_kept_apart(pack: PromptPack, waiting: Waiting) -> None:
    reply = '{"thought": "I know it.", "action": "finish", "tool": null, "tool_input": null, "final": "x"}'
    model = ScriptedModel(['{"action": "finish", "tool": null, "tool_input": null, "final": "x"}', reply])
    decision = next_action(
        STATE, [], runtime=Plain(model), pack=pack, options=EngineOptions(deliberate="brief"), waiting=waiting
    )

    assert decision.thought == "I know it."
    assert "thought" not in decision.fields
    assert [item.check for item in decision.attempts] == [2]
    assert '"thought": TEXT' in str(model.requests[0].messages[0].content)


def test_lines_are_asked_for_and_give_the_same_kind_of_decision(pack: PromptPack, waiting: Waiting) -> None:
    model = ScriptedModel(["nothing", 'Action: search\nAction Input: {"query": "agents"}'])
    decision = next_action(
        STATE, [search], runtime=Plain(model), pack=pack, options=EngineOptions(form="lines"), waiting=waiting
    )

    assert decision.fields == {
        "action": "tool_call",
        "tool": "search",
        "tool_input": {"query": "agents"},
        "final": None,
    }
    assert "Action Input:" in str(model.requests[0].messages[0].content)
    assert str(model.requests[1].messages[-1].content).endswith("Output only the lines of the schema, each once.")


def test_a_single_decision_is_written_down_with_its_prompts(says: Says, pack: PromptPack, waiting: Waiting) -> None:
    journal = MemoryJournal()
    recorder = Recorder(journal, "run", clock=lambda: datetime(2026, 1, 2, tzinfo=UTC))
    model = ScriptedModel(["bad", says("finish", "x")])
    next_action(STATE, [], runtime=Plain(model), pack=pack, recorder=recorder, waiting=waiting)
    (record,) = journal.records("run")
    body = json.loads(record.text)

    assert (record.type, body["step"], body["action"], len(body["attempts"])) == ("action", 0, "finish", 1)
    assert {layer: (part["name"], part["version"], part["digest"]) for layer, part in body["layers"].items()} == {
        layer: (ref.name, ref.version, ref.digest) for layer, ref in pack.refs().items()
    }


def test_a_store_that_fails_does_not_break_a_single_decision(
    says: Says, pack: PromptPack, waiting: Waiting, caplog: pytest.LogCaptureFixture
) -> None:
    recorder = Recorder(MemoryJournal(), "not a run id", clock=lambda: datetime(2026, 1, 2, tzinfo=UTC))
    model = ScriptedModel([says("finish", "x")])
    decision = next_action(STATE, [], runtime=Plain(model), pack=pack, recorder=recorder, waiting=waiting)

    assert decision.final == "x"
    assert "a decision was not written" in caplog.text


@pytest.mark.anyio
async def test_both_colours_decide_the_same(says: Says, pack: PromptPack, waiting: Waiting) -> None:
    """The plain form may be called while an event loop runs."""
    reply = says("ask_user", "Which year?")
    first = await anext_action(STATE, [], runtime=Plain(ScriptedModel([reply])), pack=pack, waiting=waiting)
    second = next_action(STATE, [], runtime=Plain(ScriptedModel([reply])), pack=pack, waiting=waiting)

    assert first == second


def test_a_runtime_of_agents_is_a_runtime_of_the_engine(says: Says, pack: PromptPack) -> None:
    decision = next_action(STATE, [], runtime=Runtime(ScriptedModel([says("finish", "x")])), pack=pack)

    assert decision.final == "x"


@pytest.mark.parametrize(
    ("state", "tools", "retries", "error", "match"),
    [
        pytest.param({}, [], 2, PromptError, "`goal` is empty", id="no-goal"),
        pytest.param({"goal": "x", "mood": 1}, [], 2, PromptError, "no key `mood`", id="unknown-key"),
        pytest.param({"goal": 1}, [], 2, PromptError, "`goal` is text", id="goal-is-no-text"),
        pytest.param({"goal": "x", "budget": {"max_s": 1}}, [], 2, PromptError, "no budget `max_s`", id="budget"),
        pytest.param(STATE, ["search"], 2, TypeError, "is not a tool", id="no-tool"),
        pytest.param(STATE, [search, search], 2, ValueError, "two tools are named `search`", id="same-names"),
        pytest.param(STATE, [search], -1, ValueError, "max_retries is -1", id="negative-retries"),
    ],
)
def test_what_a_programmer_got_wrong_is_refused_before_any_call(
    *,
    state: dict[str, object],
    tools: list[object],
    retries: int,
    error: type[Exception],
    match: str,
    pack: PromptPack,
) -> None:
    model = ScriptedModel(["x"])
    with pytest.raises(error, match=match):
        next_action(state, tools, runtime=Plain(model), pack=pack, max_retries=retries)  # type: ignore[arg-type]

    assert model.requests == []


def test_a_tool_named_like_an_action_is_refused(pack: PromptPack) -> None:
    """Otherwise a reply in lines, or a judge, could not name one of them."""

    def finish(text: str) -> str:
        return text

    with pytest.raises(ValueError, match="`finish` is named like an action"):
        next_action(STATE, [finish], runtime=Plain(ScriptedModel(["x"])), pack=pack)


def test_a_runtime_without_a_text_model_is_refused(pack: PromptPack) -> None:
    with pytest.raises(TypeError, match="no text model"):
        next_action(STATE, [], runtime=Plain(None), pack=pack)


def test_cancelling_ends_the_waiting(pack: PromptPack) -> None:
    """A wait between attempts is a place where a task can be cancelled."""

    async def cancelled() -> bool:
        task = asyncio.ensure_future(anext_action(STATE, [], runtime=Plain(ScriptedModel(["bad"])), pack=pack))
        await asyncio.sleep(0.05)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            return True
        return False

    assert asyncio.run(cancelled())
