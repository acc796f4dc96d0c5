"""Which control a person gets for a parameter, what it shows, and what its text becomes."""

# ruff: noqa: UP045 -- authors write types in both spellings
from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, Optional

import pydantic
import pytest

from interlock.functions import FormField, form_model, read_form


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Mixed(enum.Enum):
    ONE = 1
    TWO = "two"
    NONE = None


SENTINEL = object()


def function(annotation: object, default: object = ..., **said: object) -> Callable[..., Any]:
    """A function of one parameter `x`."""

    def required(x: str) -> object:
        """Take one."""
        return x

    def optional(x: object = default) -> object:
        """Take one."""
        return x

    fn: Any = required if default is ... else optional
    if annotation is None:
        fn.__annotations__.pop("x")
    else:
        fn.__annotations__["x"] = annotation
    fn.input_meta = {"x": said}
    return fn  # type: ignore[no-any-return]


def field(annotation: object, default: object = ..., **said: object) -> FormField:
    (found,) = form_model(function(annotation, default, **said)).fields
    return found


@pytest.mark.parametrize(
    ("annotation", "said", "control", "chips", "takes_other"),
    [
        pytest.param(bool, {}, "toggle", (), False, id="a-boolean"),
        pytest.param(Annotated[bool, "note"], {}, "toggle", (), False, id="an-annotated-boolean"),
        pytest.param(bool, {"options_from": "functions"}, "toggle", (), False, id="a-boolean-before-a-source"),
        pytest.param(bool, {"options": [True]}, "toggle", (), False, id="a-boolean-before-options"),
        pytest.param(str, {"options_from": "functions"}, "select", (), False, id="a-function"),
        pytest.param(
            str, {"options_from": "functions", "options": ["a"]}, "select", (), False, id="a-source-before-options"
        ),
        pytest.param(str, {"options": ["a", "b"]}, "chips", ("a", "b"), True, id="options"),
        pytest.param(int, {"options": ["5", 10]}, "chips", ("5", "10"), True, id="options-of-a-number"),
        pytest.param(float, {"options": [1, "2.5"]}, "chips", ("1.0", "2.5"), True, id="options-of-a-float"),
        pytest.param(int, {"options": [1], "multiline": True}, "chips", ("1",), True, id="options-before-lines"),
        pytest.param(Literal["a", 1], {}, "chips", ("a", "1"), False, id="a-literal"),
        pytest.param(Optional[Literal["a"]], {}, "chips", ("a",), False, id="a-nullable-literal"),
        pytest.param(Color, {}, "chips", ("red", "blue"), False, id="an-enum"),
        pytest.param(Mixed, {}, "chips", ("1", "two"), False, id="an-enum-of-null"),
        pytest.param(Color, {"options": ["red"]}, "chips", ("red",), False, id="options-of-an-enum"),
        pytest.param(Literal["auto"] | int, {}, "line", (), False, id="a-literal-or-any-number"),
        pytest.param(str, {}, "textarea", (), False, id="text"),
        pytest.param(None, {}, "textarea", (), False, id="untyped"),
        pytest.param(str, {"multiline": False}, "line", (), False, id="text-of-one-line"),
        pytest.param(int, {"multiline": True}, "textarea", (), False, id="a-number-of-many-lines"),
        pytest.param(int, {}, "line", (), False, id="a-number"),
        pytest.param(int, {"multiline": False}, "line", (), False, id="a-number-of-one-line"),
        pytest.param(Optional[str], {}, "line", (), False, id="nullable-text"),
        pytest.param(list[str], {}, "line", (), False, id="a-list"),
        pytest.param(Any, {}, "line", (), False, id="anything"),
    ],
)
def test_the_first_rule_that_applies_gives_the_control(
    annotation: object, said: Mapping[str, object], control: str, chips: tuple[str, ...], takes_other: bool
) -> None:
    found = field(annotation, **said)

    assert (found.control, found.chips, found.takes_other) == (control, chips, takes_other)


@pytest.mark.parametrize(
    ("annotation", "default", "said", "placeholder", "tab_text"),
    [
        pytest.param(str, ..., {}, None, None, id="required"),
        pytest.param(str, "academic", {}, "academic", "academic", id="text-without-quotes"),
        pytest.param(int, 3, {}, "3", "3", id="a-number-without-a-prefix"),
        pytest.param(list[int], [1, 2], {}, "[1, 2]", "[1, 2]", id="a-list"),
        pytest.param(tuple[int, int], (1, 2), {}, "[1, 2]", "[1, 2]", id="a-tuple"),
        pytest.param(Color, Color.RED, {}, "red", "red", id="an-enum"),
        pytest.param(str, "größe", {}, "größe", "größe", id="other-letters"),
        pytest.param(Optional[int], None, {}, None, None, id="none-is-not-shown"),
        pytest.param(str, "_unset", {}, None, None, id="an-underscore-is-not-shown"),
        pytest.param(str, "", {}, None, None, id="empty-text-is-not-shown"),
        pytest.param(str, SENTINEL, {}, None, None, id="no-json-is-not-shown"),
        pytest.param(dt.date, dt.date(2020, 1, 1), {}, None, None, id="no-json-value-either"),
        pytest.param(int, 3, {"placeholder": "how many"}, "how many", None, id="a-placeholder-goes-before"),
        pytest.param(int, ..., {"placeholder": "how many"}, "how many", None, id="a-placeholder-alone"),
        pytest.param(bool, True, {}, None, None, id="a-toggle-shows-its-state"),
    ],
)
def test_an_empty_field_shows_its_placeholder_or_default(
    annotation: object, default: object, said: Mapping[str, object], placeholder: str | None, tab_text: str | None
) -> None:
    found = field(annotation, default, **said)

    assert (found.placeholder, found.tab_text) == (placeholder, tab_text)


@pytest.mark.parametrize(("default", "state"), [(..., None), (True, True), (False, False), (None, None)], ids=repr)
def test_a_toggle_begins_with_its_default(default: object, state: bool | None) -> None:
    assert field(bool, default).toggled is state


@pytest.mark.parametrize(
    ("annotation", "default", "description", "label"),
    [
        pytest.param(int, ..., None, "x (int)", id="required"),
        pytest.param(int, 1, "How many", "x (int, optional) How many", id="optional"),
        pytest.param(None, ..., "What", "x (str) What", id="untyped"),
        pytest.param(Optional[list[Color]], None, None, "x (list[Color] | None, optional)", id="a-nullable-list"),
        pytest.param(Annotated[int, pydantic.Field(ge=0)], ..., None, "x (int)", id="limits-are-not-shown"),
        pytest.param(Literal["a", Color.RED], ..., None, "x (Literal['a', Color.RED])", id="a-literal"),
        pytest.param(tuple[int, ...], ..., None, "x (tuple[int, ...])", id="a-tuple"),
        pytest.param(dict[str, Any], ..., None, "x (dict[str, Any])", id="a-dict"),
    ],
)
def test_a_label_has_name_type_and_description(
    annotation: object, default: object, description: str | None, label: str
) -> None:
    assert field(annotation, default, description=description).label == label


def test_hidden_and_injected_parameters_have_no_field() -> None:
    def fn(q: str, secret: str, runtime: object, exec_runtime: object = None) -> None:
        """Ask."""

    fn.input_meta = {"secret": {"hidden": True}}  # type: ignore[attr-defined]
    model = form_model(fn)

    assert (model.name, model.summary) == ("fn", "Ask.")
    assert [item.name for item in model.fields] == ["q"]
    assert read_form(fn, {"q": "a", "secret": "EVIL", "runtime": "EVIL"}).values == {"q": "a"}


@pytest.mark.parametrize(
    ("annotation", "said", "text", "want"),
    [
        pytest.param(str, {}, " 12 ", " 12 ", id="text-as-it-is"),
        pytest.param(str, {}, "null", "null", id="text-that-looks-like-json"),
        pytest.param(Optional[str], {}, "null", "null", id="nullable-text"),
        pytest.param(int, {}, " 12 ", 12, id="a-number"),
        pytest.param(float, {}, "12", 12.0, id="an-integer-for-a-float"),
        pytest.param(bool, {}, True, True, id="a-toggle"),
        pytest.param(bool, {}, False, False, id="a-toggle-that-is-off"),
        pytest.param(bool, {}, "true", True, id="a-boolean-as-text"),
        pytest.param(list[int], {}, "[1, 2]", [1, 2], id="a-list"),
        pytest.param(dict[str, int], {}, '{"a": 1}', {"a": 1}, id="a-dict"),
        pytest.param(Optional[int], {}, "null", None, id="null"),
        pytest.param(int | str, {}, "12", 12, id="a-number-before-text"),
        pytest.param(int | str, {}, "12abc", "12abc", id="text-where-no-number-is"),
        pytest.param(dt.date, {}, "2020-01-02", dt.date(2020, 1, 2), id="a-date"),
        pytest.param(Color, {}, "red", Color.RED, id="an-enum"),
        pytest.param(Literal[1, 2], {}, "2", 2, id="a-literal"),
        pytest.param(str, {"options": ["a"]}, "other", "other", id="other-text-beside-chips"),
        pytest.param(int, {"options": [5]}, "7", 7, id="another-number-beside-chips"),
        pytest.param(Any, {}, "[1]", [1], id="anything"),
        pytest.param(Any, {}, "plain", "plain", id="anything-as-text"),
    ],
)
def test_a_text_becomes_a_value_of_its_type(
    annotation: object, said: Mapping[str, object], text: str | bool, want: object
) -> None:
    read = read_form(function(annotation, **said), {"x": text})

    assert read.errors == {}
    assert read.values == {"x": want}
    assert type(read.values["x"]) is type(want)


@pytest.mark.parametrize(
    ("annotation", "text", "words"),
    [
        pytest.param(int, "12abc", "valid integer", id="a-number-with-a-tail"),
        pytest.param(int, "1.5", "valid integer", id="a-fraction"),
        pytest.param(int, "12 13", "valid integer", id="two-numbers"),
        pytest.param(float, "NaN", "is not a JSON value", id="not-a-number"),
        pytest.param(float, "9" * 5000, "valid number", id="digits-beyond-the-limit"),
        pytest.param(list[int], '[1, "x"]', "`x[1]` input should be a valid integer", id="inside-a-list"),
        pytest.param(list[int], "[" * 100_000, "valid array", id="nested-beyond-all-bounds"),
        pytest.param(Color, "green", "must be one of", id="no-member"),
        pytest.param(Literal["a"], "b", "must be one of", id="not-in-the-literal"),
        pytest.param(bool, "yes", "valid boolean", id="no-boolean"),
        pytest.param(str, True, "valid string", id="a-toggle-for-text"),
        pytest.param(int, "", "is required", id="empty"),
    ],
)
def test_a_text_that_does_not_fit_is_an_error_of_its_field(annotation: object, text: str | bool, words: str) -> None:
    read = read_form(function(annotation), {"x": text})

    assert read.values == {}
    assert words in read.errors["x"]


def test_an_empty_optional_field_is_left_out() -> None:
    fn = function(int, 3)

    assert read_form(fn, {"x": ""}).values == read_form(fn, {}).values == {}
    assert read_form(fn, {}).errors == {}


def test_every_field_has_its_own_error() -> None:
    def fn(a: int, b: int, c: int = 0) -> None:
        """Count."""

    read = read_form(fn, {"a": "x", "c": "5"})

    assert read.errors.keys() == {"a", "b"}
    assert read.values == {"c": 5}
