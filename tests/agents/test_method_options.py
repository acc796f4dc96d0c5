"""Every key of `method_options`: what is offered, what runs, what is refused, with its message."""

# ruff: noqa: RUF012  (options as an author writes them)

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from interlock import Agent, Runtime, llm
from interlock.agents import ApprovalRequest
from interlock.agents.options import METHOD_OPTION_KEYS
from interlock.errors import ApprovalDenied, FunctionTimeout
from interlock.testing import ScriptedModel, calling

Desk = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class Row:
    """One turn: the method's options, how it is called, and what the model sees."""

    options: Mapping[str, Any]
    how: Mapping[str, Any] = field(default_factory=dict)
    runtime: Mapping[str, Any] = field(default_factory=dict)
    call: tuple[str, str] = ("search", '{"query": "x"}')
    offered: tuple[str, ...] = ("search",)
    told: str = "found x"
    ran: bool = True


def flipping(*answers: bool) -> Callable[[], bool]:
    """Return a condition that answers in turn, the last for ever."""
    left = list(answers)
    return lambda: left.pop(0) if len(left) > 1 else left[0]


async def _waits() -> bool:
    return False


def failing() -> bool:
    raise OSError("the network is down")


TOOL = {"tool": True}
TURNS = {
    "tool-true": Row(options=TOOL),
    "tool-false": Row(options={}, offered=(), told="error: no tool `search`; the tools are: none", ran=False),
    "name": Row(options={**TOOL, "name": "look"}, offered=("look",), call=("look", '{"query": "x"}')),
    "name-hides-the-other": Row(
        options={**TOOL, "name": "look"},
        offered=("look",),
        told="error: no tool `search`; the tools are: look",
        ran=False,
    ),
    "description": Row(options={**TOOL, "description": "Look here."}),
    "input-options": Row(
        options={**TOOL, "input": {"query": {"options": ["a", "b"]}}},
        told='error: (enum_violation) `query` must be one of "a", "b", got "x"',
        ran=False,
    ),
    "input-hidden-cannot-be-set": Row(options={**TOOL, "input": {"query": {"hidden": True}}}, told="found all"),
    "input-hidden-from-context": Row(
        options={**TOOL, "input": {"query": {"hidden": True}}},
        how={"choices": {"go": "went"}, "context": {"query": "mine"}},
        told="found mine",
    ),
    "toolset": Row(options={**TOOL, "toolset": "store"}, how={"toolset": "store"}),
    "toolset-default": Row(options={**TOOL, "toolset": "store"}, how={"toolset": "default"}),
    "toolset-none": Row(
        options=TOOL,
        how={"toolset": "none"},
        offered=(),
        told="error: no tool `search`; the tools are: none",
        ran=False,
    ),
    "tools-empty": Row(
        options=TOOL, how={"tools": []}, offered=(), told="error: no tool `search`; the tools are: none", ran=False
    ),
    "unsafe-in-another-place": Row(
        options={**TOOL, "unsafe_in": ("page", "gateway")}, runtime={"context_name": "terminal"}
    ),
    "unsafe-here": Row(
        options={**TOOL, "unsafe_in": ["unattended"]},
        offered=(),
        told="error: no tool `search`; the tools are: none",
        ran=False,
    ),
    "available": Row(options={**TOOL, "available_if": lambda: "/usr/bin/git"}),
    "not-available": Row(
        options={**TOOL, "available_if": lambda: None},
        offered=(),
        told="error: no tool `search`; the tools are: none",
        ran=False,
    ),
    "no-longer-available": Row(
        options={**TOOL, "available_if": flipping(True, False)},
        told="error: `search` is not available now",
        ran=False,
    ),
    "condition-that-raises": Row(
        options={**TOOL, "available_if": failing},
        offered=(),
        told="error: no tool `search`; the tools are: none",
        ran=False,
    ),
    "check-no-longer-holds": Row(
        options={**TOOL, "check_fn": flipping(True, False)}, told="error: `search` is not available now", ran=False
    ),
    "approval-without-approver": Row(
        options={**TOOL, "requires_approval": True},
        told="error: `search` requires approval and no approver is configured; pass Runtime(approver=…)",
        ran=False,
    ),
    "approval-denied": Row(
        options={**TOOL, "requires_approval": True},
        runtime={"approver": lambda request: False},
        told="error: `search` was not approved",
        ran=False,
    ),
    "approval-by-something-like-yes": Row(
        options={**TOOL, "requires_approval": True},
        runtime={"approver": lambda request: "yes"},
        told="error: `search` was not approved",
        ran=False,
    ),
    "approval-given": Row(options={**TOOL, "requires_approval": True}, runtime={"approver": lambda request: True}),
    "deferred-until-found": Row(
        options={**TOOL, "defer": True},
        offered=("find_tools",),
        told="error: no tool `search`; the tools are: find_tools",
        ran=False,
    ),
    "timeout-kept": Row(options={**TOOL, "timeout": 5}),
    "cache": Row(options={**TOOL, "cache": True}),
    "arguments-that-are-no-json": Row(
        options=TOOL, call=("search", "query=x"), told="error: the arguments must be one JSON object", ran=False
    ),
    "arguments-of-another-type": Row(
        options=TOOL,
        call=("search", '{"query": 5}'),
        told="error: (type_mismatch) `query` input should be a valid string, got 5",
        ran=False,
    ),
}


@pytest.mark.parametrize("row", [pytest.param(row, id=name) for name, row in TURNS.items()])
def test_a_turn_offers_runs_and_refuses(row: Row, desk: Desk) -> None:
    last = '{"call": "go"}' if "choices" in row.how else "done"
    model = ScriptedModel([calling(row.call), last])
    clerk = desk(row.options)(Runtime(model, **row.runtime))

    assert clerk.work(**row.how) in ("done", "went")

    assert tuple(tool["name"] for tool in model.requests[0].tools) == row.offered
    assert model.requests[1].messages[-1].content == row.told
    assert model.requests[1].messages[-1].tool_call_id == "call-0"
    assert bool(clerk.calls) is row.ran


REFUSED = {
    "tool": ("yes", "`Clerk.search`: tool is True or False, got 'yes'"),
    "name": ("two words", "`Clerk.search`: name is at most 64 letters"),
    "description": (5, "`Clerk.search`: description is text, got 5"),
    "input": (["query"], "`Clerk.search`: input is a dict of parameters"),
    "system": ("", "`Clerk.search`: system is text, got ''"),
    "expose": ("public", "`Clerk.search`: expose is 'public'; write one of io, llm, full, hidden"),
    "render_range": ({"callers": -1}, "`Clerk.search`: render_range `callers` is -1; write None or a count"),
    "toolset": ("none", "`Clerk.search`: toolset is 'none', which already means something else"),
    "unsafe_in": (("terminl",), "`Clerk.search`: unsafe_in names `terminl`; write one of terminal, page"),
    "available_if": (True, "`Clerk.search`: available_if is a function without arguments, got True"),
    "check_fn": ("git", "`Clerk.search`: check_fn is a function without arguments"),
    "requires_approval": ("true", "`Clerk.search`: requires_approval is True or False, got 'true'"),
    "defer": (1, "`Clerk.search`: defer is True or False, got 1"),
    "cache": (None, "`Clerk.search`: cache is True or False, got None"),
    "cache_ttl": (-1, "`Clerk.search`: cache_ttl is a positive number of seconds, got -1"),
    "timeout": (float("inf"), "`Clerk.search`: timeout is a positive number of seconds, got inf"),
}


@pytest.mark.parametrize("key", sorted(METHOD_OPTION_KEYS))
def test_a_value_that_nothing_could_use_is_refused_when_the_class_is_made(key: str, desk: Desk) -> None:
    """A gate that is written wrongly is never a gate that is open."""
    value, message = REFUSED[key]

    with pytest.raises((TypeError, ValueError), match="Clerk") as caught:
        desk({key: value})
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(
            {"search": {"requires_aproval": True}}, "`Clerk.search`: unknown option `requires_aproval`", id="key"
        ),
        pytest.param({"serch": {"tool": True}}, "`Clerk`: method_options names `serch`, which is not", id="method"),
        pytest.param({"search": True}, "`Clerk`: method_options of `search` is a dict, got True", id="no-dict"),
        pytest.param({"limit": {"tool": True}}, "`Clerk`: method_options names `limit`, which is not", id="property"),
        pytest.param(
            {"made": {"tool": True}}, "`Clerk`: method_options names `made`, which is not", id="static-method"
        ),
        pytest.param({"kind": {"tool": True}}, "`Clerk`: method_options names `kind`, which is not", id="class-method"),
        pytest.param({"pages": {"tool": True}}, "`Clerk`: method_options names `pages`, which is not", id="generator"),
        pytest.param({"__repr__": {"tool": True}}, "`Clerk`: method_options names `__repr__`", id="dunder"),
        pytest.param({"search": {"input": {"q": {}}}}, "`Clerk.search`: input names `q`", id="parameter"),
        pytest.param(
            {"search": {"input": {"query": {"descr": "x"}}}}, "`Clerk.search`: input of `query`", id="input-key"
        ),
    ],
)
def test_options_that_speak_of_nothing_are_refused(options: Mapping[str, Any], message: str) -> None:
    body = {
        "method_options": options,
        "search": lambda self, query="all": query,
        "limit": property(lambda self: 5),
        "made": staticmethod(lambda: 5),
        "kind": classmethod(lambda cls: cls.__name__),
        "pages": _pages,
        "__repr__": lambda self: "Clerk",
    }

    with pytest.raises(TypeError, match="Clerk") as caught:
        type("Clerk", (Agent,), body)
    assert str(caught.value).startswith(message)


def test_options_that_are_no_dict_are_refused() -> None:
    with pytest.raises(TypeError, match="`Clerk`: method_options is a dict of method names, got"):
        type("Clerk", (Agent,), {"method_options": ["search"]})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"unsafe_in": "page"}, "unsafe_in is a tuple of terminal, page", id="text-for-a-tuple"),
        pytest.param({"available_if": _waits}, "available_if is async; write a plain function", id="async-condition"),
    ],
)
def test_what_would_always_count_as_yes_is_refused(options: Mapping[str, Any], message: str, desk: Desk) -> None:
    """The letters of a text are no places, and a coroutine is true."""
    with pytest.raises(TypeError, match=message):
        desk(options)


def _pages(self: object) -> Any:
    yield 1


def test_description_and_input_reach_the_tool_spec(desk: Desk) -> None:
    model = ScriptedModel(["done"])
    said = {"query": {"description": "What to search", "options": ["a", "b"]}}

    desk({"tool": True, "description": "Look here.", "input": said})(Runtime(model)).work()

    assert model.requests[0].tools == (
        {
            "name": "search",
            "description": "Look here.",
            "parameters": {
                "type": "object",
                "properties": {"query": {"type": "string", "enum": ["a", "b"], "description": "What to search"}},
            },
        },
    )


def test_an_unknown_toolset_is_refused_before_any_call(desk: Desk) -> None:
    model = ScriptedModel(["done"])

    with pytest.raises(ValueError, match="no tool is in the toolset `stor`; write one of default, none, store"):
        desk({"tool": True, "toolset": "store"})(Runtime(model)).work(toolset="stor")
    assert model.requests == []


def test_tools_and_toolset_exclude_each_other(desk: Desk) -> None:
    model = ScriptedModel(["done"])

    with pytest.raises(ValueError, match="tools and toolset exclude each other; write one of them"):
        desk({"tool": True})(Runtime(model)).work(tools=[], toolset="default")
    assert model.requests == []


def test_a_deferred_tool_is_offered_once_it_is_found(desk: Desk) -> None:
    model = ScriptedModel(
        [
            calling(("find_tools", '{"query": "weather"}')),
            calling(("find_tools", '{"query": "the TICKET store"}')),
            calling(("search", '{"query": "x"}')),
            "done",
        ]
    )

    assert desk({"tool": True, "defer": True})(Runtime(model)).work() == "done"

    assert [[tool["name"] for tool in request.tools] for request in model.requests] == [
        ["find_tools"],
        ["find_tools"],
        ["search", "find_tools"],
        ["search", "find_tools"],
    ]
    told = [request.messages[-1].content for request in model.requests[1:]]
    assert told == ["no tool matches; use other words", "search: Search the ticket store.", "found x"]


def test_a_deferred_tool_that_is_named_is_offered_at_once(desk: Desk) -> None:
    model = ScriptedModel(["done"])
    clerk = desk({"tool": True, "defer": True})(Runtime(model))

    clerk.work(tools=[clerk.search])

    assert [tool["name"] for tool in model.requests[0].tools] == ["search"]


def test_a_named_tool_that_is_unsafe_here_is_not_offered(desk: Desk) -> None:
    model = ScriptedModel(["done"])
    clerk = desk({"tool": True, "unsafe_in": ("unattended",)})(Runtime(model))

    clerk.work(tools=[clerk.search])

    assert model.requests[0].tools == ()


def test_the_approver_sees_the_call_and_not_what_is_hidden() -> None:
    asked: list[ApprovalRequest] = []

    class Bank(Agent):
        method_options = {"pay": {"tool": True, "requires_approval": True, "input": {"tenant": {"hidden": True}}}}

        def pay(self, amount: int, to: str = "me", tenant: str = "acme") -> str:
            """Pay an amount."""
            return f"paid {amount} to {to} of {tenant}"

    def approve(request: ApprovalRequest) -> bool:
        asked.append(request)
        return True

    assert Bank(Runtime(approver=approve)).pay(5) == "paid 5 to me of acme"
    assert asked == [ApprovalRequest(name="pay", arguments={"amount": 5, "to": "me"})]


def test_invalid_arguments_never_reach_the_approver(desk: Desk) -> None:
    """What can be refused cheaply is refused before a person is asked."""

    def never(request: ApprovalRequest) -> bool:
        raise AssertionError(request)

    model = ScriptedModel([calling(("search", '{"query": 5}')), "done"])
    desk({"tool": True, "requires_approval": True})(Runtime(model, approver=never)).work()

    assert "(type_mismatch)" in str(model.requests[1].messages[-1].content)


@pytest.mark.parametrize("way", ["direct", "option", "without-a-runtime"])
def test_approval_is_required_of_every_call(way: str, desk: Desk) -> None:
    model = ScriptedModel(['{"call": "search"}'])
    clerk = desk({"requires_approval": True})(None if way == "without-a-runtime" else Runtime(model))

    with pytest.raises(ApprovalDenied, match="`search` requires approval and no approver is configured"):
        clerk.work(choices=[clerk.search]) if way == "option" else clerk.search("x")
    assert clerk.calls == []


def test_each_call_is_approved_for_itself_even_when_its_result_is_kept(desk: Desk) -> None:
    """An approval is for one call; a kept result is no way around it."""
    answers = [True, False]
    clerk = desk({"requires_approval": True, "cache": True})(Runtime(approver=lambda request: answers.pop(0)))

    assert clerk.search("x") == "found x"
    with pytest.raises(ApprovalDenied, match="`search` was not approved"):
        clerk.search("x")


def test_the_time_of_a_person_does_not_count(desk: Desk) -> None:
    def slow(request: ApprovalRequest) -> bool:
        time.sleep(0.15)
        return True

    assert desk({"requires_approval": True, "timeout": 0.1})(Runtime(approver=slow)).search("x") == "found x"


def test_system_is_for_the_calls_of_that_method_alone() -> None:
    class Writer(Agent):
        method_options = {"draft": {"system": "Write briefly."}}

        def draft(self) -> str:
            """Draft."""
            return f"{llm('draft')} {self.check()} {llm('again', system='Write at length.')}"

        def check(self) -> str:
            """Check."""
            return str(llm("check"))

    model = ScriptedModel(["text"])
    Writer(Runtime(model, system="Be polite.")).draft()

    assert [request.messages[0].content for request in model.requests] == [
        "Write briefly.",
        "Be polite.",
        "Write at length.",
    ]


def test_a_tool_out_of_time_is_told_to_the_model() -> None:
    class Slow(Agent):
        method_options = {"wait": {"tool": True, "timeout": 0.05}}

        def wait(self) -> str:
            """Wait."""
            time.sleep(0.3)
            return "late"

    slow, model = Slow(), ScriptedModel([calling("wait"), "done"])

    assert Runtime(model).exec("Go.", tools=[slow.wait]) == "done"
    told = "error: function wait timed out after 0.05s; its thread is still running"
    assert model.requests[1].messages[-1].content == told
    with pytest.raises(FunctionTimeout, match=r"function wait timed out after 0\.05s; its thread is still running"):
        slow.wait()
