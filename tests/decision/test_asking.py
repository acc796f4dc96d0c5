"""What is sent, what is asked again, and what a decision that fails says."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest

from interlock import Runtime, agent, decision
from interlock.decision import DECISION_FINISH_INSTRUCTION, DecisionError
from interlock.errors import ModelError
from interlock.messages import ImagePart, TextPart
from interlock.models.base import Failure, TextRequest
from interlock.testing import ScriptedModel

OPTIONS: dict[str, Any] = {"refund": ("pay it back", {"amount": int}), "wait": "waited"}


def sent(request: TextRequest) -> str:
    """Return the text of the last message."""
    content = request.messages[-1].content
    assert isinstance(content, str)
    return content


def test_a_decision_sends_the_prompt_and_the_menu_and_nothing_else() -> None:
    model = ScriptedModel(['{"call": "wait"}'])

    decision.make("Pick a step.", OPTIONS, runtime=Runtime(model))

    assert len(model.requests[0].messages) == 1
    assert sent(model.requests[0]) == f"Pick a step.\n\n{decision.render_options(OPTIONS)}"
    assert model.requests[0].tools == ()


def test_a_turn_adds_the_finish_instruction_between() -> None:
    model = ScriptedModel(['{"call": "wait"}'])

    agent("Pick a step.", choices=OPTIONS, runtime=Runtime(model))

    menu = decision.render_options(OPTIONS)
    assert sent(model.requests[0]) == f"Pick a step.\n\n{DECISION_FINISH_INSTRUCTION}\n\n{menu}"


def test_a_list_of_content_gets_the_menu_as_one_more_item(tmp_path: Path) -> None:
    picture = tmp_path / "ticket.png"
    picture.write_bytes(b"not really a picture")
    model = ScriptedModel(['{"call": "wait"}'])
    prompt = [{"type": "text", "text": "Look:"}, {"type": "image", "path": str(picture)}]

    decision.make(prompt, OPTIONS, runtime=Runtime(model))  # type: ignore[arg-type]  # items are dicts in practice

    assert model.requests[0].messages[-1].content == (
        TextPart(text="Look:"),
        ImagePart(data=b"not really a picture", media_type="image/png"),
        TextPart(text=decision.render_options(OPTIONS)),
    )


def test_a_decision_asks_for_a_reply_that_fits_the_menu() -> None:
    """A provider that has schemas is given one; a turn that may call tools is not, its re-pick is."""
    made, turned = ScriptedModel(['{"call": "wait"}']), ScriptedModel(["no", '{"call": "wait"}'])

    decision.make("p", OPTIONS, runtime=Runtime(made))
    agent("p", choices=OPTIONS, runtime=Runtime(turned))

    schema = made.requests[0].schema
    assert schema is not None
    assert [branch["properties"]["call"]["enum"] for branch in schema["anyOf"]] == [["refund"], ["wait"]]  # type: ignore[index,call-overload,union-attr]  # JSON
    assert [request.schema for request in turned.requests] == [None, schema]


def test_a_repick_shows_the_end_of_the_reply_the_problem_and_the_menu_again() -> None:
    """The earlier attempt is in it once, cut to its end: not again as part of the session."""
    long = "beginning " + "x" * 3000 + " the end"
    model = ScriptedModel([long, '{"call": "wait"}'])

    assert decision.make("Pick a step.", OPTIONS, runtime=Runtime(model)) == "waited"

    again = sent(model.requests[1])
    assert again == (
        f"Pick a step.\n\nPrevious reply:\n{long[-2000:]}\n\n"
        "Problem (no_action): no JSON object with a `call` was found\n\n"
        "Pick again: reply with one JSON object and nothing else.\n\n"
        f"{decision.render_options(OPTIONS)}"
    )


@pytest.mark.parametrize(
    ("first", "problem"),
    [
        pytest.param("I would wait.", "Problem (no_action): no JSON object", id="prose"),
        pytest.param('{"call": "wait"', "Problem (no_action): the last object with a `call` is cut off", id="cut-off"),
        pytest.param(None, "Problem (no_action): the reply is not text", id="not-text"),
        pytest.param('{"call": "wait", "call": "refund"}', "Problem (ambiguous)", id="twice"),
        pytest.param('{"call": "pay"}', 'Problem (unknown_call): "pay" is not an option; pick one of', id="unknown"),
        pytest.param('{"call": "refund"}', "Problem (missing_required): `amount` is required", id="missing"),
        pytest.param('{"call": "refund", "args": []}', "Problem (missing_required)", id="empty-list-is-no-args"),
        pytest.param('{"call": "refund", "args": 5}', "Problem (bad_args): `args` must be an object", id="bad-args"),
        pytest.param('{"call": "refund", "args": {"amount": "5"}}', "Problem (type_mismatch): `amount`", id="type"),
    ],
)
def test_every_kind_is_asked_again_and_may_pick_another_option(first: str | None, problem: str) -> None:
    model = ScriptedModel([first, '{"call": "wait"}'])

    assert decision.make("p", OPTIONS, runtime=Runtime(model)) == "waited"
    assert problem in sent(model.requests[1])


@pytest.mark.parametrize(("retries", "calls"), [(0, 1), (1, 2), (3, 4)])
def test_max_retries_counts_the_further_attempts(retries: int, calls: int) -> None:
    model = ScriptedModel(["no"])

    with pytest.raises(DecisionError, match=f"decision failed after {calls} attempt"):
        decision.make("p", OPTIONS, runtime=Runtime(model), max_retries=retries)
    assert len(model.requests) == calls


def test_a_failed_decision_says_everything_about_its_attempts() -> None:
    model = ScriptedModel(["first\nreply", '{"call": "refund", "args": {"amount": "x",}}', None])

    with pytest.raises(DecisionError, match="decision failed") as caught:
        decision.make("p", OPTIONS, runtime=Runtime(model), max_retries=2)

    for error in (caught.value, pickle.loads(pickle.dumps(caught.value)), copy.deepcopy(caught.value)):
        assert (
            str(error) == "decision failed after 3 attempts (no_action): the reply is not text; options: refund, wait"
        )
        assert (error.kind, error.options) == ("no_action", ("refund", "wait"))
        assert error.replies == ("first\nreply", '{"call": "refund", "args": {"amount": "x",}}', None)
        assert [item.number for item in error.attempts] == [1, 2, 3]
        assert [item.kind for item in error.attempts] == ["no_action", "type_mismatch", "no_action"]
        assert [item.picked for item in error.attempts] == [None, "refund", None]
        assert [item.repaired for item in error.attempts] == [False, True, False]
        assert [problem.path for problem in error.attempts[1].problems] == ["amount"]
        assert all(item.elapsed_s >= 0 for item in error.attempts)


def test_the_message_of_a_failure_is_one_line_with_the_head_of_the_last_reply() -> None:
    model = ScriptedModel(["a\nb" + "c" * 300])

    with pytest.raises(DecisionError, match="last reply") as caught:
        decision.make("p", OPTIONS, runtime=Runtime(model))

    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(repr(("a\nb" + "c" * 300)[:200]))


def test_a_fallback_gets_the_error_and_its_result_is_the_result() -> None:
    model = ScriptedModel(["no"])
    seen: list[DecisionError[Any]] = []

    def ask(error: DecisionError[Any]) -> str:
        seen.append(error)
        return "asked"

    result = decision.make("p", OPTIONS, runtime=Runtime(model), fallback=ask)

    assert (result, len(model.requests), seen[0].kind) == ("asked", 2, "no_action")


def test_a_fallback_is_for_failed_decisions_only() -> None:
    """Neither a model that cannot be reached nor an exception of the picked function calls it."""

    def breaks() -> None:
        raise KeyError("inner")

    def never(error: object) -> str:
        raise AssertionError(error)

    with pytest.raises(ModelError, match="scripted: the model call failed: busy"):
        decision.make("p", OPTIONS, runtime=Runtime(ScriptedModel([Failure(reason="busy")])), fallback=never)
    with pytest.raises(KeyError, match="inner"):
        decision.make("p", {"breaks": breaks}, runtime=Runtime(ScriptedModel(['{"call": "breaks"}'])), fallback=never)


def test_a_failure_of_the_call_is_no_attempt() -> None:
    model = ScriptedModel(["no", Failure(reason="busy", status=503, retryable=True)])

    with pytest.raises(ModelError, match=r"busy \(status 503\)") as caught:
        decision.make("p", OPTIONS, runtime=Runtime(model), max_retries=5)
    assert (caught.value.reason, caught.value.retryable, len(model.requests)) == ("busy", True, 2)


def test_a_turn_allows_exactly_one_repick_without_tools() -> None:
    tool = {"spec": {"name": "look"}, "execute": lambda given: "seen"}
    model = ScriptedModel(["no"])

    with pytest.raises(DecisionError, match="decision failed after 2 attempts"):
        agent("p", choices=OPTIONS, tools=[tool], runtime=Runtime(model))
    assert [len(request.tools) for request in model.requests] == [1, 0]


class TestPick:
    """`pick` stops before anything runs."""

    def test_it_says_what_was_picked_and_how(self) -> None:
        model = ScriptedModel(["no", "```json\n{'call': 'refund', 'args': {'amount': 5, 'extra': 1}}"])

        picked = decision.pick("p", OPTIONS, runtime=Runtime(model))

        assert (picked.name, picked.kind, dict(picked.args)) == ("refund", "schema", {"amount": 5})
        assert (picked.way, picked.probabilities, picked.basis, picked.repaired) == ("text", None, None, True)
        assert [attempt.kind for attempt in picked.attempts] == ["no_action"]
        assert picked.resolve() == {"decision": "refund", "amount": 5}

    def test_it_holds_visible_arguments_only(self) -> None:
        def look_up(query: str, tenant: str) -> str:
            return f"{query} for {tenant}"

        look_up.input_meta = {"tenant": {"hidden": True}}  # type: ignore[attr-defined]  # what an author may set
        reply = '{"call": "look_up", "args": {"query": "q", "tenant": "someone else"}}'

        picked = decision.pick(
            "p", [look_up], runtime=Runtime(ScriptedModel([reply])), context={"tenant": "acme", "query": "other"}
        )

        assert dict(picked.args) == {"query": "q"}
        assert "acme" not in repr(picked)
        assert picked.resolve() == "q for acme"

    @pytest.mark.anyio
    async def test_it_is_awaited_in_a_loop(self) -> None:
        async def later(n: int) -> int:
            return n + 1

        runtime = Runtime(ScriptedModel(['{"call": "later", "args": {"n": 4}}']))
        picked = await decision.apick("p", [later], runtime=runtime)

        assert await picked.aresolve() == 5
        with pytest.raises(RuntimeError, match="event loop"):
            picked.resolve()


class TestParseArgs:
    """A reply that came from elsewhere."""

    def test_it_returns_the_original_function_and_every_argument(self) -> None:
        def move(x: int, /, y: int = 2, *, who: str, runtime: Any = None) -> tuple[int, int, str, bool]:
            return x, y, who, isinstance(runtime, Runtime)

        move.input_meta = {"who": {"hidden": True}}  # type: ignore[attr-defined]  # what an author may set
        options, runtime = {"go": move}, Runtime(ScriptedModel([]))
        reply = '{"call": "go", "args": {"x": 1, "who": "nobody"}}'

        chosen, kwargs = decision.parse_args(reply, options, runtime=runtime, context={"who": "me"})

        assert chosen is move
        assert decision.resolve_decision(chosen, kwargs, options) == (1, 2, "me", True)

    def test_it_asks_again_on_the_runtime(self) -> None:
        model = ScriptedModel(['{"call": "wait"}'])

        assert decision.parse_args("hm", OPTIONS, runtime=Runtime(model)) == ("wait", {})
        assert sent(model.requests[0]).startswith("Previous reply:\nhm\n\nProblem (no_action)")

    def test_it_gives_up_after_its_attempts(self) -> None:
        with pytest.raises(DecisionError, match="decision failed after 2 attempts") as caught:
            decision.parse_args("hm", OPTIONS, runtime=Runtime(ScriptedModel(["no"])))
        assert caught.value.replies == ("hm", "no")

    def test_it_needs_a_runtime(self) -> None:
        with pytest.raises(ValueError, match="parse_args needs a runtime"):
            decision.parse_args('{"call": "wait"}', OPTIONS, runtime=None)

    def test_a_name_is_looked_up_among_names_only(self) -> None:
        """A value that equals another option's name is no name."""
        options = {"x": "y", "y": "z"}

        assert decision.resolve_decision("y", {}, options) == "z"
        with pytest.raises(ValueError, match="'z' is none of the options: x, y"):
            decision.resolve_decision("z", {}, options)

    def test_a_schema_and_an_abstention_resolve_by_name(self) -> None:
        options = {"fill": ("fill it", {"x": int}), "none": decision.abstain("nothing fits")}

        assert decision.resolve_decision("fill", {"x": 1}, options) == {"decision": "fill", "x": 1}
        assert decision.resolve_decision("none", {}, options) == decision.Abstained(option="none", reason=None)


@pytest.mark.parametrize(
    ("then", "reply", "wanted"),
    [
        pytest.param(None, '{"call": "none"}', decision.Abstained(option="none", reason=None), id="said-nothing"),
        pytest.param(
            None,
            '{"call": "none", "args": {"reason": "too old"}}',
            decision.Abstained(option="none", reason="too old"),
            id="said-why",
        ),
        pytest.param("ask a person", '{"call": "none"}', "ask a person", id="leads-to-a-value"),
        pytest.param(len, '{"call": "none", "args": {"reason": "four"}}', 4, id="leads-to-a-function"),
        pytest.param(0, '{"call": "none"}', 0, id="a-value-that-is-false"),
    ],
)
def test_abstaining_is_an_option_like_another(then: object, reply: str, wanted: object) -> None:
    options = {"go": 1, "none": decision.abstain("none of these fits", then=then)}

    assert decision.make("p", options, runtime=Runtime(ScriptedModel([reply]))) == wanted
