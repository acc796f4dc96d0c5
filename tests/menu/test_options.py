"""What may stand in a container of options, what it becomes, and what is refused."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable
from typing import Any

import pytest

from interlock.menu import abstain, read_options


def greet(name: str) -> str:
    """Greet a person."""
    return name


class Steps(enum.StrEnum):
    GO = "go"
    STOP = "stop"


class Plain(str, enum.Enum):  # noqa: UP042  (the older spelling that authors use)
    GO = "go"


class Callee:
    """Called."""

    def __call__(self, n: int) -> int:
        return n


def read(container: object) -> list[tuple[str, str, str]]:
    return [(option.name, option.kind, option.description) for option in read_options(container)]


@pytest.mark.parametrize(
    ("container", "want"),
    [
        pytest.param({"hi": greet}, ("hi", "function", "Greet a person."), id="dict-function"),
        pytest.param({"hi": (greet, "say hi")}, ("hi", "function", "say hi"), id="dict-function-described"),
        pytest.param({"hi": (greet, "")}, ("hi", "function", ""), id="dict-function-described-as-nothing"),
        pytest.param({"hi": functools.partial(greet, "A")}, ("hi", "function", "Greet a person."), id="dict-partial"),
        pytest.param({"hi": Callee()}, ("hi", "function", "Called."), id="dict-callable-object"),
        pytest.param({"hi": lambda: 1}, ("hi", "function", ""), id="dict-lambda"),
        pytest.param({"plan": ("Plan it", {"why": str})}, ("plan", "schema", "Plan it"), id="dict-schema"),
        pytest.param({"plan": ("Plan it", {})}, ("plan", "schema", "Plan it"), id="dict-empty-schema"),
        pytest.param({"done": (7, "when done")}, ("done", "value", "when done"), id="dict-value-described"),
        pytest.param({"done": (None, "when done")}, ("done", "value", "when done"), id="dict-none-described"),
        pytest.param({"done": ({"a": 1}, "when done")}, ("done", "value", "when done"), id="dict-dict-described"),
        pytest.param({"done": 7}, ("done", "value", ""), id="dict-value"),
        pytest.param({"done": None}, ("done", "value", ""), id="dict-none"),
        pytest.param({"done": {"why": str}}, ("done", "value", ""), id="dict-a-dict-is-a-value"),
        pytest.param({"done": (1, 2, 3)}, ("done", "value", ""), id="dict-another-tuple-is-a-value"),
        pytest.param({"done": ()}, ("done", "value", ""), id="dict-an-empty-tuple-is-a-value"),
        pytest.param({"done": (1,)}, ("done", "value", ""), id="dict-a-tuple-of-one-is-a-value"),
        pytest.param({"no": abstain("none fits")}, ("no", "abstain", "none fits"), id="dict-abstain"),
        pytest.param({"größe ok!": 1}, ("größe ok!", "value", ""), id="any-printable-name"),
        pytest.param({Steps.GO: 1}, ("go", "value", ""), id="a-text-enum-for-a-name"),
        pytest.param([greet], ("greet", "function", "Greet a person."), id="list-function"),
        pytest.param([(greet,)], ("greet", "function", "Greet a person."), id="list-function-alone-in-a-tuple"),
        pytest.param([(greet, "say hi")], ("greet", "function", "say hi"), id="list-function-described"),
        pytest.param([Callee], ("Callee", "function", "Called."), id="list-class"),
        pytest.param(["go"], ("go", "value", ""), id="list-name"),
        pytest.param([("go",)], ("go", "value", ""), id="list-name-alone-in-a-tuple"),
        pytest.param([("go", "when ready")], ("go", "value", "when ready"), id="list-name-described"),
        pytest.param([("go", "G", {"why": str})], ("go", "schema", "G"), id="list-schema"),
        pytest.param([Steps.GO], ("go", "value", ""), id="list-text-enum"),
        pytest.param([Plain.GO], ("go", "value", ""), id="list-old-text-enum"),
        pytest.param((greet,), ("greet", "function", "Greet a person."), id="tuple-like-a-list"),
    ],
)
def test_a_handler_or_item_is_one_kind_of_option(container: object, want: tuple[str, str, str]) -> None:
    assert read(container) == [want]


def test_options_keep_their_order() -> None:
    assert [name for name, *_ in read(["b", "a", greet, "c"])] == ["b", "a", "greet", "c"]


def test_a_value_is_kept_as_it_is() -> None:
    """A list item is its own name; a member of an enum stays one."""
    falsy: list[Any] = [None, 0, "", [], False]
    options = read_options({f"n{at}": value for at, value in enumerate(falsy)})
    assert [option.handler for option in options] == falsy

    (go,) = read_options([Steps.GO])
    assert go.handler is Steps.GO
    assert type(go.name) is str


class Unreadable: ...


def takes_unreadable(x: Unreadable) -> None:
    """Takes what no model can write."""


@pytest.mark.parametrize(
    ("container", "error", "message"),
    [
        pytest.param({"a", "b"}, TypeError, "a dict, a list or a tuple, got set", id="a-set"),
        pytest.param("go", TypeError, "got str", id="text"),
        pytest.param(None, TypeError, "got NoneType", id="nothing"),
        pytest.param(iter(["go"]), TypeError, "a dict, a list or a tuple", id="an-iterator"),
        pytest.param({}, ValueError, "options are empty", id="an-empty-dict"),
        pytest.param([], ValueError, "options are empty", id="an-empty-list"),
        pytest.param((), ValueError, "options are empty", id="an-empty-tuple"),
        pytest.param({1: "one"}, TypeError, "option names are text, got 1", id="a-number-for-a-name"),
        pytest.param({None: 1}, TypeError, "option names are text", id="nothing-for-a-name"),
        pytest.param({"": 1}, ValueError, "an option name is empty", id="an-empty-name"),
        pytest.param([""], ValueError, "an option name is empty", id="an-empty-item"),
        pytest.param({"a\nb": 1}, ValueError, "control character", id="a-line-break"),
        pytest.param({"a\x7f": 1}, ValueError, "control character", id="a-delete"),
        pytest.param({"a\u2029": 1}, ValueError, "control character", id="a-paragraph-separator"),
        pytest.param({"\ud800": 1}, ValueError, "control character", id="half-a-character"),
        pytest.param({"rgb": (1, 2)}, TypeError, r"`\(value, description\)`.*got 2", id="a-pair-of-values"),
        pytest.param({"a": (greet, {})}, TypeError, "the description is text", id="a-schema-for-a-function"),
        pytest.param({"a": (3, {"x": int})}, TypeError, "the description is text, got 3", id="a-number-and-a-schema"),
        pytest.param([()], TypeError, "an option of a list is empty", id="an-empty-tuple-in-a-list"),
        pytest.param([(3, "three")], TypeError, "begins with a function or a name", id="a-value-in-a-list"),
        pytest.param([3], TypeError, "begins with a function or a name", id="a-number-in-a-list"),
        pytest.param([["go"]], TypeError, "begins with a function or a name", id="a-list-in-a-list"),
        pytest.param([None], TypeError, "use a dict for other values", id="nothing-in-a-list"),
        pytest.param([("go", 3)], TypeError, "the description is text, got 3", id="a-description-that-is-none"),
        pytest.param([(greet, 3)], TypeError, "the description is text, got 3", id="a-function-described-by-3"),
        pytest.param([("go", "G", {}, 1)], TypeError, "a list item is `name`", id="a-name-and-too-much"),
        pytest.param([(greet, "G", {})], TypeError, r"`function` or `\(function, description\)`", id="too-much"),
        pytest.param([("s", "S", ["x"])], TypeError, "schema must be a dict", id="a-list-for-a-schema"),
        pytest.param([abstain("none")], TypeError, "begins with a function or a name", id="abstain-in-a-list"),
        pytest.param([functools.partial(greet, "A")], TypeError, "use the dict form", id="a-partial-in-a-list"),
        pytest.param([Callee()], TypeError, "use the dict form", id="an-object-in-a-list"),
        pytest.param([lambda: 1], ValueError, "use the dict form", id="a-lambda-in-a-list"),
        pytest.param(["go", "go"], ValueError, "duplicate option name `go`", id="a-name-twice"),
        pytest.param(
            [greet, ("greet", "G")], ValueError, "duplicate option name `greet`", id="a-function-and-its-name"
        ),
        pytest.param([Steps.GO, "go"], ValueError, "duplicate option name `go`", id="an-enum-and-its-value"),
        pytest.param(
            {"a": abstain("x"), "b": abstain("y")}, ValueError, "more than one option abstains", id="two-ways-out"
        ),
        pytest.param({"a": takes_unreadable}, TypeError, "annotation of `x`: `Unreadable`", id="no-json"),
        pytest.param({"a": dict}, TypeError, "no readable signature", id="no-signature"),
        pytest.param({"a": ("A", {"decision": str})}, ValueError, "`decision` would replace", id="the-reserved-field"),
        pytest.param({"a": ("A", {"x": None})}, TypeError, "schema field `x`", id="a-bad-field"),
    ],
)
def test_anything_else_is_refused(container: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        read_options(container)


def test_abstaining_is_described_in_text() -> None:
    with pytest.raises(TypeError, match="the description is text, got 3"):
        abstain(3)  # type: ignore[arg-type]  # the case under test


@pytest.mark.parametrize("call", [lambda: greet, Callee, lambda: functools.partial(greet, "A")], ids="abc")
def test_a_function_is_found_again_as_it_was_given(call: Callable[[], Any]) -> None:
    fn = call()
    (option,) = read_options({"x": fn})

    assert option.handler is fn
