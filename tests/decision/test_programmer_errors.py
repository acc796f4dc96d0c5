"""What a programmer got wrong is raised before the first model call, in one order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from interlock import Agent, Runtime, agent, decision, llm
from interlock.decision import MissingContextError
from interlock.judge.base import Judge
from interlock.testing import ScriptedJudge, ScriptedModel

PICK = '{"call": "go"}'


def look_up(query: str, tenant: str) -> str:
    """Look something up."""
    return f"{query} for {tenant}"


look_up.input_meta = {"tenant": {"hidden": True}}  # type: ignore[attr-defined]  # what an author may set


def untyped(rows: NoSuchRow) -> None:  # type: ignore[name-defined]  # noqa: F821
    """Read rows."""


async def later() -> str:
    """Answer later."""
    return "later"


def handle_of_a_file(handle: Callable[..., Any]) -> None:
    """Take what JSON cannot carry."""


class Desk(Agent):
    def close(self) -> str:
        """Close the desk."""
        return "closed"


ROWS = [
    pytest.param(("", {"go": 1}), {}, ValueError, "the prompt is empty", id="empty-prompt"),
    pytest.param((5, {"go": 1}), {}, TypeError, "the prompt is text or a list", id="prompt-of-no-known-form"),
    pytest.param(([{"type": "sound"}], {"go": 1}), {}, TypeError, "a content item is", id="item-of-no-known-form"),
    pytest.param(("p", {"go": 1}), {"max_retries": "2"}, TypeError, "max_retries is a count", id="retries-as-text"),
    pytest.param(("p", {"go": 1}), {"max_retries": True}, TypeError, "max_retries is a count", id="retries-as-bool"),
    pytest.param(
        ("p", {"go": 1}), {"max_retries": -1}, ValueError, "max_retries is -1; write 0", id="negative-retries"
    ),
    pytest.param(("p", {"go": 1}), {"fallback": 5}, TypeError, "fallback is a function", id="fallback-not-callable"),
    pytest.param(("p", {"a", "b"}), {}, TypeError, "options are a dict, a list or a tuple", id="a-set-of-options"),
    pytest.param(("p", {}), {}, ValueError, "options are empty", id="no-options"),
    pytest.param(("p", {"": 1}), {}, ValueError, "an option name is empty", id="empty-name"),
    pytest.param(("p", {"a\nb": 1}), {}, ValueError, "control character", id="name-with-a-line-end"),
    pytest.param(("p", {5: 1}), {}, TypeError, "option names are text", id="name-that-is-no-text"),
    pytest.param(("p", ["a", "a"]), {}, ValueError, "duplicate option name `a`", id="repeated-name"),
    pytest.param(("p", [lambda: 1]), {}, ValueError, "use the dict form", id="lambda-in-a-list"),
    pytest.param(("p", {"a": ("A", {"x": None})}), {}, TypeError, "schema field `x`", id="schema-without-type"),
    pytest.param(("p", {"a": ("A", {"decision": str})}), {}, ValueError, "decision", id="reserved-field"),
    pytest.param(("p", {"a": dict}), {}, TypeError, "no readable signature", id="no-signature"),
    pytest.param(("p", [untyped]), {}, TypeError, "annotation of `rows`", id="annotation-that-does-not-resolve"),
    pytest.param(("p", [handle_of_a_file]), {}, TypeError, "annotation of `handle`", id="annotation-json-cannot-carry"),
    pytest.param(("p", {"close": Desk.close}), {}, TypeError, "without its agent", id="unbound-agent-method"),
    pytest.param(
        ("p", {"a": decision.abstain("none"), "b": decision.abstain("none")}),
        {},
        ValueError,
        "more than one option abstains",
        id="two-abstain",
    ),
    pytest.param(("p", {"go": 1}), {"context": 5}, TypeError, "context is a dict", id="context-that-is-no-dict"),
    pytest.param(("p", [look_up]), {}, MissingContextError, "context lacks `tenant`", id="missing-context"),
    pytest.param(("p", [look_up]), {"context": {"query": "x"}}, TypeError, "context lacks", id="wrong-context"),
]


@pytest.mark.parametrize(("args", "extra", "error", "match"), ROWS)
def test_make_refuses_before_any_call(
    args: tuple[Any, Any], extra: dict[str, Any], error: type[Exception], match: str
) -> None:
    model = ScriptedModel([PICK])

    with pytest.raises(error, match=match):
        decision.make(*args, runtime=Runtime(model), **extra)
    assert model.requests == []


@pytest.mark.anyio
@pytest.mark.parametrize(("args", "extra", "error", "match"), ROWS)
async def test_amake_refuses_the_same(
    args: tuple[Any, Any], extra: dict[str, Any], error: type[Exception], match: str
) -> None:
    model = ScriptedModel([PICK])

    with pytest.raises(error, match=match):
        await decision.amake(*args, runtime=Runtime(model), **extra)
    assert model.requests == []


@pytest.mark.parametrize(("args", "extra", "error", "match"), [row for row in ROWS if "retries" not in str(row.id)])
def test_agent_refuses_the_same(
    args: tuple[Any, Any], extra: dict[str, Any], error: type[Exception], match: str
) -> None:
    model = ScriptedModel([PICK])

    with pytest.raises(error, match=match):
        agent(args[0], choices=args[1], runtime=Runtime(model), **extra)
    assert model.requests == []


@pytest.mark.parametrize(
    ("step", "match"),
    [
        pytest.param(lambda rt: agent("p", runtime=rt, context={}), "pass choices with them", id="context-alone"),
        pytest.param(lambda rt: agent("p", runtime=rt, fallback=print), "pass choices with them", id="fallback-alone"),
        pytest.param(lambda rt: agent("p", runtime=rt, tools=[print]), "is not a tool", id="plain-callable-as-tool"),
        pytest.param(lambda rt: agent("p", runtime=rt, tools="tools"), "tools is a list", id="tools-that-are-no-list"),
        pytest.param(
            lambda rt: rt.exec("p", choices={"a": 1}, response_format={"x": str}), "exclude each other", id="two-forms"
        ),
        pytest.param(
            lambda rt: rt.exec("p", response_format=str), "schema must be a dict", id="format-that-is-no-dict"
        ),
        pytest.param(lambda rt: rt.exec("p", timeout_s=0), "timeout_s is a positive number", id="no-time"),
        pytest.param(lambda rt: rt.exec("p", timeout_s=True), "timeout_s is a positive number", id="time-as-bool"),
    ],
)
def test_a_turn_refuses_before_any_call(step: Callable[[Runtime], object], match: str) -> None:
    model = ScriptedModel([PICK])

    with pytest.raises(TypeError, match=match):
        step(Runtime(model))
    assert model.requests == []


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        pytest.param(lambda: Runtime(context_name="terminl"), ValueError, "write one of terminal, page", id="context"),
        pytest.param(lambda: Runtime("openai:m"), TypeError, "model is a text model; make one", id="an-id-as-model"),  # type: ignore[arg-type]  # what is refused
        pytest.param(lambda: Runtime(judge="rules"), TypeError, "judge is a judge; make one", id="an-id-as-judge"),  # type: ignore[arg-type]  # what is refused
        pytest.param(lambda: Runtime(journal="a.db"), TypeError, "journal is a journal; open one", id="a-path"),  # type: ignore[arg-type]  # what is refused
        pytest.param(lambda: Runtime(timeout_s=-1), TypeError, "timeout_s is a positive number", id="time"),
        pytest.param(lambda: Runtime(tools=[print]), TypeError, "is not a tool", id="tool"),
        pytest.param(lambda: Runtime(approver=True), TypeError, "approver is a function", id="approver"),  # type: ignore[arg-type]  # what is refused
        pytest.param(lambda: Desk("scripted"), TypeError, "runtime is a Runtime", id="agent-on-an-id"),  # type: ignore[arg-type]  # what is refused
    ],
)
def test_a_runtime_refuses_what_it_could_not_use(
    make: Callable[[], object], error: type[Exception], match: str
) -> None:
    """A misspelt context would leave every `unsafe_in` without effect."""
    with pytest.raises(error, match=match):
        make()


def test_an_async_approver_is_refused() -> None:
    """Its answer is an object that counts as true."""

    async def approve(request: object) -> bool:
        return True

    with pytest.raises(TypeError, match="approver is async"):
        Runtime(approver=approve)  # type: ignore[arg-type]  # what is refused


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda: decision.make("p", {"go": 1}), id="make"),
        pytest.param(lambda: decision.pick("p", {"go": 1}), id="pick"),
        pytest.param(lambda: agent("p"), id="agent"),
        pytest.param(lambda: agent("p", choices={"go": 1}), id="agent-with-choices"),
        pytest.param(lambda: llm("p"), id="llm"),
        pytest.param(lambda: Desk().close() and decision.make("p", {"go": 1}), id="after-an-agent-without-one"),
    ],
)
def test_without_a_runtime_nothing_is_asked(call: Callable[[], object]) -> None:
    with pytest.raises(RuntimeError, match="no Runtime is bound here"):
        call()


@pytest.mark.parametrize(
    ("judge", "match"),
    [
        pytest.param(None, "this Runtime has no text model", id="no-model-at-all"),
        pytest.param(
            ScriptedJudge({"pick": "fill"}), "option `fill` has fields that only a text model", id="only-judge"
        ),
    ],
)
def test_what_nothing_could_answer_is_refused(judge: Judge | None, match: str) -> None:
    with pytest.raises(TypeError, match=match):
        decision.make("p", {"fill": ("fill", {"x": str}), "go": 1}, runtime=Runtime(judge=judge))
    if isinstance(judge, ScriptedJudge):
        assert judge.seen == []


def test_a_turn_needs_a_text_model_even_beside_a_judge() -> None:
    runtime = Runtime(judge=ScriptedJudge({"pick": "go"}))

    class Asks(Agent):
        def ask(self) -> object:
            """Ask."""
            return llm("p")

    for call in (lambda: agent("p", runtime=runtime), lambda: runtime.exec("p", choices={"go": 1}), Asks(runtime).ask):
        with pytest.raises(TypeError, match=r"this Runtime has no text model; pass Runtime\(model\)"):
            call()


@pytest.mark.anyio
@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda rt: decision.make("p", [later], runtime=rt), id="make"),
        pytest.param(lambda rt: decision.make("p", {"go": 1}, runtime=rt, fallback=_late), id="make-fallback"),
    ],
)
async def test_make_in_a_loop_refuses_what_it_could_not_await(call: Callable[[Runtime], object]) -> None:
    model = ScriptedModel(["nothing"])

    with pytest.raises(RuntimeError, match=r"is async and an event loop is running here; write `await amake\(…\)`"):
        call(Runtime(model))
    assert model.requests == []


@pytest.mark.anyio
async def test_agent_and_exec_in_a_loop_refuse_an_async_choice() -> None:
    model = ScriptedModel(["nothing"])
    runtime = Runtime(model)

    with pytest.raises(RuntimeError, match=r"option `later` is async .* write `await aagent\(…\)`"):
        agent("p", choices=[later], runtime=runtime)
    with pytest.raises(RuntimeError, match=r"option `later` is async .* write `await aexec\(…\)`"):
        runtime.exec("p", choices=[later])
    assert model.requests == []


async def _late(error: object) -> str:
    return "late"


@pytest.mark.parametrize(
    ("wrong", "error", "match"),
    [
        pytest.param({"runtime": None, "prompt": ""}, RuntimeError, "no Runtime", id="runtime-before-prompt"),
        pytest.param({"prompt": 5, "max_retries": -1}, TypeError, "the prompt is", id="prompt-before-retries"),
        pytest.param({"max_retries": -1, "fallback": 5}, ValueError, "max_retries", id="retries-before-fallback"),
        pytest.param({"fallback": 5, "options": {}}, TypeError, "fallback is", id="fallback-before-options"),
        pytest.param({"options": {}, "context": 5}, ValueError, "options are empty", id="options-before-context"),
    ],
)
def test_the_first_of_two_faults_is_named(wrong: dict[str, Any], error: type[Exception], match: str) -> None:
    given = {"prompt": "p", "options": [look_up], "runtime": Runtime(ScriptedModel([PICK])), **wrong}

    with pytest.raises(error, match=match):
        decision.make(given.pop("prompt"), given.pop("options"), **given)
