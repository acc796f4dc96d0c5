"""Values as a model writes them: what each type takes, what it becomes, and what is said of the rest."""

# ruff: noqa: UP007, UP045 -- authors write unions in both spellings
from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import json
import typing
import uuid
from typing import Annotated, Any, Literal, NamedTuple, Optional, Union

import pydantic
import pytest
import typing_extensions

from interlock.schema import Field, field_for, read_value
from interlock.schema.kept import MAX_KEPT, Kept


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mixed(enum.Enum):
    ONE = 1
    TWO = "two"
    NONE = None


@dataclasses.dataclass
class Point:
    x: int
    y: Annotated[int, pydantic.Field(ge=0)] = 0
    color: Color = Color.RED


class Order(pydantic.BaseModel):
    sku: str
    count: int = 1


class Strict(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")
    a: int
    b: int


class Pair(NamedTuple):
    a: int
    b: str = "z"


class Line(typing.TypedDict):
    label: str
    size: typing.NotRequired[int]


class Part(typing.TypedDict, total=False):
    a: int
    b: typing.Required[str]


class Whole(Part):
    c: typing_extensions.NotRequired[Line]


class Exact(typing.TypedDict):
    __pydantic_config__ = pydantic.ConfigDict(extra="forbid")  # type: ignore[misc]  # read by pydantic
    a: typing_extensions.ReadOnly[typing_extensions.NotRequired[int]]
    b: typing_extensions.ReadOnly[int]


class Tree(typing.TypedDict):
    value: int
    kids: list[Tree]


@dataclasses.dataclass
class Holder:
    line: Line
    kids: list[Holder] = dataclasses.field(default_factory=list)
    made: int = dataclasses.field(default=7, init=False)


class Cat(pydantic.BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(pydantic.BaseModel):
    kind: Literal["dog"]
    name: str


class Node(pydantic.BaseModel):
    value: int
    kids: list[Node] = []


@dataclasses.dataclass
class Picky:
    n: int

    def __post_init__(self) -> None:
        if self.n == 1:
            raise ValueError("one is taken")
        if self.n == 2:
            raise KeyError("two")


Pet = Annotated[Union[Cat, Dog], pydantic.Field(discriminator="kind")]


def field(annotation: object) -> Field:
    return field_for("f", annotation)


@pytest.mark.parametrize(
    ("annotation", "written", "want"),
    [
        pytest.param(float, "1", 1.0, id="an-integer-for-a-float"),
        pytest.param(int, "12345678901234567890123", 12345678901234567890123, id="a-large-integer"),
        pytest.param(Any, '{"k": [1, null]}', {"k": [1, None]}, id="any"),
        pytest.param(Color, '"red"', Color.RED, id="enum"),
        pytest.param(Level, "2", Level.HIGH, id="int-enum"),
        pytest.param(Mixed, "null", Mixed.NONE, id="an-enum-of-null"),
        pytest.param(Mixed, '"two"', Mixed.TWO, id="an-enum-of-two-types"),
        pytest.param(Literal["a", 1, True], "true", True, id="a-literal-of-three-types"),
        pytest.param(tuple[int, str], '[1, "a"]', (1, "a"), id="a-tuple"),
        pytest.param(tuple[int, ...], "[1, 2]", (1, 2), id="a-tuple-of-any-length"),
        pytest.param(set[int], "[1, 2, 1]", {1, 2}, id="a-set-that-names-a-value-twice"),
        pytest.param(dict[int, str], '{"1": "a"}', {1: "a"}, id="keys-that-are-numbers"),
        pytest.param(Pair, "[1]", Pair(1), id="a-named-tuple"),
        pytest.param(dt.date, '"2020-01-02"', dt.date(2020, 1, 2), id="a-date"),
        pytest.param(decimal.Decimal, '"1.50"', decimal.Decimal("1.50"), id="a-decimal-as-text"),
        pytest.param(decimal.Decimal, "2", decimal.Decimal(2), id="a-decimal-as-a-number"),
        pytest.param(uuid.UUID, f'"{uuid.UUID(int=1)}"', uuid.UUID(int=1), id="a-uuid"),
        pytest.param(Point, '{"x": 1, "color": "blue", "z": 9}', Point(1, 0, Color.BLUE), id="a-dataclass"),
        pytest.param(Order, '{"sku": "A", "z": 9}', Order(sku="A"), id="a-model"),
        pytest.param(Line, '{"label": "a", "z": 9}', {"label": "a"}, id="a-typed-dict"),
        pytest.param(Part, '{"b": "x"}', {"b": "x"}, id="a-required-key-among-optional-ones"),
        pytest.param(Whole, '{"b": "x", "c": {"label": "l"}}', {"b": "x", "c": {"label": "l"}}, id="an-inherited-key"),
        pytest.param(Exact, '{"b": 1}', {"b": 1}, id="qualified-keys"),
        pytest.param(
            Tree, '{"value": 1, "kids": [{"value": 2, "kids": []}]}',
            {"value": 1, "kids": [{"value": 2, "kids": []}]}, id="a-typed-dict-that-holds-itself",
        ),
        pytest.param(
            Holder, '{"line": {"label": "a"}, "kids": [{"line": {"label": "b"}}]}',
            Holder({"label": "a"}, [Holder({"label": "b"})]), id="a-dataclass-that-holds-a-typed-dict-and-itself",
        ),
        pytest.param(list[Line | None], '[null, {"label": "a"}]', [None, {"label": "a"}], id="a-typed-dict-in-a-union"),
        pytest.param(Annotated[Line, "note"], '{"label": "a"}', {"label": "a"}, id="an-annotated-typed-dict"),
        pytest.param(Pet, '{"kind": "cat", "lives": 9}', Cat(kind="cat", lives=9), id="one-of-two-classes"),
        pytest.param(Picky, '{"n": 3}', Picky(3), id="a-class-with-a-check-of-its-own"),
    ],
)  # fmt: skip
def test_a_fitting_value_becomes_an_object_of_its_type(annotation: object, written: str, want: object) -> None:
    read, problems = read_value(field(annotation), json.loads(written))

    assert problems == []
    assert read == want
    assert type(read) is type(want)


def test_a_nested_typed_dict_keeps_its_dataclass_instance() -> None:
    read, _ = read_value(field(Holder), {"line": {"label": "a"}})

    assert isinstance(read, Holder)
    assert read.made == 7


MISMATCH, ENUM, MISSING = "type_mismatch", "enum_violation", "missing_required"
EXTRA, LIMIT = "bad_args", "constraint_violation"


@pytest.mark.parametrize(
    ("annotation", "written", "kind", "path", "words"),
    [
        pytest.param(int, "true", MISMATCH, "f", "valid integer, got true", id="true-is-no-integer"),
        pytest.param(int, "2.0", MISMATCH, "f", "got 2.0", id="2.0-is-no-integer"),
        pytest.param(int, '"2"', MISMATCH, "f", 'got "2"', id="text-is-not-converted"),
        pytest.param(float, "true", MISMATCH, "f", "valid number", id="true-is-no-number"),
        pytest.param(bool, "1", MISMATCH, "f", "valid boolean", id="1-is-no-boolean"),
        pytest.param(str, "null", MISMATCH, "f", "valid string", id="null-is-no-text"),
        pytest.param(Literal[1], "true", ENUM, "f", "must be one of 1", id="true-is-not-the-literal-1"),
        pytest.param(Literal[1], "1.0", ENUM, "f", "must be one of 1", id="1.0-is-not-the-literal-1"),
        pytest.param(Literal[True], "1", ENUM, "f", "must be one of true", id="1-is-not-the-literal-true"),
        pytest.param(Level, "true", ENUM, "f", "must be one of 1, 2", id="true-is-no-member"),
        pytest.param(list[Level], "[1, true]", ENUM, "f[1]", "must be one of 1, 2", id="true-in-a-list"),
        pytest.param(Color, '"RED"', ENUM, "f", "'red' or 'blue', got \"RED\"", id="a-members-name"),
        pytest.param(tuple[int, str], "[1]", MISSING, "f[1]", "is required", id="a-short-tuple"),
        pytest.param(tuple[int, str], '[1, "a", 2]', LIMIT, "f", "at most 2 items", id="a-long-tuple"),
        pytest.param(dict[int, int], '{"x": 1}', MISMATCH, "f.x", "key that is not of its type", id="a-wrong-key"),
        pytest.param(dict[str, int], '{"a": "x"}', MISMATCH, "f.a", "valid integer", id="a-value-of-a-dict"),
        pytest.param(Pair, '{"a": 1}', MISMATCH, "f", "must be array", id="an-object-for-a-named-tuple"),
        pytest.param(Pair, "[]", MISSING, "f[0]", "is required", id="an-empty-named-tuple"),
        pytest.param(dt.date, '"x"', MISMATCH, "f", "valid date", id="no-date"),
        pytest.param(uuid.UUID, "1", MISMATCH, "f", "UUID input", id="an-acronym-keeps-its-capitals"),
        pytest.param(Point, '{"y": 1}', MISSING, "f.x", "is required", id="a-missing-field"),
        pytest.param(Point, '{"x": 1, "y": -1}', LIMIT, "f.y", "greater than or equal to 0", id="a-limit"),
        pytest.param(Point, "[1]", MISMATCH, "f", "should be an object", id="a-list-for-a-class"),
        pytest.param(list[Point], '[{"x": 1}, {}]', MISSING, "f[1].x", "is required", id="a-path"),
        pytest.param(Strict, '{"a": 1, "b": 2, "c": 3}', EXTRA, "f.c", "is not a field", id="a-forbidden-key"),
        pytest.param(Exact, '{"b": 1, "c": 2}', EXTRA, "f.c", "is not a field", id="a-key-a-typed-dict-forbids"),
        pytest.param(Exact, "{}", MISSING, "f.b", "is required", id="a-qualified-key"),
        pytest.param(Part, "{}", MISSING, "f.b", "is required", id="a-required-key"),
        pytest.param(Tree, '{"value": 1, "kids": [{"value": 2}]}', MISSING, "f.kids[0].kids", "required", id="a-tree"),
        pytest.param(Pet, '{"kind": "cow"}', MISMATCH, "f", "'cat', 'dog'", id="an-unknown-class"),
        pytest.param(Pet, '{"lives": 1}', MISMATCH, "f", "'kind'", id="no-class"),
        pytest.param(Pet, '{"kind": "cat"}', MISSING, "f.lives", "is required", id="a-field-of-the-named-class"),
        pytest.param(Union[Cat, Dog], '{"kind": "cat"}', MISMATCH, "f", "fits none of its types", id="no-form"),
        pytest.param(Union[int, str], "[]", MISMATCH, "f", "fits none of its types, got []", id="no-form-of-two"),
        pytest.param(Optional[int], '"x"', MISMATCH, "f", "valid integer", id="a-nullable-integer"),
        pytest.param(Optional[list[int]], '[1, "x"]', MISMATCH, "f[1]", "valid integer", id="inside-a-nullable-list"),
        pytest.param(
            Annotated[str, pydantic.Field(pattern="^a+$")], '"b"', LIMIT, "f", "match pattern", id="a-pattern"
        ),
        pytest.param(Picky, '{"n": 1}', LIMIT, "f", "one is taken", id="a-check-of-the-class"),
        pytest.param(Picky, '{"n": 2}', LIMIT, "f", "is not taken: KeyError", id="a-class-that-raises-anything"),
        pytest.param(str, '"\\ud800"', MISMATCH, "f", "half of a character", id="half-a-character"),
        pytest.param(float, "1e999", MISMATCH, "f", "is not a JSON value", id="infinity"),
        pytest.param(float, "1" + "0" * 400, LIMIT, "f", "too large for a number", id="an-integer-beyond-all-floats"),
        pytest.param(Any, "[NaN]", MISMATCH, "f", "is not a JSON value", id="not-a-number"),
    ],
)
def test_any_other_value_is_a_problem_at_its_place(
    annotation: object, written: str, kind: str, path: str, words: str
) -> None:
    _, problems = read_value(field(annotation), json.loads(written))

    assert (problems[0].kind, problems[0].path) == (kind, path)
    assert words in problems[0].message


def test_a_nesting_beyond_all_bounds_is_a_problem() -> None:
    value: object = 1
    for _ in range(100_000):
        value = [value]

    _, problems = read_value(field(Any), value)

    assert problems[0].kind == "type_mismatch"


def test_options_are_compared_after_conversion() -> None:
    sizes = field_for("size", int, options=["5", 10])

    assert read_value(sizes, 5) == (5, [])
    assert read_value(sizes, True)[1][0].kind == "type_mismatch"
    assert read_value(sizes, 7)[1][0].message == "must be one of 5, 10, got 7"
    assert read_value(field_for("c", Color, options=["red"]), "red") == (Color.RED, [])
    assert read_value(field_for("c", Color, options=["red"]), "blue")[1][0].kind == "enum_violation"


def test_the_oldest_thing_made_is_forgotten() -> None:
    """What was made of dynamic types does not grow for ever."""
    kept: Kept[int] = Kept()
    owners = [object() for _ in range(MAX_KEPT + 1)]
    for at, owner in enumerate(owners):
        assert kept.get(owner, None, lambda at=at: at) == at  # type: ignore[misc]  # a default binds the loop's value

    assert kept.get(owners[-1], None, lambda: -1) == MAX_KEPT
    assert kept.get(owners[0], None, lambda: -1) == -1


def test_an_adapter_is_built_once() -> None:
    """Building one costs more than reading a reply with it."""
    annotation = list[int]

    assert field(annotation).adapter is field(annotation).adapter
    assert field_for("f", str, options=["a"]).adapter is field_for("g", str, options=["a"]).adapter
