"""The text of a menu, to the letter."""

# ruff: noqa: UP007, UP045 -- authors write unions in both spellings
from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import json
import uuid
from collections.abc import Callable
from typing import Annotated, Any, Literal, NamedTuple, Optional, TypedDict, Union

import pydantic
import pytest
import typing_extensions

from interlock.menu import abstain, read_options, render_menu
from interlock.menu.render import call_line


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


@dataclasses.dataclass
class Point:
    """Never shown."""

    x: int
    color: Color = Color.RED
    n: Annotated[int, pydantic.Field(ge=0, description="how many\nof them")] = 3
    rest: list[str] = dataclasses.field(default_factory=list)


class Line(TypedDict, total=False):
    size: int


class Pair(NamedTuple):
    a: int
    b: Literal["x", "y"] = "x"


class Node(pydantic.BaseModel):
    value: int
    kids: list[Node] = []


Json = typing_extensions.TypeAliasType("Json", "list[Json] | int")


class Cat(pydantic.BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(pydantic.BaseModel):
    kind: Literal["dog"]


SENTINEL = object()


def menu(options: object) -> str:
    return render_menu(read_options(options))


def function(annotation: object, default: object = ..., **said: object) -> Callable[..., Any]:
    """A function of one parameter `x`."""

    def required(x: object) -> object:
        return x

    def optional(x: object = default) -> object:
        return x

    fn: Any = required if default is ... else optional
    fn.__annotations__["x"] = annotation
    fn.input_meta = {"x": said}
    return fn  # type: ignore[no-any-return]


def test_a_menu_is_blocks_in_the_order_of_the_container() -> None:
    def find(query: str, size: int) -> None:
        """Search the ticket store.

        Never shown.

        Args:
            query: never shown
        """

    find.input_meta = {"query": {"description": "What to search"}, "size": {"options": ["10", "20"]}}  # type: ignore[attr-defined]
    options = {
        "find": find,
        "plan": ("Make a plan.\nWith care.", {"steps": [{"verb": "what to do", "n": int}], "mode": {"options": ["a"]}}),
        "stop": ("V", "when all is done"),
        "skip": None,
        "none of these": abstain("Nothing fits."),
    }

    assert menu(options) == (
        "find(query: str, size: int)\n"
        "    Search the ticket store.\n"
        "    query: What to search\n"
        "    size (options: 10, 20)\n"
        '    Call: {"call": "find", "args": {"query": "<str>", "size": 0}}\n'
        "\n"
        "plan(steps: list[dict], mode: str)\n"
        "    Make a plan.\n"
        "    With care.\n"
        "    steps\n"
        "    steps[].verb: what to do\n"
        '    mode (options: "a")\n'
        '    Call: {"call": "plan", "args": {"steps": [{"verb": "<str>", "n": 0}], "mode": "<str>"}}\n'
        "\n"
        "stop()\n"
        "    when all is done\n"
        '    Call: {"call": "stop"}\n'
        "\n"
        "skip()\n"
        '    Call: {"call": "skip"}\n'
        "\n"
        "none of these(reason: str)\n"
        "    Nothing fits.\n"
        "    reason: why none of the other options fits (optional)\n"
        '    Call: {"call": "none of these", "args": {"reason": "<str>"}}\n'
    )


@pytest.mark.parametrize(
    ("annotation", "shown", "placeholder", "lines"),
    [
        pytest.param(str, "str", "<str>", ["x"], id="str"),
        pytest.param(int, "int", 0, ["x"], id="int"),
        pytest.param(float, "float", 0.0, ["x"], id="float"),
        pytest.param(bool, "bool", False, ["x"], id="bool"),
        pytest.param(list, "list", [], ["x"], id="list"),
        pytest.param(dict, "dict", {}, ["x"], id="dict"),
        pytest.param(Any, "any", None, ["x"], id="any"),
        pytest.param(None, "None", None, ["x"], id="None"),
        pytest.param(list[int], "list[int]", [0], ["x"], id="list-of"),
        pytest.param(list[list[bool]], "list[list[bool]]", [[False]], ["x"], id="list-of-lists"),
        pytest.param(dict[str, int], "dict", {}, ["x"], id="dict-of"),
        pytest.param(set[int], "list[int]", [0], ["x"], id="set"),
        pytest.param(tuple[int, str], "list", [0, "<str>"], ["x"], id="tuple"),
        pytest.param(tuple[int, ...], "list[int]", [0], ["x"], id="tuple-of-any-length"),
        pytest.param(Optional[int], "int | None", 0, ["x"], id="nullable"),
        pytest.param(None | int, "int | None", 0, ["x"], id="null-first"),
        pytest.param(Union[int, str, None], "int | str | None", 0, ["x"], id="union"),
        pytest.param(list[Optional[int]], "list[int | None]", [0], ["x"], id="list-of-nullables"),
        pytest.param(dt.date, "str", "<str>", ["x"], id="date"),
        pytest.param(decimal.Decimal, "float | str", 0.0, ["x"], id="decimal"),
        pytest.param(uuid.UUID, "str", "<str>", ["x"], id="uuid"),
        pytest.param(Literal["a", "b"], "str", "<str>", ['x (options: "a", "b")'], id="literal"),
        pytest.param(Literal[1], "int", 0, ["x (options: 1)"], id="literal-of-a-number"),
        pytest.param(Literal["a", 1], "str | int", "<str>", ['x (options: "a", 1)'], id="literal-of-two-types"),
        pytest.param(
            Optional[Literal["a", 1]], "str | int | None", "<str>", ['x (options: "a", 1)'], id="nullable-literal"
        ),
        pytest.param(Color, "str", "<str>", ['x (options: "red", "blue")'], id="enum"),
        pytest.param(Size, "int", 0, ["x (options: 1, 2)"], id="int-enum"),
        pytest.param(
            list[Color], "list[str]", ["<str>"], ["x", 'x[] (options: "red", "blue")'], id="list-of-an-enum"
        ),
        pytest.param(dict[str, Size], "dict", {}, ["x", "x.* (options: 1, 2)"], id="dict-of-an-enum"),
        pytest.param(Pair, "list", [0, "<str>"], ["x", 'x[1] (options: "x", "y") (default: "x")'], id="named-tuple"),
        pytest.param(
            Annotated[int, pydantic.Field(ge=0, le=10)], "int", 0, ["x (limits: min 0, max 10)"], id="min-and-max"
        ),
        pytest.param(
            Annotated[float, pydantic.Field(gt=0, lt=1.5)], "float", 0.0, ["x (limits: over 0, under 1.5)"], id="over"
        ),
        pytest.param(
            Annotated[str, pydantic.Field(min_length=1, max_length=3, pattern="^a+$")], "str", "<str>",
            ["x (limits: min length 1, max length 3, pattern ^a+$)"], id="lengths-and-pattern",
        ),
        pytest.param(
            Annotated[list[int], pydantic.Field(min_length=1, max_length=3)], "list[int]", [0],
            ["x (limits: min items 1, max items 3)"], id="items",
        ),
        pytest.param(
            list[Annotated[int, pydantic.Field(ge=1)]], "list[int]", [0], ["x", "x[] (limits: min 1)"], id="of-limits"
        ),
        pytest.param(
            Optional[Annotated[int, pydantic.Field(ge=1)]], "int | None", 0, ["x (limits: min 1)"], id="nullable-limits"
        ),
        pytest.param(
            Point, "dict", {"x": 0, "color": "<str>", "n": 0, "rest": ["<str>"]},
            [
                "x",
                'x.color (options: "red", "blue") (default: "red")',
                "x.n: how many of them (limits: min 0) (default: 3)",
                "x.rest (optional)",
            ],
            id="dataclass",
        ),
        pytest.param(list[Line], "list[dict]", [{"size": 0}], ["x", "x[].size (optional)"], id="list-of-typed-dicts"),
        pytest.param(
            Node, "dict", {"value": 0, "kids": [{"value": 0, "kids": []}]},
            ["x", "x.kids (default: [])", "x.kids[].kids (default: [])"], id="a-type-that-holds-itself-expands-once",
        ),
        pytest.param(Json, "list[any] | int", [[]], ["x"], id="an-alias-that-holds-itself"),
        pytest.param(
            Annotated[Union[Cat, Dog], pydantic.Field(discriminator="kind")], "dict", {"kind": "<str>", "lives": 0},
            ["x", 'x.kind (options: "cat")', 'x.kind (options: "dog")'], id="one-of-two-classes",
        ),
    ],
)  # fmt: skip
def test_a_type_has_a_name_a_placeholder_and_lines(
    annotation: object, shown: str, placeholder: object, lines: list[str]
) -> None:
    text = menu({"f": function(annotation)})

    head, *said, call = text.splitlines()
    assert head == f"f(x: {shown})"
    assert [line.removeprefix("    ") for line in said] == lines
    assert json.loads(call.strip().removeprefix("Call: ")) == {"call": "f", "args": {"x": placeholder}}


@pytest.mark.parametrize(
    ("default", "mark"),
    [
        pytest.param(1.0, "(default: 1.0)", id="a-number"),
        pytest.param("é", '(default: "é")', id="text"),
        pytest.param("", '(default: "")', id="empty-text"),
        pytest.param(False, "(default: false)", id="false"),
        pytest.param([], "(default: [])", id="an-empty-list"),
        pytest.param((1, 2), "(default: [1, 2])", id="a-tuple"),
        pytest.param(None, "(optional)", id="none"),
        pytest.param(SENTINEL, "(optional)", id="no-json"),
        pytest.param(float("nan"), "(optional)", id="not-a-number"),
        pytest.param({1, 2}, "(optional)", id="a-set"),
        pytest.param(dt.date(2020, 1, 1), "(optional)", id="a-date"),
    ],
)
def test_a_default_is_shown_where_json_can(default: object, mark: str) -> None:
    assert f"    x {mark}\n" in menu({"f": function(Any, default)})


def test_a_line_of_a_parameter_stays_one_line() -> None:
    fn = function(str, description="What\n\n  to say\r\nnow")

    assert "    x: What to say now\n" in menu({"f": fn})


def test_names_are_escaped_in_the_call_and_other_letters_kept() -> None:
    (option,) = read_options({'say "größe"\\': ("S", {"größe": str})})

    assert call_line(option) == '{"call": "say \\"größe\\"\\\\", "args": {"größe": "<str>"}}'
    assert json.loads(call_line(option))["call"] == option.name


def test_values_are_never_shown() -> None:
    text = menu({"a": "SECRET", "b": ("SECRET", "B"), "c": abstain("C", then="SECRET"), "d": {"SECRET": 1}})

    assert "SECRET" not in text


def test_a_list_renders_as_the_same_dict() -> None:
    def go() -> None:
        """Go."""

    assert menu([go, ("stop", "S")]) == menu({"go": go, "stop": ("stop", "S")}) == menu((go, ("stop", "S")))
