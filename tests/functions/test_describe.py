"""What is read of a callable, and which callables can be read."""

from __future__ import annotations

import dataclasses
import functools
import typing
from collections.abc import Callable
from typing import Any, NamedTuple

import pydantic
import pytest

from interlock import Agent
from interlock.functions import AUTO_INJECTED, describe
from interlock.functions.bind import bind
from interlock.schema import ABSENT


class Unreadable:
    """JSON cannot carry one."""


class Report(typing.TypedDict):
    score: int


class Endless:
    """Answers for everything."""

    def __getattr__(self, name: str) -> Endless:
        return self

    def __call__(self, x: int) -> int:
        return x


@dataclasses.dataclass
class Part:
    x: int
    y: list[int] = dataclasses.field(default_factory=list)


class Pair(NamedTuple):
    a: int
    b: str = "z"


class Model(pydantic.BaseModel):
    """A model of its own."""

    name: str


def lookup(query: str, session: Unreadable, n: int = 3) -> Report:
    """Search the store.

    Slowly.

    Args:
        query: never read from here.
    """
    return {"score": n}


lookup.input_meta = {"query": {"description": "What to search"}, "session": {"hidden": True}}  # type: ignore[attr-defined]


def plain(a: int, /, b: str = "b", *rest: int, c: float = 1.0, **more: int) -> str:
    """Plain."""
    return f"{a}{b}{rest}{c}{more}"


def injected(q: str, runtime: Unreadable, exec_runtime: object = None, review_runtime: None = None) -> str:
    """Injected."""
    return q


def logged(fn: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fn)
    def inner(*args: object, **kwargs: object) -> object:
        return fn(*args, **kwargs)

    return inner


class Finder:
    """Finds things.

    By looking.
    """

    input_meta: typing.ClassVar[dict[str, dict[str, bool]]] = {"hidden": {"hidden": True}}

    def __call__(self, x: int, hidden: str = "h") -> str:
        """Never read."""
        return f"{x}{hidden}"


class Maker:
    """Makes a thing."""

    def __init__(self, x: int, hidden: str = "h") -> None:
        self.x, self.hidden = x, hidden

    __init__.input_meta = {"hidden": {"hidden": True}}  # type: ignore[attr-defined]  # noqa: RUF012


class New:
    """Is made anew."""

    def __new__(cls, part: Part) -> typing.Self:
        return object.__new__(cls)


class Caller(type):
    def __call__(cls, z: int) -> int:
        return z


class Called(metaclass=Caller):
    """Its class decides."""


class Shop(Agent):
    method_options = {  # noqa: RUF012
        "refund": {
            "tool": True,
            "name": "refund_order",
            "description": "Give money back.",
            "input": {"order": {"description": "Which order"}, "session": {"hidden": True}},
            "system": "Be exact.",
        },
        "hide": {"expose": "hidden", "render_range": {"callers": 2}},
    }

    def refund(self, order: str, session: str = "s") -> Model:
        """Refund an order."""
        return Model(name=order + session)

    def hide(self) -> None:
        """Hide."""


async def later(n: int) -> int:
    """Later."""
    return n


class Later:
    async def __call__(self, n: int) -> int:
        return n


class Undocumented:
    @classmethod
    def made(cls, x: int) -> int:
        """Made."""
        return x

    @staticmethod
    def static(x: int) -> int:
        """Static."""
        return x

    def method(self, x: int) -> int:
        return x


SHOP = Shop()


def names(fn: Callable[..., Any]) -> list[str]:
    return [param.name for param in describe(fn).visible]


def test_everything_about_a_function_is_read_once() -> None:
    described = describe(lookup)

    assert (described.name, described.summary) == ("lookup", "Search the store.")
    assert described.doc.startswith("Search the store.\n\nSlowly.")
    assert described.returns is Report
    assert [(param.name, param.source, param.required) for param in described.params] == [
        ("query", "llm", True),
        ("session", "context", True),
        ("n", "llm", False),
    ]
    query, session, n = described.params
    assert (query.annotation, query.description, query.default) == (str, "What to search", ABSENT)
    assert (n.annotation, n.default) == (int, 3)
    assert session.annotation is None


def test_the_kinds_of_parameters_are_told_and_catch_alls_are_none() -> None:
    assert [(param.name, param.kind) for param in describe(plain).params] == [
        ("a", "positional_only"),
        ("b", "positional_or_keyword"),
        ("c", "keyword_only"),
    ]


def test_injected_parameters_are_never_visible() -> None:
    """Their annotations are not read either."""
    described = describe(injected)

    assert {"runtime", "exec_runtime", "review_runtime"} == AUTO_INJECTED
    assert [param.name for param in described.visible] == ["q"]
    assert {param.source for param in described.params} == {"llm", "runtime"}


def test_an_agent_method_carries_its_options() -> None:
    described = describe(SHOP.refund)

    assert (described.name, described.summary) == ("refund_order", "Give money back.")
    assert (described.doc, described.system, described.expose) == ("Refund an order.", "Be exact.", "io")
    assert described.returns is Model
    assert [param.name for param in described.visible] == ["order"]
    assert describe(SHOP.hide).expose == "hidden"
    assert describe(SHOP.hide).render_range.callers == 2
    assert describe(SHOP.hide).render_range.subcalls == -1


@pytest.mark.parametrize(
    ("fn", "name", "summary", "visible"),
    [
        pytest.param(functools.partial(lookup, "q"), "lookup", "Search the store.", ["n"], id="partial-by-place"),
        pytest.param(functools.partial(lookup, n=1), "lookup", "Search the store.", ["query"], id="partial-by-name"),
        pytest.param(
            functools.partial(functools.partial(lookup, n=1), query="q"), "lookup", "Search the store.", [],
            id="partial-of-a-partial",
        ),
        pytest.param(logged(lookup), "lookup", "Search the store.", ["query", "n"], id="wrapped"),
        pytest.param(
            functools.partial(logged(functools.partial(lookup, n=1)), "q"), "lookup", "Search the store.", [],
            id="partial-of-a-wrapped-partial",
        ),
        pytest.param(logged(SHOP.refund), "refund_order", "Give money back.", ["order"], id="wrapped-agent-method"),
        pytest.param(
            functools.partial(Shop.refund, SHOP), "refund_order", "Give money back.", ["order"],
            id="partial-of-an-agent-method-with-its-agent",
        ),
        pytest.param(Finder(), "Finder", "Finds things.", ["x"], id="callable-object"),
        pytest.param(functools.partial(Finder(), x=1), "Finder", "Finds things.", [], id="partial-of-an-object"),
        pytest.param(Finder().__call__, "__call__", "Never read.", ["x", "hidden"], id="its-method-alone"),
        pytest.param(Maker, "Maker", "Makes a thing.", ["x"], id="class"),
        pytest.param(New, "New", "Is made anew.", ["part"], id="class-with-new"),
        pytest.param(Called, "Called", "Its class decides.", ["z"], id="class-of-a-metaclass"),
        pytest.param(Part, "Part", "", ["x", "y"], id="dataclass-without-a-docstring"),
        pytest.param(Pair, "Pair", "", ["a", "b"], id="named-tuple"),
        pytest.param(Model, "Model", "A model of its own.", ["name"], id="model"),
        pytest.param(len, "len", "Return the number of items in a container.", ["obj"], id="builtin"),
        pytest.param("x".join, "join", "Concatenate any number of strings.", ["iterable"], id="builtin-method"),
        pytest.param(lambda a: a, "<lambda>", "", ["a"], id="lambda"),
        pytest.param(functools.lru_cache(plain), "plain", "Plain.", ["a", "b", "c"], id="cached"),
        pytest.param(functools.singledispatch(plain), "plain", "Plain.", ["a", "b", "c"], id="dispatched"),
        pytest.param(Undocumented.made, "made", "Made.", ["x"], id="class-method"),
        pytest.param(Undocumented.static, "static", "Static.", ["x"], id="static-method"),
        pytest.param(Undocumented.__dict__["static"], "static", "Static.", ["x"], id="static-method-object"),
    ],
)  # fmt: skip
def test_any_callable_is_read(fn: Callable[..., Any], name: str, summary: str, visible: list[str]) -> None:
    described = describe(fn)

    assert (described.name, described.summary, names(fn)) == (name, summary, visible)


def test_metadata_set_after_wrapping_counts() -> None:
    """A hidden parameter stays hidden whichever of the two was there first."""

    def inner(q: str, secret: str = "s") -> str:
        return q + secret

    outer = logged(inner)
    inner.input_meta = {"secret": {"hidden": True}}  # type: ignore[attr-defined]

    assert names(outer) == ["q"]


@pytest.mark.parametrize(
    ("fn", "is_async"),
    [
        pytest.param(lookup, False, id="plain"),
        pytest.param(later, True, id="async"),
        pytest.param(functools.partial(later, 1), True, id="partial"),
        pytest.param(functools.partial(functools.partial(later), 1), True, id="partial-of-a-partial"),
        pytest.param(Later(), True, id="object"),
        pytest.param(functools.partial(Later(), 1), True, id="partial-of-an-object"),
        pytest.param(logged(later), True, id="wrapped"),
        pytest.param(Later, False, id="class"),
    ],
)
def test_an_awaitable_result_is_foreseen(fn: Callable[..., Any], is_async: bool) -> None:
    assert describe(fn).is_async is is_async


def unresolved(value: Nowhere, n: int) -> None:  # type: ignore[name-defined]  # noqa: F821  (the case under test)
    """Names what does not exist."""


def unresolved_elsewhere(n: int, secret: Nowhere = None) -> Nowhere:  # type: ignore[name-defined]  # noqa: F821  (the case under test)
    """Names what does not exist where nothing reads it."""


unresolved_elsewhere.input_meta = {"secret": {"hidden": True}}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        pytest.param(3, "3 is not callable", id="not-callable"),
        pytest.param(dict, "`dict` has no readable signature", id="no-signature"),
        pytest.param(type, "`type` has no readable signature", id="the-class-of-classes"),
        pytest.param(Shop.refund, "`refund` is an Agent method without its agent", id="unbound-agent-method"),
        pytest.param(Undocumented.method, "`method` is a method without its object", id="unbound-method"),
        pytest.param(str.upper, "`upper` is a method without its object", id="unbound-builtin-method"),
        pytest.param(Endless(), "has no readable signature", id="an-object-that-has-every-attribute"),
        pytest.param(unresolved, "annotation of `value`, `Nowhere`, does not resolve", id="unresolved"),
    ],
)
def test_a_callable_that_cannot_be_read_is_refused(fn: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        describe(fn)


def test_only_visible_annotations_are_resolved() -> None:
    described = describe(unresolved_elsewhere)

    assert [param.name for param in described.visible] == ["n"]
    assert described.returns is None


def said(meta: object) -> Callable[..., Any]:
    def fn(q: str, db: int = 0) -> None:
        """Do it."""

    fn.input_meta = meta  # type: ignore[attr-defined]
    return fn


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        pytest.param(["q"], "input is a dict of parameter names", id="no-dict"),
        pytest.param({"qq": {}}, "names `qq`, which is not a parameter; did you mean", id="unknown-parameter"),
        pytest.param({"q": "text"}, "input of `q` is a dict, got 'text'", id="parameter-without-a-dict"),
        pytest.param({"q": {"hide": True}}, "unknown key `hide`; write one of description, hidden", id="unknown-key"),
        pytest.param({"q": {"type": "str"}}, "unknown key `type`", id="what-the-signature-says"),
        pytest.param({"q": {"description": 3}}, "`description` is text, got 3", id="no-text"),
        pytest.param({"q": {"hidden": "yes"}}, "`hidden` is True or False, got 'yes'", id="no-boolean"),
        pytest.param({"q": {"multiline": 1}}, "`multiline` is True or False", id="one-is-no-boolean"),
        pytest.param({"q": {"options": []}}, "list of one value or more", id="no-options"),
        pytest.param({"q": {"options": "ab"}}, "list of one value or more", id="options-that-are-no-list"),
        pytest.param({"q": {"options": [object()]}}, "what JSON cannot express", id="options-that-are-no-json"),
        pytest.param({"q": {"options": [float("inf")]}}, "what JSON cannot express", id="infinite-option"),
        pytest.param({"q": {"options_from": "files"}}, "write 'functions'", id="unknown-source-of-options"),
    ],
)
def test_what_cannot_be_said_is_refused(meta: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        describe(said(meta))


def test_nothing_said_is_nothing_wrong() -> None:
    described = describe(said({"q": {"description": None, "options": None}, "db": {}}))

    assert [param.description for param in described.params] == [None, None]
    assert [param.options for param in described.params] == [None, None]


def called(fn: Callable[..., Any], given: dict[str, Any]) -> object:
    bound = bind(describe(fn), given, {}, None)
    return fn(*bound.args, **bound.kwargs)


@pytest.mark.parametrize(
    ("given", "call"),
    [
        pytest.param({"a": 1}, "1b()1.0{}", id="required-only"),
        pytest.param({"a": 1, "c": 2.0}, "1b()2.0{}", id="keyword-only"),
        pytest.param({"a": 1, "b": "x"}, "1x()1.0{}", id="by-name"),
    ],
)
def test_a_bound_call_passes_what_is_positional_by_place(given: dict[str, Any], call: str) -> None:
    assert called(plain, given) == call


def test_a_positional_parameter_that_nobody_fills_keeps_its_place() -> None:
    def placed(a: int, b: int = 2, c: int = 3, /) -> tuple[int, int, int]:
        return a, b, c

    assert called(placed, {"a": 1, "c": 9}) == (1, 2, 9)


def test_python_fills_what_the_model_may_not() -> None:
    bound = bind(describe(lookup), {"query": "q", "session": "EVIL"}, {"session": "ok", "n": 9}, "RUNTIME")
    assert bound.kwargs == {"query": "q", "session": "ok"}

    bound = bind(describe(injected), {"q": "q", "runtime": "EVIL"}, {"runtime": "EVIL"}, "RUNTIME")
    assert bound.kwargs == {"q": "q", "runtime": "RUNTIME", "exec_runtime": "RUNTIME", "review_runtime": "RUNTIME"}
